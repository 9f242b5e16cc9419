// Row B14: what the handle map article measures, on its 100,000 items, here and in the article's
// design side by side: both must do the same, and here the work of the worst defragmentation must
// not be quadratic. Times are measured by the rows article_* of hdb_bench.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <utility>
#include <vector>

#include "hdb/core.hpp"
#include "reference/handle_map.hpp"

namespace hdb::test::article_table_test {
namespace {

constexpr std::size_t kItems = 100'000;

struct Item {
  std::uint64_t sort = 0;
  std::uint64_t id = 0;
};

struct SideBySide {
  Table<Item> table{{.storage = Storage::dense, .free_list = FreeList::fifo}};
  reference::HandleMap<Item> map;
  std::vector<Handle<Item>> handles;
  std::vector<reference::Key> keys;

  void insert(const Item& item) {
    handles.push_back(table.insert(item));
    keys.push_back(map.insert(item));
    ASSERT_EQ(handles.back().index(), keys.back().index);
    ASSERT_EQ(handles.back().generation(), keys.back().generation);
  }
  /// Both hold the same items in the same dense order.
  void expect_equal_items() const {
    ASSERT_EQ(table.size(), map.records().size());
    std::size_t at = 0;
    for (const Item& item : table) {
      ASSERT_EQ(item.sort, map.records()[at].sort) << "dense position " << at;
      ASSERT_EQ(item.id, map.records()[at].id) << "dense position " << at;
      ++at;
    }
    ASSERT_EQ(at, table.size());
  }
  /// Every handle ever given names in both the item that it was given for, or nothing.
  void expect_equal_lookups() const {
    for (std::size_t i = 0; i < handles.size(); ++i) {
      const Item* const here = table.find(handles[i]);
      const Item* const there = map.find(keys[i]);
      ASSERT_EQ(here == nullptr, there == nullptr) << "item " << i;
      if (here != nullptr) {
        ASSERT_EQ(here->id, i);
        ASSERT_EQ(there->id, i);
      }
    }
  }
};

TEST(HandleMap, B14_TheArticlesItemsAreCreatedIteratedFoundAndClearedAsInItsDesign) {
  SideBySide both;
  for (std::uint64_t i = 0; i < kItems; ++i) {
    ASSERT_NO_FATAL_FAILURE(both.insert({.sort = kItems - i, .id = i}));
  }
  ASSERT_NO_FATAL_FAILURE(both.expect_equal_items());
  ASSERT_NO_FATAL_FAILURE(both.expect_equal_lookups());
  std::size_t spans = 0;
  std::uint64_t sum = 0;
  both.table.for_each_span([&](const auto& span) {
    ++spans;
    for (const Item& item : span) sum += item.id;
  });
  EXPECT_EQ(sum, std::uint64_t{kItems} * (kItems - 1) / 2);
  EXPECT_LE(spans, kItems / 100) << "iteration runs over arrays, not over single items";

  std::mt19937_64 random(14);
  for (std::size_t i = 0; i < kItems / 2; ++i) {
    const std::size_t victim = random() % kItems;
    ASSERT_EQ(both.table.erase(both.handles[victim]), both.map.erase(both.keys[victim]));
  }
  ASSERT_NO_FATAL_FAILURE(both.expect_equal_items());
  ASSERT_NO_FATAL_FAILURE(both.expect_equal_lookups());
  for (std::uint64_t i = kItems; i < kItems + 1000; ++i) {
    ASSERT_NO_FATAL_FAILURE(both.insert({.sort = i, .id = i}));
  }

  both.table.clear();
  both.map.clear();
  EXPECT_TRUE(both.table.empty());
  ASSERT_NO_FATAL_FAILURE(both.expect_equal_items());
  ASSERT_NO_FATAL_FAILURE(both.expect_equal_lookups());
  EXPECT_EQ(both.table.check_invariants(), nullptr);
  const std::uint64_t slots = both.table.counters().slot_count;
  for (std::uint64_t i = 0; i < slots; ++i) ASSERT_TRUE(both.table.insert({.sort = i, .id = i}));
  EXPECT_EQ(both.table.counters().slot_count, slots) << "clear keeps the slots";
}

TEST(HandleMap, B14_ADefragmentationEndsAsInTheArticlesDesign) {
  std::mt19937_64 random(15);
  for (const bool worst : {true, false}) {
    SideBySide both;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const std::uint64_t sort = worst ? 2000 - i : random() % 100;  // many are equal: it is stable
      ASSERT_NO_FATAL_FAILURE(both.insert({.sort = sort, .id = i}));
    }
    const auto precedes = [](const Item& a, const Item& b) { return a.sort < b.sort; };
    both.table.sort(precedes);
    both.map.defragment(precedes, 0);
    ASSERT_NO_FATAL_FAILURE(both.expect_equal_items());
    ASSERT_NO_FATAL_FAILURE(both.expect_equal_lookups());
  }
}

TEST(HandleMap, B14_TheWorstDefragmentationIsNotQuadratic) {
  std::uint64_t compared = 0;
  const auto precedes = [&](const Item& a, const Item& b) {
    ++compared;
    return a.sort < b.sort;
  };
  // The article's design compares each pair; on all items that would be 5,000 million.
  for (const std::uint64_t few : {500u, 1000u, 2000u}) {
    reference::HandleMap<Item> map;
    for (std::uint64_t i = 0; i < few; ++i) map.insert({.sort = few - i, .id = i});
    compared = 0;
    map.defragment(precedes, 0);
    ASSERT_EQ(compared, few * (few - 1) / 2);
  }
  const double n = kItems;
  const auto most = static_cast<std::uint64_t>(2 * n * std::log2(n));
  const auto fill = [](Table<Item>& table) {
    std::vector<Handle<Item>> handles;
    for (std::uint64_t i = 0; i < kItems; ++i)
      handles.push_back(table.insert({.sort = kItems - i, .id = i}));
    return handles;
  };
  const auto expect_sorted = [](const Table<Item>& table,
                                const std::vector<Handle<Item>>& handles) {
    std::uint64_t next = 0;
    for (const Item& item : table) ASSERT_EQ(item.sort, ++next);
    ASSERT_EQ(next, kItems);
    for (std::size_t i = 0; i < handles.size(); ++i) ASSERT_EQ(table.at(handles[i]).id, i);
    ASSERT_EQ(table.check_invariants(), nullptr);
  };

  Table<Item> at_once;
  const auto handles = fill(at_once);
  compared = 0;
  at_once.sort(precedes);
  const std::uint64_t by_sort = compared;
  EXPECT_LE(by_sort, most);
  ASSERT_NO_FATAL_FAILURE(expect_sorted(at_once, handles));

  Table<Item> in_steps;
  const auto step_handles = fill(in_steps);
  compared = 0;
  std::size_t steps = 1;
  while (!in_steps.sort_step(precedes, 10'000)) ++steps;
  EXPECT_LE(static_cast<double>(compared), n * std::sqrt(n));
  EXPECT_GT(steps, 10u) << "it kept to its budget";
  ASSERT_NO_FATAL_FAILURE(expect_sorted(in_steps, step_handles));
  std::printf(
      "B14: comparisons of the worst order: sort %llu, sort_step %llu in %zu steps, article %llu\n",
      static_cast<unsigned long long>(by_sort), static_cast<unsigned long long>(compared), steps,
      static_cast<unsigned long long>(std::uint64_t{kItems} * (kItems - 1) / 2));
}

}  // namespace
}  // namespace hdb::test::article_table_test
