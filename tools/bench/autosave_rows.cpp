// autosave_1pct*: a save through a warm cache after a change, against a save of everything;
// memory_save: the memory that a save takes.
#include <functional>
#include <optional>

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

void memory_save(Bench& bench) {
  if (!bench.wants({"memory_save"})) return;
  Game game(false);
  const Snapshot snapshot = game.database.capture();
  NullSink sink;
  start_counting_memory();
  const bool saved = save(snapshot, sink).has_value();
  const std::int64_t bytes = most_memory_counted();
  if (!saved || bytes < 0) return;
  bench.report({.name = "memory_save",
                .target = 16,
                .unit = "MiB",
                .note = "extra while saving, 1 thread, no cache"},
               static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

void autosave_rows(Bench& bench) {
  autosave_1pct(bench);
  memory_save(bench);
}

}  // namespace hdb::bench
