// Rows N1 to N7: what Bilas names as next steps and uses, in the same article.
#include <gtest/gtest.h>

#include <algorithm>
#include <cereal/types/string.hpp>
#include <chrono>
#include <ctime>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "hdb/bound_handle.hpp"
#include "hdb/hdb.hpp"

#include "hdb/resource_table.hpp"
#include "support/using_detail.hpp"

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
  Database db;
  auto& ships = db.create_table<Ship>("ships", {.storage = Storage::stable});
  std::vector<Handle<Ship>> handles;
  for (int i = 0; i < 3000; ++i) handles.push_back(ships.insert({"ship", i}));
  const Ship* const kept = ships.find(handles[1000]);
  for (std::size_t i = 0; i < handles.size(); i += 2) {
    if (i != 1000) ships.erase(handles[i]);
  }
  for (int i = 0; i < 5000; ++i) ships.insert({"late", i});
  EXPECT_EQ(ships.find(handles[1000]), kept);
  EXPECT_EQ(kept->fuel, 1000);
  // A capture copies what changes: the copy is the capture's, the object stays.
  const Snapshot before = db.capture();
  ships.edit(handles[1000])->fuel = 7;
  EXPECT_EQ(ships.find(handles[1000]), kept);
  EXPECT_EQ(kept->fuel, 7);
  ASSERT_TRUE(db.restore(before));
  EXPECT_EQ(ships.at(handles[1000]).fuel, 1000);
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

TEST(Bilas, N3_IterationOfASparseStoreFindsItsLiveRecords) {
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

// Processor time of the thread.
std::chrono::nanoseconds time_of_a_walk(const Table<Ship>& ships, std::size_t expected) {
  timespec begin{};
  timespec end{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  const auto seen = std::distance(ships.begin(), ships.end());
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  EXPECT_EQ(seen, static_cast<std::ptrdiff_t>(expected));
  return std::chrono::seconds(end.tv_sec - begin.tv_sec) +
         std::chrono::nanoseconds(end.tv_nsec - begin.tv_nsec);
}

TEST(Bilas, N3_ASparseStoreIsIteratedAtTheCostOfItsLiveRecords) {
  constexpr std::size_t kSlots = 100'000;
  constexpr std::size_t kLive = 100;
  Table<Ship> full({.storage = Storage::stable});
  Table<Ship> sparse({.storage = Storage::stable});
  std::vector<Handle<Ship>> handles;
  for (std::size_t i = 0; i < kSlots; ++i) {
    full.insert({});
    handles.push_back(sparse.insert({}));
  }
  for (std::size_t i = 0; i < kSlots; ++i) {
    if (i % (kSlots / kLive) != 0) sparse.erase(handles[i]);
  }
  ASSERT_EQ(sparse.size(), kLive);
  // The shortest of several walks, for other programs disturb them; more of them if need be.
  auto of_full = std::chrono::nanoseconds::max();
  auto of_sparse = of_full;
  for (int walks = 0; walks < 1000 && (walks < 5 || 10 * of_sparse > of_full); ++walks) {
    of_full = std::min(of_full, time_of_a_walk(full, kSlots));
    of_sparse = std::min(of_sparse, time_of_a_walk(sparse, kLive));
  }
  EXPECT_LT(10 * of_sparse, of_full) << "a thousandth of the records, in as many slots";
}

TEST(Bilas, N4_RecordsOfAnyTableAreFoundByName) {
  Database db;
  auto& ships =
      db.create_table<Ship>("ships", {.storage = Storage::stable, .names = RecordNames::exact});
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
  const BoundHandle<Table<Ship>> tug(ships.insert({"tug", 1}));
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
