// One database used by an engine and a game in shared libraries of their own: types are the same on
// both sides.
#include "modules.hpp"
#include "hdb/inspect/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hdb::test::modules_test {
namespace {

using namespace modules;
struct Anonymous {};

/// A database of two tables, each made by the module that the flag says.
struct World {
  Database database;
  Handle<Weapon> sword;
  explicit World(bool monsters_by_the_game) {
    engine::create_weapons(database);
    monsters_by_the_game ? game::create_monsters(database) : engine::create_monsters(database);
    Table<Weapon>* const weapons = database.find_table<Weapon>("weapons");
    Table<Monster>* const monsters = database.find_table<Monster>("monsters");
    if (weapons == nullptr || monsters == nullptr) return;
    sword = weapons->insert({5});
    monsters->insert({9, sword, sword});
  }
};

Bytes saved(Database& database) {
  MemorySink sink;
  EXPECT_TRUE(save(database.capture(), sink).has_value());
  return sink.take();
}

TEST(Modules, KeysOfATypeAreEqualInAllOfThem) {  // Y1, Y2
  const Keys here = keys_with<Anonymous>();
  const Keys engine = engine::keys();
  const Keys game = game::keys();
  EXPECT_TRUE(engine.weapon == game.weapon);
  EXPECT_TRUE(engine.weapon == here.weapon);
  EXPECT_TRUE(engine.table == game.table);
  EXPECT_TRUE(engine.wrapped == game.wrapped);
  EXPECT_TRUE(engine.incomplete == game.incomplete);
  EXPECT_TRUE(engine.handle == game.handle);
  EXPECT_TRUE(engine.small_handle == game.small_handle);
  EXPECT_FALSE(engine.weapon == game.table);
  EXPECT_FALSE(engine.weapon == game.wrapped);
  EXPECT_FALSE(engine.handle == game.small_handle);
  EXPECT_FALSE(engine.weapon == detail::TypeKey());
  EXPECT_FALSE(detail::TypeKey::is_before(engine.weapon, game.weapon));
  EXPECT_FALSE(detail::TypeKey::is_before(game.weapon, engine.weapon));
  EXPECT_NE(detail::TypeKey::is_before(engine.weapon, game.table),
            detail::TypeKey::is_before(game.table, engine.weapon));
}

TEST(Modules, ARecordTypeWithOtherMembersEndsTheProgram) {
  Database database;
  engine::create_torches(database);
  EXPECT_DEATH(game::finds_torches(database),
               "table 'torches': the module that made it and the module that asks for it define "
               "the type of its records differently");
}

TEST(Modules, ATypeIsTheSameHoweverItsDefaultArgumentsWereWritten) {  // Y2
  EXPECT_TRUE(engine::defaulted_key() == game::defaulted_key());
  Database database;
  game::create_doors(database);
  EXPECT_TRUE(engine::finds_doors(database));
  EXPECT_NE(database.find_table<Door>("doors"), nullptr);
}

TEST(Modules, TypesWithoutLinkageBelongToTheirModule) {  // Y3
  const Keys here = keys_with<Anonymous>();
  EXPECT_TRUE(here.of_anonymous == keys_with<Anonymous>().of_anonymous);
  EXPECT_TRUE(engine::keys().of_anonymous == engine::keys().of_anonymous);
  EXPECT_FALSE(engine::keys().of_anonymous == game::keys().of_anonymous);
  EXPECT_FALSE(engine::keys().of_anonymous == here.of_anonymous);
  const auto one = [](int) {};
  const auto other = [](int) {};
  EXPECT_FALSE(detail::type_key<decltype(one)>() == detail::type_key<decltype(other)>());
}

TEST(Modules, EachFindsTheTablesOfTheOther) {
  World world(true);
  ASSERT_NE(game::find_weapons(world.database), nullptr);
  ASSERT_NE(engine::find_monsters(world.database), nullptr);
  EXPECT_EQ(game::find_weapons(world.database)->find(world.sword)->damage, 5);
  EXPECT_NE(engine::find_by_any_handle(world.database, game::create_tagged(world.database)),
            nullptr);
}

TEST(Modules, ContentIsTheSameWhoeverMadeTheTables) {
  World mixed(true);
  World alone(false);
  ASSERT_TRUE(mixed.sword);
  EXPECT_EQ(mixed.database.state_hash(), alone.database.state_hash());
  const Bytes file = saved(mixed.database);
  const auto loaded = alone.database.load(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
  for (const auto& table : loaded->tables) EXPECT_TRUE(table.exact_schema) << table.name;
  const Snapshot snapshot = mixed.database.capture();
  const auto image = snapshot.image({});
  std::string schemas;
  for (const Field& schema : image->schemas()) schemas += type_text(schema) + "\n";
  EXPECT_THAT(schemas, testing::HasSubstr("weapon: handle<weapons>"));
  EXPECT_THAT(schemas, testing::Not(testing::HasSubstr("handle<?>")));
}

}  // namespace
}  // namespace hdb::test::modules_test
