// hdb::debug::show: what a person at a debugger without printers sees of a handle.
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hdb/blob_table.hpp>
#include <hdb/component_table.hpp>
#include <hdb/debug.hpp>
#include <hdb/hdb.hpp>

namespace hdb::test::show_test {

using testing::HasSubstr;

struct Monster {
  int hp = 100;
  Handle<Monster> target = {};
};
struct Weapon {
  float damage = 0;
};
struct Position {
  int x = 0;
};
struct Page {
  std::vector<std::string> lines;
};
struct Trap {
  bool springs = false;
  template <class Archive>
  void serialize(Archive& archive) {
    if (springs) throw std::runtime_error("sprung");
    archive(cereal::make_nvp("springs", springs));
  }
};

std::string text_of(const char* text) { return text; }

struct World {
  Database database;
  Table<Monster>& monsters = database.create_table<Monster>("monsters");
  Table<Weapon, TypedLayout>& weapons = database.create_table<Weapon, TypedLayout>("weapons");
  ComponentTable<Position, Monster>& positions =
      database.create_component_table<Position>("positions", monsters);
  Handle<Monster> imp = monsters.insert({.hp = 40});
  Handle<Monster> orc = monsters.insert({.hp = 70, .target = imp});
  TypedHandle<Weapon> claw = weapons.insert({.damage = 2.5f});
};

TEST(DebugShow, SaysTableSlotGenerationAndRecord) {
  const World world;
  EXPECT_EQ(text_of(debug::show(world.imp)), "monsters:0@1 live {hp: 40, target: null}");
  EXPECT_EQ(text_of(debug::show(world.orc)), "monsters:1@1 live {hp: 70, target: monsters:0@1}");
  EXPECT_EQ(text_of(debug::show(Strong<Monster>(world.imp))), text_of(debug::show(world.imp)));
  EXPECT_EQ(text_of(debug::show(world.monsters, world.imp)), text_of(debug::show(world.imp)));
}

TEST(DebugShow, SaysWhyAHandleNamesNothing) {
  World world;
  world.monsters.erase(world.imp);
  EXPECT_EQ(text_of(debug::show(world.imp)), "monsters:0@1 stale: the slot holds no record");
  static_cast<void>(world.monsters.insert({}));
  EXPECT_EQ(text_of(debug::show(world.imp)), "monsters:0@1 stale: the slot holds monsters:0@2");
  const auto foreign = Handle<Monster>::from_bits(99 | std::uint64_t{5} << 32);
  EXPECT_EQ(text_of(debug::show(foreign)), "monsters:99@5 stale: the table has 2 slots");
  EXPECT_EQ(text_of(debug::show(Handle<Monster>())), "null");
  const auto broken = Handle<Monster>::from_bits(~std::uint64_t{0});
  EXPECT_EQ(text_of(debug::show(broken)), "not a handle of table 'monsters'");
}

TEST(DebugShow, FindsTheTableByTheTypeIdInAHandle) {
  const World world;
  EXPECT_EQ(text_of(debug::show(world.claw)), "weapons:0@1 live {damage: 2.5}");
  EXPECT_EQ(text_of(debug::show(any_handle(world.claw))), "weapons:0@1 live {damage: 2.5}");
  const auto of_no_table = AnyHandle::from_bits(world.claw.bits() ^ std::uint64_t{6} << 48);
  EXPECT_EQ(text_of(debug::show(of_no_table)), "no database has a table of these handles");
}

TEST(DebugShow, IsCalledWithANameAndBitsByDebuggers) {
  World world;
  world.positions.insert(world.imp, {.x = 3});
  EXPECT_EQ(text_of(debug::show("monsters", world.imp.bits())), text_of(debug::show(world.imp)));
  EXPECT_EQ(text_of(debug::show("positions", world.imp.bits())),
            "monsters:0@1.positions live {x: 3}");
  EXPECT_EQ(text_of(debug::show("positions", world.orc.bits())),
            "monsters:1@1.positions none: no live record has this component");
  EXPECT_EQ(text_of(debug::show("dragons", 1)), "no database has a table of this name");
  EXPECT_EQ(text_of(debug::show(world.claw.bits())), "weapons:0@1 live {damage: 2.5}");
  EXPECT_EQ(text_of(debug::show(std::uint64_t{99})), "no table has a live record under these bits");
}

TEST(DebugShow, ShowsEachDatabaseThatExists) {
  const World first;
  auto second = std::make_unique<World>();
  second->monsters.edit(second->imp)->hp = 41;
  EXPECT_EQ(text_of(debug::show(first.imp)),
            "monsters:0@1 live {hp: 41, target: null}\nmonsters:0@1 live {hp: 40, target: null}");
  EXPECT_EQ(text_of(debug::show(first.monsters, first.imp)),
            "monsters:0@1 live {hp: 40, target: null}");
  second.reset();
  EXPECT_EQ(text_of(debug::show(first.imp)), "monsters:0@1 live {hp: 40, target: null}");
}

TEST(DebugShow, KnowsNoDatabaseWhereThereIsNone) {
  const Handle<Monster> handle = World().imp;
  EXPECT_THAT(debug::show(handle), HasSubstr("hdb knows no database"));
  EXPECT_STREQ(debug::show(Handle<Monster>()), "null");
}

TEST(DebugShow, ATableOfNoDatabaseIsNamedAsThat) {
  const World world;
  Table<Position> lonely;
  EXPECT_STREQ(debug::show(lonely, lonely.insert({})), "the table belongs to no database");
}

TEST(DebugShow, CutsLongRecordsAndSurvivesThoseThatThrow) {
  Database database;
  auto& pages = database.create_table<Page>("pages");
  const auto page = pages.insert({std::vector<std::string>(10000, "a line of text")});
  const std::string text = debug::show(page);
  EXPECT_LT(text.size(), 2000u);
  EXPECT_THAT(text, HasSubstr("pages:0@1 live {lines: [\"a line of text\""));
  auto& traps = database.create_table<Trap>("traps");
  EXPECT_THAT(debug::show(traps.insert({true})), HasSubstr("sprung"));
}

TEST(DebugShow, ShowsTheMetadataOfABlob) {
  Database database;
  auto& blobs = database.create_blob_table<Weapon>("blobs", {.capacity_bytes = 4096});
  const auto blob = blobs.insert({.damage = 1.5f}, 64);
  ASSERT_TRUE(blob);
  EXPECT_EQ(text_of(debug::show(*blob)), "blobs:0@1 live {damage: 1.5}");
  EXPECT_EQ(text_of(debug::show(blobs, *blob)), "blobs:0@1 live {damage: 1.5}");
}

}  // namespace hdb::test::show_test
