// Events: sprites follow a table by what changed since the last frame. One function serves play,
// quickload and load, so that none of them forgets a sprite.
#include <hdb/changes.hpp>
#include <hdb/hdb.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <unordered_map>

namespace {

struct Monster {
  std::int32_t x = 0;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "events: %s\n", what.c_str());
  return 1;
}

// What the game draws: not state, so it is in no table.
class Sprites {
 public:
  // Once a frame. A capture copies nothing, and the comparison reads only what was written since.
  void follow(hdb::Database& db, const hdb::Table<Monster>& monsters) {
    const hdb::Snapshot now = db.capture();
    const hdb::Changes changes = hdb::changes_between(last_, now);
    const hdb::TableChanges& table = changes.of("monsters");
    for (const auto handle : hdb::handles_as<hdb::Handle<Monster>>(table.erased)) {
      sprites_.erase(handle.bits());
      std::printf("  -%u", handle.index());
    }
    for (const auto handle : hdb::handles_as<hdb::Handle<Monster>>(table.created)) {
      sprites_[handle.bits()] = monsters.at(handle).x;
      std::printf("  +%u", handle.index());
    }
    for (const auto handle : hdb::handles_as<hdb::Handle<Monster>>(table.changed)) {
      sprites_[handle.bits()] = monsters.at(handle).x;
      std::printf("  ~%u", handle.index());
    }
    std::printf("\n");
    last_ = now;
  }
  [[nodiscard]] bool fit(const hdb::Table<Monster>& monsters) const {
    for (const auto& [handle, monster] : monsters.entries()) {
      const auto sprite = sprites_.find(handle.bits());
      if (sprite == sprites_.end() || sprite->second != monster.x) return false;
    }
    return sprites_.size() == monsters.size();
  }

 private:
  hdb::Snapshot last_;  // empty at first: then all records are created
  std::unordered_map<std::uint64_t, std::int32_t> sprites_;
};

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-events";
  const std::string path = (folder / "slot1.hdb").string();
  hdb::Database db;
  auto& monsters = db.create_table<Monster>("monsters");
  Sprites sprites;

  const auto frame = [&](const char* what) {
    std::printf("%-10s", what);
    sprites.follow(db, monsters);
    return sprites.fit(monsters);
  };
  const auto first = monsters.insert({.x = 1});
  for (int x = 2; x < 6; ++x) monsters.insert({.x = x});
  if (!frame("spawn")) return failed("sprites after the first frame");
  const hdb::Snapshot quicksave = db.capture();
  if (const auto saved = hdb::save(quicksave, path); !saved) return failed(saved.error().message());

  monsters.erase(first);
  const auto second = monsters.insert({.x = 9});  // in the slot of the first
  if (second.index() != first.index()) return failed("another slot");
  monsters.edit(monsters.handle_at(2))->x = 30;
  if (!frame("play")) return failed("sprites after play");

  if (const auto done = db.restore(quicksave); !done) return failed(done.error().message());
  if (!frame("quickload")) return failed("sprites after a restore");

  monsters.clear();
  if (!frame("clear")) return failed("sprites of an empty table");
  if (const auto done = db.load(path); !done) return failed(done.error().message());
  return frame("load") ? 0 : failed("sprites after a load");
}
