// Rows D1 to D5: "Engine Resources Management: a handle approach".
#include <gtest/gtest.h>

#include <cereal/types/string.hpp>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "hdb/hdb.hpp"

namespace hdb::test {
namespace {

struct Vertices {
  std::uint32_t count = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(count));
  }
};

/// What only a debugger wants to know of a Vertices record.
struct VerticesDebug {
  std::string made_by = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(made_by));
  }
};

using Pool = Table<Vertices>;

TEST(HandlePools, D1_HandlesAreOpaqueAndTriviallyCopyableAndOneTableManagesAType) {
  static_assert(std::is_trivially_copyable_v<Handle<Vertices>>);
  static_assert(std::is_standard_layout_v<Handle<Vertices>>);
  Pool pool;
  const Handle<Vertices> handle = pool.insert({12});
  EXPECT_EQ(pool.at(handle).count, 12u);
}

TEST(HandlePools, D2_TheIndexLeadsStraightIntoThePool) {
  Pool stable({.storage = Storage::stable});
  std::vector<Handle<Vertices>> handles;
  for (std::uint32_t i = 0; i < 100; ++i) handles.push_back(stable.insert({i}));
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(handles[i].index(), i);
    EXPECT_EQ(stable.find(handles[i]) - stable.find(handles[0]), static_cast<std::ptrdiff_t>(i));
  }
}

TEST(HandlePools, D3_TheMagicIsAssertedOnEveryUseWhereAssertionsAreOn) {
  Table<Vertices, DefaultLayout, Vertices, Access::asserted> pool;
  const auto handle = pool.insert({3});
  EXPECT_EQ(pool.find(handle)->count, 3u);
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
  pool.erase(handle);
  EXPECT_DEATH(static_cast<void>(pool.find(handle)), "stale");
#endif
}

TEST(HandlePools, D4_HotDataLiesApartFromDebugData) {
  Database db;
  auto& pool = db.create_table<Vertices>("vertices");
  Sidecar<VerticesDebug, Pool> debug(pool);
  const auto handle = pool.insert({3});
  debug.set(handle, {"loader"});
  EXPECT_EQ(debug.find(handle)->made_by, "loader");
  pool.erase(handle);
  EXPECT_EQ(debug.find(handle), nullptr);
  // Where it is state too: a second table whose records name the first one's.
  struct Tagged;
  auto& kept = db.create_table<VerticesDebug, DefaultLayout, Tagged>("vertices debug");
  EXPECT_TRUE(kept.insert({"saved"}));
}

TEST(HandlePools, D5_RawBitsGoThroughAnyInterfaceAndBack) {
  Pool pool;
  const auto handle = pool.insert({9});
  const std::uint64_t through_c = handle.bits();
  EXPECT_EQ(pool.at(Handle<Vertices>::from_bits(through_c)).count, 9u);
  std::unordered_map<Handle<Vertices>, int> back_end;
  back_end[handle] = 5;
  EXPECT_EQ(back_end.at(handle), 5);
}

}  // namespace
}  // namespace hdb::test
