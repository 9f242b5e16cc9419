// History: any kept frame comes back exactly, with its future; frames and memory are bounded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/arrays/undo_log.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/changes.hpp"
#include "hdb/hdb.hpp"
#include "hdb/history.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::history_test {
namespace {

using testing::ElementsAre;

struct World {
  Database db;
  Table<Unit>& units = db.create_table<Unit>("units", {.free_list = FreeList::fifo});
  Table<Hero>& heroes = db.create_table<Hero>("heroes", {.storage = Storage::stable});
  Singleton<Clock>& clock = db.singleton<Clock>("clock");

  // One tick of a game whose whole state is in the database.
  void step() {
    Clock& now = clock.edit();
    ++now.tick;
    for (int i = 0; i < 8; ++i) {
      now.random = now.random * 6364136223846793005u + 1442695040888963407u;
      const auto chosen = static_cast<std::uint32_t>(now.random >> 40);
      if (chosen % 3 == 0 || units.size() < 10) {
        const auto handle = units.insert({.hp = static_cast<std::int32_t>(chosen)});
        heroes.insert({.name = std::to_string(chosen), .pet = handle});
      } else {
        const auto handle = (*units.entries().begin()).first;
        chosen % 3 == 1 ? units.erase(handle) : (units.edit(handle)->hp ^= 5, true);
      }
    }
  }
};

TEST(History, EveryKeptFrameComesBackWithItsFuture) {
  World world;
  History history(world.db, {.frames = 20});
  std::map<std::uint64_t, Hash128> hashes;
  for (std::uint64_t frame = 1; frame <= 60; ++frame) {
    world.step();
    ASSERT_TRUE(history.record(frame));
    hashes[frame] = world.db.state_hash();
    EXPECT_EQ(*history.state_hash(frame), hashes[frame]);
  }
  EXPECT_EQ(history.size(), 20u);
  EXPECT_EQ(history.oldest(), 41u);
  EXPECT_EQ(history.newest(), 60u);
  for (const std::uint64_t frame : {60u, 57u, 41u}) {
    ASSERT_TRUE(history.rewind(frame));
    EXPECT_EQ(history.newest(), frame);
    EXPECT_EQ(world.db.state_hash(), hashes[frame]);
    for (std::uint64_t next = frame + 1; next <= 60; ++next) {
      world.step();
      ASSERT_TRUE(history.record(next));
      ASSERT_EQ(world.db.state_hash(), hashes[next]) << next << " after " << frame;
    }
  }
  EXPECT_EQ(world.db.check_invariants(), nullptr);
}

TEST(History, AFrameThatIsNotKeptChangesNothing) {
  World world;
  History history(world.db, {.frames = 2});
  EXPECT_FALSE(history.oldest());
  EXPECT_EQ(history.rewind(1).error().code, ErrorCode::not_found);
  for (std::uint64_t frame = 1; frame <= 3; ++frame) {
    world.step();
    ASSERT_TRUE(history.record(frame));
  }
  const Hash128 now = world.db.state_hash();
  EXPECT_EQ(history.rewind(1).error().code, ErrorCode::not_found) << "dropped";
  EXPECT_EQ(history.rewind(4).error().code, ErrorCode::not_found) << "not yet";
  EXPECT_EQ(history.since(1).error().code, ErrorCode::not_found);
  EXPECT_EQ(history.state_hash(9).error().code, ErrorCode::not_found);
  EXPECT_EQ(history.record(3).error().code, ErrorCode::bad_options);
  EXPECT_EQ(world.db.state_hash(), now);
  EXPECT_EQ(history.size(), 2u);
  history.clear();
  EXPECT_TRUE(history.empty());
  EXPECT_EQ(history.memory_bytes(), 0u);
  EXPECT_TRUE(history.record(1)) << "numbers begin anew";
}

TEST(History, TheFrameAtOrBeforeANumberIsFoundBetweenFrames) {
  World world;
  History history(world.db, {.frames = 3});
  EXPECT_EQ(history.at_or_before(5), std::nullopt);
  for (const std::uint64_t frame : {0u, 10u, 25u, 40u}) ASSERT_TRUE(history.record(frame));
  EXPECT_EQ(history.at_or_before(9), std::nullopt) << "frame 0 was dropped";
  EXPECT_EQ(history.at_or_before(10), 10u);
  EXPECT_EQ(history.at_or_before(24), 10u);
  EXPECT_EQ(history.at_or_before(39), 25u);
  EXPECT_EQ(history.at_or_before(~std::uint64_t{0}), 40u);
  ASSERT_TRUE(history.rewind(25));
  EXPECT_EQ(history.at_or_before(40), 25u);
}

TEST(History, TellsWhatBecameOfHandles) {
  World world;
  History history(world.db);
  const auto kept = world.units.insert({.hp = 1});
  const auto lost = world.units.insert({.hp = 2});
  ASSERT_TRUE(history.record(1));
  world.units.edit(kept)->hp = 5;
  world.units.erase(lost);
  const auto fresh = world.units.insert({.hp = 3});
  const auto since = history.since(1);
  EXPECT_THAT(handles_as<Handle<Unit>>(since->of("units").changed), ElementsAre(kept));
  EXPECT_THAT(handles_as<Handle<Unit>>(since->of("units").erased), ElementsAre(lost));
  EXPECT_THAT(handles_as<Handle<Unit>>(since->of("units").created), ElementsAre(fresh));
  Changes undone;
  ASSERT_TRUE(history.rewind(1, {.changes = &undone}));
  EXPECT_THAT(handles_as<Handle<Unit>>(undone.of("units").created), ElementsAre(lost));
  EXPECT_THAT(handles_as<Handle<Unit>>(undone.of("units").erased), ElementsAre(fresh));
  EXPECT_TRUE(history.since(1)->empty());
}

// The later frames end before it, if nobody else holds them.
TEST(History, ARewindLogsNothingForTheFramesThatItDrops) {
  for (const bool is_held : {false, true}) {
    Database db;
    auto& units = db.create_table<Unit>("units");
    const auto unit = units.insert({.hp = 0});
    History history(db);
    for (std::uint64_t frame = 1; frame <= 3; ++frame) {
      ASSERT_TRUE(history.record(frame));
      units.edit(unit)->hp = static_cast<int>(frame);
    }
    const Snapshot held = is_held ? db.capture() : Snapshot();
    ASSERT_TRUE(history.rewind(1));
    EXPECT_EQ(units.at(unit).hp, 0);
    EXPECT_EQ(history.size(), 1u);
    EXPECT_EQ(detail::core_of(units).log()->logged_bytes() == 0, !is_held);
  }
}

TEST(History, MemoryIsThatOfTheChangedBlocksAndIsBounded) {
  Database db;
  auto& table = db.create_table<Unit>("units", {.storage = Storage::stable});
  std::vector<Handle<Unit>> handles;
  for (int i = 0; i < 100'000; ++i) handles.push_back(table.insert({.hp = i}));
  auto& blobs = db.create_blob_table<Clock>("blobs", {.capacity_bytes = 1u << 20});
  const auto blob = *blobs.insert({}, std::uint64_t{100});
  const auto& geometry = detail::core_of(table).records().geometry();
  const std::uint64_t block = sizeof(detail::LogEntry) + geometry.block_bytes;
  History all(db);
  History bounded(db, {.max_bytes = 10 * block});
  const auto record = [&](std::uint64_t frame) {
    ASSERT_TRUE(all.record(frame));
    ASSERT_TRUE(bounded.record(frame));
  };
  record(1);
  EXPECT_EQ(all.memory_bytes(), 0u);
  const std::size_t before = db.memory_bytes();
  for (std::uint64_t frame = 2; frame <= 31; ++frame) {
    table.edit(handles[frame * 3000])->hp = -1;  // a page of its own
    record(frame);
  }
  EXPECT_EQ(all.memory_bytes(), 30 * block);
  EXPECT_LE(db.memory_bytes() - before, 64 * detail::ChunkList::kLeastChunk) << "what it gave";
  EXPECT_EQ(bounded.memory_bytes(), 10 * block);
  EXPECT_EQ(bounded.size(), 11u);
  EXPECT_EQ(bounded.oldest(), 21u);
  blobs.edit(blob)[0] = std::byte{1};
  record(32);
  EXPECT_GE(all.memory_bytes(), 30 * block + 64);
  EXPECT_LE(all.memory_bytes(), 30 * block + 256) << "of the bytes, a block or two";
  ASSERT_TRUE(all.rewind(2));
  EXPECT_EQ(all.memory_bytes(), block);
  // One change that alone is more than allowed: the newest frame stays.
  for (const auto handle : handles) table.edit(handle)->hp = 7;
  record(33);
  EXPECT_EQ(bounded.size(), 1u);
  EXPECT_EQ(bounded.newest(), 33u);
}

TEST(History, MemoryHasTheTablesThatWereCleared) {
  Database db;
  auto& table = db.create_table<Unit>("units");
  for (int i = 0; i < 10'000; ++i) table.insert({.hp = i});
  History history(db);
  ASSERT_TRUE(history.record(1));
  table.clear();
  ASSERT_TRUE(history.record(2));
  EXPECT_GE(history.memory_bytes(), 10'000 * sizeof(Unit));
  ASSERT_TRUE(history.record(3));
  EXPECT_LT(history.memory_bytes(), 20'000 * sizeof(Unit)) << "once";
}

}  // namespace
}  // namespace hdb::test::history_test
