// Ways through a table: records, entries, spans, and mutable iteration.
#include "hdb/detail/core/tables/table_iteration.hpp"

#include <cstdint>
#include <iterator>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/table.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::Unit;
using testing::ElementsAre;

static_assert(std::forward_iterator<Table<Unit>::const_iterator>);

std::vector<std::uint64_t> values(const Table<Unit>& table) {
  std::vector<std::uint64_t> out;
  for (const Unit& record : table) out.push_back(record.value);
  return out;
}

TEST(Iteration, DenseTablesGoInDenseOrder) {  // T1
  Table<Unit> table;
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 5; ++i) handles.push_back(table.insert({i}));
  table.erase(handles[1]);
  EXPECT_THAT(values(table), ElementsAre(0, 4, 2, 3));
  table.insert({9});
  EXPECT_THAT(values(table), ElementsAre(0, 4, 2, 3, 9));
  EXPECT_EQ(table.position(handles[4]), 1u);
}

TEST(Iteration, StableTablesGoBySlot) {  // T2
  Table<Unit> table({.storage = Storage::stable});
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 5; ++i) handles.push_back(table.insert({i}));
  table.erase(handles[1]);
  table.erase(handles[4]);
  EXPECT_THAT(values(table), ElementsAre(0, 2, 3));
  table.insert({9});
  EXPECT_THAT(values(table), ElementsAre(0, 2, 3, 9));
}

TEST(Iteration, EmptyTablesHaveNothingToVisit) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit> table({.storage = storage});
    EXPECT_TRUE(table.begin() == table.end());
    const auto handle = table.insert({1});
    table.erase(handle);
    EXPECT_TRUE(table.begin() == table.end());
    table.for_each_span([](const auto&) { FAIL() << "nothing is live"; });
  }
}

// All ways agree, for holes at the edges of words and of pages.
TEST(Iteration, AllWaysVisitTheSameRecordsInTheSameOrder) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    for (const std::size_t step : {1u, 2u, 3u, 63u, 64u, 65u, 128u}) {
      Table<Unit> table({.storage = storage});
      std::vector<Handle<Unit>> handles;
      for (std::uint64_t i = 0; i < 1000; ++i) handles.push_back(table.insert({i}));
      for (std::size_t i = 0; i < 1000; i += step) table.erase(handles[i]);
      std::vector<std::uint64_t> by_entry;
      for (const auto& [handle, record] : table.entries()) {
        EXPECT_EQ(&table.at(handle), &record);
        by_entry.push_back(record.value);
      }
      std::vector<std::uint64_t> by_span;
      table.for_each_span([&](const auto& span) {
        EXPECT_GT(span.size(), 0u);
        for (std::size_t i = 0; i < span.size(); ++i) {
          EXPECT_EQ(&table.at(span.handle(i)), &span[i]);
          by_span.push_back(span[i].value);
        }
      });
      EXPECT_EQ(by_entry, values(table));
      EXPECT_EQ(by_span, by_entry);
      EXPECT_EQ(by_entry.size(), table.size());
    }
  }
}

TEST(Iteration, MutableIterationLeavesCapturesAlone) {  // A1
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit> table({.storage = storage});
    for (std::uint64_t i = 0; i < 300; ++i) table.insert({i});
    const FrozenTable frozen = detail::core_of(table).freeze();
    table.edit_each([](Handle<Unit>, Unit& record) { record.value += 1000; });
    for (std::uint64_t slot = 0; slot < 300; ++slot) {
      EXPECT_EQ(test::captured<Unit>(frozen, slot).value, slot);
    }
    std::uint64_t next = 1000;
    for (const Unit& record : table) EXPECT_EQ(record.value, next++);
  }
}

#if defined(HDB_ENABLE_ASSERTS) || !defined(NDEBUG)
TEST(IterationDeathTest, StructuralCallsAndCapturesInsideAMutableIterationAreAsserted) {
  Table<Unit> table;
  table.insert({1});
  EXPECT_DEATH(table.edit_each([&](Handle<Unit>, Unit&) { table.insert({2}); }),
               "mutable iteration");
  EXPECT_DEATH(table.edit_each([&](Handle<Unit>, Unit&) {
    static_cast<void>(detail::core_of(table).freeze());
  }),
               "mutable iteration");
  struct Deaf final : detail::TableObserver {
    void on_erased(std::uint32_t, std::uint32_t) noexcept override {}
    void on_cleared(bool) noexcept override {}
    void on_replaced() noexcept override {}
  };
  EXPECT_DEATH(table.edit_each([&](Handle<Unit>, Unit&) {
    Deaf observer;  // what comes and goes does not open the way either
    detail::core_of(table).add_observer(observer);
    detail::core_of(table).remove_observer(observer);
    table.insert({2});
  }),
               "mutable iteration");
}

TEST(IterationDeathTest, StructuralCallsAndCapturesInsideAVisitOfSpansAreAsserted) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit> table({.storage = storage});
    const auto handle = table.insert({1});
    EXPECT_DEATH(table.for_each_span([&](const auto&) { table.insert({2}); }), "for_each_span");
    EXPECT_DEATH(table.for_each_span([&](const auto&) { table.erase(handle); }), "for_each_span");
    EXPECT_DEATH(table.for_each_span(
                     [&](const auto&) { static_cast<void>(detail::core_of(table).freeze()); }),
                 "for_each_span");
    table.for_each_span([](const auto&) {});
    EXPECT_TRUE(table.erase(handle)) << "the visit is over";
  }
}

TEST(IterationDeathTest, AnIteratorWithoutARecordIsAsserted) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit> table({.storage = storage});
    table.insert({1});
    const auto at = table.begin();
    table.erase(at.handle());
    EXPECT_DEATH(static_cast<void>(*at), "the iterator does not point to a record");
    EXPECT_DEATH(static_cast<void>(*table.end()), "the iterator does not point to a record");
  }
}

TEST(IterationDeathTest, AWriteIntoACapturedPageIsFound) {
  Table<Unit> table;
  const auto handle = table.insert({1});
  Unit* const kept_too_long = table.edit(handle);
  EXPECT_DEATH(
      {
        const FrozenTable frozen = detail::core_of(table).freeze();
        kept_too_long->value = 2;
        static_cast<void>(table.edit(handle));
      },
      "a table: page 0 .elements 0 to .* changed after it was captured");
}
#endif

}  // namespace
}  // namespace hdb
