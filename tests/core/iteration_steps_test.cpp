// Each step of a loop goes to the next live place as the table is then: runs that a loop has read
// ahead end when the table changes.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/component_table.hpp"
#include "hdb/table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::iteration_steps_test {
namespace {

using testing::ElementsAre;
using H = Handle<Unit>;

std::vector<H> filled(Table<Unit>& table, std::uint64_t count) {
  std::vector<H> handles;
  for (std::uint64_t i = 0; i < count; ++i) handles.push_back(table.insert({i}));
  return handles;
}

// The first place from `place` on, or the last below it, that has a record.
template <class AnyTable>
std::optional<std::uint64_t> next_place(const AnyTable& table, std::uint64_t place,
                                        std::uint64_t end) {
  for (; place < end; ++place)
    if (table.record_at(place) != nullptr) return place;
  return std::nullopt;
}
template <class AnyTable>
std::optional<std::uint64_t> last_place(const AnyTable& table, std::uint64_t end) {
  while (end-- != 0)
    if (table.record_at(end) != nullptr) return end;
  return std::nullopt;
}

// Any change of the table before a step, with rows of live slots, gaps and both in a word.
TEST(IterationSteps, AStableTableIsSearchedAsItIsAtEachStep) {  // H12
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    Table<Unit> table({.storage = Storage::stable});
    std::vector<H> known = filled(table, 300 + random() % 700);
    const std::uint64_t end = known.size();
    const FrozenTable before = detail::core_of(table).freeze();
    const std::size_t gaps = round % 3 == 0 ? 0 : random() % (known.size() / 2);
    for (std::size_t i = 0; i < gaps; ++i) table.erase(known[random() % known.size()]);
    const unsigned changes_of_64 = round % 4 == 0 ? 64 : 4;
    const auto change = [&] {
      if (random() % 64 >= changes_of_64) return;
      for (std::size_t n = random() % 6; n != 0; --n) {
        const std::uint64_t kind = random() % 100;
        if (kind < 50) {
          table.erase(known[random() % known.size()]);
        } else if (kind < 98) {
          known.push_back(table.insert({kind}));
        } else if (kind == 98) {
          detail::core_of(table).thaw(before);
        } else {
          table.clear();
        }
      }
    };
    if (round % 2 == 0) {
      auto expected = next_place(table, 0, end);
      auto at = table.begin();
      for (; expected && at != table.end(); ++at) {
        ASSERT_EQ(&*at, table.record_at(*expected));
        change();
        expected = next_place(table, *expected + 1, end);
      }
      EXPECT_TRUE(!expected && at == table.end());
    } else {
      auto expected = last_place(table, end);
      auto at = table.rbegin();
      for (; expected && at != table.rend(); ++at) {
        ASSERT_EQ(&*at, table.record_at(*expected));
        ASSERT_EQ(at.handle(), table.handle_at(*expected));
        change();
        expected = last_place(table, *expected);
      }
      EXPECT_TRUE(!expected && at == table.rend());
    }
  }
}

TEST(IterationSteps, ARecordInsertedIntoASlotAheadIsVisited) {  // H12
  Table<Unit> table({.storage = Storage::stable});
  const std::vector<H> handles = filled(table, 200);
  table.erase(handles[130]);
  table.erase(handles[5]);  // inserts use 5, then 130
  std::vector<std::uint64_t> inserted;
  for (const Unit& unit : table) {
    if (unit.value < 2) table.insert({1000 + unit.value});
    if (unit.value >= 1000) inserted.push_back(unit.value);
  }
  EXPECT_THAT(inserted, ElementsAre(1000, 1001));
  EXPECT_EQ(table.size(), 200u);
}

TEST(IterationSteps, AnEraseAfterTheStepEndsALoopThatIsAtTheMovedRecord) {
  for (const std::uint64_t count : {1u, 2u, 7u}) {
    Table<Unit> table;
    filled(table, count);
    for (auto at = table.begin(); at != table.end();) {
      const H handle = at.handle();
      ++at;
      ASSERT_TRUE(table.erase(handle));
    }
    EXPECT_EQ(table.size(), count / 2);  // each erase moves the last record to a place behind
    EXPECT_STREQ(table.check_invariants(), nullptr);
  }
}

TEST(IterationSteps, HolesThatComeAndGoOnTheWayArePassedOver) {  // H12, T5
  std::mt19937_64 random(6);
  for (int round = 0; round < 40; ++round) {
    Table<Unit> owner;
    const std::vector<H> owners = filled(owner, 400);
    ComponentTable<std::uint64_t, Unit> table(owner, {.removal = Removal::in_place});
    for (std::size_t i = 0; i < 300; ++i) table.insert(owners[i], i);
    std::uint64_t end = 300;
    const auto change = [&] {
      if (round % 4 < 2 && random() % 32 == 0) {
        table.compact();
        end = std::min<std::uint64_t>(end, table.size());
        return;
      }
      for (std::size_t n = random() % 3; n != 0; --n) {
        const H handle = owners[random() % owners.size()];
        if (!table.erase(handle)) table.insert(handle, random());
      }
    };
    if (round % 2 == 0) {
      // compact() moves records to places behind: only that the loop meets live records is certain.
      for (const auto& [handle, component] : table.entries()) {
        ASSERT_EQ(table.find(handle), &component);
        change();
      }
    } else {
      auto expected = last_place(table, end);
      for (const auto& [handle, component] : table.entries_backward()) {
        ASSERT_TRUE(expected);
        ASSERT_EQ(handle, table.handle_at(*expected));
        change();
        expected = last_place(table, std::min(*expected, end));
      }
      EXPECT_FALSE(expected);
    }
    EXPECT_STREQ(table.check_invariants(), nullptr);
  }
}

TEST(IterationSteps, ALoopEndsWhereTheComponentsEndWhenTheirHolesAreClosed) {  // H12
  for (const std::uint64_t at_place : {100u, 198u, 199u}) {
    for (const bool backward : {false, true}) {
      Table<Unit> owner;
      const std::vector<H> owners = filled(owner, 200);
      ComponentTable<std::uint64_t, Unit> table(owner, {.removal = Removal::in_place});
      for (std::size_t i = 0; i < 200; ++i) table.insert(owners[i], i);
      for (std::size_t i = 10; i < 20; ++i) table.erase(owners[i]);
      const auto walk = [&](const auto& entries) {
        for (const auto& [handle, component] : entries) {
          ASSERT_EQ(table.find(handle), &component) << "a place that has no component";
          if (table.position(handle) == at_place) table.compact();
        }
      };
      if (backward) {
        walk(table.entries_backward());
      } else {
        walk(table.entries());
      }
      EXPECT_EQ(table.hole_count(), 0u);
    }
  }
}

}  // namespace
}  // namespace hdb::test::iteration_steps_test
