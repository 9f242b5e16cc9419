// The engine: makes the tables of weapons.
#include "modules.hpp"

namespace hdb::test::modules {
struct Torch {
  int fuel = 0, burnt = 0;
};
}  // namespace hdb::test::modules

namespace hdb::test::modules::engine {
namespace {
struct Anonymous {};
}  // namespace

// In the game, the same types are first written with all arguments.
detail::TypeKey defaulted_key() { return detail::type_key<Defaulted<Weapon>>(); }
bool finds_doors(Database& database) {
  const Table<Door>* const doors = database.find_table<Door>("doors");
  return doors != nullptr;
}
void create_torches(Database& database) { database.create_table<Torch>("torches"); }
Keys keys() { return keys_with<Anonymous>(); }
void create_weapons(Database& database) { database.create_table<Weapon>("weapons"); }
void create_monsters(Database& database) { database.create_table<Monster>("monsters"); }
Table<Monster>* find_monsters(Database& database) {
  return database.find_table<Monster>("monsters");
}
const void* find_by_any_handle(Database& database, AnyHandle handle) {
  return database.find<Weapon>(handle);
}

}  // namespace hdb::test::modules::engine
