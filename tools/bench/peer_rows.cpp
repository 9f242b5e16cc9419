// peer_*: 100,000 bodies saved to a durable file, the size of that file, and loaded again, against
// what a game may use instead: a table of SQLite, EnTT's own snapshot, cereal's binary archive.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <cereal/archives/binary.hpp>
#include <cereal/types/vector.hpp>

#include "durable_file.hpp"
#include "game.hpp"
#if HDB_BENCH_HAS_SQLITE
#include "sqlite_table.hpp"
#endif
#if HDB_BENCH_HAS_ENTT
#include <entt/entt.hpp>

#include "raw_archive.hpp"
#endif

namespace hdb::bench {
namespace {

constexpr std::size_t kBodies = 100'000;

// Saves and loads of one peer: nanoseconds of each. A load reads the file "raw" of the folder, or
// the file that the save made.
struct Peer {
  std::string name;
  std::string file;
  std::string note;
  Run save;
  Run load;
};

#if HDB_BENCH_HAS_ENTT
std::vector<std::byte> bytes_of(const std::string& path) {
  std::vector<std::byte> bytes(std::filesystem::file_size(path));
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}
#endif

// The three rows of a peer, beside a save and a load of the same bodies by hdb.
void compare_with(Bench& bench, const TemporaryFolder& folder, Game& game, const Peer& peer) {
  const std::string path = folder.file("game.hdb");
  Database loaded;
  loaded.create_table<Body>("bodies");
  const Run save_game = [&] {
    const Snapshot fresh = game.capture_fresh();
    return time_ns([&] { return save(fresh, path).has_value(); });
  };
  static_cast<void>(save_game());  // for the other rows, if this one is filtered out
  static_cast<void>(peer.save());
  bench.compare({"peer_save_" + peer.name, {}, "", "durable, / " + peer.note, true}, save_game,
                peer.save);
  bench.report({"peer_size_" + peer.name, {}, "", "/ bytes of the file"},
               static_cast<double>(std::filesystem::file_size(path)) /
                   static_cast<double>(std::filesystem::file_size(folder.file(peer.file.c_str()))));
  bench.compare(
      {"peer_load_" + peer.name, {}, "", "checked, / " + peer.note, true},
      [&] { return time_ns([&] { return loaded.load(path).has_value(); }); }, peer.load);
}

Peer cereal_peer(const TemporaryFolder& folder, const Game& game) {
  return {"cereal", "raw", "cereal's binary archive of a vector",
          [&] {
            std::string bytes;
            const double ns = time_ns([&] {
              std::ostringstream stream;
              cereal::BinaryOutputArchive archive(stream);
              archive(game.copy);
              bytes = std::move(stream).str();
            });
            return ns + write_durably(std::as_bytes(std::span(bytes)), folder, true);
          },
          [&] {
            return time_ns([&] {
              std::ifstream stream(folder.file("raw"), std::ios::binary);
              std::vector<Body> bodies;
              cereal::BinaryInputArchive archive(stream);
              archive(bodies);
              return bodies.size();
            });
          }};
}

#if HDB_BENCH_HAS_SQLITE
Peer sqlite_peer(const TemporaryFolder& folder, const Game& game) {
  return {"sqlite", "peer.sqlite", "SQLite: a new file, a row for each",
          [&] {
            const std::string path = folder.file("peer.sqlite");
            std::filesystem::remove(path);
            return time_ns([&] { SqliteTable(path, game.copy); });
          },
          [&] {
            return time_ns([&] { return SqliteTable(folder.file("peer.sqlite")).read().size(); });
          }};
}
#endif

#if HDB_BENCH_HAS_ENTT
Peer entt_peer(const TemporaryFolder& folder, const ::entt::registry& registry) {
  return {"entt", "raw", "EnTT's snapshot, raw bytes",
          [&] {
            RawArchive archive;
            const double ns = time_ns([&] {
              ::entt::snapshot{registry}.get<::entt::entity>(archive).get<Body>(archive);
            });
            return ns + write_durably(archive.bytes(), folder, true);
          },
          [&] {
            return time_ns([&] {
              RawArchive archive;
              archive.bytes() = bytes_of(folder.file("raw"));
              ::entt::registry fresh;
              ::entt::snapshot_loader{fresh}.get<::entt::entity>(archive).get<Body>(archive);
            });
          }};
}
#endif

}  // namespace

void peer_rows(Bench& bench) {
  const auto wants = [&](const std::string& peer) {
    return bench.wants({"peer_save_" + peer, "peer_size_" + peer, "peer_load_" + peer});
  };
  Lazy game([] { return Game(false, kBodies); });
  const TemporaryFolder folder;
  if (wants("cereal")) compare_with(bench, folder, *game, cereal_peer(folder, *game));
#if HDB_BENCH_HAS_SQLITE
  if (wants("sqlite")) compare_with(bench, folder, *game, sqlite_peer(folder, *game));
#endif
#if HDB_BENCH_HAS_ENTT
  if (wants("entt")) {
    ::entt::registry registry;
    for (const Body& body : game->copy) registry.emplace<Body>(registry.create(), body);
    compare_with(bench, folder, *game, entt_peer(folder, registry));
  }
#endif
}

}  // namespace hdb::bench
