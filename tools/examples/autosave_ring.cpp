// Autosaves: a ring of three files, saved in the background; the newest is torn, the one before
// it is loaded, and a message says so.
#include <hdb/autosaver.hpp>
#include <hdb/hdb.hpp>
#include <hdb/save_directory.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace {

struct Clock {
  std::int32_t minute = 0;
};
struct Monster {
  std::int32_t hp = 100;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "autosave_ring: %s\n", what.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder =
      argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-autosave-ring";
  hdb::Database db;
  auto& clock = db.singleton<Clock>("clock");
  auto& monsters = db.create_table<Monster>("monsters");
  for (int i = 0; i < 1000; ++i) monsters.insert({.hp = i});

  auto saves = hdb::SaveDirectory::open(folder.string(), {.autosaves = 3});
  if (!saves) return failed(saves.error().message());
  if (const auto gone = saves->remove(hdb::SaveName::autosave()); !gone) {  // a new game
    return failed(gone.error().message());
  }
  {
    hdb::Autosaver autosaver;
    for (std::int32_t minute = 1; minute <= 5; ++minute) {
      clock.edit().minute = minute;
      monsters.edit_each([](auto, Monster& monster) { monster.hp += 1; });
      // Never waits, and the game goes on at once: the snapshot keeps what it needs.
      hdb::Saving saving = autosaver.save(db.capture(), saves->target(hdb::SaveName::autosave()));
      clock.edit().minute = -1;
      monsters.edit_each([](auto, Monster& monster) { monster.hp += 1; });
      // A game looks at the result when saving.done(), and says so if the save failed. Here each
      // save ends before the next, so that the ring is always the same.
      if (!saving.result()) return failed(saving.result().error().message());
    }
  }
  auto menu = saves->list();
  if (!menu) return failed(menu.error().message());
  std::printf("5 autosaves, %zu files\n", menu->size());
  if (menu->size() != 3) return failed("the ring has another size");

  // The disk loses the second half of the newest file.
  const std::string torn = menu->front().path;
  fs::resize_file(torn, fs::file_size(torn) / 2);

  const auto loaded = saves->load_newest(db);
  if (!loaded) return failed(loaded.error().message());
  for (const hdb::SaveEntry& entry : loaded->skipped) {
    std::printf("the newest autosave is damaged (%s); the one before it was loaded\n",
                hdb::code_id(entry.problem.code).c_str());
  }
  std::printf("back in minute %d, monster 0 has %d hp\n", clock->minute, monsters.begin()->hp);
  if (loaded->skipped.size() != 1 || loaded->skipped.front().path != torn) {
    return failed("the torn file was not reported");
  }
  if (clock->minute != 4 || monsters.begin()->hp != 7) return failed("another state was loaded");

  // The next autosave takes the place of the damaged file, not of a sound one.
  clock.edit().minute = 5;
  if (const auto saved = saves->save(db.capture(), hdb::SaveName::autosave()); !saved) {
    return failed(saved.error().message());
  }
  menu = saves->list();
  if (!menu) return failed(menu.error().message());
  for (const hdb::SaveEntry& entry : *menu) {
    if (!entry.info) return failed(entry.problem.message());
  }
  std::printf("the next autosave replaced the damaged file\n");
  return menu->size() == 3 && menu->front().path == torn ? 0 : failed("a sound file was replaced");
}
