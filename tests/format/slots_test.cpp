// C1 to C3 of SlotChecker (C4 and C5: extras_test.cpp), and what one group shows by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "format/sample.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test {
namespace {

// Two groups of a dense table.
SampleTable two_groups() {
  Field pad = node(FieldKind::array, "pad", {leaf(FieldKind::u8)});
  pad.count = 9000;
  return random_table(record({pad}), {.slots = 100, .live_percent = 20, .retired_percent = 20});
}

Status check_all(const SampleTable& table, std::size_t free_split = 0) {
  SlotChecker checker(table.descriptor);
  const std::span<const std::uint32_t> list(table.free_list);
  if (Status status = checker.add_free(list.subspan(free_split)); !status) return status;
  for (std::uint64_t i = table.groups.size(); i-- > 0;) {  // any order will do
    const RowGroup& group = table.groups[static_cast<std::size_t>(i)];
    if (Status status = check_group_slots(table.descriptor, i, group); !status) return status;
    if (Status status = checker.add_group(i, group); !status) return status;
  }
  if (Status status = checker.add_free(list.first(free_split)); !status) return status;
  return checker.finish();
}

void expect_code(const SampleTable& table, ErrorCode code) {
  const Status status = check_all(table);
  ASSERT_FALSE(status) << code_name(code);
  EXPECT_EQ(code_name(status.error().code), code_name(code)) << status.error().message();
}

std::size_t first_slot_with(const RowGroup& group, int state) {
  return static_cast<std::size_t>(std::find(group.states.begin(), group.states.end(), state) -
                                  group.states.begin());
}

TEST(SlotChecker, ASoundTablePassesInAnyOrder) {
  const SampleTable table = two_groups();
  ASSERT_EQ(table.groups.size(), 2U);
  EXPECT_TRUE(check_all(table));
  EXPECT_TRUE(check_all(table, table.free_list.size() / 2));
}

TEST(SlotChecker, AFreeSlotIsNotAtTheLastGenerationWhereSlotsRetire) {
  SampleTable table = two_groups();
  TableDescriptor& descriptor = table.descriptor;
  const std::uint32_t last = descriptor.policy.layout.max_generation();
  descriptor.highest_generation = last;
  const std::size_t slot = first_slot_with(table.groups[0], 0);
  table.groups[0].generations[slot] = last;
  descriptor.policy.generations = Generations::per_slot;
  descriptor.policy.overflow = Overflow::wrap;
  EXPECT_TRUE(check_all(table));
  descriptor.policy.generations = Generations::table_counter;
  descriptor.policy.overflow = Overflow::retire;
  EXPECT_TRUE(check_all(table));
  descriptor.policy.generations = Generations::per_slot;
  expect_code(table, ErrorCode::bad_slots);
  table.groups[0].generations[slot] = last - 1;
  EXPECT_TRUE(check_all(table));
}

TEST(SlotChecker, PositionsInARowMustBeAPermutationToo) {
  constexpr std::uint32_t kCount = 192;
  TableDescriptor descriptor;
  descriptor.policy.storage = Storage::dense;
  descriptor.slot_count = kCount;
  descriptor.live_count = kCount;
  descriptor.highest_generation = 1;
  descriptor.group_shift = 8;
  RowGroup group;
  group.states.assign(kCount, 1);
  group.generations.assign(kCount, 1);
  const auto check = [&](const auto& change) {
    group.positions.resize(kCount);
    std::iota(group.positions.begin(), group.positions.end(), 0u);
    change(group.positions);
    SlotChecker checker(descriptor);
    if (Status status = checker.add_group(0, group); !status) return status;
    return checker.finish();
  };
  EXPECT_TRUE(check([](auto&) {}));
  EXPECT_TRUE(check([](auto& list) { std::rotate(list.begin(), list.begin() + 64, list.end()); }));
  EXPECT_TRUE(check([](auto& list) { std::rotate(list.begin(), list.begin() + 1, list.end()); }));
  EXPECT_TRUE(check([](auto& list) { std::reverse(list.begin(), list.end()); }));
  EXPECT_FALSE(check([](auto& list) { list[100] = 5; })) << "marked before, with its word";
  EXPECT_FALSE(check([](auto& list) { list[0] = 64; })) << "marked again with its word";
  EXPECT_FALSE(check([](auto& list) { list[191] = 192; })) << "too large";
  EXPECT_FALSE(check([](auto& list) {
    for (std::uint32_t i = 0; i < 64; ++i) list[i] = 192 + i;
  })) << "a word too large";
  EXPECT_FALSE(check([](auto& list) { std::copy_n(list.begin(), 64, list.begin() + 64); }))
      << "a word twice";
}

TEST(SlotChecker, CountsMatchTheDescriptor) {  // C1
  SampleTable table = two_groups();
  table.descriptor.retired_count -= 1;
  table.descriptor.free_count += 1;
  expect_code(table, ErrorCode::bad_slots);
}

TEST(SlotChecker, AGroupLeftOutOrTwiceIsNoticed) {
  const SampleTable table = two_groups();
  SlotChecker checker(table.descriptor);
  ASSERT_TRUE(checker.add_free(table.free_list));
  ASSERT_TRUE(checker.add_group(0, table.groups[0]));
  EXPECT_FALSE(checker.add_group(0, table.groups[0]));
  EXPECT_FALSE(checker.add_group(2, table.groups[0]));
  EXPECT_FALSE(checker.finish());
}

TEST(SlotChecker, TheFreeListNamesEveryFreeSlotOnce) {  // C2
  SampleTable table = two_groups();
  table.free_list.pop_back();
  expect_code(table, ErrorCode::bad_free_list);
  table = two_groups();
  table.free_list.push_back(table.free_list[0]);
  expect_code(table, ErrorCode::bad_free_list);
  table = two_groups();
  table.free_list[0] = table.free_list[1];
  expect_code(table, ErrorCode::bad_free_list);
  table = two_groups();
  table.free_list[0] = 100;
  expect_code(table, ErrorCode::bad_free_list);
  table = two_groups();
  table.free_list[0] = static_cast<std::uint32_t>(first_slot_with(table.groups[0], 1));
  expect_code(table, ErrorCode::bad_free_list);
}

TEST(SlotChecker, TheOrderOfTheFreeListIsFree) {
  SampleTable table = two_groups();
  std::reverse(table.free_list.begin(), table.free_list.end());
  EXPECT_TRUE(check_all(table));
}

TEST(SlotChecker, DensePositionsArePermuted) {  // C3
  SampleTable table = two_groups();
  table.groups[0].positions[0] = table.groups[1].positions[0];
  expect_code(table, ErrorCode::bad_dense_order);
  table = two_groups();
  table.groups[0].positions[0] = static_cast<std::uint32_t>(table.descriptor.live_count);
  expect_code(table, ErrorCode::bad_dense_order);
  table = two_groups();
  std::swap(table.groups[0].positions[0], table.groups[1].positions[0]);
  EXPECT_TRUE(check_all(table));
}

TEST(GroupSlots, GenerationsStayWithinTheirRanges) {
  const auto with = [](int state, std::uint32_t generation) {
    SampleTable table = two_groups();
    RowGroup& group = table.groups[0];
    group.generations[first_slot_with(group, state)] = generation;
    return check_group_slots(table.descriptor, 0, group).has_value();
  };
  const std::uint32_t highest = two_groups().descriptor.highest_generation;
  const std::uint32_t last = HandleLayout{}.max_generation();
  EXPECT_FALSE(with(0, 0));
  EXPECT_TRUE(with(0, 1));
  EXPECT_TRUE(with(0, highest));
  EXPECT_FALSE(with(0, highest + 1));
  EXPECT_FALSE(with(1, 0));
  EXPECT_TRUE(with(1, 1));
  EXPECT_TRUE(with(1, highest));
  EXPECT_FALSE(with(1, highest + 1));
  EXPECT_FALSE(with(1, 0xffffffff));
  EXPECT_TRUE(with(2, last));
  EXPECT_FALSE(with(2, last - 1));
  EXPECT_FALSE(with(2, last + 1));
}

// A group of another save may be sound by itself.
TEST(GroupSlots, NoGroupHasMoreSlotsOfAKindThanItsTable) {
  const SampleTable table = two_groups();
  const RowGroup& group = table.groups[0];
  const auto in_group = [&](int state) {
    return static_cast<std::uint64_t>(std::count(group.states.begin(), group.states.end(), state));
  };
  const auto with = [&](std::uint64_t SlotCounters::*count, std::uint64_t value) {
    TableDescriptor descriptor = table.descriptor;
    descriptor.*count = value;
    return check_group_slots(descriptor, 0, group);
  };
  std::uint64_t SlotCounters::*const counts[] = {
      &SlotCounters::free_count, &SlotCounters::live_count, &SlotCounters::retired_count};
  for (int state = 0; state < 3; ++state) {
    ASSERT_GT(in_group(state), 0U);
    EXPECT_TRUE(with(counts[state], in_group(state)));
    const Status status = with(counts[state], in_group(state) - 1);
    ASSERT_FALSE(status) << state;
    EXPECT_EQ(status.error().code, ErrorCode::bad_slots);
  }
}

TEST(GroupSlots, NothingIssuedMeansNothingLive) {
  SampleTable table = two_groups();
  table.descriptor.highest_generation = 0;
  for (std::size_t i = 0; i < table.groups[0].states.size(); ++i) {
    if (table.groups[0].states[i] == 1) table.groups[0].generations[i] = 1;
    if (table.groups[0].states[i] == 0) table.groups[0].generations[i] = 0;
  }
  EXPECT_FALSE(check_group_slots(table.descriptor, 0, table.groups[0]));
}

TEST(GroupSlots, StableTablesHaveNoPositions) {
  SampleTable table = two_groups();
  table.descriptor.policy.storage = Storage::stable;
  EXPECT_FALSE(check_group_slots(table.descriptor, 0, table.groups[0]));
  table.groups[0].positions.clear();
  EXPECT_TRUE(check_group_slots(table.descriptor, 0, table.groups[0]));
}

}  // namespace
}  // namespace hdb::test
