// A first save: a game that continues where the player left it. Each run plays one more day.
#include <hdb/hdb.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace {

struct Farmer {
  std::string name;
  std::int32_t coins = 0;
};
struct Game {
  std::int32_t day = 0;
  hdb::Handle<Farmer> player = {};  // names the same farmer after a load
};

int failed(const std::string& what) {
  std::fprintf(stderr, "first_save: %s\n", what.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder =
      argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-first-save";
  const std::string path = (folder / "slot1.hdb").string();

  hdb::Database db;
  auto& farmers = db.create_table<Farmer>("farmers");
  auto& game = db.singleton<Game>("game");

  const auto loaded = db.load(path);  // all or nothing
  if (!loaded && loaded.error().code != hdb::ErrorCode::file_not_found) {
    return failed(loaded.error().message());  // damaged, or of a newer game: keep the file
  }
  if (!loaded) game.edit().player = farmers.insert({.name = "Ada"});  // a new game

  game.edit().day += 1;
  Farmer* const player = farmers.edit(game->player);
  if (player == nullptr) return failed("the save has no player");
  player->coins += 3;

  // The old file stays complete until the new one is. If this fails, nothing is lost.
  const auto saved = hdb::save(db.capture(), path);
  if (!saved) return failed(saved.error().message());
  const Farmer& farmer = farmers.at(game->player);
  std::printf("day %d: %s has %d coins\n", game->day, farmer.name.c_str(), farmer.coins);
  return farmer.coins == 3 * game->day ? 0 : failed("days and coins do not fit");
}
