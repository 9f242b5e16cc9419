// Records that own something: constructed and destroyed exactly once, and copies that throw.
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "core/arrays/undo_log.hpp"
#include "core/test_records.hpp"
#include "hdb/table.hpp"
#include "support/meagre_source.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::Counted;

class RecordLifetimeTest : public testing::TestWithParam<Storage> {
 protected:
  using TableType = Table<Counted>;
  void SetUp() override {
    Counted::alive = 0;
    Counted::copies = 0;
    Counted::throw_at_copy = 0;
  }
  void TearDown() override {
    EXPECT_EQ(Counted::alive, 0) << "every record that was constructed was destroyed, once";
    Counted::throw_at_copy = 0;
  }
  static TableOptions options() { return {.storage = GetParam()}; }
  static std::vector<TableType::HandleType> fill(TableType& table, std::uint64_t count) {
    std::vector<TableType::HandleType> handles;
    for (std::uint64_t i = 0; i < count; ++i) handles.push_back(table.emplace(i));
    return handles;
  }
};

INSTANTIATE_TEST_SUITE_P(Storages, RecordLifetimeTest,
                         testing::Values(Storage::dense, Storage::stable));

TEST_P(RecordLifetimeTest, AsManyAreAliveAsTheTableHolds) {  // T1, T2
  TableType table(options());
  const auto handles = fill(table, 500);
  EXPECT_EQ(Counted::alive, 500);
  for (std::size_t i = 0; i < handles.size(); i += 2) table.erase(handles[i]);
  EXPECT_EQ(Counted::alive, 250);
  for (const Counted& record : table) EXPECT_TRUE(record.is_constructed());
  table.clear();
  EXPECT_EQ(Counted::alive, 0);
  fill(table, 100);
  table.reset();
  EXPECT_EQ(Counted::alive, 0);
  fill(table, 100);
}

TEST_P(RecordLifetimeTest, ErasedRecordsStayAliveInCapturesOnly) {
  TableType table(options());
  const auto handles = fill(table, 100);
  std::optional<FrozenTable> frozen = detail::core_of(table).freeze();
  for (const auto handle : handles) table.erase(handle);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_GE(Counted::alive, 100);
  for (std::uint32_t slot = 0; slot < 100; ++slot) {
    const auto record = test::captured<Counted>(*frozen, slot);
    EXPECT_TRUE(record.is_constructed());
    EXPECT_EQ(record.value, slot);
  }
  frozen.reset();
  EXPECT_EQ(Counted::alive, 0);
}

TEST_P(RecordLifetimeTest, ACaptureCopiesNothingUntilAWrite) {
  TableType table(options());
  const auto handles = fill(table, 300);
  Counted::copies = 0;
  const FrozenTable frozen = detail::core_of(table).freeze();
  EXPECT_EQ(Counted::copies, 0);
  table.edit(handles[7])->value = 1;
  EXPECT_EQ(Counted::copies, 1) << "of that record";
}

TEST_P(RecordLifetimeTest, ACaptureOutlivesItsTable) {
  std::optional<FrozenTable> frozen;
  {
    TableType table(options());
    fill(table, 200);
    frozen = detail::core_of(table).freeze();
  }
  EXPECT_EQ(Counted::alive, 200);
  EXPECT_EQ(test::captured<Counted>(*frozen, 150).value, 150u);
}

TEST_P(RecordLifetimeTest, APointerShowsWhatWasWrittenAfterACapture) {
  TableType table(options());
  const auto handles = fill(table, 10);
  const Counted* const reader = table.find(handles[3]);
  const FrozenTable frozen = detail::core_of(table).freeze();
  table.edit(handles[3])->value = 99;
  EXPECT_EQ(reader, table.find(handles[3]));
  EXPECT_EQ(reader->value, 99u);
  EXPECT_EQ(test::captured<Counted>(frozen, handles[3].index()).value, 3u);
}

// The n-th copy throws, for every n, at each kind of call that copies: nothing has changed
// afterwards.
TEST_P(RecordLifetimeTest, ACopyThatThrowsChangesNothing) {  // T3
  std::size_t cases = 0;
  std::size_t thrown = 0;
  for (int call = 0; call < 3; ++call) {
    for (long n = 1; n < 5; ++n) {
      TableType table(options());
      const auto handles = fill(table, 60);
      for (std::size_t i = 0; i < 10; ++i) table.erase(handles[i * 5]);
      FrozenTable frozen = detail::core_of(table).freeze();
      const SlotCounters before = table.counters();
      const auto next = table.next_handle();
      const Counted source(5);
      const long alive = Counted::alive;
      Counted::throw_at_copy = n;
      bool failed = false;
      try {
        if (call == 0) static_cast<void>(table.edit(handles[1]));
        if (call == 1) static_cast<void>(table.erase(handles[1]));
        if (call == 2) static_cast<void>(table.insert(source));
      } catch (const std::runtime_error&) {
        failed = true;
      }
      Counted::throw_at_copy = 0;
      ++cases;
      ASSERT_STREQ(table.check_invariants(), nullptr) << "call " << call << ", copy " << n;
      if (!failed) continue;
      ++thrown;
      EXPECT_EQ(table.counters(), before);
      EXPECT_EQ(table.next_handle(), next);
      for (std::size_t i = 0; i < handles.size(); ++i) {
        const Counted* const record = table.find(handles[i]);
        ASSERT_EQ(record == nullptr, i % 5 == 0 && i < 50);
        if (record != nullptr) {
          ASSERT_EQ(record->value, i);
        }
      }
      // The capture may hold copies of pages from before the throw, no more than that.
      detail::core_of(table).thaw(frozen);
      frozen = {};
      EXPECT_EQ(Counted::alive, alive);
    }
  }
  EXPECT_GE(thrown, 3u);
  std::printf("cases=%zu failures=0 (%zu threw)\n", cases, thrown);
}

TEST_P(RecordLifetimeTest, AConstructorThatThrowsInsertsNothing) {  // T3
  TableType table(options());
  fill(table, 5);
  const auto next = table.next_handle();
  const Counted source(7);
  Counted::throw_at_copy = 1;
  EXPECT_THROW(static_cast<void>(table.insert(source)), std::runtime_error);
  EXPECT_EQ(table.size(), 5u);
  EXPECT_EQ(table.next_handle(), next);
  EXPECT_STREQ(table.check_invariants(), nullptr);
  EXPECT_EQ(table.insert(source), next);
}

// The record is made before the others move, which may copy them for a capture.
TEST(RecordLifetime, AnInsertThatCannotMoveTheRecordsEndsItsOwn) {  // T3
  Counted::alive = 0;
  // Arrays move when they grow: their memory is the program's.
  const auto log =
      std::make_shared<UndoLog>(std::make_shared<PagePool>(std::make_shared<test::MeagreSource>()));
  Table<Counted> table({.storage = Storage::dense}, log);
  while (table.size() < 10'000 && !detail::core_of(table).may_move_records(0)) table.emplace(1u);
  ASSERT_TRUE(detail::core_of(table).may_move_records(0));
  const FrozenTable frozen = detail::core_of(table).freeze();
  const SlotCounters before = table.counters();
  const Counted source(7);
  const long alive = Counted::alive;
  Counted::throw_at_copy = 2;
  EXPECT_THROW(static_cast<void>(table.insert(source)), std::runtime_error);
  EXPECT_EQ(Counted::alive, alive);
  EXPECT_EQ(table.counters(), before);
  EXPECT_STREQ(table.check_invariants(), nullptr);
  EXPECT_TRUE(table.insert(source));
  EXPECT_EQ(table.size(), before.live_count + 1);
}

TEST_P(RecordLifetimeTest, RandomProgramsLeakNothing) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<FrozenTable> captures;
    TableType table(options());
    auto handles = fill(table, 50);
    for (int step = 0; step < 300; ++step) {
      switch (random() % 6) {
        case 0: handles.push_back(table.emplace(random())); break;
        case 1: table.erase(handles[random() % handles.size()]); break;
        case 2:
          if (Counted* record = table.edit(handles[random() % handles.size()])) record->value = 1;
          break;
        case 3: captures.push_back(detail::core_of(table).freeze()); break;
        case 4:
          if (!captures.empty()) detail::core_of(table).thaw(captures[random() % captures.size()]);
          break;
        default:
          if (!captures.empty()) captures.pop_back();
          break;
      }
      for (const Counted& record : table) ASSERT_TRUE(record.is_constructed());
    }
    ASSERT_STREQ(table.check_invariants(), nullptr);
    captures.clear();
    EXPECT_EQ(Counted::alive, static_cast<long>(table.size()));
  }
}

}  // namespace
}  // namespace hdb
