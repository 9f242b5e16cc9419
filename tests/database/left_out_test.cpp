// Tables left out of captures, saves and state hashes (Scope): each call passes by what it has
// nothing to do with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/changes.hpp"
#include "hdb/hdb.hpp"
#include "hdb/history.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/resource_table.hpp"
#include "hdb/sidecar.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::left_out_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Spark {
  std::int32_t left = 0;
  Handle<Unit> of = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(left), CEREAL_NVP(of));
  }
};
struct Unsaved;
struct Uncaptured;
struct Holder {
  Strong<Spark> held;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(held));
  }
};

// A table of each scope.
struct World {
  Database db;
  Table<Unit>& full = db.create_table<Unit>("full");
  Table<Spark>& unhashed = db.create_table<Spark>("an unhashed one", {.scope = Scope::unhashed});
  Table<Spark, DefaultLayout, Unsaved>& unsaved =
      db.create_table<Spark, DefaultLayout, Unsaved>("an unsaved one", {.scope = Scope::unsaved});
  Table<Spark, DefaultLayout, Uncaptured>& uncaptured =
      db.create_table<Spark, DefaultLayout, Uncaptured>(
          "one not captured",
          {.free_list = FreeList::fifo, .names = RecordNames::exact, .scope = Scope::uncaptured});

  World() {
    full.insert({.hp = 1});
    unhashed.insert({.left = 1});
    unsaved.insert({.left = 1});
    uncaptured.insert_named("first", Spark{1, {}});
  }
  void change(Scope scope) {
    const Spark more{.left = 7, .of = {}};
    switch (scope) {
      case Scope::full: full.insert({.hp = 7}); break;
      case Scope::unhashed: unhashed.insert(more); break;
      case Scope::unsaved: unsaved.insert(more); break;
      case Scope::uncaptured: uncaptured.insert(more); break;
    }
  }
};

constexpr Scope kScopes[] = {Scope::full, Scope::unhashed, Scope::unsaved, Scope::uncaptured};

Bytes file_of(const Snapshot& snapshot) {
  MemorySink sink;
  const auto saved = save(snapshot, sink, {.write = {.file_id = Hash128{1, 2}}});
  EXPECT_TRUE(saved) << saved.error().message();
  EXPECT_EQ(saved->state_hash, snapshot.state_hash());
  return sink.bytes();
}
Result<LoadReport> load(Database& db, const Bytes& file, LoadOptions options = {}) {
  options.verify_state_hash = true;
  return db.load(std::make_unique<MemorySource>(file), options);
}

TEST(Scope, OnlyFullTablesAreInTheStateHash) {
  for (const Scope scope : kScopes) {
    World world;
    const Hash128 before = world.db.state_hash();
    world.change(scope);
    EXPECT_EQ(world.db.state_hash() == before, scope != Scope::full) << int(scope);
  }
}

TEST(Scope, OnlySavedTablesAreInFiles) {
  for (const Scope scope : kScopes) {
    World world;
    const Bytes before = file_of(world.db.capture());
    world.change(scope);
    const bool is_saved = scope == Scope::full || scope == Scope::unhashed;
    EXPECT_EQ(file_of(world.db.capture()) == before, !is_saved) << int(scope);
  }
  World world;
  auto reader = Reader::open(std::make_unique<MemorySource>(file_of(world.db.capture())));
  ASSERT_TRUE(reader);
  ASSERT_EQ((*reader)->tables().size(), 2u);
  EXPECT_EQ((*reader)->tables()[0].scope, Scope::unhashed);
  EXPECT_EQ((*reader)->tables()[1].scope, Scope::full);
}

TEST(Scope, ARestoreBringsBackAllThatIsCapturedAndLeavesTheRest) {
  for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
    World world;
    const Snapshot before = world.db.capture();
    EXPECT_EQ(before.tables().size(), 3u);
    EXPECT_EQ(before.live_count(), 3u);
    for (const Scope scope : kScopes) world.change(scope);
    const auto erased = world.uncaptured.find_named("first");
    world.uncaptured.erase(erased);
    const auto next = world.uncaptured.next_handle();
    const SlotCounters counters = world.uncaptured.counters();
    Changes changes;
    ASSERT_TRUE(world.db.restore(before, {.mode = mode, .changes = &changes}));
    EXPECT_EQ(world.full.size(), 1u);
    EXPECT_EQ(world.unhashed.size(), 1u);
    EXPECT_EQ(world.unsaved.size(), 1u);
    EXPECT_EQ(world.uncaptured.counters(), counters);
    EXPECT_EQ(world.uncaptured.next_handle(), next);
    ASSERT_EQ(changes.tables.size(), 3u);
    EXPECT_EQ(changes.of("an unsaved one").erased.size(), 1u);
    EXPECT_TRUE(changes.of("one not captured").empty());
    EXPECT_EQ(world.db.check_invariants(), nullptr);
  }
}

TEST(Scope, ALoadBringsBackAllThatIsSavedAndLeavesTheRest) {
  for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
    World world;
    const Bytes file = file_of(world.db.capture());
    for (const Scope scope : kScopes) world.change(scope);
    Changes changes;
    const auto loaded = load(world.db, file, {.mode = mode, .changes = &changes});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(world.full.size(), 1u);
    EXPECT_EQ(world.unhashed.size(), 1u);
    EXPECT_EQ(world.unsaved.size(), 2u);
    EXPECT_EQ(world.uncaptured.size(), 2u);
    EXPECT_EQ(changes.tables.size(), 2u);
    EXPECT_THAT(loaded->missing_tables, IsEmpty());
    EXPECT_THAT(loaded->skipped_tables, IsEmpty());
    EXPECT_EQ(world.db.check_invariants(), nullptr);
  }
}

TEST(Scope, WhatStaysBesideATableThatIsPassedByIsNotTold) {
  World world;
  Sidecar<double, Table<Spark, DefaultLayout, Uncaptured>> values(world.uncaptured);
  Sidecar<double, Table<Spark, DefaultLayout, Unsaved>> others(world.unsaved);
  const Snapshot before = world.db.capture();
  const Bytes file = file_of(before);
  const auto handle = world.uncaptured.insert({});
  values.set(handle, 1.5);
  ASSERT_TRUE(world.db.restore(before));
  EXPECT_FALSE(values.take_changes().was_replaced);
  EXPECT_TRUE(others.take_changes().was_replaced);
  ASSERT_TRUE(load(world.db, file));
  EXPECT_FALSE(values.take_changes().was_replaced);
  EXPECT_FALSE(others.take_changes().was_replaced);
  ASSERT_NE(values.find(handle), nullptr);
}

TEST(Scope, TheFileOfATableThatIsLeftOutNowIsSkippedAndReported) {
  Database earlier;
  earlier.create_table<Unit>("full").insert({.hp = 1});
  earlier.create_table<Spark>("sparks").insert({.left = 1});
  const Bytes file = file_of(earlier.capture());
  for (const Scope scope : {Scope::unsaved, Scope::uncaptured}) {
    Database db;
    auto& full = db.create_table<Unit>("full");
    auto& sparks = db.create_table<Spark>("sparks", {.scope = scope});
    for (int i = 0; i < 3; ++i) sparks.insert({.left = 5});
    // Strict loads too: the program knows the table.
    const auto loaded =
        load(db, file, {.allow_missing_tables = false, .allow_unknown_tables = false});
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_THAT(loaded->skipped_tables, ElementsAre("sparks"));
    EXPECT_EQ(full.size(), 1u);
    EXPECT_EQ(sparks.size(), 3u);
  }
}

TEST(Scope, FilesOfHashedAndUnhashedTablesLoadIntoEitherKind) {
  for (const Scope stored : {Scope::full, Scope::unhashed}) {
    for (const Scope own : {Scope::full, Scope::unhashed}) {
      Database from;
      from.create_table<Spark>("sparks", {.scope = stored}).insert({.left = 7});
      Database to;
      auto& sparks = to.create_table<Spark>("sparks", {.scope = own});
      ASSERT_TRUE(load(to, file_of(from.capture())));
      EXPECT_EQ(sparks.begin()->left, 7);
      EXPECT_EQ(to.state_hash() == from.state_hash(), stored == own);
    }
  }
}

TEST(Scope, ASnapshotOfATableThatWasMadeAnewOtherwiseIsRefused) {
  for (const Scope scope : {Scope::unhashed, Scope::uncaptured}) {
    World world;
    world.db.create_table<Clock>("clocks").insert({.tick = 1});
    const Snapshot before = world.db.capture();
    world.db.drop_table("clocks");
    auto& clocks = world.db.create_table<Clock>("clocks", {.scope = scope});
    clocks.insert({.tick = 2});
    const Status status = world.db.restore(before);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::foreign_snapshot);
    EXPECT_THAT(status.error().message(), testing::HasSubstr("'clocks'"));
    EXPECT_EQ(clocks.begin()->tick, 2u);
  }
}

TEST(Scope, ADroppedTableComesNotBackWhereOneThatIsNotCapturedTookItsHandles) {
  Database db;
  db.create_table<Unit>("units").insert({});
  const Snapshot before = db.capture();
  db.drop_table("units");
  auto& other = db.create_table<Unit>("other", {.scope = Scope::uncaptured});
  other.insert({});
  const Status status = db.restore(before);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::foreign_snapshot);
  EXPECT_EQ(other.size(), 1u);
}

// What dropped tables issued that no restore, or no load, touches is not forgotten with what it
// takes away, also after a fork and with a wider table of the same kind of handles.
TEST(Scope, AFollowerOfALeftOutTableIssuesNoHandleOfItAfterAForkAndAReturn) {
  for (const Scope scope : {Scope::unsaved, Scope::uncaptured}) {
    Database db;
    const auto remake = [&](Scope made) -> Table<Unit>& {
      return db.create_table<Unit>("units", {.scope = made});
    };
    remake(Scope::full).insert({});
    db.drop_table("units");
    auto& narrow = remake(scope);
    Handle<Unit> last;
    for (int i = 0; i < 9; ++i) {
      if (last) narrow.erase(last);
      last = narrow.insert({.hp = i});
    }
    db.drop_table("units");
    const Snapshot before = db.capture();
    const Bytes file = [&] {
      MemorySink sink;
      EXPECT_TRUE(save(before, sink));
      return sink.take();
    }();
    ASSERT_TRUE(db.restore(before, {.mode = TimelineMode::fork}));
    if (scope == Scope::uncaptured) {
      ASSERT_TRUE(db.restore(before));
    } else {
      ASSERT_TRUE(db.load(std::make_unique<MemorySource>(file)));
    }
    EXPECT_GT(remake(scope).insert({}).generation(), last.generation());
  }
}

TEST(Scope, ATypeIdOfATableThatIsPassedByIsNotGivenToAnother) {
  Database from;
  from.create_table<Unit, TypedLayout>("units", {.type_id = 1}).insert({});
  const Bytes file = file_of(from.capture());
  Database db;
  auto& units = db.create_table<Unit, TypedLayout>("units", {.type_id = 2});
  auto& sparks =
      db.create_table<Spark, TypedLayout>("sparks", {.type_id = 1, .scope = Scope::uncaptured});
  const auto spark = sparks.insert({});
  const auto loaded = load(db, file);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::layout_mismatch);
  EXPECT_TRUE(units.empty());
  sparks.erase(spark);
  ASSERT_TRUE(load(db, file)) << "without records it makes way";
  EXPECT_EQ(units.options().type_id, 1);
  EXPECT_EQ(sparks.options().type_id, 2);
  EXPECT_FALSE(db.contains(any_handle(sparks.insert({}))) && sparks.contains(spark));
}

TEST(Scope, HandlesToATableThatIsInNoFileKeepTheirBits) {
  struct Source {
    Database db;
    Table<Unit>& units = db.create_table<Unit>("units", {.scope = Scope::unsaved});
    Table<Spark>& sparks = db.create_table<Spark>("sparks");
  };
  Source from;
  const auto unit = from.units.insert({.hp = 1});
  from.sparks.insert({.left = 1, .of = unit});
  const Bytes file = file_of(from.db.capture());
  Source to;
  ASSERT_TRUE(load(to.db, file));
  EXPECT_EQ(to.sparks.begin()->of, unit);
  EXPECT_EQ(to.units.find(unit), nullptr) << "stale, as long as nothing lives there";
  EXPECT_EQ(to.db.state_hash(), from.db.state_hash());
  ASSERT_TRUE(load(from.db, file));
  EXPECT_NE(from.units.find(from.sparks.begin()->of), nullptr) << "in the same process it is there";
}

TEST(Scope, SingletonsBlobsResourcesAndFamiliesCanBeLeftOut) {
  struct Source {
    Database db;
    Table<Unit>& full = db.create_table<Unit>("full");
    Singleton<Clock>& clock = db.singleton<Clock>("clock", Scope::uncaptured);
    BlobTable<Hero>& blobs =
        db.create_blob_table<Hero>("blobs", {.capacity_bytes = 1024, .scope = Scope::uncaptured});
    ResourceTable<Spark>& sparks =
        db.create_resource_table<Spark>("sparks", {.scope = Scope::uncaptured});
  };
  Source from;
  from.clock.edit().tick = 7;
  const Snapshot before = from.db.capture();
  EXPECT_EQ(before.tables().size(), 1u);
  const Hash128 hash = before.state_hash();
  from.clock.edit().tick = 8;
  const auto blob = from.blobs.insert({}, std::uint64_t{100}).value();
  const auto spark = from.sparks.insert("spark", {});
  EXPECT_EQ(from.db.state_hash(), hash);
  ASSERT_TRUE(from.db.restore(before));
  EXPECT_EQ(from.clock->tick, 8u);
  EXPECT_EQ(from.blobs.find(blob).size(), 100u);
  EXPECT_TRUE(spark);

  Database levels;
  levels.create_table<Unit>("full");
  levels.create_table<Spark>("level 1").insert({});
  const Bytes file = file_of(levels.capture());
  Database db;
  db.create_table<Unit>("full");
  db.register_family<Spark>("level ", {.scope = Scope::unsaved});
  const auto loaded = load(db, file);
  ASSERT_TRUE(loaded);
  EXPECT_THAT(loaded->skipped_tables, ElementsAre("level 1"));
  EXPECT_THAT(db.table_names(), ElementsAre("full"));
}

TEST(Scope, StrongFieldsCountFromAndToTablesOfAnyScope) {
  for (const Scope of_holder : kScopes) {
    for (const Scope of_target : kScopes) {
      Database db;
      db.create_table<Unit>("full").insert({});
      auto& sparks = db.create_resource_table<Spark>("sparks", {.scope = of_target});
      auto& holders = db.create_table<Holder>("holders", {.scope = of_holder});
      const auto make = [&](const std::string& name) { return sparks.insert(name, {}).handle(); };
      const auto held = make("held");
      const auto holder = holders.insert({held});
      const Snapshot before = db.capture();
      const Bytes file = file_of(before);
      // Afterwards one more is held, by one more holder.
      const auto later = make("later");
      const auto second = holders.insert({later});
      const auto check = [&](const char* when) {
        ASSERT_TRUE(sparks.flush());
        const auto is_held = [&](Handle<Holder> by, Handle<Spark> what) {
          return holders.contains(by) && holders.at(by).held.handle() == what;
        };
        EXPECT_EQ(sparks.table().contains(held), is_held(holder, held)) << when;
        if (!is_held(second, later)) {
          EXPECT_FALSE(sparks.table().contains(later)) << when;
        }
      };
      ASSERT_TRUE(db.restore(before));
      check("after a restore");
      EXPECT_TRUE(sparks.table().contains(held));
      ASSERT_TRUE(load(db, file));
      check("after a load");
      EXPECT_EQ(db.check_invariants(), nullptr);
    }
  }
}

TEST(Scope, AHistoryTakesNothingOfWhatIsNotCaptured) {
  World world;
  History history(world.db, {.frames = 4});
  ASSERT_TRUE(history.record(1));
  world.uncaptured.reserve(100'000);
  for (int i = 0; i < 1000; ++i) world.change(Scope::uncaptured);
  ASSERT_TRUE(history.record(2));
  EXPECT_EQ(history.memory_bytes(), 0u);
  EXPECT_EQ(history.state_hash(1).value(), history.state_hash(2).value());
  EXPECT_TRUE(history.since(1)->empty());
  ASSERT_TRUE(history.rewind(1));
  EXPECT_EQ(world.uncaptured.size(), 1001u);
}

TEST(Scope, ASchemaThatOnlyUnsavedTablesUseIsInNoFile) {
  Database with;
  with.create_table<Clock>("a clock", {.scope = Scope::unsaved}).insert({});
  with.create_table<Unit>("units").insert({.hp = 7});
  Database without;
  without.create_table<Unit>("units").insert({.hp = 7});
  EXPECT_EQ(file_of(with.capture()), file_of(without.capture()));
}

}  // namespace
}  // namespace hdb::test::left_out_test
