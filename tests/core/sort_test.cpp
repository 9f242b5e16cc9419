// Sorting a dense table at once: the order of std::stable_sort, with handles, captures and
// failures.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/sort_records.hpp"
#include "core/test_records.hpp"
#include "hdb/table.hpp"
#include "support/meagre_source.hpp"
#include "support/using_detail.hpp"

namespace hdb::sort_test {
namespace {

using test::by_key;
using test::make_keyed;
using test::pairs_of;

template <class Record>
class SortTest : public testing::Test {};
using Records = testing::Types<test::Keyed, test::LongKeyed, test::NamedKeyed, test::HugeKeyed>;
TYPED_TEST_SUITE(SortTest, Records);

// A table with holes in its slots, and as (handle, record) pairs what it holds in order.
template <class Record>
auto fill(Table<Record>& table, std::size_t count, std::uint64_t keys, std::mt19937_64& random) {
  std::vector<Handle<Record>> handles;
  for (std::uint32_t i = 0; i < count + count / 3; ++i)
    handles.push_back(table.insert(make_keyed<Record>(random() % keys, i)));
  std::shuffle(handles.begin(), handles.end(), random);
  for (std::size_t i = 0; i < count / 3; ++i) table.erase(handles[i]);
  return pairs_of(table);
}

template <class Record>
void sort_pairs(std::vector<std::pair<Handle<Record>, Record>>& pairs) {
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return by_key(a.second, b.second); });
}

TYPED_TEST(SortTest, ATableIsSortedAsStdStableSortDoesAndHandlesStayGood) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t count : {0u, 1u, 2u, 3u, 17u, 128u, 129u, 1000u, 5000u}) {
      for (const std::uint64_t keys : {1u, 5u, 1'000'000u}) {
        Table<TypeParam> table;
        auto expected = fill(table, count, keys, random);
        const auto before = expected;
        const FrozenTable frozen = detail::core_of(table).freeze();
        sort_pairs(expected);
        table.sort(by_key<TypeParam>);
        ASSERT_STREQ(table.check_invariants(), nullptr);
        ASSERT_EQ(pairs_of(table), expected);
        std::uint32_t place = 0;
        for (const auto& [handle, record] : expected) {
          ASSERT_EQ(table.at(handle), record);
          ASSERT_EQ(table.position(handle), place++);
        }
        ASSERT_TRUE(table.sort_step(by_key<TypeParam>, 0));
        // The capture holds the order before, and the table lives on.
        for (std::uint64_t i = 0; i < before.size(); ++i) {
          ASSERT_EQ(frozen.slot_of.as<std::uint32_t>(i), before[i].first.index());
          ASSERT_EQ(test::captured<TypeParam>(frozen, before[i].first.index()), before[i].second);
        }
        table.insert(make_keyed<TypeParam>(0, 0));
        detail::core_of(table).thaw(frozen);
        ASSERT_STREQ(table.check_invariants(), nullptr);
        ASSERT_EQ(pairs_of(table), before);
      }
    }
  }
}

TYPED_TEST(SortTest, ASortedTableIsLeftAloneAfterOneLookAtEachRecord) {
  Table<TypeParam> table;
  for (std::uint32_t i = 0; i < 3000; ++i) table.insert(make_keyed<TypeParam>(i / 3, i));
  const FrozenTable frozen = detail::core_of(table).freeze();
  std::size_t comparisons = 0;
  table.sort([&](const TypeParam& a, const TypeParam& b) {
    ++comparisons;
    return by_key(a, b);
  });
  EXPECT_EQ(comparisons, table.size() - 1);
  const FrozenTable after = detail::core_of(table).freeze();
  for (std::size_t page = 0; page < frozen.records.page_count(); ++page)
    EXPECT_EQ(frozen.records.stamp(page), after.records.stamp(page)) << "a page was copied";
  EXPECT_TRUE(table.sort_step(by_key<TypeParam>, 0));
}

TYPED_TEST(SortTest, AComparisonThatThrowsChangesNothing) {
  std::mt19937_64 random(2);
  Table<TypeParam> table;
  const auto before = fill(table, 600, 1000, random);
  detail::core_of(table).set_sort_progress({100, 200});
  const SortProgress progress = detail::core_of(table).sort_progress();
  std::size_t refused = 0;
  for (std::size_t last = 0;; last += 37) {
    std::size_t left = last;
    try {
      table.sort([&](const TypeParam& a, const TypeParam& b) {
        if (left-- == 0) throw std::runtime_error("compare");
        return by_key(a, b);
      });
      break;
    } catch (const std::runtime_error&) {
      ++refused;
      ASSERT_EQ(pairs_of(table), before);
      ASSERT_EQ(detail::core_of(table).sort_progress(), progress);
      ASSERT_STREQ(table.check_invariants(), nullptr);
    }
  }
  EXPECT_GT(refused, 100u);
  auto expected = before;
  sort_pairs(expected);
  EXPECT_EQ(pairs_of(table), expected);
}

TYPED_TEST(SortTest, RunningOutOfMemoryChangesNothing) {  // T3
  std::size_t refused = 0;
  for (long pages = 0;; ++pages) {
    std::mt19937_64 random(3);
    const auto source = std::make_shared<test::MeagreSource>();
    Table<TypeParam> table({}, std::make_shared<UndoLog>(std::make_shared<PagePool>(source)));
    auto expected = fill(table, 40, 1000, random);
    const FrozenTable frozen = detail::core_of(table).freeze();
    const SortProgress progress = detail::core_of(table).sort_progress();
    source->left = pages;
    try {
      table.sort(by_key<TypeParam>);
      sort_pairs(expected);
      EXPECT_EQ(pairs_of(table), expected);
      break;
    } catch (const std::bad_alloc&) {
      ++refused;
      ASSERT_EQ(pairs_of(table), expected);
      ASSERT_EQ(detail::core_of(table).sort_progress(), progress);
      ASSERT_STREQ(table.check_invariants(), nullptr);
    }
  }
  EXPECT_GE(refused, 2u);
}

TEST(Sort, AnOrderThatIsNoneKeepsEveryRecord) {
  std::mt19937_64 random(4);
  Table<test::Keyed> table;
  auto before = fill(table, 2000, 1000, random);
  table.sort([&](const auto&, const auto&) { return random() % 2 == 0; });
  ASSERT_STREQ(table.check_invariants(), nullptr);
  EXPECT_TRUE(std::is_permutation(before.begin(), before.end(), pairs_of(table).begin()));
}

TEST(SortDeathTest, AStableTableIsRefused) {
  Table<test::Keyed> stable({.storage = Storage::stable});
  EXPECT_DEATH(stable.sort(by_key<test::Keyed>), "dense");
  EXPECT_DEATH(static_cast<void>(stable.sort_step(by_key<test::Keyed>, 1)), "dense");
}

#if defined(HDB_ENABLE_ASSERTS) || !defined(NDEBUG)
TEST(SortDeathTest, AChangeFromWithinTheComparisonIsAsserted) {
  Table<test::Keyed> table;
  for (std::uint32_t i = 0; i < 4; ++i) table.insert({i, i});
  const auto inserts = [&](const auto& a, const auto& b) {
    table.insert({});
    return by_key(a, b);
  };
  EXPECT_DEATH(table.sort(inserts), "inside a comparison of its sort");
  EXPECT_DEATH(static_cast<void>(table.sort_step(inserts, 1)), "inside a comparison of its sort");
}
#endif

}  // namespace
}  // namespace hdb::sort_test
