// autosave_1pct*: a save through a warm cache after a change, against a save of everything;
// async_pause*: what a save in the background costs the game; memory_save: the memory that it
// takes.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <time.h>
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
  options.write.cache = &cache;
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

// The longest of some frames, each of which changes something, while a save runs beside them or
// not.
class Frames {
 public:
  using Change = std::function<void(Game&)>;

  struct Longest {
    double wall_ns = 0;
    double cpu_ns = 0;  // of the game's own thread: without what other programs take
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
  static double thread_cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  }
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
  if (!bench.wants({"async_pause", "async_pause_cpu", "async_pause_scattered",
                    "async_pause_scattered_ms", "async_pause_cold"})) {
    return;
  }
  const Frames::Change clusters = [](Game& game) { game.move_clusters(); };
  const Frames::Change scattered = [](Game& game) { game.move_scattered(10'000); };
  Game game(false);
  game.database.reserve_copies();
  const auto warm = [&](const Frames::Change& change) {
    return Added(bench.rounds(), game, change,
                 [&] { return Frames::longest_while_saving(game, change); });
  };
  const Added in_clusters = warm(clusters);
  bench.tell({.name = "async_pause",
              .target = 0.5,
              .unit = "ms",
              .note = "longest frame added, 1 % in clusters"},
             in_clusters.wall_ns * 1e-6);
  bench.tell({.name = "async_pause_cpu", .unit = "ms", .note = "of it, the game's processor time"},
             in_clusters.cpu_ns * 1e-6);
  WarmCopy copy(game.record_bytes().size());
  std::vector<double> copies;
  for (std::size_t round = 0; round < bench.rounds(); ++round) copies.push_back(copy());
  const Added anywhere = warm(scattered);
  bench.tell({.name = "async_pause_scattered",
              .target = 1.5,
              .note = "1 % anywhere: every page, / memcpy of the table"},
             anywhere.wall_ns / median(copies));
  bench.tell({.name = "async_pause_scattered_ms", .unit = "ms"}, anywhere.wall_ns * 1e-6);
  if (!bench.wants({"async_pause_cold"})) return;
  const Added cold(bench.rounds(), game, clusters, [&] {
    Game fresh(false);
    return Frames::longest_while_saving(fresh, clusters);
  });
  bench.tell({.name = "async_pause_cold", .unit = "ms", .note = "clusters, no spare pages"},
             cold.wall_ns * 1e-6);
}

void memory_save(Bench& bench) {
  if (!bench.wants({"memory_save"})) return;
  Game game(false);
  const Snapshot snapshot = game.database.capture();
  NullSink sink;
  start_counting_memory();
  const bool saved = save(snapshot, sink).has_value();
  const std::int64_t bytes = most_memory_counted();
  if (!saved || bytes < 0) return;
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
