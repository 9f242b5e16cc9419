// Imports: prefabs, level streaming, merging worlds, old files, handles that leave, names, sidecars
// and references.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "database/import_world.hpp"
#include "hdb/changes.hpp"
#include "hdb/import.hpp"
#include "hdb/sidecar.hpp"

namespace hdb::test::import_test {

struct OldUnit {
  std::int16_t health = 5;
  NodeHandle of = {};
  std::vector<Handle<OldUnit>> allies = {};
  Handle<Skin> badge = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(health), CEREAL_NVP(of), CEREAL_NVP(allies), CEREAL_NVP(badge));
  }
};
struct NewUnit {
  std::int32_t hp = 1;
  std::string title = "unknown";
  std::vector<Handle<NewUnit>> friends = {};
  Handle<Skin> badge = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(title), CEREAL_NVP(friends), CEREAL_NVP(badge));
  }
};

}  // namespace hdb::test::import_test

template <>
struct hdb::Renames<hdb::test::import_test::NewUnit> {
  static constexpr std::array list{hdb::Rename{"health", "hp"}, hdb::Rename{"allies", "friends"}};
};

namespace hdb::test::import_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Two nodes that name each other, the second with an item; one slot before each is free.
struct Prefab {
  World world;
  NodeHandle chest, lid;
  ItemHandle coin;

  Prefab() {
    world.nodes.erase(world.nodes.insert({}));
    chest = world.nodes.insert({.value = 1});
    lid = world.nodes.insert({.value = 2, .parent = chest});
    coin = world.items.insert({.value = 50, .owner = lid});
    world.nodes.edit(chest)->children = {lid};
    world.nodes.edit(lid)->hands = {coin, ItemHandle()};
  }
  [[nodiscard]] Bytes file() { return saved(world.db); }
};

TEST(ImportRecords, TheSameFileTwiceMakesTwoCopiesThatNameOnlyThemselves) {
  Prefab prefab;
  World game;
  const NodeHandle old = game.nodes.insert({.value = 7});
  const auto first = import_from(game.db, prefab.file());
  const auto second = import_from(game.db, prefab.file());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(game.nodes.size(), 5u);
  EXPECT_EQ(game.nodes.at(old).value, 7);
  for (const auto& report : {*first, *second}) {
    const NodeHandle chest = report.find(prefab.chest);
    const NodeHandle lid = report.find(prefab.lid);
    EXPECT_THAT(game.nodes.at(chest).children, ElementsAre(lid));
    EXPECT_EQ(game.nodes.at(lid).parent, chest);
    EXPECT_EQ(game.items.at(game.nodes.at(lid).hands[0]).owner, lid);
    EXPECT_EQ(game.items.at(report.find(prefab.coin)).value, 50);
    EXPECT_EQ(report.unresolved_count, 0u);
    EXPECT_THAT(report.created<NodeHandle>(), ElementsAre(chest, lid));
  }
  EXPECT_NE(first->find(prefab.chest), second->find(prefab.chest));
  EXPECT_EQ(first->summary(),
            "doors: 0 records; items: 1 record; nodes: 2 records; skins: 0 records; "
            "torches: 0 records");
}

TEST(ImportRecords, NewHandlesAreThoseThatInsertsGet) {
  World game;
  const NodeHandle a = game.nodes.insert({});
  const NodeHandle b = game.nodes.insert({});
  game.nodes.erase(a);
  game.nodes.erase(b);
  Prefab prefab;
  // In dense order: the lid, then the chest.
  prefab.world.nodes.sort([](const Node& x, const Node& y) { return x.value > y.value; });
  const auto report = import_from(game.db, prefab.file());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->find(prefab.lid).index(), b.index());
  EXPECT_EQ(report->find(prefab.lid).generation(), 2u);
  EXPECT_EQ(report->find(prefab.chest).index(), a.index());
  EXPECT_FALSE(game.nodes.contains(a) || game.nodes.contains(b)) << "stale handles stay stale";
}

TEST(ImportRecords, FindKnowsNoOtherHandles) {
  Prefab prefab;
  World game;
  const auto report = import_from(game.db, prefab.file());
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->find(NodeHandle()));
  EXPECT_FALSE(report->find(NodeHandle::from_bits(pack_handle(DefaultLayout::value, 0, 1, 0))));
  EXPECT_FALSE(report->find(NodeHandle::from_bits(pack_handle(DefaultLayout::value, 1, 2, 0))));
  EXPECT_FALSE(report->find(NodeHandle::from_bits(pack_handle(DefaultLayout::value, 99, 1, 0))));
  EXPECT_FALSE(report->find(NodeHandle::from_bits(~std::uint64_t{0})));
  EXPECT_FALSE(report->find(Handle<Clock>::from_bits(prefab.chest.bits())));
  EXPECT_FALSE(report->find(AnyHandle::from_bits(prefab.chest.bits())));
  EXPECT_EQ(report->table("nothing"), nullptr);
  EXPECT_THAT(report->table("nodes")->records, SizeIs(2));
}

TEST(ImportRecords, HandlesThatLeaveBecomeNullAndAreListed) {
  Prefab prefab;
  World& world = prefab.world;
  const NodeHandle gone = world.nodes.insert({});
  world.nodes.erase(gone);
  Node& lid = *world.nodes.edit(prefab.lid);
  lid.children = {prefab.chest, gone};
  lid.pacts.resize(2);
  lid.pacts[1].witnesses = {std::nullopt, AnyHandle::from_bits(0x77)};
  World game;
  const ImportOptions options{.tables = {"nodes"}};
  const auto report = import_from(game.db, prefab.file(), options);
  ASSERT_TRUE(report);
  const Node& now = game.nodes.at(report->find(prefab.lid));
  EXPECT_THAT(now.children, ElementsAre(report->find(prefab.chest), NodeHandle()));
  EXPECT_EQ(now.hands[0], ItemHandle());
  EXPECT_EQ(now.pacts[1].witnesses[1], AnyHandle());
  ASSERT_EQ(report->unresolved_count, 3u);
  ASSERT_THAT(report->unresolved, SizeIs(3));
  for (const UnresolvedHandle& each : report->unresolved) {
    EXPECT_EQ(each.table, "nodes");
    EXPECT_EQ(each.record, report->find(prefab.lid).bits());
  }
  EXPECT_EQ(report->unresolved[0].field, "children[1]");
  EXPECT_EQ(report->unresolved[0].bits, gone.bits());
  EXPECT_EQ(report->unresolved[0].target,
            "nodes:" + std::to_string(gone.index()) + "@" + std::to_string(gone.generation()));
  EXPECT_EQ(report->unresolved[1].field, "hands[0]");
  EXPECT_EQ(report->unresolved[1].target, "items:0@1");
  EXPECT_EQ(report->unresolved[2].field, "pacts[1].witnesses[1]");
  EXPECT_EQ(report->summary(), "nodes: 2 records; 3 handles leave the import");
}

TEST(ImportRecords, HandlesThatLeaveCanKeepTheirBits) {
  World world;
  const NodeHandle player = world.nodes.insert({.value = 1});
  world.items.insert({.value = 2, .owner = player});
  const Bytes file = saved(world.db);
  const auto report = import_from(world.db, file,
                                  {.tables = {"items"},
                                   .unresolved_handles = UnresolvedHandles::keep,
                                   .max_unresolved_listed = 0});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->unresolved_count, 1u);
  EXPECT_THAT(report->unresolved, IsEmpty());
  EXPECT_EQ(world.items.at(report->created<ItemHandle>().at(0)).owner, player);
}

TEST(ImportRecords, SeveralKeysThatBecomeNullBecomeOne) {
  Prefab prefab;
  Node& node = *prefab.world.nodes.edit(prefab.chest);
  const auto foreign = [](std::uint64_t i) { return NodeHandle::from_bits((1 << 20) + i); };
  node.grudges = {{foreign(1), 1}, {foreign(2), 2}, {prefab.lid, 3}};
  node.friends = {foreign(1), foreign(2), foreign(3)};
  World game;
  const auto report = import_from(game.db, prefab.file());
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->unresolved_count, 5u);
  const Node& now = game.nodes.at(report->find(prefab.chest));
  EXPECT_THAT(now.friends, ElementsAre(NodeHandle()));
  EXPECT_THAT(now.grudges, SizeIs(2));
  EXPECT_EQ(now.grudges.at(NodeHandle()), 1);
  EXPECT_EQ(now.grudges.at(report->find(prefab.lid)), 3);
}

TEST(ImportRecords, TypeIdsOfTheFileBecomeThoseOfTheDatabase) {
  World from(true);
  const auto door = from.doors.insert({});
  const auto torch = from.torches.insert({.fuel = 9, .near_door = door});
  from.doors.edit(door)->key = AnyHandle::from_bits(torch.bits());
  from.doors.edit(door)->twin = door;
  World game(false);
  const auto report = import_from(game.db, saved(from.db));
  ASSERT_TRUE(report);
  const auto placed = report->find(door);
  EXPECT_NE(placed.type_id(), door.type_id());
  EXPECT_EQ(game.doors.at(placed).twin, placed);
  EXPECT_EQ(game.db.find<Torch>(game.doors.at(placed).key)->fuel, 9);
  EXPECT_THAT(report->created<AnyHandle>(), SizeIs(2));
  EXPECT_THAT(report->created<DoorHandle>(), ElementsAre(placed));
}

// --- names, references, sidecars

TEST(ImportRecords, ARecordOfTheSameNameIsUsed) {
  World from;
  const Handle<Skin> rusty = from.skins.table().insert_named("rusty", {1});
  const Handle<Skin> shiny = from.skins.table().insert_named("shiny", {2});
  const NodeHandle node = from.nodes.insert({.skin = rusty});
  World game;
  const auto own = game.skins.insert("rusty", {99});
  const auto report = import_from(game.db, saved(from.db), {.name_clash = NameClash::use_existing});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->find(rusty), own.handle());
  EXPECT_EQ(game.nodes.at(report->find(node)).skin.handle(), own.handle());
  EXPECT_EQ(game.skins.table().at(own.handle()).colour, 99);
  EXPECT_EQ(game.skins.table().find_named("shiny"), report->find(shiny));
  EXPECT_THAT(report->created<Handle<Skin>>(), ElementsAre(report->find(shiny)));
  EXPECT_EQ(report->table("skins")->existing_count, 1u);
  EXPECT_THAT(report->summary(), testing::HasSubstr("skins: 1 record, 1 already there"));
}

TEST(ImportRecords, StrongHandlesOfNewRecordsKeepTheirResources) {
  World from;
  const Handle<Skin> used = from.skins.table().insert_named("used", {1});
  from.skins.table().insert_named("unused", {2});
  from.nodes.insert({.skin = used});
  World game;
  const auto report = import_from(game.db, saved(from.db));
  ASSERT_TRUE(report);
  const auto flushed = game.skins.flush();
  ASSERT_TRUE(flushed);
  EXPECT_EQ(flushed->destroyed, 1u);
  EXPECT_TRUE(game.skins.table().contains(report->find(used)));
}

TEST(ImportRecords, SidecarsAndCapturesOfTheTableStay) {
  Prefab prefab;
  World game;
  Sidecar<int, Table<Node>> extra(game.nodes);
  const NodeHandle old = game.nodes.insert({.value = 7});
  extra.set(old, 5);
  const Snapshot before = game.db.capture();
  const Hash128 hash = before.state_hash();
  Changes changes;
  ImportOptions options;
  options.changes = &changes;
  const auto report = import_from(game.db, prefab.file(), options);
  ASSERT_TRUE(report);
  ASSERT_NE(extra.find(old), nullptr);
  EXPECT_EQ(extra.find(report->find(prefab.chest)), nullptr);
  EXPECT_THAT(handles_as<NodeHandle>(changes.of("nodes").created),
              ElementsAre(report->find(prefab.chest), report->find(prefab.lid)));
  EXPECT_EQ(before.state_hash(), hash);
  ASSERT_TRUE(game.db.restore(before));
  EXPECT_EQ(game.db.state_hash(), hash);
}

// --- old files, and tables that are not everywhere

TEST(ImportRecords, AnOldFileIsMatchedAsInALoad) {
  Database from;
  auto& units = from.create_table<OldUnit>("enemies");
  auto& skins = from.create_table<Skin>("skins");
  const auto badge = skins.insert({1});
  const auto a = units.insert({.health = 30});
  const auto b = units.insert({.health = 31, .allies = {a}, .badge = badge});
  const Bytes file = saved(from);

  Database db;
  auto& now = db.create_table<NewUnit>("monsters");
  db.create_table<Skin>("skins").insert({});
  db.declare_table_rename({.old_name = "enemies", .new_name = "monsters"});
  const auto report = import_from(db, file);
  ASSERT_TRUE(report) << report.error().message();
  const auto handle = report->find(Handle<NewUnit>::from_bits(b.bits()));
  EXPECT_EQ(now.at(handle).hp, 31);
  EXPECT_EQ(now.at(handle).title, "unknown");
  EXPECT_THAT(now.at(handle).friends,
              ElementsAre(report->find(Handle<NewUnit>::from_bits(a.bits()))));
  EXPECT_EQ(now.at(handle).badge, report->find(badge));
  EXPECT_EQ(report->table("monsters")->old_name, "enemies");
  EXPECT_FALSE(report->table("monsters")->changes.empty());
}

TEST(ImportRecords, SingletonsUnsavedAndUnknownTablesAreReported) {
  Database from;
  from.create_table<Unit>("units").insert({.hp = 3});
  from.create_table<Hero>("heroes").insert({});
  from.create_table<Tile>("tiles").insert({});
  from.singleton<Clock>("clock").edit().tick = 5;
  Database db;
  auto& units = db.create_table<Unit>("units");
  db.create_table<Hero>("heroes", {.scope = Scope::unsaved});
  db.singleton<Clock>("clock").edit().tick = 8;
  const auto report = import_from(db, saved(from));
  ASSERT_TRUE(report);
  EXPECT_EQ(units.size(), 1u);
  EXPECT_EQ(db.singleton<Clock>("clock").get().tick, 8u);
  EXPECT_THAT(report->skipped_tables, ElementsAre("clock", "heroes"));
  EXPECT_THAT(report->unknown_tables, ElementsAre("tiles"));
  EXPECT_EQ(report->summary(),
            "units: 1 record; not in the program, skipped: tiles; not imported, unchanged: clock, "
            "heroes");
}

TEST(ImportRecords, TablesOfFamiliesAreMade) {
  Database from;
  from.create_table<Unit>("level 1").insert({.hp = 3});
  from.create_table<Hero>("level 2").insert({});
  Database db;
  db.register_family<Unit>("level 1");
  db.register_family<Hero>("level 2");
  const auto report = import_from(db, saved(from), {.tables = {"level 1"}});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_THAT(db.table_names(), ElementsAre("level 1"));
  EXPECT_EQ(db.find_table<Unit>("level 1")->begin()->hp, 3);
}

TEST(ImportRecords, ThreadsAndExecutorsGiveEqualResults) {
  Random random(5);
  World from;
  from.churn(4000, random, "name ");
  const Bytes file = saved(from.db);
  std::vector<Hash128> hashes;
  std::vector<std::string> listed;
  for (const unsigned threads : {1u, 4u}) {
    World game;
    bool was_run = false;
    ImportOptions options{.max_unresolved_listed = 5000, .threads = threads};
    options.executor = [&](unsigned count, const std::function<void(unsigned)>& task) {
      was_run = true;
      for (unsigned i = count; i-- > 0;) task(i);
    };
    const auto report = import_from(game.db, file, options);
    ASSERT_TRUE(report);
    EXPECT_TRUE(was_run || threads == 1);
    hashes.push_back(game.db.state_hash());
    std::string& list = listed.emplace_back();
    for (const UnresolvedHandle& each : report->unresolved)
      list += each.table + std::to_string(each.record) + each.field + each.target + '\n';
  }
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_EQ(listed[0], listed[1]);
}

}  // namespace
}  // namespace hdb::test::import_test
