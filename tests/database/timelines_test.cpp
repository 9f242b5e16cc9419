// What handles mean across drop_table, restore, load and fork: each resolves to the record it was
// issued for, or to nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/resource_table.hpp"
#include "hdb/sidecar.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::timelines_test {
namespace {

using Small = Layout<20, 12>;
constexpr RestoreOptions kFork{.mode = TimelineMode::fork};

Bytes saved(Database& db) {
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}
// With one file id, so that equal states have equal bytes.
Bytes saved_again(Database& db) {
  MemorySink sink;
  SaveOptions options;
  options.write.file_id = Hash128{1, 2};
  EXPECT_TRUE(save(db.capture(), sink, options));
  return sink.take();
}
Status load(Database& db, const Bytes& file, TimelineMode mode = TimelineMode::exact) {
  return Status(db.load(std::make_unique<MemorySource>(file), {.mode = mode}).map([](auto&&) {}));
}

// --- a table made again after it was dropped

TEST(DroppedTables, TheirHandlesStayDeadInASuccessorOfTheSameHandleType) {
  for (const Generations generations : {Generations::per_slot, Generations::table_counter}) {
    Database db;
    auto& first = db.create_table<Unit>("units", {.generations = generations});
    std::vector<Handle<Unit>> stale;
    for (int i = 0; i < 10; ++i) stale.push_back(first.insert({.hp = i}));
    first.erase(stale[3]);
    stale.push_back(first.insert({.hp = 10}));
    for (const char* const name : {"units", "another name"}) {
      db.drop_table(db.table_names().front());
      auto& next = db.create_table<Unit>(name, {.generations = generations});
      for (int i = 0; i < 50; ++i) {
        const auto handle = next.insert({.hp = 100});
        EXPECT_THAT(stale, testing::Not(testing::Contains(handle)));
      }
      for (const auto& handle : stale) EXPECT_FALSE(next.contains(handle));
      for (const auto& [handle, unit] : next.entries()) stale.push_back(handle);
      EXPECT_EQ(db.check_invariants(), nullptr);
    }
  }
}

TEST(DroppedTables, TheirHandlesStayDeadInSingletonsResourcesBlobsAndUnderAnExplicitTypeId) {
  Database db;
  db.singleton<Clock>("clock");
  const auto clock = db.find_table<Clock>("clock")->begin().handle();
  auto& sounds = db.create_resource_table<Hero>("sounds");
  const Ref<Hero> sound = sounds.insert("bang", {.name = "old"});
  const auto blob =
      db.create_blob_table<Tile>("mesh", {.capacity_bytes = 1024}).insert({}, 8).value();
  const auto door = db.create_table<Unit, TypedLayout>("doors", {.type_id = 7}).insert({});
  for (const char* const name : {"clock", "sounds", "mesh", "doors"}) db.drop_table(name);

  db.singleton<Clock>("clock");
  EXPECT_FALSE(db.find_table<Clock>("clock")->contains(clock));
  auto& new_sounds = db.create_resource_table<Hero>("sounds");
  const Ref<Hero> new_sound = new_sounds.insert("boom", {.name = "new"});
  EXPECT_FALSE(sound);
  EXPECT_NE(sound, new_sound);
  EXPECT_FALSE(new_sounds.table().contains(sound.handle()));
  auto& mesh = db.create_blob_table<Tile>("mesh", {.capacity_bytes = 1024});
  ASSERT_TRUE(mesh.insert({}, 8));
  EXPECT_FALSE(mesh.contains(blob));
  auto& doors = db.create_table<Unit, TypedLayout>("doors", {.type_id = 7});
  doors.insert({});
  EXPECT_FALSE(doors.contains(door));
  EXPECT_FALSE(db.contains(any_handle(door)));
}

TEST(DroppedTables, ASuccessorWithAnotherTagOrLayoutStartsAtTheBeginning) {
  struct Reserve {};
  Database db;
  db.create_table<Unit>("units").insert({});
  db.drop_table("units");
  EXPECT_EQ((db.create_table<Unit, DefaultLayout, Reserve>("units").insert({}).generation()), 1u);
  EXPECT_EQ((db.create_table<Unit, Small>("small").insert({}).generation()), 1u);
}

TEST(DroppedTables, NoSuccessorIsMadeWhereACounterIssuedTheLastGeneration) {
  Database db;
  const TableOptions counted{.generations = Generations::table_counter};
  auto& units = db.create_table<Unit, Small>("units", counted);
  while (!units.emplace().is_null()) {
  }
  db.drop_table("units");
  const auto made = db.try_create_table<Unit, Small>("units", counted);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::fork_exhausted);
  EXPECT_TRUE((db.try_create_table<Unit, Small>("units", {.overflow = Overflow::wrap})))
      << "where generations wrap, nothing is promised";
}

TEST(DroppedTables, AFileLoadedIntoASuccessorIsAdoptedExactly) {
  Database db;
  db.create_table<Unit>("units").insert({.hp = 1});
  const Hash128 hash = db.state_hash();
  const Bytes file = saved(db);
  db.drop_table("units");
  auto& units = db.create_table<Unit>("units");
  EXPECT_EQ(units.insert({}).generation(), 2u);
  ASSERT_TRUE(load(db, file));
  EXPECT_EQ(db.state_hash(), hash);
  EXPECT_EQ(units.insert({}), (Handle<Unit>::from_bits(std::uint64_t{1} << 32 | 1)));
  // Peers that load one file go on alike, whatever they dropped before.
  Database peer;
  peer.create_table<Unit>("units");
  ASSERT_TRUE(load(db, file));
  ASSERT_TRUE(load(peer, file));
  for (Database* const each : {&db, &peer}) {
    each->drop_table("units");
    each->create_table<Unit>("units").insert({});
  }
  EXPECT_EQ(db.state_hash(), peer.state_hash());
}

TEST(DroppedTables, AnExactRestoreRewindsWhatTheyIssued) {  // S1
  Database db;
  const auto frame = [&] {
    for (int i = 0; i < 3; ++i) {
      db.create_table<Unit>("level").insert({.hp = i});
      if (i < 2) db.drop_table("level");
    }
    const Hash128 hash = db.state_hash();
    db.drop_table("level");
    return hash;
  };
  frame();
  const Snapshot before = db.capture();
  const Hash128 first = frame();
  ASSERT_TRUE(db.restore(before));
  EXPECT_EQ(frame(), first);
}

TEST(DroppedTables, ALoadKeepsWhatTablesIssuedThatItPassesBy) {
  Database db;
  db.create_table<Clock>("clock");
  const Bytes file = saved(db);
  for (const Scope scope : {Scope::unsaved, Scope::uncaptured}) {
    const auto stale = db.create_table<Unit>("sparks", {.scope = scope}).insert({});
    db.drop_table("sparks");
    ASSERT_TRUE(load(db, file));
    auto& sparks = db.create_table<Unit>("sparks", {.scope = scope});
    sparks.insert({});
    EXPECT_FALSE(sparks.contains(stale)) << int(scope);
    db.drop_table("sparks");
  }
}

// --- what dropped tables issued is in files

using Busy = Layout<20, 8>;

/// A game that drops a table of each kind, after some of its generations.
void play(Database& db, int frames) {
  if (db.find_table<Clock>("clock") == nullptr) db.create_table<Clock>("clock").insert({});
  for (const Generations generations : {Generations::per_slot, Generations::table_counter}) {
    auto& units = db.create_table<Unit>("units", {.generations = generations});
    auto& busy = db.create_table<Hero, Busy>("busy", {.generations = generations});
    auto& doors = db.create_table<Tile, TypedLayout>("doors", {.type_id = 7});
    for (int i = 0; i < frames; ++i) {
      const auto hero = busy.insert({});
      if (i % 7 != 0) busy.erase(hero);
      if (const auto unit = units.insert({.hp = i}); i % 3 == 0) units.erase(unit);
      doors.insert({});
    }
    for (const char* const name : {"units", "busy", "doors"}) db.drop_table(name);
  }
}

TEST(DroppedTables, ALoadedGameIssuesTheHandlesOfTheOneThatNeverStopped) {
  for (const int frames : {1, 20, 400}) {  // 400: the second half of the generations of `busy`
    Database db;
    play(db, frames);
    const Bytes file = saved(db);
    Database loaded;
    loaded.create_table<Clock>("clock");
    ASSERT_TRUE(load(loaded, file));
    EXPECT_EQ(loaded.state_hash(), db.state_hash());
    EXPECT_EQ(saved_again(loaded), saved_again(db));
    for (int step = 0; step < 2; ++step) {
      for (Database* const each : {&db, &loaded}) {
        auto& units = each->create_table<Unit>("units");
        auto& busy = each->create_table<Hero, Busy>("busy");
        auto& doors = each->create_table<Tile, TypedLayout>("doors", {.type_id = 7});
        for (int i = 0; i < 5; ++i) {
          EXPECT_GT(units.insert({}).generation(), 1U) << "the first was issued before";
          busy.insert({}), doors.insert({});
        }
      }
      EXPECT_EQ(loaded.state_hash(), db.state_hash()) << frames;
      for (Database* const each : {&db, &loaded}) {
        for (const char* const name : {"units", "busy", "doors"}) each->drop_table(name);
      }
      EXPECT_EQ(loaded.state_hash(), db.state_hash()) << frames;
    }
  }
}

TEST(DroppedTables, TheStateHashCoversWhatTheyIssued) {
  Database db;
  Database other;
  for (Database* const each : {&db, &other}) each->create_table<Clock>("clock");
  other.create_table<Unit>("units");
  other.drop_table("units");
  EXPECT_EQ(db.state_hash(), other.state_hash()) << "it issued nothing";
  other.create_table<Unit>("units").insert({});
  other.drop_table("units");
  EXPECT_NE(db.state_hash(), other.state_hash()) << "the next unit has another handle";
}

TEST(DroppedTables, WhatTheyIssuedIsSavedWithoutTheHashIfTheyWereNotHashed) {
  Database db;
  db.create_table<Clock>("clock");
  const Hash128 hash = db.state_hash();
  for (const Scope scope : {Scope::unhashed, Scope::unsaved}) {
    const TableOptions options{.scope = scope};
    const auto stale = db.create_table<Unit>("sparks", options).insert({});
    db.drop_table("sparks");
    EXPECT_EQ(db.state_hash(), hash);
    Database loaded;
    loaded.create_table<Clock>("clock");
    ASSERT_TRUE(load(loaded, saved(db)));
    auto& sparks = loaded.create_table<Unit>("sparks", options);
    sparks.insert({});
    EXPECT_EQ(sparks.contains(stale), scope == Scope::unsaved) << "a file knows of saved ones";
  }
}

TEST(DroppedTables, AForkStartsAboveThoseOfTheFile) {
  Database db;
  play(db, 20);
  Database loaded;
  loaded.create_table<Clock>("clock");
  ASSERT_TRUE(load(loaded, saved(db), TimelineMode::fork));
  const auto next = loaded.create_table<Unit>("units").insert({});
  EXPECT_GT(next.generation(), 20U) << "a table counter issued 20";
  // Also a fork of a moment before the load: what the file's game issued is known.
  Database later;
  later.create_table<Clock>("clock");
  const Snapshot before = later.capture();
  ASSERT_TRUE(load(later, saved(db)));
  ASSERT_TRUE(later.restore(before, kFork));
  EXPECT_GT(later.create_table<Unit>("units").insert({}).generation(), 20U);
}

TEST(DroppedTables, ALoadChargesTheSlotsThatTheyHad) {
  Database db;
  auto& busy = db.create_table<Hero, Busy>("busy");
  db.create_table<Clock>("clock");
  std::vector<Handle<Hero, Busy>> heroes;
  for (int i = 0; i < 1000; ++i) heroes.push_back(busy.insert({}));
  for (int i = 0; i < 200; ++i) {
    busy.erase(heroes.back());
    heroes.back() = busy.insert({});
  }
  db.drop_table("busy");
  const Bytes file = saved(db);
  Database loaded;
  loaded.create_table<Clock>("clock").insert({});
  const Hash128 hash = loaded.state_hash();
  LoadOptions options;
  options.limits.max_slots_per_table = 999;
  auto refused = loaded.load(std::make_unique<MemorySource>(file), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::limit_exceeded) << refused.error().message();
  options.limits = {};
  options.limits.max_memory_bytes = 3000;
  refused = loaded.load(std::make_unique<MemorySource>(file), options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::memory_budget) << refused.error().message();
  EXPECT_EQ(loaded.state_hash(), hash);
  EXPECT_TRUE(load(loaded, file));
}

TEST(DroppedTables, OfTypesWithOneNameShareWhatTheyIssued) {
  struct One {
    struct Unit {};
  };
  struct Two {
    struct Unit {};
  };
  Database db;
  db.create_table<Hero, DefaultLayout, One::Unit>("a").insert({});
  db.drop_table("a");
  // Files know types by their names, so the program does, too: else a load changed its future.
  EXPECT_EQ((db.create_table<Hero, DefaultLayout, Two::Unit>("b").insert({}).generation()), 2U);
}

// --- values beside the records of a dropped table

TEST(DroppedTables, TheirSidecarsServeThemAgainWhenARestoreBringsThemBack) {
  for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
    Database db;
    auto& units = db.create_table<Unit>("units");
    Sidecar<std::unique_ptr<int>, Table<Unit>> bodies(units);
    const auto a = units.insert({});
    bodies.set(a, std::make_unique<int>(1));
    std::optional<Snapshot> before = db.capture();
    db.drop_table("units");
    EXPECT_TRUE(bodies.empty()) << "values are destroyed with their records";
    EXPECT_EQ(bodies.set(a, nullptr), nullptr);
    ASSERT_TRUE(db.restore(*before, {.mode = mode}));
    const auto changes = bodies.take_changes();
    EXPECT_TRUE(changes.was_replaced);
    EXPECT_THAT(changes.appeared, testing::ElementsAre(a));
    ASSERT_NE(bodies.set(a, std::make_unique<int>(2)), nullptr);
    units.erase(a);
    EXPECT_TRUE(bodies.empty());

    db.drop_table("units");
    std::thread([&] { before.reset(); }).join();  // the last that held the table
    static_cast<void>(db.capture());
    EXPECT_EQ(bodies.set(a, nullptr), nullptr) << "the table is gone";
  }
}

TEST(DroppedTables, SidecarsLeaveTheTablesOfADatabaseThatEnds) {
  auto db = std::make_unique<Database>();
  auto& units = db->create_table<Unit>("units");
  const auto a = units.insert({});
  Sidecar<int, Table<Unit>> values(units);
  values.set(a, 1);
  std::optional<Snapshot> held = db->capture();
  db.reset();
  EXPECT_TRUE(values.empty());
  EXPECT_EQ(values.set(a, 2), nullptr);
  std::thread([&] { held.reset(); }).join();
}

// --- forks

TEST(Fork, AfterADropDoesNotIssueTheDroppedHandlesAgain) {
  Database db;
  auto* units = &db.create_table<Unit>("units");
  const auto a = units->insert({.hp = 1});
  const Snapshot before = db.capture();
  units->erase(a);
  const auto ghost = units->insert({.hp = 2});
  db.drop_table("units");
  ASSERT_TRUE(db.restore(before, kFork));
  units = db.find_table<Unit>("units");
  units->erase(a);
  EXPECT_NE(units->insert({.hp = 3}), ghost);
}

TEST(Fork, DoesNotIssueWhatATableMadeSinceOrDroppedBeforeIssued) {
  Database db;
  std::vector<Handle<Unit>> ghosts{db.create_table<Unit>("units").insert({})};
  db.drop_table("units");
  const Snapshot before = db.capture();
  auto& units = db.create_table<Unit>("units");
  ghosts.push_back(units.insert({}));
  ASSERT_TRUE(db.restore(before, kFork));
  EXPECT_THAT(ghosts, testing::Not(testing::Contains(units.insert({}))));
  ghosts.push_back(*ghosts.rbegin());
  ghosts.push_back(units.begin().handle());
  db.drop_table("units");
  ASSERT_TRUE(db.restore(before, kFork));
  EXPECT_THAT(ghosts, testing::Not(testing::Contains(db.create_table<Unit>("units").insert({}))));
}

TEST(Fork, AfterAnExactRestoreDoesNotIssueWhatThatOneAbandoned) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  const auto a = units.insert({.hp = 1});
  const Snapshot before = db.capture();
  const Bytes file = saved(db);
  for (const bool loads : {false, true}) {
    std::vector<Handle<Unit>> ghosts;
    units.erase(a);
    for (int i = 0; i < 5; ++i) {
      ghosts.push_back(units.insert({.hp = 2}));
      units.erase(ghosts.back());
    }
    if (loads) {
      ASSERT_TRUE(load(db, file));
      ASSERT_TRUE(load(db, file, TimelineMode::fork));
    } else {
      ASSERT_TRUE(db.restore(before));
      ASSERT_TRUE(db.restore(before, kFork));
    }
    units.erase(a);
    EXPECT_THAT(ghosts, testing::Not(testing::Contains(units.insert({.hp = 3}))));
    ASSERT_TRUE(db.restore(before));
    EXPECT_EQ(db.state_hash(), before.state_hash()) << "what is remembered is no state";
  }
}

TEST(Fork, DoesNotIssueWhatWasIssuedBeforeAReset) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  const auto a = units.insert({.hp = 1});
  const Snapshot before = db.capture();
  units.erase(a);
  const auto ghost = units.insert({.hp = 2});
  units.reset();
  ASSERT_TRUE(db.restore(before, kFork));
  units.erase(a);
  EXPECT_NE(units.insert({.hp = 3}), ghost);
}

}  // namespace
}  // namespace hdb::test::timelines_test
