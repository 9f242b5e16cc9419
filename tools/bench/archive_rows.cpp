// archive_*: what an archive of many autosaves takes, beside restic and borg over the same saves as
// files; how long a put and the way back take.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench.hpp"
#include "game.hpp"
#include "hdb/archive.hpp"
#include "temporary_folder.hpp"
#if HDB_BENCH_HAS_SQLITE
#include "sqlite_table.hpp"
#endif
#if HDB_BENCH_HAS_POSTGRES
#include "archive/postgres_server.hpp"
#include "hdb/chunk_cache.hpp"
#endif

extern char** environ;

namespace hdb::bench {
namespace {

std::size_t number_from(const char* variable, std::size_t otherwise) {
  const char* const wanted = std::getenv(variable);
  return wanted != nullptr ? static_cast<std::size_t>(std::strtoull(wanted, nullptr, 10))
                           : otherwise;
}
// 1/20 of a million, so that the files of a run take 1 GB and not 20.
std::size_t record_count() { return number_from("HDB_BENCH_ARCHIVE_RECORDS", kMillion / 20); }
std::size_t save_count() { return number_from("HDB_BENCH_ARCHIVE_SAVES", 1000); }

double bytes_below(const std::filesystem::path& folder) {
  double bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += static_cast<double>(entry.file_size());
  }
  return bytes;
}

double cpu_of(int who) {
  struct rusage usage {};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Runs a program; false if it is not there or fails.
bool run(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (const int fd : {1, 2})
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int failed =
      ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return failed == 0 && ::waitpid(process, &status, 0) == process && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

struct Cost {
  double bytes = 0;
  double cpu_seconds = 0;
};

std::optional<Cost> peer_cost(const std::string& store, const std::vector<std::string>& make,
                              const std::vector<std::string>& put) {
  const double before = cpu_of(RUSAGE_CHILDREN);
  if (!run(make) || !run(put)) return std::nullopt;
  return Cost{bytes_below(store), cpu_of(RUSAGE_CHILDREN) - before};
}

void archive_size(Bench& bench, bool clusters) {
  const std::string name = clusters ? "archive_size_clusters" : "archive_size_run";
  const std::string restic = name + "_restic";
  const std::string borg = name + "_borg";
  if (!bench.wants({name, restic, borg, restic + "_cpu", borg + "_cpu"})) return;
  const TemporaryFolder folder;
  const std::size_t records = record_count();
  const std::size_t saves = save_count();
  Game game(false, records);
  const std::string files = folder.file("files");
  std::filesystem::create_directories(files);
  auto archive = Archive::open(folder.file("saves.hdba"), {.create = true});
  if (!archive) return;
  double cpu = 0;
  double one = 0;
  ChunkCache cache;
  SaveOptions options;
  options.write.cache = &cache;
  for (std::size_t i = 0; i < saves; ++i) {
    if (i != 0) game.play_minute(clusters ? 256 : records / 100);  // one cluster, or several
    const Snapshot snapshot = game.database.capture();
    const double before = cpu_of(RUSAGE_SELF);
    if (!(*archive)->put(snapshot)) return;
    cpu += cpu_of(RUSAGE_SELF) - before;
    const auto saved = save(snapshot, files + "/" + std::to_string(i) + ".hdb", options);
    if (!saved) return;
    if (i == 0) one = static_cast<double>(saved->bytes);
  }
  const std::string archive_file = folder.file("saves.hdba");
  const auto bytes = static_cast<double>(std::filesystem::file_size(archive_file) +
                                         std::filesystem::file_size(archive_file + "-wal"));
  char note[128];
  std::snprintf(note, sizeof note, "%zu saves of %zu records, / one save; %.2f s of CPU", saves,
                records, cpu);
  bench.report({.name = name, .target = 8, .unit = "x", .note = note}, bytes / one);
  ::setenv("RESTIC_PASSWORD", "bench", 1);
  ::setenv("BORG_BASE_DIR", folder.file("borg_home").c_str(), 1);
  const std::string restic_store = folder.file("restic");
  const std::string borg_store = folder.file("borg");
  const auto compare = [&](const std::string& row, const std::optional<Cost>& peer) {
    if (!peer) {
      std::fprintf(stderr, "\r%s: the program is not there; the row is left out\n", row.c_str());
      return;
    }
    std::snprintf(note, sizeof note, "/ %.1f MB of the peer", peer->bytes / 1e6);
    bench.report({.name = row, .target = 0.05, .unit = "x", .note = note}, bytes / peer->bytes);
    std::snprintf(note, sizeof note, "/ %.2f s of CPU of the peer", peer->cpu_seconds);
    bench.report({.name = row + "_cpu", .target = 0.2, .unit = "x", .note = note},
                 cpu / peer->cpu_seconds);
  };
  compare(restic, peer_cost(restic_store, {"restic", "--no-cache", "-r", restic_store, "init"},
                            {"restic", "--no-cache", "-r", restic_store, "backup", files}));
  std::filesystem::remove_all(restic_store);
  compare(borg, peer_cost(borg_store, {"borg", "init", "-e", "none", borg_store},
                          {"borg", "create", borg_store + "::saves", files}));
}

void archive_restore(Bench& bench) {
  if (!bench.wants({"archive_restore"})) return;
  const TemporaryFolder folder;
  Game game(false);
  auto archive = Archive::open(folder.file("saves.hdba"), {.create = true});
  constexpr std::uint64_t kPuts = 64;  // the last save of a whole chain
  for (std::uint64_t i = 0; archive && i < kPuts; ++i) {
    if (i != 0) game.move_clusters();
    if (!(*archive)->put(game.database.capture())) return;
  }
  if (!archive || !save(game.database.capture(), folder.file("one.hdb"))) return;
  Game other(false, 1000);
  bench.compare(
      {.name = "archive_restore",
       .target = 2,
       .note = "a million records after 64 puts, / load of a file",
       .in_ms = true},
      [&] {
        return time_ns([&] {
          auto source = (*archive)->source({"world", kPuts});
          benchmark::DoNotOptimize(source && other.database.load(std::move(*source)));
        });
      },
      [&] {
        return time_ns([&] {
          benchmark::DoNotOptimize(other.database.load(folder.file("one.hdb")).has_value());
        });
      });
}

#if HDB_BENCH_HAS_SQLITE
void archive_put_wall(Bench& bench) {
  if (!bench.wants({"archive_put_wall_1pct"})) return;
  const TemporaryFolder folder;
  constexpr std::size_t kMoved = kMillion / 100;
  Game game(false);
  auto archive = Archive::open(folder.file("saves.hdba"), {.create = true});
  if (!archive || !(*archive)->put(game.database.capture())) return;
  SqliteTable sqlite(folder.file("auto.sqlite"), game.copy);
  bench.compare(
      {.name = "archive_put_wall_1pct",
       .target = 1,
       .note = "durable, / SQLite updates 1 % and commits",
       .in_ms = true},
      [&] {
        game.move_run(kMoved);
        return time_ns([&] {
          benchmark::DoNotOptimize((*archive)->put(game.database.capture()).has_value());
        });
      },
      [&] {
        const std::size_t first = game.move_run(kMoved);
        const std::span<const Body> moved = game.bodies.records().subspan(first, kMoved);
        return time_ns([&] { sqlite.update(first, moved); });
      });
}
#endif

#if HDB_BENCH_HAS_POSTGRES
void archive_put_postgres(Bench& bench) {
  if (!bench.wants({"archive_put_postgres"})) return;
  test::PostgresServer server;
  if (!server.init() || !server.start()) {
    std::fprintf(stderr, "\rarchive_put_postgres: no server starts; the row is left out\n");
    return;
  }
  Game game(false);
  auto archive = Archive::open(server.url(), {.create = true});
  if (!archive || !(*archive)->put(game.database.capture())) return;
  bench.measure({.name = "archive_put_postgres",
                 .target = 30,
                 .unit = "ms",
                 .note = "a million records, 1 % moved in a run; a server on this machine"},
                [&] {
                  game.move_run(kMillion / 100);
                  return time_ns([&] {
                    benchmark::DoNotOptimize((*archive)->put(game.database.capture()).has_value());
                  });
                });
}
#endif

}  // namespace

void archive_rows(Bench& bench) {
  archive_size(bench, false);
  archive_size(bench, true);
  archive_restore(bench);
#if HDB_BENCH_HAS_SQLITE
  archive_put_wall(bench);
#endif
#if HDB_BENCH_HAS_POSTGRES
  archive_put_postgres(bench);
#endif
}

}  // namespace hdb::bench
