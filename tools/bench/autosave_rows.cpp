// autosave_*: a save through a warm cache after a change, against a save of everything, and against
// SQLite.
#include <algorithm>
#include <span>

#include "bench.hpp"
#include "durable_file.hpp"
#include "game.hpp"
#include "temporary_folder.hpp"
#if HDB_BENCH_HAS_SQLITE
#include "hdb/chunk_cache.hpp"
#include "sqlite_table.hpp"
#endif

namespace hdb::bench {
namespace {

// Copies all bytes into memory that it has already.
struct WarmSink final : ByteSink {
  Bytes bytes = Bytes(kMillionBytes, std::byte{1});
  std::size_t end = 0;

  Status write(std::span<const std::byte> some) override {
    if (some.size() > bytes.size() - end) return fail(ErrorCode::disk_full, "the sink is full");
    std::copy(some.begin(), some.end(), bytes.begin() + static_cast<std::ptrdiff_t>(end));
    end += some.size();
    return {};
  }
};

void autosave_1pct(Bench& bench) {
  Lazy saved([] { return Game(false); });
  Lazy whole([] { return Game(false); });  // its saves must find nothing known
  ChunkCache cache;
  Lazy sink([] { return WarmSink(); });
  const auto row = [&](const std::string& name, std::optional<double> target,
                       const std::string& moved, auto change) {
    bench.compare(
        {name, target, "", moved + " moved, / a whole save", true},
        [&] {
          change(*saved);
          const Snapshot snapshot = saved->database.capture();
          sink->end = 0;
          return time_ns(
              [&] { return save(snapshot, *sink, {.write = {.cache = &cache}}).has_value(); });
        },
        [&] { return save_to_nowhere(*whole, {}); });
  };
  row("autosave_1pct", 0.15, "a run", [](Game& game) { game.move_run(10'000); });
  row("autosave_1pct_clusters", 0.3, "39 clusters of 256",
      [](Game& game) { game.move_clusters(); });
  row("autosave_1pct_scattered", {}, "10,000 anywhere",
      [](Game& game) { game.move_scattered(10'000); });
  row("autosave_1pct_all_move", 0.4, "every body", [](Game& game) { game.move_all(); });
}

#if HDB_BENCH_HAS_SQLITE
void autosave_wall_1pct(Bench& bench) {
  if (!bench.wants({"autosave_wall_1pct", "autosave_wall_raw", "autosave_wall_raw_early"})) return;
  const TemporaryFolder folder;
  constexpr std::size_t kMoved = kMillion / 100;
  Game game(false);
  const std::string path = folder.file("auto.hdb");
  ChunkCache cache;
  SqliteTable sqlite(folder.file("auto.sqlite"), game.copy);
  const Run update = [&] {
    const std::size_t first = game.move_run(kMoved);
    const std::span<const Body> moved = game.bodies.records().subspan(first, kMoved);
    return time_ns([&] { sqlite.update(first, moved); });
  };
  bench.compare(
      {"autosave_wall_1pct", 1, "", "durable, 2 threads, / SQLite updates 1 % and commits", true},
      [&] {
        game.move_run(kMoved);
        const SaveOptions options{.write = {.threads = 2, .cache = &cache}};
        return time_ns([&] { return save(game.database.capture(), path, options).has_value(); });
      },
      update);
  const Bytes file = file_of(game.database.capture());
  bench.compare(
      {"autosave_wall_raw",
       {},
       "",
       "the bytes of a save written, synced, renamed, nothing else / SQLite",
       true},
      [&] { return write_durably(file, folder, false); }, update);
  bench.compare(
      {"autosave_wall_raw_early", {}, "", "the same, the disk begins with each MiB / SQLite", true},
      [&] { return write_durably(file, folder, true); }, update);
}
#endif

}  // namespace

void autosave_rows(Bench& bench) {
  autosave_1pct(bench);
#if HDB_BENCH_HAS_SQLITE
  autosave_wall_1pct(bench);
#endif
}

}  // namespace hdb::bench
