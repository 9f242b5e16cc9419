// Rows D1 to D5: "Engine Resources Management: a handle approach".
#include <gtest/gtest.h>

#include <cereal/types/string.hpp>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hdb/changes.hpp"
#include "hdb/hdb.hpp"

#include "hdb/component_table.hpp"
#include "hdb/sidecar.hpp"
#include "support/using_detail.hpp"

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

TEST(HandlePools, D2_InDenseStorageTheIndexLeadsToThePlaceInThePool) {
  Pool dense({.storage = Storage::dense});
  std::vector<Handle<Vertices>> handles;
  for (std::uint32_t i = 0; i < 100; ++i) handles.push_back(dense.insert({i}));
  for (std::uint32_t i = 0; i < 100; i += 3) dense.erase(handles[i]);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const Vertices* const found = dense.find(handles[i]);
    if (i % 3 == 0) {
      EXPECT_EQ(found, nullptr);
      continue;
    }
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->count, i);
    EXPECT_EQ(found - &*dense.begin(), static_cast<std::ptrdiff_t>(dense.position(handles[i])));
  }
}

TEST(HandlePools, D3_TheMagicIsAssertedOnEveryUseWhereAssertionsAreOn) {
  Table<Vertices, DefaultLayout, Vertices, HandleCheck::asserted> pool;
  const auto handle = pool.insert({3});
  EXPECT_EQ(pool.find(handle)->count, 3u);
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
  pool.erase(handle);
  EXPECT_DEATH(static_cast<void>(pool.find(handle)), "stale");
#endif
}

MemorySink saved(Database& db) {
  MemorySink file;
  EXPECT_TRUE(save(db.capture(), file));
  return file;
}

TEST(HandlePools, D4_DebugDataThatIsSavedIsAComponentTable) {
  Database db;
  auto& pool = db.create_table<Vertices>("vertices");
  auto& lines = db.create_component_table<VerticesDebug>("debug", pool);
  const auto handle = pool.insert({7});
  const std::span<const Vertices> hot = pool.records();
  ASSERT_NE(lines.insert(handle, {"the loader"}), nullptr);
  EXPECT_EQ(pool.records().data(), hot.data()) << "the hot data lies as it did";
  const std::vector<std::byte> file = saved(db).bytes();
  pool.erase(handle);
  EXPECT_TRUE(lines.empty()) << "it goes with its record";
  ASSERT_TRUE(db.load(std::make_unique<MemorySource>(file)));
  EXPECT_EQ(lines.at(handle).made_by, "the loader");
}

// Debug data that is not state lies beside the table.
TEST(HandlePools, D4_HotDataLiesApartFromDebugData) {
  Database db;
  auto& pool = db.create_table<Vertices>("vertices");
  std::vector<Handle<Vertices>> handles;
  for (std::uint32_t i = 0; i < 1000; ++i) handles.push_back(pool.insert({i}));
  const Hash128 hash_before = db.state_hash();
  const std::vector<std::byte> file_before = saved(db).bytes();
  const Snapshot before = db.capture();
  const auto spans_of = [&] {
    std::vector<std::pair<const Vertices*, const Vertices*>> spans;
    pool.for_each_span(
        [&](const auto& span) { spans.emplace_back(&span[0], &span[0] + span.size()); });
    return spans;
  };
  const auto spans_before = spans_of();

  Sidecar<VerticesDebug, Pool> debug(pool);
  for (const auto handle : handles) {
    debug.set(handle, {"made by the loader of " + std::to_string(handle.index())});
  }
  // Walking the hot data touches no debug data, and looking at that changes nothing that is state.
  EXPECT_EQ(spans_of(), spans_before);
  EXPECT_EQ(db.state_hash(), hash_before);
  EXPECT_TRUE(changes_between(before, db.capture()).empty());
  EXPECT_EQ(saved(db).bytes().size(), file_before.size()) << "nor is it saved";

  EXPECT_EQ(debug.find(handles[7])->made_by, "made by the loader of 7");
  pool.erase(handles[7]);
  EXPECT_EQ(debug.find(handles[7]), nullptr) << "it goes with its record";
  const auto next = pool.insert({7});
  ASSERT_EQ(next.index(), handles[7].index());
  EXPECT_EQ(debug.find(next), nullptr) << "the next tenant does not inherit it";
  ASSERT_TRUE(db.restore(before));
  EXPECT_EQ(debug.take_changes().appeared, std::vector{handles[7]}) << "the one to be made again";
  EXPECT_EQ(debug.size(), 999u);
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
