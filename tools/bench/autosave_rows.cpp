// autosave_1pct*: a save through a warm cache after a change, against a save of everything;
// memory_save: the memory that a save takes.
#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "allocation_hook.hpp"
#include "bench.hpp"
#include "game.hpp"
#include "hdb/file_system.hpp"
#include "temporary_folder.hpp"
#if HDB_BENCH_HAS_SQLITE
#include "sqlite_table.hpp"
#endif

namespace hdb::bench {
namespace {

struct Case {
  const char* name;
  std::optional<double> target;
  const char* note;
  std::function<void(Game&)> change;
};

void compare_saves(Bench& bench, std::span<const Case> cases, std::size_t count) {
  if (std::none_of(cases.begin(), cases.end(),
                   [&](const Case& each) { return bench.wants({each.name}); })) {
    return;
  }
  Game saved(false, count);
  Game whole(false, count);  // its saves must find nothing known
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

void autosave_1pct(Bench& bench) {
  const Case cases[] = {
      {"autosave_1pct", 0.15, "a run moved, / a whole save", [](Game& g) { g.move_run(10'000); }},
      {"autosave_1pct_clusters", 0.3, "39 clusters of 256 moved, / a whole save",
       [](Game& g) { g.move_clusters(); }},
      {"autosave_1pct_scattered", std::nullopt, "10,000 anywhere moved, / a whole save",
       [](Game& g) { g.move_scattered(10'000); }},
      {"autosave_1pct_all_move", 0.4, "every body moved, / a whole save",
       [](Game& g) { g.move_all(); }},
  };
  compare_saves(bench, cases, kMillion);
  const Case large[] = {{"autosave_1pct_20m", 0.1, "20 million, a run moved, / a whole save",
                         [](Game& g) { g.move_run(200'000); }}};
  compare_saves(bench, large, 20 * kMillion);
}

#if HDB_BENCH_HAS_SQLITE
// What a durable file takes without hdb: writes these bytes a MiB at a time, syncs, renames, syncs
// the folder. With `early`, the disk begins with each MiB at once, as for a save of hdb.
double write_durably(std::span<const std::byte> bytes, const TemporaryFolder& folder, bool early) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  FileSystem& files = system_files();
  const auto directory = files.open_directory(kCurrentDirectory, folder.path());
  if (!directory) return 0;
  const double ns = time_ns([&] {
    const auto file = files.create_exclusive(*directory, "raw.tmp");
    if (!file) return;
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
      const auto piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
      benchmark::DoNotOptimize(files.write(*file, piece).has_value());
      if (early) files.start_writing(*file, at, piece.size());
    }
    benchmark::DoNotOptimize(files.sync_file(*file).has_value());
    benchmark::DoNotOptimize(files.close(*file).has_value());
    benchmark::DoNotOptimize(files.rename(*directory, "raw.tmp", "raw").has_value());
    benchmark::DoNotOptimize(files.sync_directory(*directory).has_value());
  });
  benchmark::DoNotOptimize(files.close(*directory).has_value());
  return ns;
}

void autosave_wall_1pct(Bench& bench) {
  if (!bench.wants({"autosave_wall_1pct", "autosave_wall_raw", "autosave_wall_raw_early"})) return;
  const TemporaryFolder folder;
  constexpr std::size_t kMoved = kMillion / 100;
  Game game(false);
  const std::string path = folder.file("auto.hdb");
  ChunkCache cache;
  SaveOptions options;
  options.write.cache = &cache;
  options.write.threads = 2;
  SqliteTable sqlite(folder.file("auto.sqlite"), game.copy);
  const Run update = [&] {
    const std::size_t first = game.move_run(kMoved);
    const std::span<const Body> moved = game.bodies.records().subspan(first, kMoved);
    return time_ns([&] { sqlite.update(first, moved); });
  };
  bench.compare(
      {.name = "autosave_wall_1pct",
       .target = 1,
       .note = "durable, 2 threads, / SQLite updates 1 % and commits",
       .in_ms = true},
      [&] {
        game.move_run(kMoved);
        return time_ns([&] {
          benchmark::DoNotOptimize(save(game.database.capture(), path, options).has_value());
        });
      },
      update);
  MemorySink file;
  if (!save(game.database.capture(), file)) return;
  bench.compare(
      {.name = "autosave_wall_raw",
       .note = "the bytes of a save written, synced, renamed, nothing else / SQLite",
       .in_ms = true},
      [&] { return write_durably(file.bytes(), folder, false); }, update);
  bench.compare(
      {.name = "autosave_wall_raw_early",
       .note = "the same, the disk begins with each MiB / SQLite",
       .in_ms = true},
      [&] { return write_durably(file.bytes(), folder, true); }, update);
}
#endif

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
#if HDB_BENCH_HAS_SQLITE
  autosave_wall_1pct(bench);
#endif
  memory_save(bench);
}

}  // namespace hdb::bench
