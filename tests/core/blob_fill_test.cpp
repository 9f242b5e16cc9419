// Blob tables built from stored blocks: what is sound comes back, what is not is refused.
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/blob_model.hpp"

#include "hdb/blob_table.hpp"
#include "support/fill_slot.hpp"
#include "support/using_detail.hpp"

namespace hdb::blob_fill_test {
namespace {

using test::Bytes;
using test::make_bytes;

struct Stored {
  std::uint32_t slot;
  std::uint64_t offset;
  std::size_t size;
};

// Fills `blocks` into a table of `slots` live slots; the first refusal, if there is one.
Status fill(BlobTable<int>& table, std::uint32_t slots, const std::vector<Stored>& blocks) {
  BlobCore& core = detail::core_of(table);
  SlotCounters counters;
  counters.slot_count = counters.live_count = slots;
  counters.highest_generation = 1;
  core.begin_fill(counters);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    *static_cast<int*>(fill_record(core.core(), slot)) = static_cast<int>(slot);
    fill_slot(core.core(), slot, SlotState::live, 1);
  }
  for (const Stored& block : blocks) {
    const Status placed =
        core.fill_block(block.slot, block.offset, make_bytes(block.size, block.slot));
    if (!placed) return placed;
  }
  return core.finish_fill();
}

BlobOptions with(Compaction compaction) {
  return {.capacity_bytes = 256, .alignment = 16, .compaction = compaction};
}

TEST(BlobFill, TheOrderOfTheBlocksIsThatOfTheirOffsets) {
  BlobTable<int> table(with(Compaction::at_release));
  ASSERT_TRUE(table.insert(9, make_bytes(200, 9)).has_value());  // goes when filling begins
  ASSERT_TRUE(fill(table, 4, {{0, 64, 1}, {1, 0, 17}, {2, 80, 100}, {3, 32, 32}}).has_value());
  EXPECT_STREQ(table.check_invariants(), nullptr);
  std::vector<int> order;
  table.for_each([&](auto, int meta, auto) { order.push_back(meta); });
  EXPECT_EQ(order, (std::vector<int>{1, 3, 0, 2}));
  EXPECT_EQ(table.bytes().size(), 192u);
  EXPECT_EQ(table.allocated_bytes(), 192u);
  EXPECT_TRUE(table.insert(5, 64).has_value());
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST(BlobFill, HolesAreZeroAndOnlyAllowedOnDemand) {
  const std::vector<Stored> blocks = {{0, 16, 10}, {1, 240, 0}, {2, 64, 33}};
  BlobTable<int> table(with(Compaction::on_demand));
  ASSERT_TRUE(table.insert(9, make_bytes(256, 9)).has_value());
  ASSERT_TRUE(fill(table, 3, blocks).has_value());
  EXPECT_STREQ(table.check_invariants(), nullptr);
  EXPECT_EQ(table.bytes().size(), 256u);
  EXPECT_EQ(table.allocated_bytes(), 80u);
  BlobTable<int> packed(with(Compaction::at_release));
  EXPECT_EQ(fill(packed, 3, blocks).error().code, ErrorCode::bad_blobs);
  EXPECT_EQ(fill(packed, 1, {{0, 16, 10}}).error().code, ErrorCode::bad_blobs);
}

TEST(BlobFill, ATableWithoutBlocksIsEmpty) {
  BlobTable<int> table(with(Compaction::at_release));
  ASSERT_TRUE(table.insert(9, 10).has_value());
  ASSERT_TRUE(fill(table, 0, {}).has_value());
  EXPECT_TRUE(table.empty());
  EXPECT_TRUE(table.bytes().empty());
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST(BlobFill, BlocksThatOverlapLeaveTheBufferOrMissTheAlignmentAreRefused) {
  const std::uint64_t last = ~std::uint64_t{0};
  const std::vector<std::vector<Stored>> cases = {
      {{0, 0, 16}, {1, 0, 16}},         // the same place
      {{0, 0, 0}, {1, 0, 0}},           // blocks without bytes take room too
      {{0, 0, 17}, {1, 16, 1}},         // into the next one
      {{0, 16, 1}, {1, 0, 17}},         // the other way round
      {{0, 0, 100}, {1, 32, 1}},        // within another
      {{0, 32, 1}, {1, 0, 100}},        // around another
      {{0, 8, 1}, {1, 16, 1}},          // not aligned
      {{0, 240, 17}, {1, 0, 1}},        // over the end
      {{0, 256, 0}, {1, 0, 1}},         // behind the end
      {{0, last - 15, 16}, {1, 0, 1}},  // an overflow
      {{0, 0, 257}, {1, 16, 1}},        // too large
      {{0, 0, 16}},                     // a slot without a block
      {{0, 0, 16}, {0, 16, 16}},        // two blocks of one slot
      {{0, 0, 16}, {1, 16, 1}, {1, 32, 1}},
  };
  for (const Compaction compaction : {Compaction::at_release, Compaction::on_demand}) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      BlobTable<int> table(with(compaction));
      const Status filled = fill(table, 2, cases[i]);
      ASSERT_FALSE(filled.has_value()) << "case " << i;
      EXPECT_EQ(filled.error().code, ErrorCode::bad_blobs) << "case " << i;
      table.reset();
      EXPECT_STREQ(table.check_invariants(), nullptr);
      ASSERT_TRUE(table.insert(1, 256).has_value());
      EXPECT_EQ(Bytes(table.bytes().begin(), table.bytes().end()), Bytes(256));
    }
  }
}

TEST(BlobFill, ThreadsFillDifferentSlotsAtOnceAndOneOfTwoThatOverlapIsRefused) {
  constexpr std::uint32_t kSlots = 400;
  BlobTable<int> table({.capacity_bytes = 16 * kSlots, .alignment = 16});
  BlobCore& core = detail::core_of(table);
  for (const bool overlapping : {true, false}) {
    SlotCounters counters;
    counters.slot_count = counters.live_count = kSlots;
    counters.highest_generation = 1;
    core.begin_fill(counters);
    std::vector<std::thread> threads;
    std::vector<std::size_t> refused(4);
    for (std::uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        // As a load does: each thread takes whole groups of slots.
        for (std::uint32_t slot = t * 100; slot < (t + 1) * 100; ++slot) {
          static_cast<void>(fill_record(core.core(), slot));
          const std::uint64_t place = overlapping ? slot / 2 : kSlots - 1 - slot;
          const Bytes bytes = make_bytes(16, slot);
          refused[t] += core.fill_block(slot, place * 16, bytes).has_value() ? 0 : 1;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      fill_slot(core.core(), slot, SlotState::live, 1);
    }
    EXPECT_EQ(refused[0] + refused[1] + refused[2] + refused[3], overlapping ? kSlots / 2 : 0);
    EXPECT_EQ(core.finish_fill().has_value(), !overlapping);
  }
  EXPECT_STREQ(table.check_invariants(), nullptr);
  EXPECT_EQ(core.first(), kSlots - 1);
}

}  // namespace
}  // namespace hdb::blob_fill_test
