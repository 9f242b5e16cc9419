// async_pause*, reader_wait, leftover_pause: how long single frames and calls of the game thread
// become.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <sys/resource.h>

#include "bench.hpp"
#include "game.hpp"
#include "records.hpp"
#include "temporary_folder.hpp"

namespace hdb::bench {
namespace {

using Change = void (*)(Game&);

// Nanoseconds of the longest of ten frames, each of which changes something. The first one does
// `begin`, too.
double longest_frame(
    Game& game, Change change, const std::function<void()>& begin = [] {}) {
  double longest = 0;
  for (int frame = 0; frame < 10; ++frame) {
    longest = std::max(longest, time_ns([&] {
                         if (frame == 0) begin();
                         change(game);
                       }));
  }
  return longest;
}

double longest_while_saving(Game& game, Change change) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pause.hdb");
  Saving saving;
  const double longest =
      longest_frame(game, change, [&] { saving = save_async(game.database.capture(), path); });
  saving.cancel();  // it has hardly begun
  static_cast<void>(saving.result());
  return longest;
}

void async_pause(Bench& bench) {
  if (!bench.wants({"async_pause", "async_pause_scattered", "async_pause_cold"})) return;
  const Change clusters = [](Game& game) { game.move_clusters(); };
  const Change scattered = [](Game& game) { game.move_scattered(10'000); };
  Game game(false);
  game.database.reserve_copies();
  // Nanoseconds that a save adds to the longest frame: medians, with and without one in turn.
  const auto added = [&](Change change, const Run& saving) {
    std::vector<double> with, without;
    for (std::size_t round = 0; round < bench.rounds(); ++round) {
      with.push_back(saving());
      without.push_back(longest_frame(game, change));
    }
    return median(with) - median(without);
  };
  bench.report({"async_pause", 0.3, "ms", "added to the longest frame, 1 % in clusters"},
               added(clusters, [&] { return longest_while_saving(game, clusters); }) * 1e-6);
  WarmCopy copy(kMillionBytes);
  std::vector<double> copies;
  for (std::size_t round = 0; round < bench.rounds(); ++round) copies.push_back(copy());
  const double anywhere = added(scattered, [&] { return longest_while_saving(game, scattered); });
  bench.report({"async_pause_scattered", 1.5, "",
                fmt::format("1 % anywhere, / memcpy of the table; {:.3g} ms", anywhere * 1e-6)},
               anywhere / median(copies));
  if (!bench.wants({"async_pause_cold"})) return;
  const auto longest_cold = [&] {
    Game fresh(false);
    return longest_while_saving(fresh, clusters);
  };
  bench.report({"async_pause_cold", {}, "ms", "clusters, no spare pages"},
               added(clusters, longest_cold) * 1e-6);
}

// Nanoseconds of a call; 0 if another program took the processor meanwhile. A wait of the thread's
// own counts.
double undisturbed_ns(const auto& call) {
  const auto preemptions = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
  };
  const long before = preemptions();
  const double ns = time_ns(call);
  return preemptions() == before ? ns : 0;
}

// Nanoseconds of one `edit` call for each handle, one every `gap`, while another thread saves a
// snapshot. Calls during which another program took the processor are left out.
std::vector<double> edits_while_saving(Game& game, const HandlesOf<Body>& handles,
                                       std::chrono::nanoseconds gap) {
  std::atomic<bool> began = false;
  std::atomic<bool> cancel = false;
  std::thread saving([&, snapshot = game.database.capture()] {
    NullSink sink;
    SaveOptions options;
    options.write.cancel = &cancel;
    began = true;
    static_cast<void>(save(snapshot, sink, options));
  });
  while (!began) std::this_thread::yield();
  std::vector<double> times;
  auto next = std::chrono::steady_clock::now();
  for (const auto handle : handles) {
    while (std::chrono::steady_clock::now() < next) {
    }
    next += gap;
    const double ns = undisturbed_ns([&] { ++game.bodies.edit(handle)->state; });
    if (ns > 0) times.push_back(ns);
  }
  cancel = true;
  saving.join();
  return times;
}

// The time that 99.9 % of the first edits of a page do not exceed, in a random order and evenly
// over the time of a save. So the figure holds all that a first write to a page after a capture
// costs: the copy of the page, and the wait for the saving thread if it is just reading the page.
void reader_wait(Bench& bench) {
  if (!bench.wants({"reader_wait"})) return;
  Game game(false);
  game.database.reserve_copies();
  const HandlesOf<Body> handles = in_random_order(one_of_each_page(game.bodies));
  const auto gap = std::chrono::nanoseconds(
      static_cast<std::int64_t>(save_to_nowhere(game, {}) / static_cast<double>(handles.size())));
  bench.measure({"reader_wait", 50, "us", "99.9 % of first edits of a page"},
                [&] { return quantile(edits_while_saving(game, handles, gap), 0.999); });
}

// All pages are written while a snapshot is open, and another thread drops the snapshot, as a
// finished save does. Then the game goes on.
void leftover_pause(Bench& bench) {
  if (!bench.wants({"leftover_pause"})) return;
  constexpr std::size_t kCalls = 1000;
  People people(make_person);
  Database& database = people.database;
  Table<Person>& table = people.table;
  HandlesOf<Person>& handles = people.handles;
  handles.reserve(People::kCount + kCalls);
  bench.measure(
      {"leftover_pause", 0.5, "ms", "longest insert, edit or capture; 200,000 nested records"},
      [&] {
        Snapshot earlier = database.capture();
        for (const auto handle : handles) ++table.edit(handle)->items[0];
        std::thread([dropped = std::move(earlier)] {}).join();
        double longest = 0;
        const auto call = [&](const auto& work) {
          longest = std::max(longest, undisturbed_ns(work));
        };
        for (std::size_t i = 0; i < kCalls; ++i) {
          call([&] { handles.push_back(table.insert(make_person(i))); });
          call([&] { ++table.edit(handles[i * (People::kCount / kCalls)])->items[0]; });
          call([&] { return database.capture(); });
        }
        for (; handles.size() > People::kCount; handles.pop_back()) table.erase(handles.back());
        return longest;
      });
}

}  // namespace

void pause_rows(Bench& bench) {
  async_pause(bench);
  reader_wait(bench);
  leftover_pause(bench);
}

}  // namespace hdb::bench
