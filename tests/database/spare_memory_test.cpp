// The memory that tables leave: who gets it, how much of it is kept, and how it is given back.
#include <cstddef>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test::spare_memory_test {
namespace {

void load(Database& database, const Bytes& file) {
  const auto loaded = database.load(std::make_unique<MemorySource>(MemorySource::borrowing(file)));
  ASSERT_TRUE(loaded) << loaded.error().message();
}

TEST(SpareMemory, ALoadTakesWhatTheLastLoadReplaced) {
  World world;
  world.churn(3000, 1);
  const Bytes file = saved(world.db.capture());
  const Hash128 hash = world.db.state_hash();
  load(world.db, file);
  load(world.db, file);
  const std::size_t bytes = world.db.memory_bytes();
  for (int i = 0; i < 5; ++i) {
    world.churn(100, 2);
    load(world.db, file);
    EXPECT_LE(world.db.memory_bytes(), bytes + bytes / 10);
    EXPECT_EQ(world.db.state_hash(), hash);
    world.expect_sound();
  }
}

TEST(SpareMemory, LevelsComeAndGoInTheSameMemory) {
  Database db;
  auto& kept = db.create_table<Unit>("kept");
  kept.insert({.hp = 1});
  const auto play_level = [&](int number) {
    for (int i = 0; i < 10; ++i) {
      auto& table = db.create_table<Unit, TypedLayout>("level" + std::to_string(number) + "/" +
                                                       std::to_string(i));
      for (int hp = 0; hp < 50; ++hp) table.insert({.hp = hp});
      ASSERT_EQ(table.size(), 50u);
    }
    for (int i = 0; i < 10; ++i) {
      const std::string name = "level" + std::to_string(number) + "/" + std::to_string(i);
      ASSERT_EQ((db.find_table<Unit, TypedLayout>(name)->begin()->hp), 0);
      ASSERT_TRUE(db.drop_table(name));
    }
  };
  const std::size_t before = db.memory_bytes();
  play_level(0);
  play_level(1);
  const std::size_t after = db.memory_bytes();
  for (int number = 2; number < 20; ++number) {
    play_level(number);
    ASSERT_LE(db.memory_bytes(), after);
  }
  db.release_spare_memory();
  EXPECT_EQ(db.memory_bytes(), before) << "all that the levels took is back";
  EXPECT_EQ(kept.begin()->hp, 1);
}

TEST(SpareMemory, ASnapshotKeepsTheTablesThatItNeeds) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  for (int hp = 0; hp < 1000; ++hp) units.insert({.hp = hp});
  const Hash128 hash = db.state_hash();
  Snapshot snapshot = db.capture();
  ASSERT_TRUE(db.drop_table("units"));
  db.release_spare_memory();
  auto& others = db.create_table<Hero>("heroes");
  for (int i = 0; i < 1000; ++i) others.insert({.name = "h"});
  EXPECT_EQ(snapshot.state_hash(), hash);
  ASSERT_TRUE(db.drop_table("heroes"));
  ASSERT_TRUE(db.restore(snapshot));
  EXPECT_EQ(db.state_hash(), hash);
  EXPECT_EQ(db.check_invariants(), nullptr);
}

}  // namespace
}  // namespace hdb::test::spare_memory_test
