// TableOptions::max_records: every way to a new record stops there, and nothing else changes.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/table.hpp"
#include "support/fill_slot.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::max_records_test {
namespace {

template <class Record>
class MaxRecordsOf : public testing::Test {};
using Records = testing::Types<Unit, Rich>;
TYPED_TEST_SUITE(MaxRecordsOf, Records);

TYPED_TEST(MaxRecordsOf, EveryWayToARecordStopsThere) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<TypeParam> table({.storage = storage, .names = RecordNames::exact, .max_records = 3});
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

// A full table may have free slots: a file with more of them was loaded into it.
TEST(MaxRecords, AFullTableRevivesNothing) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit> table({.storage = storage, .max_records = 1});
    detail::TableCore& core = detail::core_of(table);
    core.begin_fill({.slot_count = 2, .free_count = 2, .highest_generation = 3});
    const std::uint32_t free[] = {0, 1};
    for (const std::uint32_t slot : free) fill_slot(core, slot, SlotState::free, 3);
    core.fill_free_list(free);
    const auto other = Handle<Unit>::from_bits(pack_handle(DefaultLayout::value, 1, 3, 0));
    const auto first = table.insert({1});
    EXPECT_FALSE(table.revive(other, Unit{7}));
    EXPECT_TRUE(table.erase(first));
    EXPECT_TRUE(table.revive(other, Unit{7}));
    EXPECT_EQ(table.at(other).value, 7u);
  }
}

// Far handles from a server: what an insert adds is bounded before anything is added.
TEST(MaxRecords, InsertAsAddsNoSlotBeyondIt) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit> table({.storage = storage, .max_records = 1000});
    const auto at = [](std::uint64_t slot) {
      return Handle<Unit>::from_bits(
          pack_handle(DefaultLayout::value, static_cast<std::uint32_t>(slot), 1, 0));
    };
    const SlotCounters before = table.counters();
    for (const std::uint64_t slot : {1000ull, 30'000'000ull, 0xffff'fffeull}) {
      EXPECT_FALSE(table.insert_as(at(slot), Unit{1})) << slot;
    }
    EXPECT_EQ(table.counters(), before) << "a refused insert changes nothing";
    EXPECT_EQ(detail::core_of(table).slots().entries().capacity(), 0u) << "nor takes memory";
    EXPECT_TRUE(table.insert_as(at(999), Unit{1}));
    EXPECT_EQ(table.counters().slot_count, 1000u);
    EXPECT_STREQ(table.check_invariants(), nullptr);
  }
}

TEST(MaxRecords, WithoutItInsertAsLeavesAtMostSoManyUnissuedSlots) {
  Table<Unit> table;
  const auto at = [](std::uint64_t slot) {
    return Handle<Unit>::from_bits(
        pack_handle(DefaultLayout::value, static_cast<std::uint32_t>(slot), 1, 0));
  };
  for (const std::uint64_t slot :
       {detail::kMaxUnissued + 1, std::uint64_t{250'000'000}, std::uint64_t{0xffff'fffe}}) {
    EXPECT_FALSE(table.insert_as(at(slot), Unit{1})) << slot;
  }
  EXPECT_EQ(table.counters().slot_count, 0u);
  EXPECT_EQ(detail::core_of(table).slots().entries().capacity(), 0u);
  ASSERT_TRUE(table.insert_as(at(detail::kMaxUnissued - 1), Unit{1}));
  EXPECT_EQ(table.counters().unissued_count(), detail::kMaxUnissued - 1);
  EXPECT_FALSE(table.insert_as(at(detail::kMaxUnissued + 2), Unit{2}))
      << "all unissued slots count";
  EXPECT_TRUE(table.insert_as(at(detail::kMaxUnissued + 1), Unit{2}));
  EXPECT_FALSE(table.insert_as(at(detail::kMaxUnissued + 3), Unit{3}));
  EXPECT_TRUE(table.insert_as(at(detail::kMaxUnissued + 2), Unit{3}))
      << "the next slot leaves none";
  EXPECT_TRUE(table.insert_as(at(5), Unit{4})) << "an unissued slot is used";
  EXPECT_TRUE(table.insert_as(at(detail::kMaxUnissued + 4), Unit{5}));
  EXPECT_EQ(table.insert(Unit{6}).index(), 0u) << "the lowest unissued slot";
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

// Slots that are retired are not records to come.
TEST(MaxRecords, RetiredSlotsDoNotCountForInsertAs) {
  using L = Layout<10, 1>;
  using H = Handle<Unit, L>;
  Table<Unit, L> table({.max_records = 2});
  table.erase(table.insert({1}));
  ASSERT_EQ(table.counters().retired_count, 1u);
  const auto at = [](std::uint32_t slot) {
    return H::from_bits(static_cast<typename H::Bits>(pack_handle(L::value, slot, 1, 0)));
  };
  EXPECT_FALSE(table.insert_as(at(3), Unit{1}));
  EXPECT_TRUE(table.insert_as(at(2), Unit{1}));
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
