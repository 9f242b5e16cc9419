// The game: finds the engine's tables and makes one that refers to them.
#include "modules.hpp"

namespace hdb::test::modules {
struct Torch {
  int burnt = 0, fuel = 0;
};
}  // namespace hdb::test::modules

namespace hdb::test::modules::game {
namespace {
struct Anonymous {
  int other = 0;
};
}  // namespace

detail::TypeKey defaulted_key() { return detail::type_key<Defaulted<Weapon, int>>(); }
void create_doors(Database& database) { database.create_table<Door>("doors"); }
bool finds_torches(Database& database) {
  const Table<Torch>* const torches = database.find_table<Torch>("torches");
  return torches != nullptr;
}
Keys keys() { return keys_with<Anonymous>(); }
Table<Weapon>* find_weapons(Database& database) { return database.find_table<Weapon>("weapons"); }
void create_monsters(Database& database) { database.create_table<Monster>("monsters"); }
AnyHandle create_tagged(Database& database) {
  return any_handle(database.create_table<Weapon, TypedLayout>("tagged").insert({7}));
}

}  // namespace hdb::test::modules::game
