// Mods: a player removes a mod, plays on, and installs it again. `keep_unknown` keeps what the mod
// saved: components on units that still exist, and tables of its own.
#include <hdb/component_table.hpp>
#include <hdb/hdb.hpp>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace {

struct Unit {
  std::string name;
  std::int32_t hp = 10;
};
struct Pet {  // of the mod: what some units have with them
  std::string kind;
};
struct Shop {  // of the mod: a table of its own
  std::int32_t stock = 0;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "mod_removed: %s\n", what.c_str());
  return 1;
}

struct Game {
  hdb::Database db;
  hdb::Table<Unit>& units = db.create_table<Unit>("units");

  hdb::Result<hdb::LoadReport> load(const std::string& path) {
    auto report = db.load(path, {.keep_unknown = true});
    if (report) std::printf("loaded: %s\n", report->summary().c_str());
    return report;
  }
};

struct Mod {  // what the mod adds to a game
  explicit Mod(Game& game)
      : pets(game.db.create_component_table<Pet>("mod.pets", game.units)),
        shops(game.db.create_table<Shop>("mod.shops")) {}
  hdb::ComponentTable<Pet, Unit>& pets;
  hdb::Table<Shop>& shops;
};

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const fs::path folder =
      argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path() / "hdb-mod-removed";
  const std::string path = (folder / "slot1.hdb").string();

  hdb::Handle<Unit> knight, thief;
  {
    Game game;
    Mod mod(game);
    knight = game.units.insert({.name = "knight"});
    thief = game.units.insert({.name = "thief"});
    mod.pets.insert(knight, {.kind = "falcon"});
    mod.pets.insert(thief, {.kind = "rat"});
    mod.shops.insert({.stock = 12});
    const auto saved = hdb::save(game.db.capture(), path);
    if (!saved) return failed(saved.error().message());
    std::printf("saved with the mod: %zu pets, %zu shop\n", mod.pets.size(), mod.shops.size());
  }
  {
    Game game;  // without the mod
    if (const auto loaded = game.load(path); !loaded) return failed(loaded.error().message());
    game.units.edit(knight)->hp = 4;
    game.units.erase(thief);  // its pet goes with it, although the game does not know pets
    game.units.insert({.name = "monk"});
    const auto saved = hdb::save(game.db.capture(), path);
    if (!saved) return failed(saved.error().message());
    std::printf("saved without the mod: %zu units\n", game.units.size());
  }
  Game game;
  Mod mod(game);
  if (const auto loaded = game.load(path); !loaded) return failed(loaded.error().message());
  const Pet* const pet = mod.pets.find(knight);
  if (pet == nullptr || pet->kind != "falcon") return failed("the falcon is lost");
  if (mod.pets.size() != 1 || mod.pets.contains(thief)) return failed("a pet without its unit");
  if (mod.shops.size() != 1 || mod.shops.begin()->stock != 12) return failed("the shop is lost");
  if (game.units.at(knight).hp != 4 || game.units.size() != 2) return failed("the play is lost");
  std::printf("with the mod again: the knight has a %s and %d hp\n", pet->kind.c_str(),
              game.units.at(knight).hp);
  return 0;
}
