// The calls of component tables one by one: what they refuse, and who owns what.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "database/component_world.hpp"
#include "hdb/changes.hpp"
#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/import.hpp"
#include "hdb/resource_table.hpp"

namespace hdb::test::component_world {
namespace {

TEST(ComponentTables, StaleNullAndForeignHandlesGetNothing) {
  World<TypedLayout> world;
  auto& others = world.db.create_table<Entity, TypedLayout, Place>("others");
  const auto entity = world.entities.insert({1});
  const auto other = others.insert({2});
  const auto foreign = Handle<Entity, TypedLayout>::from_bits(other.bits());
  EXPECT_EQ(world.places.insert(foreign, {1, 1}), nullptr) << "the type id is another one";
  EXPECT_EQ(world.places.insert({}, {1, 1}), nullptr);
  EXPECT_NE(world.places.insert(entity, {1, 1}), nullptr);
  EXPECT_EQ(world.places.find(foreign), nullptr);
  EXPECT_EQ(world.places.find({}), nullptr);
  EXPECT_EQ(world.places.handle_at(0), entity) << "handles carry the type id of the owner";
  world.entities.erase(entity);
  EXPECT_EQ(world.places.insert(entity, {1, 1}), nullptr);
  const auto next = world.entities.insert({3});
  EXPECT_EQ(next.index(), entity.index());
  EXPECT_EQ(world.places.find(next), nullptr) << "the component went with its record";
}

TEST(ComponentTables, RefuseOptionsThatCannotBe) {
  Database db;
  auto& hidden = db.create_table<Entity>("hidden", {.scope = Scope::unsaved});
  const auto wide = db.try_create_component_table<Place>("Place", hidden);
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().code, ErrorCode::bad_options);
  EXPECT_NE(wide.error().what.find("wider than that of its owner"), std::string::npos);
  EXPECT_TRUE(db.try_create_component_table<Place>("Place", hidden, {.scope = Scope::unsaved}));
  const auto holes = db.try_create_component_table<Label>(
      "Label", hidden,
      {.storage = Storage::stable, .removal = Removal::in_place, .scope = Scope::unsaved});
  EXPECT_EQ(holes.error().code, ErrorCode::bad_options);
  db.singleton<Clock>("clock");
  const auto alone = db.try_create_component_table<Unit>("Unit", *db.find_table<Clock>("clock"));
  EXPECT_EQ(alone.error().code, ErrorCode::bad_options);
  Database another;
  const auto strange = another.try_create_component_table<Place>("Place", hidden);
  EXPECT_EQ(strange.error().code, ErrorCode::bad_options);
  const auto twice =
      db.try_create_component_table<Label>("Place", hidden, {.scope = Scope::unsaved});
  EXPECT_EQ(twice.error().code, ErrorCode::duplicate_name);
}

TEST(ComponentTables, AreFoundByTheirType) {
  World<DefaultLayout> world;
  EXPECT_EQ((world.db.find_component_table<Place, Entity>("Place")), &world.places);
  EXPECT_EQ((world.db.find_component_table<Label, Entity>("Place")), nullptr);
  EXPECT_EQ((world.db.find_component_table<Place, Entity>("Health")), nullptr);
  EXPECT_EQ(world.db.find_table<Place>("Place"), nullptr);
}

TEST(ComponentTables, DroppingTheOwnerDropsThemAndARestoreBringsThemBack) {
  World<DefaultLayout> world;
  world.run(11, 300);
  const Snapshot before = world.db.capture();
  EXPECT_TRUE(world.db.drop_table("entities"));
  EXPECT_TRUE(world.db.table_names().empty());
  ASSERT_TRUE(world.db.restore(before));
  EXPECT_EQ(world.db.state_hash(), before.state_hash());
  world.check();
  world.run(12, 100);
  world.check();
  EXPECT_TRUE(world.db.drop_table("Place"));
  EXPECT_EQ(world.db.table_names(), (std::vector<std::string>{"Health", "Label", "entities"}));
  for (const auto handle : world.known) world.entities.erase(handle);
  ASSERT_TRUE(world.db.restore(before));
  EXPECT_EQ(world.db.state_hash(), before.state_hash());
}

// A component table may be left out where its owner is not: it keeps what still has a record.
TEST(ComponentTables, LeftOutOfRestoresAndLoadsKeepTheLivingOnes) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Database db;
    auto& entities = db.create_table<Entity>("entities");
    auto& bodies = db.create_component_table<Label>(
        "Body", entities, {.storage = storage, .scope = Scope::uncaptured});
    auto& notes = db.create_component_table<Label>("Note", entities,
                                                   {.storage = storage, .scope = Scope::unsaved});
    const auto stays = entities.insert({1});
    const Snapshot before = db.capture();
    const Bytes file = saved(before);
    const auto goes = entities.insert({2});
    for (const auto each : {stays, goes}) {
      bodies.insert(each, {"body"});
      notes.insert(each, {"note"});
    }
    const Snapshot held = db.capture();
    ASSERT_TRUE(db.restore(before));
    EXPECT_TRUE(bodies.contains(stays));
    EXPECT_EQ(bodies.size(), 1u);
    EXPECT_TRUE(notes.empty()) << "captures have it";
    ASSERT_TRUE(db.restore(held));
    EXPECT_EQ(notes.size(), 2u);
    bodies.insert(goes, {"body"});
    Changes changes;
    ASSERT_TRUE(db.load(std::make_unique<MemorySource>(file), {.changes = &changes}));
    EXPECT_EQ(bodies.size(), 1u);
    EXPECT_EQ(notes.size(), 1u);
    EXPECT_TRUE(notes.contains(stays));
    EXPECT_EQ(changes.of("Note").erased, std::vector<std::uint64_t>{goes.bits()});
    EXPECT_STREQ(db.check_invariants(), nullptr);
    ASSERT_TRUE(db.restore(held));
    EXPECT_EQ(notes.size(), 2u);
    EXPECT_STREQ(db.check_invariants(), nullptr);
  }
}

TEST(ComponentTables, ChangesNameTheRecordsByTheOwnersHandles) {
  World<TypedLayout> world;
  const auto a = world.entities.insert({1});
  const auto b = world.entities.insert({2});
  world.places.insert(a, {1, 1});
  const Snapshot before = world.db.capture();
  world.places.edit(a)->x = 5;
  world.places.insert(b, {2, 2});
  const Snapshot after = world.db.capture();
  const Changes changes = changes_between(before, after);
  EXPECT_EQ(changes.of("Place").changed, std::vector<std::uint64_t>{a.bits()});
  EXPECT_EQ(changes.of("Place").created, std::vector<std::uint64_t>{b.bits()});
}

TEST(ComponentTables, ImportsFollowTheirRecords) {
  World<DefaultLayout> source;
  source.run(21, 300);
  const Bytes file = saved(source.db.capture());
  World<DefaultLayout> world;
  world.run(22, 200);
  const std::size_t places = world.places.size();
  const std::size_t holes = world.healths.hole_count();
  const auto report = world.db.import_records(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_STREQ(world.db.check_invariants(), nullptr);
  EXPECT_EQ(world.places.size(), places + source.places.size());
  EXPECT_EQ(world.healths.hole_count(),
            holes - std::min<std::size_t>(holes, source.healths.size()));
  for (auto [handle, entity] : source.entities.entries()) {
    const auto now = report->find(handle);
    ASSERT_EQ(world.entities.at(now).id, entity.id);
    ASSERT_EQ(world.places.contains(now), source.places.contains(handle));
    if (const Place* const place = source.places.find(handle)) {
      ASSERT_EQ(world.places.at(now).x, place->x);
    }
    ASSERT_EQ(world.labels.contains(now), source.labels.contains(handle));
    if (const Label* const label = source.labels.find(handle)) {
      ASSERT_EQ(world.labels.at(now).text, label->text);
    }
    ASSERT_EQ(world.healths.contains(now), source.healths.contains(handle));
  }
  const auto alone =
      world.db.import_records(std::make_unique<MemorySource>(file), {.tables = {"Place"}});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().code, ErrorCode::bad_options);
  EXPECT_NE(alone.error().what.find("list table 'entities' too"), std::string::npos);
}

TEST(ComponentTables, AResourceTableOwnsComponentsToo) {
  Database db;
  auto& textures = db.create_resource_table<Label>("textures");
  auto& sizes = db.create_component_table<Place>("Size", textures.table());
  Ref<Label> held =
      textures.find_or_load("a", [](std::string_view) -> Result<Label> { return Label{"a"}; });
  sizes.insert(held.handle(), {64, 0});
  EXPECT_EQ(sizes.size(), 1u);
  held.reset();
  ASSERT_TRUE(textures.flush());
  EXPECT_TRUE(sizes.empty());
}

// What a component of a resource holds, the resource holds: so it can be part of a cycle.
struct Link {
  Strong<Label> next = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(next));
  }
};

TEST(ComponentTables, OfResourcesAreNoRootsOfTheirOwn) {
  Database db;
  auto& textures = db.create_resource_table<Label>("textures");
  auto& links = db.create_component_table<Link>("Link", textures.table());
  const auto a = textures.table().insert_named("a", Label{"a"});
  const auto b = textures.table().insert_named("b", Label{"b"});
  links.insert(a, {b});
  ASSERT_TRUE(textures.flush());
  EXPECT_EQ(textures.table().size(), 0u) << "nobody holds a, and only a held b";
  const auto c = textures.table().insert_named("c", Label{"c"});
  const auto d = textures.table().insert_named("d", Label{"d"});
  links.insert(c, {d});
  links.insert(d, {c});
  ASSERT_TRUE(textures.flush());
  EXPECT_EQ(textures.table().size(), 2u) << "a cycle";
  EXPECT_EQ(strong_cycles(db).value().size(), 2u);
  ASSERT_TRUE(textures.flush({.cycles = true}));
  EXPECT_EQ(textures.table().size(), 0u);
  EXPECT_TRUE(links.empty());
}

// A record whose destructor calls the program.
struct Nosy {
  static inline std::function<void()> at_end = {};
  int value = 0;
  Nosy() = default;
  Nosy(const Nosy&) = default;
  Nosy& operator=(const Nosy&) = default;
  ~Nosy() {
    if (at_end) at_end();
  }
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};

TEST(ComponentTablesDeathTest, WhileARecordEndsNeitherSideMayChange) {
  Table<Nosy> owner;
  ComponentTable<Place, Nosy> places(owner);
  ComponentTable<Nosy, Nosy> inner(owner, {.storage = Storage::stable});
  const auto first = owner.emplace();
  const auto second = owner.emplace();
  inner.emplace(second);  // the last one, so that nothing else is destroyed
  Nosy::at_end = [&] { places.insert(first, {1, 1}); };
  EXPECT_DEATH(owner.erase(second), "the destructor of a record of its owner");
  bool is_owner = true;
  Nosy::at_end = [&] {
    if (is_owner) return void(is_owner = false);  // the record first, then its component
    owner.emplace();
  };
  EXPECT_DEATH(owner.erase(second), "the destructor of a component of one of its records");
  Nosy::at_end = nullptr;
  EXPECT_TRUE(owner.erase(second));
  EXPECT_TRUE(inner.empty());
}

// Outside of a database.
TEST(ComponentTables, LiveAndEndInAnyOrder) {
  auto owner = std::make_unique<Table<Entity>>();
  auto places = std::make_unique<ComponentTable<Place, Entity>>(*owner);
  auto labels = std::make_unique<ComponentTable<Label, Entity>>(
      *owner, ComponentOptions{.storage = Storage::stable});
  const auto entity = owner->insert({1});
  places->insert(entity, {1, 1});
  labels->insert(entity, {"one"});
  places.reset();
  EXPECT_TRUE(owner->erase(entity));
  EXPECT_TRUE(labels->empty());
  const auto second = owner->insert({2});
  labels->insert(second, {"two"});
  owner.reset();
  EXPECT_EQ(labels->at(second).text, "two");
  EXPECT_EQ(labels->insert(entity, {"three"}), nullptr) << "there is no owner";
}

TEST(ComponentTables, MaxRecordsIsALimit) {
  Database db;
  auto& entities = db.create_table<Entity>("entities");
  auto& places = db.create_component_table<Place>("Place", entities, {.max_records = 1});
  const auto a = entities.insert({1});
  const auto b = entities.insert({2});
  EXPECT_NE(places.insert(a, {1, 1}), nullptr);
  EXPECT_EQ(places.insert(b, {1, 1}), nullptr);
  EXPECT_NE(places.insert_or_assign(a, Place{2, 2}), nullptr);
  entities.erase(a);
  EXPECT_NE(places.insert(b, {1, 1}), nullptr);
}

// Components that are copied as bytes have no short way past the holes, nor to slots of their own.
TEST(ComponentTables, OfPlainRecordsLeaveHolesAndFreeNoSlot) {
  Database db;
  auto& entities = db.create_table<Entity>("entities");
  auto& places =
      db.create_component_table<Place>("Place", entities, {.removal = Removal::in_place});
  std::vector<Handle<Entity>> all;
  std::vector<const Place*> where;
  for (int i = 0; i < 6; ++i) {
    all.push_back(entities.insert({i}));
    where.push_back(places.insert(all.back(), {i, 1}));
  }
  for (const std::size_t gone : {1U, 3U, 4U}) EXPECT_TRUE(places.erase(all[gone]));
  EXPECT_EQ(places.size(), 3U);
  for (const std::size_t left : {0U, 2U, 5U}) {
    EXPECT_EQ(places.find(all[left]), where[left]) << "none has moved";
    EXPECT_EQ(places.at(all[left]).x, static_cast<std::int32_t>(left));
  }
  EXPECT_EQ(db.check_invariants(), nullptr);
  EXPECT_EQ(places.insert(all[1], {10, 1}), where[4]) << "the last hole is the first to be filled";
  EXPECT_EQ(entities.insert({6}).index(), 6U);
}

}  // namespace
}  // namespace hdb::test::component_world
