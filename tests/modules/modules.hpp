// What the engine and the game share: records, and the functions that each of them exports.
#pragma once

#include <hdb/hdb.hpp>
#include <string>

namespace hdb::test::modules {

struct Weapon {
  int damage = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(damage));
  }
};
struct Monster {
  int hp = 1;
  Handle<Weapon> weapon;
  Strong<Weapon> spare;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(weapon), CEREAL_NVP(spare));
  }
};
struct Door {
  int locks = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(locks));
  }
};
/// Each module has a definition of its own, against the rules.
struct Torch;
template <class T>
struct Wrapper {};
template <class T, class Extra = int>
struct Defaulted {};

/// Keys as one module makes them.
struct Keys {
  detail::TypeKey weapon, table, wrapped, incomplete, of_anonymous;
  HandleKey handle, small_handle;
};
struct Incomplete;

template <class Anonymous>
Keys keys_with() {
  return {detail::type_key<Weapon>(),          detail::type_key<Table<Weapon>>(),
          detail::type_key<Wrapper<Weapon>>(), detail::type_key<Incomplete>(),
          detail::type_key<Anonymous>(),       handle_key<Weapon, DefaultLayout>(),
          handle_key<Weapon, Layout<16, 16>>()};
}

#if defined(_WIN32)
#define HDB_TEST_EXPORT __declspec(dllexport)
#else
#define HDB_TEST_EXPORT [[gnu::visibility("default")]]
#endif

namespace engine {
HDB_TEST_EXPORT Keys keys();
HDB_TEST_EXPORT detail::TypeKey defaulted_key();
HDB_TEST_EXPORT bool finds_doors(Database& database);
HDB_TEST_EXPORT void create_torches(Database& database);
HDB_TEST_EXPORT void create_weapons(Database& database);
HDB_TEST_EXPORT void create_monsters(Database& database);
HDB_TEST_EXPORT Table<Monster>* find_monsters(Database& database);
HDB_TEST_EXPORT const void* find_by_any_handle(Database& database, AnyHandle handle);
}  // namespace engine

namespace game {
HDB_TEST_EXPORT Keys keys();
HDB_TEST_EXPORT detail::TypeKey defaulted_key();
HDB_TEST_EXPORT void create_doors(Database& database);
HDB_TEST_EXPORT bool finds_torches(Database& database);
HDB_TEST_EXPORT Table<Weapon>* find_weapons(Database& database);
HDB_TEST_EXPORT void create_monsters(Database& database);
HDB_TEST_EXPORT AnyHandle create_tagged(Database& database);
}  // namespace game

}  // namespace hdb::test::modules
