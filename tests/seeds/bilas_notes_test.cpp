// Rows N1 to N7: what Bilas names as next steps and uses, in the same article.
#include <gtest/gtest.h>

#include <algorithm>
#include <cereal/types/string.hpp>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "hdb/hdb.hpp"

#include "support/sees_detail.hpp"

namespace hdb::test {
namespace {

struct Ship {
  std::string name = {};
  std::int32_t fuel = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(fuel));
  }
};

TEST(Bilas, N1_ObjectsOfStableStorageDoNotMove) {
  Table<Ship> ships({.storage = Storage::stable});
  std::vector<Handle<Ship>> handles;
  for (int i = 0; i < 3000; ++i) handles.push_back(ships.insert({"ship", i}));
  const Ship* const kept = ships.find(handles[1000]);
  for (std::size_t i = 0; i < handles.size(); i += 2) {
    if (i != 1000) ships.erase(handles[i]);
  }
  for (int i = 0; i < 5000; ++i) ships.insert({"late", i});
  EXPECT_EQ(ships.find(handles[1000]), kept);
  EXPECT_EQ(kept->fuel, 1000);
}

TEST(Bilas, N2_ReferencesAreCountedAndReleased) {
  Database db;
  auto& textures = db.create_resource_table<Ship>("textures");
  auto first = textures.insert("a", {});
  {
    const auto second = first;
    EXPECT_EQ(textures.count(first.handle()), 2u);
  }
  EXPECT_EQ(textures.count(first.handle()), 1u);
  first.reset();
  EXPECT_EQ(textures.flush()->destroyed, 1u);
}

TEST(Bilas, N3_ASparseStoreIsIteratedAtTheCostOfItsLiveRecords) {
  Table<Ship> ships({.storage = Storage::stable});
  std::vector<Handle<Ship>> handles;
  for (int i = 0; i < 1000; ++i) handles.push_back(ships.insert({"", i}));
  std::map<std::uint64_t, std::int32_t> expected;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    if (i % 100 == 37) {
      expected[handles[i].bits()] = static_cast<std::int32_t>(i);
    } else {
      ships.erase(handles[i]);
    }
  }
  EXPECT_EQ(std::distance(ships.begin(), ships.end()), 10) << "STL style iterators";
  EXPECT_TRUE(std::any_of(ships.begin(), ships.end(), [](const Ship& s) { return s.fuel == 937; }));
  for (const auto& [handle, ship] : ships.entries())
    EXPECT_EQ(expected.at(handle.bits()), ship.fuel);
}

TEST(Bilas, N4_RecordsOfAnyTableAreFoundByName) {
  Database db;
  auto& ships = db.create_table<Ship>("ships", {.storage = Storage::stable, .names = Names::exact});
  const auto tug = ships.insert_named("tug", {"", 5});
  EXPECT_EQ(ships.find_named("tug"), tug);
  EXPECT_TRUE(ships.rename(tug, "barge"));
  EXPECT_FALSE(ships.find_named("tug"));
  EXPECT_EQ(ships.find_named("barge"), tug);
  EXPECT_FALSE(ships.insert_named("barge", {})) << "unique";
  const Snapshot before = db.capture();
  EXPECT_TRUE(ships.erase(tug));
  EXPECT_FALSE(ships.find_named("barge")) << "the name goes with the record";
  EXPECT_TRUE(ships.insert_named("barge", {}));
  ASSERT_TRUE(db.restore(before));
  EXPECT_EQ(ships.find_named("barge"), tug);
}

TEST(Bilas, N5_ATableCanBeTheOneForItsType) {
  Table<Ship> ships;
  const TableBinding binding(ships);
  const GlobalHandle<Table<Ship>> tug = ships.insert({"tug", 1});
  EXPECT_EQ(tug->name, "tug");
  tug.edit()->fuel = 9;
  EXPECT_EQ((TableBinding<Table<Ship>>::table().at(tug.handle()).fuel), 9);
}

TEST(Bilas, N6_AHandleThatKnowsItsTableDereferences) {
  Table<Ship> ships;
  const BoundHandle tug(ships, ships.insert({"tug", 1}));
  EXPECT_EQ(tug->fuel, 1);
  static_assert(std::is_same_v<decltype(tug.operator->()), const Ship*>, "-> reads");
  tug.edit()->fuel = 2;
  EXPECT_EQ(tug->fuel, 2);
}

TEST(Bilas, N7_SavedHandlesAreValidAfterTheRestoreAndTheFutureIsEqual) {
  Database db;
  auto& ships = db.create_table<Ship>("ships", {.generations = Generations::table_counter});
  std::vector<Handle<Ship>> handles;
  for (int i = 0; i < 50; ++i) handles.push_back(ships.insert({"ship", i}));
  for (std::size_t i = 0; i < 50; i += 3) ships.erase(handles[i]);
  MemorySink file;
  ASSERT_TRUE(save(db.capture(), file));

  Database other;
  auto& restored = other.create_table<Ship>("ships", {.generations = Generations::table_counter});
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(file.bytes())));
  for (std::size_t i = 0; i < handles.size(); ++i) {
    EXPECT_EQ(restored.contains(handles[i]), i % 3 != 0);
  }
  for (int i = 0; i < 40; ++i) EXPECT_EQ(restored.insert({"new", i}), ships.insert({"new", i}));
  EXPECT_EQ(other.state_hash(), db.state_hash());
}

}  // namespace
}  // namespace hdb::test
