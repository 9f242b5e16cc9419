// async_pause*, reader_wait, leftover_pause, grow_10m: how long single frames and calls of the game
// thread become.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.hpp"
#include "game.hpp"
#include "records.hpp"

namespace hdb::bench {
namespace {

// The longest of some frames, each of which changes something, with or without a save in the
// background.
class Frames {
 public:
  using Change = std::function<void(Game&)>;

  struct Longest {
    double wall_ns = 0;
    double cpu_ns = 0;  // of the game thread: without the time of other programs
    void add(const std::function<void()>& frame) {
      const double before = thread_cpu_ns();
      wall_ns = std::max(wall_ns, time_ns(frame));
      cpu_ns = std::max(cpu_ns, thread_cpu_ns() - before);
    }
  };
  static Longest longest(Game& game, const Change& change) {
    Longest found;
    for (int frame = 0; frame < kFrames; ++frame) found.add([&] { change(game); });
    return found;
  }
  static Longest longest_while_saving(Game& game, const Change& change) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("hdb_bench_pause_" + std::to_string(::getpid())))
            .string();
    Saving saving;
    Longest found;
    found.add([&] {
      saving = save_async(game.database.capture(), path);
      change(game);
    });
    for (int frame = 1; frame < kFrames; ++frame) found.add([&] { change(game); });
    saving.cancel();  // it has hardly begun
    static_cast<void>(saving.result());
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    return found;
  }

 private:
  static constexpr int kFrames = 10;
};

// Medians of what a save adds to the longest frame.
class Added {
 public:
  template <class Saving>
  Added(std::size_t rounds, Game& game, const Frames::Change& change,
        const Saving& longest_saving) {
    std::vector<double> wall[2];
    std::vector<double> cpu[2];
    const auto note = [&](int side, const Frames::Longest& longest) {
      wall[side].push_back(longest.wall_ns);
      cpu[side].push_back(longest.cpu_ns);
    };
    for (std::size_t round = 0; round < rounds; ++round) {
      note(0, longest_saving());
      note(1, Frames::longest(game, change));
    }
    wall_ns = median(wall[0]) - median(wall[1]);
    cpu_ns = median(cpu[0]) - median(cpu[1]);
  }
  double wall_ns = 0;
  double cpu_ns = 0;
};

void async_pause(Bench& bench) {
  if (!bench.wants({"async_pause", "async_pause_cpu", "async_pause_scattered", "async_pause_cold"}))
    return;
  const Frames::Change clusters = [](Game& game) { game.move_clusters(); };
  const Frames::Change scattered = [](Game& game) { game.move_scattered(10'000); };
  Game game(false);
  game.database.reserve_copies();
  const auto warm = [&](const Frames::Change& change) {
    return Added(bench.rounds(), game, change,
                 [&] { return Frames::longest_while_saving(game, change); });
  };
  const Added in_clusters = warm(clusters);
  bench.report({.name = "async_pause",
                .target = 0.3,
                .unit = "ms",
                .note = "added to the longest frame, 1 % in clusters"},
               in_clusters.wall_ns * 1e-6);
  bench.report(
      {.name = "async_pause_cpu", .unit = "ms", .note = "the same in processor time of the game"},
      in_clusters.cpu_ns * 1e-6);
  WarmCopy copy(game.record_bytes().size());
  std::vector<double> copies;
  for (std::size_t round = 0; round < bench.rounds(); ++round) copies.push_back(copy());
  const Added anywhere = warm(scattered);
  bench.report({.name = "async_pause_scattered",
                .target = 1.5,
                .note = fmt::format("1 % anywhere, / memcpy of the table; {:.3g} ms",
                                    anywhere.wall_ns * 1e-6)},
               anywhere.wall_ns / median(copies));
  if (!bench.wants({"async_pause_cold"})) return;
  const Added cold(bench.rounds(), game, clusters, [&] {
    Game fresh(false);
    return Frames::longest_while_saving(fresh, clusters);
  });
  bench.report({.name = "async_pause_cold", .unit = "ms", .note = "clusters, no spare pages"},
               cold.wall_ns * 1e-6);
}

// How often another program took the processor from this thread. A wait of the thread's own is not
// counted.
long preemptions() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
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
    benchmark::DoNotOptimize(save(snapshot, sink, options).has_value());
  });
  while (!began) std::this_thread::yield();
  std::vector<double> times;
  auto next = std::chrono::steady_clock::now();
  for (const auto handle : handles) {
    while (std::chrono::steady_clock::now() < next) {
    }
    next += gap;
    const long before = preemptions();
    const double ns = time_ns([&] { ++game.bodies.edit(handle)->state; });
    if (preemptions() == before) times.push_back(ns);
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
      static_cast<std::int64_t>(save_to_nowhere(game, 1) / static_cast<double>(handles.size())));
  bench.measure({.name = "reader_wait",
                 .target = 50,
                 .unit = "us",
                 .note = "99.9 % of first edits of a page"},
                [&] { return quantile(edits_while_saving(game, handles, gap), 0.999); });
}

// All pages are written while a snapshot is open, and another thread drops the snapshot, as a
// finished save does. Then the game goes on.
void leftover_pause(Bench& bench) {
  if (!bench.wants({"leftover_pause"})) return;
  constexpr std::size_t kCount = 200'000;
  constexpr std::size_t kCalls = 1000;
  Database database;
  Table<Person>& table = database.create_table<Person>("people");
  auto handles = fill(table, kCount, make_person);
  handles.reserve(kCount + kCalls);
  bench.measure({.name = "leftover_pause",
                 .target = 0.5,
                 .unit = "ms",
                 .note = "longest insert, edit or capture; 200,000 nested records"},
                [&] {
                  Snapshot earlier = database.capture();
                  for (const auto handle : handles) ++table.edit(handle)->items[0];
                  std::thread([dropped = std::move(earlier)] {}).join();
                  LongestCall longest;
                  for (std::size_t i = 0; i < kCalls; ++i) {
                    longest([&] { handles.push_back(table.insert(make_person(i))); });
                    longest([&] { ++table.edit(handles[i * (kCount / kCalls)])->items[0]; });
                    longest([&] { benchmark::DoNotOptimize(database.capture()); });
                  }
                  const double ns = longest.ns();
                  for (; handles.size() > kCount; handles.pop_back()) table.erase(handles.back());
                  return ns;
                });
}

// The first touch of fresh memory counts: the row shows what growth costs without `reserve`.
void grow_10m(Bench& bench) {
  if (!bench.wants({"grow_10m"})) return;
  std::vector<double> longest_ns;
  for (int run = 0; run < 3; ++run) {
    make_memory_cold();
    Database database;
    Table<Body>& table = database.create_table<Body>("bodies");
    LongestCall longest;
    for (std::size_t i = 0; i < 10 * kMillion; ++i) longest([&] { table.insert(make_content(i)); });
    longest_ns.push_back(longest.ns());
  }
  bench.report({.name = "grow_10m",
                .unit = "us",
                .note = "longest insert while a table grows to 10 M records"},
               median(longest_ns) * 1e-3);
}

}  // namespace

void pause_rows(Bench& bench) {
  async_pause(bench);
  reader_wait(bench);
  leftover_pause(bench);
  grow_10m(bench);
}

}  // namespace hdb::bench
