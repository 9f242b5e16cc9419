// Level streaming: levels come from files and go again. Scopes say what a save holds of them.
#include <hdb/hdb.hpp>
#include <hdb/import.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Monster {  // changes in play: saved with the game
  std::int32_t hp = 10;
  std::int32_t level = 0;
  hdb::Handle<Monster> friend_of = {};
};
struct Rock {  // never changes: the level file has it, so a save need not
  std::int32_t x = 0, level = 0;
};
struct Spark {  // decoration: a rollback need not know it
  std::int32_t frames_left = 30;
};
struct Levels {
  std::vector<std::int32_t> loaded;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "level_streaming: %s\n", what.c_str());
  return 1;
}

struct World {
  fs::path folder;
  hdb::Database db = hdb::Database();
  hdb::Table<Monster>& monsters = db.create_table<Monster>("monsters");
  hdb::Singleton<Levels>& levels = db.singleton<Levels>("levels");
  // In snapshots, so that a rollback over a level change is exact, but not in files.
  hdb::Table<Rock>& rocks = db.create_table<Rock>("rocks", {.scope = hdb::Scope::unsaved});
  hdb::Table<Spark>& sparks = db.create_table<Spark>("sparks", {.scope = hdb::Scope::uncaptured});

  [[nodiscard]] std::string file_of(std::int32_t level) const {
    return (folder / ("level" + std::to_string(level) + ".hdb")).string();
  }
  // What does not change is copied from the level file.
  hdb::Status add_rocks(std::int32_t level) {
    hdb::Database file;
    auto& stored = file.create_table<Rock>("rocks");
    if (auto loaded = file.load(file_of(level)); !loaded) return hdb::fail(loaded.error());
    rocks.insert_batch(stored.records());
    return {};
  }
  // What changes is imported: new records, with handles to each other made right.
  hdb::Status enter(std::int32_t level) {
    if (auto added = add_rocks(level); !added) return added;
    auto imported = db.import_records(file_of(level), {.tables = {"monsters"}});
    if (!imported) return hdb::fail(imported.error());
    levels.edit().loaded.push_back(level);
    return {};
  }
  template <class Record>
  static void erase_level(hdb::Table<Record>& table, std::int32_t level) {
    std::vector<hdb::Handle<Record>> gone;
    for (const auto& [handle, record] : table.entries()) {
      if (record.level == level) gone.push_back(handle);
    }
    table.erase_batch(gone);
  }
  void leave(std::int32_t level) {
    erase_level(monsters, level);
    erase_level(rocks, level);
    std::erase(levels.edit().loaded, level);
  }
  // A load leaves unsaved tables as they are: the rocks of the loaded levels are fetched again.
  hdb::Status load(const std::string& path) {
    if (auto loaded = db.load(path); !loaded) return hdb::fail(loaded.error());
    rocks.clear();
    for (const std::int32_t level : std::vector(levels->loaded)) {
      if (auto added = add_rocks(level); !added) return added;
    }
    return {};
  }
  void print(const char* when) const {
    std::printf("%-20s %zu monsters, %zu rocks, %zu sparks, level %d\n", when, monsters.size(),
                rocks.size(), sparks.size(), levels->loaded.back());
  }
};

hdb::Result<hdb::SaveReport> make_level(const std::string& path, std::int32_t level) {
  hdb::Database db;
  auto& monsters = db.create_table<Monster>("monsters");
  const auto first = monsters.insert({.level = level});
  monsters.insert({.level = level, .friend_of = first});
  auto& rocks = db.create_table<Rock>("rocks");
  for (std::int32_t x = 0; x < 40 * level; ++x) rocks.insert({.x = x, .level = level});
  return hdb::save(db.capture(), path);
}

hdb::Status play(const fs::path& folder) {
  World world{folder};
  for (const std::int32_t level : {1, 2}) {
    if (auto made = make_level(world.file_of(level), level); !made) return hdb::fail(made.error());
  }
  if (auto entered = world.enter(1); !entered) return entered;
  world.monsters.edit_each([](auto, Monster& monster) { monster.hp -= 3; });
  world.print("in level 1");
  const hdb::Snapshot checkpoint = world.db.capture();

  if (auto entered = world.enter(2); !entered) return entered;
  world.leave(1);
  world.sparks.insert({});
  world.print("in level 2");
  const std::string save = (folder / "game.hdb").string();
  if (auto saved = hdb::save(world.db.capture(), save); !saved) return hdb::fail(saved.error());

  if (auto restored = world.db.restore(checkpoint); !restored) return restored;
  world.print("back by a snapshot");  // its rocks are there at once; the spark flies on
  const auto wrong = [](const char* what) { return hdb::fail(hdb::ErrorCode::bad_value, what); };
  if (world.rocks.size() != 40 || world.sparks.size() != 1) return wrong("scopes of the restore");
  if (world.monsters.begin()->hp != 7) return wrong("the snapshot has other monsters");

  World other{folder};  // the next run of the game
  if (auto loaded = other.load(save); !loaded) return loaded;
  other.print("loaded from the save");
  if (other.monsters.size() != 2 || other.rocks.size() != 80 || !other.sparks.empty()) {
    return wrong("the loaded game has other records");
  }
  const auto befriended = std::count_if(
      other.monsters.begin(), other.monsters.end(),
      [&](const Monster& monster) { return other.monsters.contains(monster.friend_of); });
  if (befriended != 1) return wrong("a handle of the level leads elsewhere");
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path folder =
      argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-level-streaming";
  const hdb::Status played = play(folder);
  return played ? 0 : failed(played.error().message());
}
