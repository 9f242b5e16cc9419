// autosave_1pct*: a save through a warm cache after a change, against a save of everything; async_pause*: what a save in the
// background costs the game; memory_save: the memory that it takes.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "allocation_hook.hpp"
#include "bench.hpp"
#include "game.hpp"

namespace hdb::bench {
namespace {

void autosave_1pct(Bench& bench) {
  struct Case {
    const char* name;
    std::optional<double> target;
    const char* note;
    std::function<void(Game&)> change;
  };
  const Case cases[] = {
      {"autosave_1pct", 0.15, "a run moved, / a whole save", [](Game& g) { g.move_run(10'000); }},
      {"autosave_1pct_clusters", 0.3, "39 clusters of 256 moved, / a whole save",
       [](Game& g) { g.move_clusters(); }},
      {"autosave_1pct_scattered", std::nullopt, "10,000 anywhere moved, / a whole save",
       [](Game& g) { g.move_scattered(10'000); }},
      {"autosave_1pct_all_move", 0.4, "every body moved, / a whole save",
       [](Game& g) { g.move_all(); }},
  };
  if (!bench.wants({cases[0].name, cases[1].name, cases[2].name, cases[3].name})) return;
  Game saved(false);
  Game whole(false);  // its saves must find nothing known
  ChunkCache cache;
  WarmSink sink(saved.record_bytes().size());
  SaveOptions options;
  options.cache = &cache;
  for (const Case& each : cases) {
    bench.compare(
        {.name = each.name, .target = each.target, .note = each.note, .in_ms = true},
        [&] {
          each.change(saved);
          const Snapshot snapshot = saved.database.capture();
          sink.rewind();
          return time_ns(
              [&] { benchmark::DoNotOptimize(save(snapshot, sink, options).has_value()); });
        },
        [&] { return save_to_nowhere(whole, 1); });
  }
}

// The longest of some frames, each of which changes something, while a save runs beside them or not.
class Frames {
 public:
  using Change = std::function<void(Game&)>;

  static double longest(Game& game, const Change& change) {
    double longest_ns = 0;
    for (int frame = 0; frame < kFrames; ++frame)
      longest_ns = std::max(longest_ns, time_ns([&] { change(game); }));
    return longest_ns;
  }
  static double longest_while_saving(Game& game, const Change& change) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("hdb_bench_pause_" + std::to_string(::getpid())))
            .string();
    Saving saving;
    double longest_ns = time_ns([&] {
      saving = save_async(game.database.capture(), path);
      change(game);
    });
    for (int frame = 1; frame < kFrames; ++frame)
      longest_ns = std::max(longest_ns, time_ns([&] { change(game); }));
    saving.cancel();  // it has hardly begun
    static_cast<void>(saving.result());
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    return longest_ns;
  }

 private:
  static constexpr int kFrames = 10;
};

void async_pause(Bench& bench) {
  if (!bench.wants({"async_pause", "async_pause_scattered", "async_pause_scattered_ms",
                    "async_pause_cold", "async_pause_scattered_cold"})) {
    return;
  }
  const Frames::Change clusters = [](Game& game) { game.move_clusters(); };
  const Frames::Change scattered = [](Game& game) { game.move_scattered(10'000); };
  Game game(false);
  game.database.reserve_copies();
  const auto added_ms = [&](const Frames::Change& change, const std::function<double()>& own) {
    std::vector<double> saving;
    std::vector<double> plain;
    for (std::size_t round = 0; round < bench.rounds(); ++round) {
      saving.push_back(own());
      plain.push_back(Frames::longest(game, change));
    }
    return (median(saving) - median(plain)) * 1e-6;
  };
  const auto tell = [&](const Goal& goal, const Frames::Change& change) {
    if (!bench.wants({goal.name})) return;
    bench.tell(goal, added_ms(change, [&] { return Frames::longest_while_saving(game, change); }));
  };
  tell({.name = "async_pause",
        .target = 0.5,
        .unit = "ms",
        .note = "longest frame added, 1 % in clusters"},
       clusters);
  tell({.name = "async_pause_scattered_ms", .unit = "ms", .note = "1 % anywhere: every page"},
       scattered);
  std::vector<std::byte> to(game.record_bytes().size(), std::byte{1});
  bench.compare_difference(
      {.name = "async_pause_scattered", .target = 1.5, .note = "/ memcpy of the table"},
      [&] { return Frames::longest_while_saving(game, scattered); },
      [&] { return Frames::longest(game, scattered); },
      [&] {
        return time_ns([&] {
          std::memcpy(to.data(), game.copy.data(), to.size());
          benchmark::DoNotOptimize(to.data());
        });
      });
  if (!bench.wants({"async_pause_cold"})) return;
  bench.tell({.name = "async_pause_cold", .unit = "ms", .note = "clusters, no spare pages"},
             added_ms(clusters, [&] {
               Game fresh(false);
               return Frames::longest_while_saving(fresh, clusters);
             }));
}

void memory_save(Bench& bench) {
  if (!bench.wants({"memory_save"})) return;
  Game game(false);
  const Snapshot snapshot = game.database.capture();
  NullSink sink;
  start_counting_memory();
  const bool saved = save(snapshot, sink).has_value();
  const std::int64_t bytes = most_memory_counted();
  if (!saved) return;
  bench.tell({.name = "memory_save",
              .target = 16,
              .unit = "MiB",
              .note = "extra while saving, 1 thread, no cache"},
             static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

void autosave_rows(Bench& bench) {
  autosave_1pct(bench);
  async_pause(bench);
  memory_save(bench);
}

}  // namespace hdb::bench
