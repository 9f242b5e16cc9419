// TableOptions::max_records: every way to a new record stops there, and nothing else changes.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/table.hpp"
#include "support/sees_detail.hpp"

namespace hdb::test::max_records_test {
namespace {

template <class Record>
class MaxRecordsOf : public testing::Test {};
using Records = testing::Types<Unit, Rich>;
TYPED_TEST_SUITE(MaxRecordsOf, Records);

TYPED_TEST(MaxRecordsOf, EveryWayToARecordStopsThere) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<TypeParam> table({.storage = storage, .names = Names::exact, .max_records = 3});
    const auto a = table.insert(make_record<TypeParam>(1));
    const auto b = table.emplace_named("b", make_record<TypeParam>(2));
    EXPECT_TRUE(table.emplace());
    const SlotCounters full = table.counters();
    EXPECT_TRUE(table.next_handle().is_null());
    EXPECT_TRUE(table.insert(make_record<TypeParam>(4)).is_null());
    EXPECT_TRUE(table.insert_named("d", make_record<TypeParam>(4)).is_null());
    EXPECT_EQ(table.emplace_batch(5, {}), 0u);
    EXPECT_EQ(table.counters(), full) << "a refused insert changes nothing";
    table.erase(a);
    EXPECT_EQ(table.emplace_batch(5, {}), 1u);
    EXPECT_FALSE(table.revive(a, make_record<TypeParam>(1))) << "its slot has a tenant";
    table.erase(b);
    EXPECT_TRUE(table.emplace_named("c"));
    EXPECT_TRUE(table.insert(make_record<TypeParam>(5)).is_null());
    EXPECT_STREQ(table.check_invariants(), nullptr);
  }
}

// Where an insert has nothing to prepare: neither names nor new memory.
TEST(MaxRecords, APlainInsertStopsThere) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit> table({.storage = storage, .max_records = 3});
    table.reserve(100);
    const auto first = table.insert({1});
    EXPECT_TRUE(table.insert({2}));
    EXPECT_TRUE(table.insert({3}));
    const SlotCounters full = table.counters();
    EXPECT_TRUE(table.insert({4}).is_null());
    EXPECT_EQ(table.counters(), full);
    EXPECT_TRUE(table.erase(first));
    EXPECT_TRUE(table.insert({5}));
    EXPECT_TRUE(table.insert({6}).is_null());
    EXPECT_EQ(table.size(), 3u);
    EXPECT_STREQ(table.check_invariants(), nullptr);
  }
}

// A full table has no free slot, but it may have a retired one.
TEST(MaxRecords, AFullTableRevivesNothing) {
  using L = Layout<20, 12>;
  Table<Unit, L> table({.max_records = 1});
  Handle<Unit, L> last;
  while (table.counters().retired_count == 0) {
    last = table.insert({7});
    table.erase(last);
  }
  const auto other = table.insert({1});
  EXPECT_FALSE(table.revive(last, Unit{7}));
  EXPECT_TRUE(table.erase(other));
  EXPECT_TRUE(table.revive(last, Unit{7}));
  EXPECT_EQ(table.at(last).value, 7u);
  BlobTable<Unit, L> blobs({.capacity_bytes = 4096, .max_records = 1});
  while (detail::core_of(blobs).table().counters().retired_count == 0) {
    last = blobs.insert({7}, 1).value();
    blobs.erase(last);
  }
  EXPECT_TRUE(blobs.insert({1}, 1));
  EXPECT_EQ(blobs.revive(last, {7}, {}).error().code, ErrorCode::table_full);
}

TEST(MaxRecords, CapturesAndRestoresKeepTheLimit) {
  Table<Unit> table({.max_records = 2});
  const FrozenTable empty = detail::core_of(table).freeze();
  table.insert({1});
  table.insert({2});
  const FrozenTable full = detail::core_of(table).freeze();
  detail::core_of(table).thaw(empty);
  EXPECT_TRUE(table.insert({3}));
  detail::core_of(table).thaw(full);
  EXPECT_TRUE(table.insert({3}).is_null());
  table.clear();
  EXPECT_EQ(table.emplace_batch(5, {}), 2u);
  table.reset();
  EXPECT_EQ(table.emplace_batch(5, {}), 2u);
  EXPECT_EQ(detail::core_of(table).make_empty()->core().options().max_records, 2u);
}

TEST(MaxRecords, BlobTablesSayThatTheyAreFull) {
  BlobTable<Unit> blobs({.capacity_bytes = 4096, .free_list = FreeList::fifo, .max_records = 1});
  const auto a = blobs.insert({1}, 10).value();
  EXPECT_EQ(blobs.insert({2}, 10).error().code, ErrorCode::table_full);
  blobs.erase(a);
  EXPECT_TRUE(blobs.revive(a, {1}, {}));
  blobs.erase(a);
  EXPECT_TRUE(blobs.insert({2}, 10));
  EXPECT_EQ(blobs.size(), 1u);
  EXPECT_EQ(blobs.check_invariants(), nullptr);
}

}  // namespace
}  // namespace hdb::test::max_records_test
