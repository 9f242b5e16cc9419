// DenseOrder: the same hash in one window and in many, and what it refuses.
#include "hdb/inspect/checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "hdb/inspect/image.hpp"
#include "sample.hpp"

namespace hdb::test::dense_order_test {
namespace {

// A dense table of two groups; every third slot is free.
struct Table {
  explicit Table(std::uint32_t seed) {
    descriptor.policy.storage = Storage::dense;
    descriptor.group_shift = 6;
    descriptor.slot_count = 100;
    std::vector<std::uint32_t> live;
    for (std::uint32_t slot = 0; slot < 100; ++slot) {
      if (slot % 3 != 0) live.push_back(slot);
    }
    descriptor.live_count = live.size();
    order = live;
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    std::vector<std::uint32_t> position_of(100);
    for (std::uint32_t i = 0; i < order.size(); ++i) position_of[order[i]] = i;
    for (std::uint32_t first = 0; first < 100; first += 64) {
      RowGroup& group = groups.emplace_back();
      group.first_slot = first;
      for (std::uint32_t slot = first; slot < std::min(first + 64, 100u); ++slot) {
        group.states.push_back(slot % 3 != 0 ? 1 : 0);
        if (slot % 3 != 0) group.positions.push_back(position_of[slot]);
      }
    }
  }

  ReadSlots reader() {
    return [this](std::uint64_t group, RowGroup& out) -> Status {
      ++reads;
      out = groups[static_cast<std::size_t>(group)];
      return {};
    };
  }

  TableDescriptor descriptor;
  std::vector<RowGroup> groups;
  std::vector<std::uint32_t> order;
  std::size_t reads = 0;
};

TEST(DenseOrder, HashesTheSlotsInTheOrderOfPositions) {
  for (std::uint32_t seed = 1; seed < 20; ++seed) {
    Table table(seed);
    EXPECT_EQ(hash_dense_order(table.descriptor, table.reader()), hash_slots(table.order));
  }
}

TEST(DenseOrder, IsTheSameInWindows) {
  for (const std::uint64_t window : {1u, 7u, 65u, 66u, 67u}) {
    Table table(3);
    DenseOrder order(table.descriptor, window);
    for (const RowGroup& group : table.groups) ASSERT_TRUE(order.add(group));
    EXPECT_EQ(order.finish(table.reader()), hash_slots(table.order)) << window;
    EXPECT_EQ(table.reads, 2 * ((66 - 1) / window)) << window;
  }
}

TEST(DenseOrder, RefusesPositionsThatCannotBe) {
  Table table(3);
  table.groups[1].positions[4] = 66;
  const auto large = hash_dense_order(table.descriptor, table.reader());
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::bad_dense_order);
  table.groups[1].positions.resize(4);
  const auto missing = hash_dense_order(table.descriptor, table.reader());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what, "slot 70 has no dense position");
}

TEST(DenseOrder, OfAStableTableIsZero) {
  Table table(3);
  table.descriptor.policy.storage = Storage::stable;
  EXPECT_EQ(hash_dense_order(table.descriptor, table.reader()), Hash128{});
  EXPECT_EQ(table.reads, 0u);
}

}  // namespace
}  // namespace hdb::test::dense_order_test
