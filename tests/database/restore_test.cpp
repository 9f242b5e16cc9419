// Capture and restore: S1 (exactly back, equal future), fork, foreign snapshots, tables made later.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::restore_test {
namespace {

struct World {
  Database db;
  Table<Unit>& units = db.create_table<Unit>("units");
  Table<Hero>& heroes = db.create_table<Hero>("heroes", {.free_list = FreeList::fifo});
  Singleton<Clock>& clock = db.singleton<Clock>("clock");
  std::vector<Handle<Unit>> handles;

  void churn(int inserts, std::uint64_t seed) {
    Random random(seed);
    for (int i = 0; i < inserts; ++i) {
      handles.push_back(units.insert({.hp = i}));
      if (random.one_in(3)) units.erase(handles[random.below(handles.size())]);
      if (random.one_in(5))
        heroes.insert({.name = "hero " + std::to_string(i), .items = {i, i + 1}});
    }
  }
};

TEST(Snapshot, RestoredTableIssuesTheSameHandlesAsTheOriginal) {  // S1
  World world;
  world.churn(500, 7);
  const Snapshot before = world.db.capture();
  std::vector<Handle<Unit>> first;
  for (int i = 0; i < 300; ++i) first.push_back(world.units.insert({.hp = i}));
  world.clock.edit().tick = 9;
  ASSERT_TRUE(world.db.restore(before));
  EXPECT_EQ(world.db.state_hash(), before.state_hash());
  EXPECT_EQ(world.clock->tick, 0u);
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(world.units.insert({.hp = i}), first[static_cast<std::size_t>(i)]) << "insert #" << i;
  }
}

TEST(Snapshot, WritesAfterACaptureFindTheReservedPages) {
  World world;
  world.churn(30'000, 9);  // many pages, of several sizes
  world.db.reserve_copies();
  const std::size_t reserved = world.db.memory_bytes();
  const Snapshot held = world.db.capture();
  const auto write_everywhere = [&] {
    world.units.edit_each([](auto, Unit& unit) { ++unit.hp; });
    world.heroes.edit_each([](auto, Hero& hero) { hero.name += '!'; });
    ++world.clock.edit().tick;
  };
  write_everywhere();
  EXPECT_EQ(world.db.memory_bytes(), reserved) << "no page was allocated";
  const Snapshot second = world.db.capture();
  write_everywhere();
  EXPECT_GT(world.db.memory_bytes(), reserved) << "two captures need more than one copy";
}

// A record whose copies make room in its table.
struct Meddler {
  Meddler() = default;
  Meddler(const Meddler& other) : value(other.value) {
    if (table != nullptr) table->reserve(10'000);
  }
  Meddler& operator=(const Meddler&) = default;
  static inline Table<Meddler>* table = nullptr;
  std::string value;
  template <class A>
  void serialize(A& archive) {
    archive(CEREAL_NVP(value));
  }
};

TEST(SnapshotDeathTest, ARestoreRefusesCallsFromTheRecordsThatItCopies) {
  Database db;
  auto& table = db.create_table<Meddler>("meddlers");
  const auto meddler = table.emplace();
  const Snapshot before = db.capture();
  table.edit(meddler)->value = "changed";
  const Snapshot later = db.capture();
  table.edit(meddler)->value = "again";
  Meddler::table = &table;
  EXPECT_DEATH(static_cast<void>(db.restore(before)), "inside the constructor, copy, move");
  Meddler::table = nullptr;
  ASSERT_TRUE(db.restore(before));
  EXPECT_EQ(table.at(meddler).value, "");
  ASSERT_TRUE(db.restore(later));
  EXPECT_EQ(table.at(meddler).value, "changed");
}

TEST(Snapshot, IsNotChangedByWhatHappensAfterwards) {
  World world;
  world.churn(500, 8);
  const Snapshot before = world.db.capture();
  const Hash128 hash = before.state_hash();
  const Snapshot same = world.db.capture();
  world.units.edit_each([](auto, Unit& unit) { unit.hp = -1; });
  world.heroes.edit_each([](auto, Hero& hero) { hero.name += "!"; });
  EXPECT_NE(world.db.state_hash(), hash);
  EXPECT_EQ(same.state_hash(), hash);  // hashed only now, from the pages kept
}

TEST(Snapshot, StateHashFromKeptSumsEqualsTheOneComputedAfresh) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Database db;
    auto& units = db.create_table<Unit>("units", {.storage = storage});
    Random random(storage == Storage::dense ? 1 : 2);
    std::vector<Handle<Unit>> handles;
    for (int round = 0; round < 200; ++round) {
      for (int i = 0; i < 10; ++i) handles.push_back(units.insert({.hp = i + round}));
      for (int i = 0; i < 6; ++i) units.erase(handles[random.below(handles.size())]);
      if (Unit* const unit = units.edit(handles[random.below(handles.size())])) unit->hp = -round;
      const Hash128 incremental = db.state_hash();
      MemorySink sink;
      ASSERT_TRUE(save(db.capture(), sink));
      Database fresh;  // another pool: nothing kept
      fresh.create_table<Unit>("units", {.storage = storage});
      ASSERT_TRUE(fresh.load(std::make_unique<MemorySource>(sink.bytes())));
      ASSERT_EQ(fresh.state_hash(), incremental) << "round " << round;
    }
  }
}

TEST(Snapshot, MayOutliveItsDatabaseAndDieOnAnotherThread) {
  Snapshot snapshot;
  Hash128 hash;
  {
    World world;
    world.churn(300, 9);
    snapshot = world.db.capture();
    hash = snapshot.state_hash();
    world.heroes.clear();
  }
  std::thread([&] {
    EXPECT_EQ(snapshot.state_hash(), hash);
    snapshot = Snapshot();
  }).join();
}

TEST(Restore, OfAForeignOrEmptySnapshotIsRefused) {
  World world;
  World other;
  world.churn(10, 1);
  const Hash128 hash = world.db.state_hash();
  const auto foreign = world.db.restore(other.db.capture());
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, ErrorCode::foreign_snapshot);
  EXPECT_FALSE(world.db.restore(Snapshot()));
  EXPECT_EQ(world.db.state_hash(), hash);
}

TEST(Restore, EmptiesTablesMadeSinceTheCapture) {
  World world;
  world.churn(10, 1);
  const Snapshot before = world.db.capture();
  auto& later = world.db.create_table<Tile>("tiles");
  later.emplace();
  auto& settings = world.db.singleton<std::pair<int, int>>("settings");
  settings.edit().first = 4;
  ASSERT_TRUE(world.db.restore(before));
  EXPECT_TRUE(later.empty());
  EXPECT_EQ(settings->first, 0);
}

TEST(Restore, ForkGivesHandlesAboveAllIssuedOnEitherTimeline) {
  World world;
  world.churn(200, 3);
  const Snapshot before = world.db.capture();
  std::vector<Handle<Unit>> ghosts;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 100; ++i) ghosts.push_back(world.units.insert({.hp = i}));
    for (int i = 0; i < 50; ++i)
      world.units.erase(ghosts[ghosts.size() - 1 - static_cast<std::size_t>(i)]);
  }
  std::vector<Handle<Unit>> live;
  ASSERT_TRUE(world.db.restore(before, {.mode = TimelineMode::fork}));
  for (const auto [handle, unit] : world.units.entries()) live.push_back(handle);
  for (int i = 0; i < 1000; ++i) {
    const Handle<Unit> handle = world.units.insert({.hp = i});
    EXPECT_EQ(std::find(ghosts.begin(), ghosts.end(), handle), ghosts.end());
  }
  for (const Handle<Unit> handle : live) EXPECT_TRUE(world.units.contains(handle));
  EXPECT_EQ(world.db.check_invariants(), nullptr);
}

TEST(Restore, ForkUnderWrapAndForkOfAUsedUpCounterAreRefusedAndChangeNothing) {
  {
    Database db;
    auto& units = db.create_table<Unit>("units", {.overflow = Overflow::wrap});
    const Snapshot before = db.capture();
    units.emplace();
    const Hash128 hash = db.state_hash();
    const auto refused = db.restore(before, {.mode = TimelineMode::fork});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::fork_under_wrap);
    EXPECT_EQ(db.state_hash(), hash);
  }
  Database db;
  auto& units =
      db.create_table<Unit, Layout<20, 12>>("units", {.generations = Generations::table_counter});
  const Snapshot before = db.capture();
  for (int i = 0; i < 4095; ++i) units.erase(units.emplace());
  const auto refused = db.restore(before, {.mode = TimelineMode::fork});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::fork_exhausted);
  EXPECT_EQ(units.counters().slot_count, 1u);
}

TEST(Database, RefusesBadTables) {
  Database db;
  db.create_table<Unit>("units");
  EXPECT_EQ(db.try_create_table<Hero>("units").error().code, ErrorCode::duplicate_name);
  EXPECT_EQ(db.try_create_table<Unit>("more units").error().code, ErrorCode::bad_options);
  const std::pair<std::string, const char*> bad_names[] = {
      {"", "is empty"},
      {"a\nb", "has a control character"},
      {std::string(256, 'x'), "is longer than 255 bytes"},
      {"\xff", "is not UTF-8"}};
  for (const auto& [name, why] : bad_names) {
    const auto made = db.try_create_table<Hero>(name);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::bad_name);
    EXPECT_EQ(made.error().what, std::string("the name ") + why);
  }
  EXPECT_EQ(db.try_create_table<Hero>("h", {.type_id = 3}).error().code, ErrorCode::bad_options);
  EXPECT_DEATH(db.create_table<Hero>("units"), "the database already has a table of this name");
}

TEST(Database, SecondTableOfOneRecordTypeTakesATagOrTypedHandles) {
  struct Reserve {};
  Database db;
  auto& first = db.create_table<Unit>("first");
  auto& second = db.create_table<Unit, DefaultLayout, Reserve>("second");
  static_assert(!std::is_same_v<decltype(first.emplace()), decltype(second.emplace())>);
  auto& level1 = db.create_table<Hero, Layout<32, 16, 15>>("level 1");
  auto& level2 = db.create_table<Hero, Layout<32, 16, 15>>("level 2");
  const auto handle = level1.emplace();
  EXPECT_TRUE(level1.contains(handle));
  level2.emplace();
  EXPECT_FALSE(level2.contains(handle));
  EXPECT_EQ(db.find_table<Unit>("second"), nullptr);
  EXPECT_EQ(db.find_table<Unit>("first"), &first);
}

}  // namespace
}  // namespace hdb::test::restore_test
