// Sorting a dense table in steps: budgets, changes in between, captures, failures, and any sound
// progress.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/arrays/page_pool.hpp"
#include "core/arrays/undo_log.hpp"
#include "core/sort_records.hpp"
#include "core/tables/frozen_table.hpp"
#include "hdb/table.hpp"
#include "support/meagre_source.hpp"
#include "support/using_detail.hpp"

namespace hdb::sort_step_test {
namespace {

using test::by_key;
using test::make_keyed;
using test::pairs_of;

// More than any step may do above its budget in tables of up to 128 * 128 records: the comparisons
// and the moves of two chunks.
constexpr std::uint64_t kChunk = 128;
constexpr std::uint64_t kSlack = 20 * kChunk;

template <class Record>
using Pairs = std::vector<std::pair<Handle<Record>, Record>>;

template <class Record>
void fill(Table<Record>& table, std::size_t count, std::uint64_t keys, std::mt19937_64& random) {
  for (std::uint32_t i = 0; i < count; ++i) table.insert(make_keyed<Record>(random() % keys, i));
}

template <class Record>
Pairs<Record> sorted_pairs(const Table<Record>& table) {
  auto pairs = pairs_of(table);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return by_key(a.second, b.second); });
  return pairs;
}

// Steps with a count of comparisons.
template <class Record>
struct Stepper {
  Table<Record>& table;
  std::uint64_t comparisons = 0;
  bool operator()(std::uint64_t budget) {
    const std::uint64_t before = comparisons;
    const bool done = table.sort_step(
        [this](const Record& a, const Record& b) {
          ++comparisons;
          return by_key(a, b);
        },
        budget);
    EXPECT_LE(comparisons - before, budget + kSlack);
    return done;
  }
  std::size_t finish(std::uint64_t budget) {
    std::size_t steps = 1;
    while (!(*this)(budget)) ++steps;
    return steps;
  }
};

template <class Record>
class SortStepTest : public testing::Test {};
using Records = testing::Types<test::Keyed, test::LongKeyed, test::NamedKeyed, test::HugeKeyed>;
TYPED_TEST_SUITE(SortStepTest, Records);

TYPED_TEST(SortStepTest, B11_SortStepIsBudgetedResumableAndFreeWhenNothingChanged) {
  std::mt19937_64 random(11);
  std::size_t cases = 0;
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t count : {0u, 1u, 2u, 128u, 129u, 300u, 1500u}) {
      for (const std::uint64_t keys : {2u, 1'000'000u}) {
        for (const std::uint64_t budget : {1u, 7u, 100u, 1'000'000u}) {
          Table<TypeParam> table;
          fill(table, count, keys, random);
          const auto before = pairs_of(table);
          const auto expected = sorted_pairs(table);
          const FrozenTable frozen = detail::core_of(table).freeze();
          Stepper<TypeParam> step{table};
          // A budget of nothing does nothing.
          ASSERT_EQ(step(0), count == 0);
          ASSERT_EQ(detail::core_of(table).sort_progress(), SortProgress{});
          // Budgeted: as many steps as the work needs, and not fewer than the slack allows.
          const std::size_t steps = step.finish(budget);
          ASSERT_STREQ(table.check_invariants(), nullptr);
          ASSERT_EQ(pairs_of(table), expected);
          ASSERT_GE(steps * (budget + kSlack), step.comparisons);
          if (count == 1500 && budget <= 100) {
            ASSERT_GT(steps, count / kChunk);
          }
          // Free: no comparison, no page.
          const FrozenTable sorted = detail::core_of(table).freeze();
          step.comparisons = 0;
          for (const std::uint64_t any : {std::uint64_t{0}, budget}) ASSERT_TRUE(step(any));
          ASSERT_EQ(step.comparisons, 0u);
          const FrozenTable after = detail::core_of(table).freeze();
          for (std::size_t page = 0; page < sorted.records.page_count(); ++page)
            ASSERT_EQ(sorted.records.stamp(page), after.records.stamp(page));
          // Resumable: the unsorted state comes back, and is sorted again.
          detail::core_of(table).thaw(frozen);
          ASSERT_EQ(pairs_of(table), before);
          step.finish(budget);
          ASSERT_EQ(pairs_of(table), expected);
          ++cases;
        }
      }
    }
  }
  std::printf("B11: cases=%zu failures=0\n", cases);
}

TYPED_TEST(SortStepTest, ARestoredCaptureGoesOnExactlyAsBefore) {
  std::mt19937_64 random(12);
  for (int trial = 0; trial < 12; ++trial) {
    Table<TypeParam> table;
    fill(table, 200 + random() % 800, 1000, random);
    Stepper<TypeParam> step{table};
    for (std::size_t i = 0, stop = random() % 60; i < stop; ++i) step(40);
    if (trial % 3 == 0) table.insert(make_keyed<TypeParam>(1, 1));
    if (trial % 4 == 0) table.erase(table.begin().handle());
    const FrozenTable frozen = detail::core_of(table).freeze();
    std::vector<std::uint64_t> budgets;
    std::vector<bool> answers;
    std::vector<Pairs<TypeParam>> orders;
    std::vector<SortProgress> progress;
    do {
      budgets.push_back(1 + random() % 500);
      answers.push_back(step(budgets.back()));
      orders.push_back(pairs_of(table));
      progress.push_back(detail::core_of(table).sort_progress());
    } while (!answers.back());
    const std::uint64_t comparisons = step.comparisons;
    detail::core_of(table).thaw(frozen);
    step.comparisons = 0;
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      ASSERT_EQ(step(budgets[i]), answers[i]);
      ASSERT_EQ(pairs_of(table), orders[i]);
      ASSERT_EQ(detail::core_of(table).sort_progress(), progress[i]);
    }
    EXPECT_LE(step.comparisons, comparisons);
  }
}

TYPED_TEST(SortStepTest, StepsAmongChangesKeepEveryRecordAndFinishWhenTheChangesStop) {
  std::mt19937_64 random(13);
  for (int round = 0; round < 2; ++round) {
    for (int trial = 0; trial < 6; ++trial) {
      Table<TypeParam> table;
      std::map<std::uint64_t, TypeParam> model;
      std::vector<Handle<TypeParam>> handles;
      Stepper<TypeParam> step{table};
      for (std::uint32_t i = 0; i < 3000; ++i) {
        // Phases of growth, of shrinking, and of quiet.
        const std::size_t phase = i / 500 % 3;
        const std::size_t dice = random() % 100;
        const auto record = make_keyed<TypeParam>(random() % 500, i);
        if (dice < (phase == 0 ? 60u : 5u) || handles.empty()) {
          handles.push_back(table.insert(record));
          model[handles.back().bits()] = record;
        } else if (dice < (phase == 1 ? 60u : 10u)) {
          std::swap(handles[random() % handles.size()], handles.back());
          ASSERT_TRUE(table.erase(handles.back()));
          model.erase(handles.back().bits());
          handles.pop_back();
        } else if (dice < 65 && phase != 2) {
          const auto handle = handles[random() % handles.size()];
          *table.edit(handle) = record;
          model[handle.bits()] = record;
        } else if (step(random() % 300)) {
          const auto now = pairs_of(table);
          ASSERT_TRUE(std::is_sorted(now.begin(), now.end(), [](const auto& a, const auto& b) {
            return by_key(a.second, b.second);
          }));
        }
        if (i % 50 != 0) continue;
        ASSERT_STREQ(table.check_invariants(), nullptr);
        const auto now = pairs_of(table);
        ASSERT_EQ(now.size(), model.size());
        for (const auto& [handle, kept] : now) ASSERT_EQ(model.at(handle.bits()), kept);
      }
      auto expected = pairs_of(table);
      step.finish(50);
      auto now = pairs_of(table);
      ASSERT_STREQ(table.check_invariants(), nullptr);
      ASSERT_TRUE(std::is_sorted(now.begin(), now.end(), [](const auto& a, const auto& b) {
        return by_key(a.second, b.second);
      }));
      ASSERT_EQ(now.size(), expected.size());
      for (const auto& [handle, kept] : now) ASSERT_EQ(model.at(handle.bits()), kept);
    }
  }
}

TYPED_TEST(SortStepTest, ATableThatChangesBeforeEveryStepIsSortedAllTheSame) {
  std::mt19937_64 random(14);
  Table<TypeParam> table;
  fill(table, 1000, 1'000'000, random);
  Stepper<TypeParam> step{table};
  const auto inversions = [&] {
    std::size_t count = 0;
    const TypeParam* last = nullptr;
    for (const TypeParam& record : table) {
      if (last != nullptr && by_key(record, *last)) ++count;
      last = &record;
    }
    return count;
  };
  EXPECT_GT(inversions(), 300u);
  for (int i = 0; i < 600; ++i) {
    static_cast<void>(table.edit(table.begin().handle()));  // changed, as far as the table knows
    EXPECT_FALSE(step(100));
  }
  EXPECT_EQ(inversions(), 0u);
  EXPECT_EQ(step.finish(100'000), 1u);
}

TYPED_TEST(SortStepTest, EveryKindOfChangeIsSeenAndNothingElse) {
  Table<TypeParam> table;
  const auto handle = table.insert(make_keyed<TypeParam>(2, 0));
  const auto other = table.insert(make_keyed<TypeParam>(1, 1));
  Stepper<TypeParam> step{table};
  const auto settle = [&] {
    step.finish(1000);
    ASSERT_TRUE(step(0));
  };
  settle();
  // These change nothing.
  static_cast<void>(table.find(handle));
  for (const TypeParam& record : table) static_cast<void>(record);
  table.reserve(100);
  EXPECT_FALSE(table.erase({}));
  EXPECT_EQ(table.edit({}), nullptr);
  const FrozenTable frozen = detail::core_of(table).freeze();
  EXPECT_TRUE(step(0));
  // These do.
  static_cast<void>(table.edit(handle));
  EXPECT_FALSE(step(0));
  settle();
  table.edit_each([](auto, TypeParam&) {});
  EXPECT_FALSE(step(0));
  settle();
  table.insert(make_keyed<TypeParam>(0, 2));
  EXPECT_FALSE(step(0));
  settle();
  table.erase(other);
  EXPECT_FALSE(step(0));
  settle();
  table.restart_sort();
  EXPECT_FALSE(step(0));
  settle();
  table.clear();
  EXPECT_TRUE(step(0)) << "nothing is always sorted";
  table.insert(make_keyed<TypeParam>(0, 3));
  EXPECT_FALSE(step(0));
  settle();
  table.reset();
  table.insert(make_keyed<TypeParam>(0, 4));
  EXPECT_FALSE(step(0));
  // Back to a state that was sorted, known as such.
  detail::core_of(table).thaw(frozen);
  EXPECT_TRUE(step(0));
  table.restart_sort();
  table.sort(by_key<TypeParam>);
  EXPECT_TRUE(step(0));
}

TYPED_TEST(SortStepTest, ATableThatAdoptsAnotherGoesOnSortingIt) {
  std::mt19937_64 random(15);
  const auto pool = std::make_shared<PagePool>();
  Table<TypeParam> table({}, std::make_shared<UndoLog>(pool));
  Table<TypeParam> other({}, std::make_shared<UndoLog>(pool));
  fill(other, 700, 1000, random);
  Stepper<TypeParam> step{other};
  for (int i = 0; i < 4; ++i) step(300);
  const SortProgress progress = detail::core_of(other).sort_progress();
  ASSERT_NE(progress, SortProgress{});
  const auto expected = pairs_of(other);
  detail::core_of(table).prepare_adopt();
  detail::core_of(table).adopt(detail::core_of(other));
  EXPECT_EQ(detail::core_of(table).sort_progress(), progress);
  EXPECT_EQ(detail::core_of(other).sort_progress(), SortProgress{});
  EXPECT_EQ(pairs_of(table), expected);
  EXPECT_STREQ(other.check_invariants(), nullptr);
}

TYPED_TEST(SortStepTest, AComparisonThatThrowsLosesNoRecordAndTheNextStepGoesOn) {
  std::mt19937_64 random(16);
  for (int trial = 0; trial < 5; ++trial) {
    Table<TypeParam> table;
    fill(table, 900, 300, random);
    const auto expected = sorted_pairs(table);
    std::size_t thrown = 0;
    bool done = false;
    while (!done) {
      std::uint64_t left = 1 + random() % 3000;
      try {
        done = table.sort_step(
            [&](const TypeParam& a, const TypeParam& b) {
              if (--left == 0) throw std::runtime_error("compare");
              return by_key(a, b);
            },
            5000);
      } catch (const std::runtime_error&) {
        ++thrown;
      }
      ASSERT_STREQ(table.check_invariants(), nullptr);
    }
    EXPECT_GT(thrown, 1u);
    ASSERT_EQ(pairs_of(table), expected);
  }
}

TYPED_TEST(SortStepTest, RunningOutOfMemoryLosesNoRecordAndTheNextStepGoesOn) {
  std::mt19937_64 random(17);
  const auto source = std::make_shared<test::MeagreSource>();
  Table<TypeParam> table({}, std::make_shared<UndoLog>(std::make_shared<PagePool>(source)));
  fill(table, 400, 100, random);
  const auto expected = sorted_pairs(table);
  std::vector<FrozenTable> captures;
  std::size_t refused = 0;
  for (bool done = false; !done;) {
    captures.push_back(detail::core_of(table).freeze());  // all blocks must be logged again
    source->left = static_cast<long>(random() % 2);
    try {
      done = table.sort_step(by_key<TypeParam>, 400);
    } catch (const std::bad_alloc&) {
      ++refused;
      source->left = -1;
      done = table.sort_step(by_key<TypeParam>, 400);
    }
    source->left = -1;
    ASSERT_STREQ(table.check_invariants(), nullptr);
  }
  EXPECT_GT(refused, 3u);
  ASSERT_EQ(pairs_of(table), expected);
}

TYPED_TEST(SortStepTest, AStepMovesNoMoreRecordsThanItsBudgetAndTwoChunks) {
  std::mt19937_64 random(19);
  Table<TypeParam> table;
  fill(table, 1200, 1'000'000, random);
  for (const std::uint64_t budget : {1u, 30u, 200u}) {
    table.edit_each([&](auto, TypeParam& record) {
      record = make_keyed<TypeParam>(random() % 1000, record.number);
    });
    Stepper<TypeParam> step{table};
    std::uint64_t moved = 0;
    for (bool done = false; !done;) {
      const auto before = pairs_of(table);
      done = step(budget);
      std::uint64_t here = 0;
      for (std::uint32_t place = 0; place < before.size(); ++place)
        here += table.position(before[place].first) != place ? 1 : 0;
      ASSERT_LE(here, budget + 2 * kChunk);
      moved += here;
    }
    EXPECT_GT(moved, table.size());
  }
}

TEST(SortStep, TheWorkIsBoundedAndNearlySortedTablesAreCheap) {
  std::mt19937_64 random(18);
  for (const std::uint32_t count : {1000u, 20'000u}) {
    Table<test::Keyed> table;
    Stepper<test::Keyed> step{table};
    fill(table, count, 1'000'000, random);
    const double n = count;
    // Comparisons and moves: each step but the last spends its budget.
    const double spent = 1000.0 * static_cast<double>(step.finish(1000));
    EXPECT_LT(spent, 2 * n * std::sqrt(n));
    EXPECT_LT(static_cast<double>(step.comparisons), n * std::sqrt(n));
    // Sorted, but the table does not know.
    table.restart_sort();
    step.comparisons = 0;
    step.finish(1000);
    EXPECT_EQ(step.comparisons, count - 1);
    // Only the records that were added are looked at, and their ways.
    for (std::uint32_t i = 0; i < 5; ++i) table.insert(test::make_keyed<test::Keyed>(1'000'000, i));
    step.comparisons = 0;
    EXPECT_EQ(step.finish(1000), 1u);
    EXPECT_EQ(step.comparisons, 5u);
    // A few records out of order: wherever they belong.
    for (std::uint32_t i = 0; i < count / 1000; ++i) {
      const auto handle = (*std::next(table.entries().begin(), random() % count)).first;
      table.edit(handle)->key = random() % 1'000'000;
    }
    step.comparisons = 0;
    const double fixed = 1000.0 * static_cast<double>(step.finish(1000));
    EXPECT_LT(step.comparisons, 20.0 * count);
    EXPECT_LT(fixed, 30.0 * count);
  }
}

// Any progress at all: most of it can come from no table.
TEST(SortStep, StepsFromAnySoundProgressStayWithinTheTableAndEnd) {  // O1, O2
  std::mt19937_64 random(21);
  constexpr std::size_t kCases = 2000;
  for (std::size_t trial = 0; trial < kCases; ++trial) {
    Table<test::Keyed> table;
    fill(table, 2 + random() % (trial % 10 == 0 ? 3000 : 300), 1000, random);
    const auto in_order = static_cast<std::uint32_t>(random() % table.size());
    const SortProgress progress{in_order,
                                in_order + static_cast<std::uint32_t>(random() % table.size())};
    ASSERT_TRUE(progress.is_sound(table.size()));
    if (progress.next != 0) {
      ASSERT_EQ(SortProgress::from_bytes(progress.to_bytes(), table.size()), progress);
    }
    detail::core_of(table).set_sort_progress(progress);
    for (std::uint64_t i = random() % 9; i > 0 && table.size() > 1; --i) {
      table.erase(table.handle_at(random() % table.size()));
      ASSERT_STREQ(table.check_invariants(), nullptr);
    }
    auto before = pairs_of(table);
    std::size_t steps = 0;
    const std::uint64_t budget = random() % 2 == 0 ? 1 + random() % 500 : 1'000'000;
    while (!table.sort_step(by_key<test::Keyed>, budget)) {
      ASSERT_STREQ(table.check_invariants(), nullptr);
      ASSERT_LT(++steps, 200'000u);
    }
    auto after = pairs_of(table);
    if (progress.sorted == 0) {  // no part of the order is only believed
      ASSERT_TRUE(std::is_sorted(table.begin(), table.end(), by_key<test::Keyed>));
    }
    const auto by_handle = [](const auto& a, const auto& b) {
      return a.first.bits() < b.first.bits();
    };
    std::sort(before.begin(), before.end(), by_handle);
    std::sort(after.begin(), after.end(), by_handle);
    ASSERT_TRUE(before == after);
  }
  std::printf("O2: cases=%zu failures=0\n", kCases);
}

TEST(SortStep, OnlyPossibleProgressIsReadFromBytes) {
  const SortProgress progress{300, 70'000};
  const Bytes bytes = progress.to_bytes();
  EXPECT_EQ(SortProgress::from_bytes(bytes, 300), progress);
  EXPECT_FALSE(SortProgress::from_bytes(bytes, 299)) << "more than the records";
  EXPECT_FALSE(SortProgress::from_bytes(SortProgress{2, 1}.to_bytes(), 300));
  EXPECT_FALSE(SortProgress::from_bytes(SortProgress{}.to_bytes(), 300)) << "stored as nothing";
  Bytes other = bytes;
  other[0] = std::byte{1};
  EXPECT_FALSE(SortProgress::from_bytes(other, 300)) << "another algorithm";
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(SortProgress::from_bytes(std::span(bytes).first(size), 300)) << size;
  Bytes longer = bytes;
  longer.push_back({});
  EXPECT_FALSE(SortProgress::from_bytes(longer, 300));
  EXPECT_FALSE(
      SortProgress::from_bytes(Bytes{std::byte{2}, std::byte{0}, std::byte{0x80}, std::byte{0x80},
                                     std::byte{0x80}, std::byte{0x80}, std::byte{0x10}},
                               300))
      << "a place of 33 bits";
}

}  // namespace
}  // namespace hdb::sort_step_test
