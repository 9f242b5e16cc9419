// Table::erase_keeping_order: the order, the handles, and what hangs on the records.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/sidecar.hpp"
#include "hdb/table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::erase_order_test {
namespace {

using testing::ElementsAre;

bool by_value(const Unit& a, const Unit& b) { return a.value < b.value; }

std::vector<std::uint64_t> values(const Table<Unit>& table) {
  std::vector<std::uint64_t> out;
  for (const Unit& unit : table) out.push_back(unit.value);
  return out;
}

TEST(EraseKeepingOrder, LaterRecordsMoveDownAndKeepTheirHandles) {
  Table<Unit> table;
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 6; ++i) handles.push_back(table.insert({i}));
  EXPECT_TRUE(table.erase_keeping_order(handles[1]));
  EXPECT_THAT(values(table), ElementsAre(0, 2, 3, 4, 5));
  EXPECT_FALSE(table.erase_keeping_order(handles[1]));
  EXPECT_TRUE(table.erase_keeping_order(handles[5])) << "the last";
  EXPECT_TRUE(table.erase_keeping_order(handles[0])) << "the first";
  EXPECT_THAT(values(table), ElementsAre(2, 3, 4));
  for (const std::size_t i : {2u, 3u, 4u}) {
    EXPECT_EQ(table.at(handles[i]).value, i);
    EXPECT_EQ(table.position(handles[i]), i - 2);
    EXPECT_EQ(table.handle_at(i - 2), handles[i]);
    EXPECT_EQ(table.record_at(i - 2), table.find(handles[i]));
  }
  EXPECT_FALSE(table.erase_keeping_order({}));
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

// Over many pages, with captures before and after, and records that own something.
TEST(EraseKeepingOrder, CapturesKeepWhatWasAndRestoresBringItBack) {
  Table<Rich> table;
  std::vector<Handle<Rich>> handles;
  for (std::uint64_t i = 0; i < 200; ++i) handles.push_back(table.insert(make_record<Rich>(i)));
  const FrozenTable before = detail::core_of(table).freeze();
  for (std::size_t i = 0; i < handles.size(); i += 3) table.erase_keeping_order(handles[i]);
  const auto order_is = [&](bool thinned) {
    std::size_t next = 0;
    for (const auto& [handle, record] : table.entries()) {
      if (thinned && next % 3 == 0) ++next;
      EXPECT_EQ(handle, handles[next]);
      EXPECT_EQ(record, make_record<Rich>(next));
      ++next;
    }
  };
  order_is(true);
  const auto next = table.next_handle();
  const FrozenTable after = detail::core_of(table).freeze();
  detail::core_of(table).thaw(before);
  EXPECT_EQ(table.size(), 200u);
  order_is(false);
  detail::core_of(table).thaw(after);
  EXPECT_EQ(table.size(), 133u);
  order_is(true);
  EXPECT_EQ(table.next_handle(), next);
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST(EraseKeepingOrder, NamesAndSidecarsFollow) {
  Table<Unit> table({.names = RecordNames::exact});
  Sidecar<std::string, Table<Unit>> sidecar(table);
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 5; ++i) {
    handles.push_back(table.insert_named("unit " + std::to_string(i), Unit{i}));
    sidecar.set(handles.back(), "value " + std::to_string(i));
  }
  EXPECT_TRUE(table.erase_keeping_order(handles[2]));
  EXPECT_FALSE(table.find_named("unit 2"));
  EXPECT_EQ(sidecar.find(handles[2]), nullptr);
  EXPECT_EQ(table.find_named("unit 3"), handles[3]);
  EXPECT_EQ(*sidecar.find(handles[4]), "value 4");
  EXPECT_TRUE(table.revive_named(handles[2], "unit 2", Unit{2})) << "it comes back as the last";
  EXPECT_THAT(values(table), ElementsAre(0, 1, 3, 4, 2));
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST(EraseKeepingOrder, ASortedTableStaysSorted) {
  Table<Unit> table;
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 500; ++i) handles.push_back(table.insert({i * 7919 % 500}));
  table.sort(by_value);
  EXPECT_TRUE(table.sort_step(by_value, 0));
  for (std::size_t i = 0; i < 500; i += 5) table.erase_keeping_order(handles[i]);
  EXPECT_TRUE(table.sort_step(by_value, 0)) << "nothing is left to do";
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end(), by_value));
  table.erase(handles[1]);
  EXPECT_FALSE(table.sort_step(by_value, 0)) << "an erase that moves the last record disturbs it";
}

TEST(EraseKeepingOrder, ASortUnderWayStillEndsSorted) {
  for (std::size_t pause = 0; pause < 40; ++pause) {
    Table<Unit> table;
    std::vector<Handle<Unit>> handles;
    for (std::uint64_t i = 0; i < 1000; ++i) handles.push_back(table.insert({i * 7919 % 1000}));
    for (std::size_t step = 0; step < pause; ++step) table.sort_step(by_value, 500);
    for (std::size_t i = pause; i < 1000; i += 97) table.erase_keeping_order(handles[i]);
    EXPECT_STREQ(table.check_invariants(), nullptr);
    while (!table.sort_step(by_value, 500)) {
    }
    EXPECT_TRUE(std::is_sorted(table.begin(), table.end(), by_value)) << pause;
  }
}

// The n-th copy of a record throws, for every n: nothing has changed then.
TEST(EraseKeepingOrder, ACopyThatThrowsChangesNothing) {  // T3
  std::size_t thrown = 0;
  for (long n = 1; n < 60; ++n) {
    Table<Counted> table;
    std::vector<Handle<Counted>> handles;
    for (std::uint64_t i = 0; i < 50; ++i) handles.push_back(table.emplace(i));
    const FrozenTable frozen = detail::core_of(table).freeze();
    const SlotCounters before = table.counters();
    Counted::throw_at_copy = n;
    try {
      EXPECT_TRUE(table.erase_keeping_order(handles[10]));
    } catch (const std::runtime_error&) {
      ++thrown;
      EXPECT_EQ(table.counters(), before);
      for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(table.record_at(i)->value, i);
    }
    Counted::throw_at_copy = 0;
    ASSERT_STREQ(table.check_invariants(), nullptr);
  }
  EXPECT_GT(thrown, 10u);
  std::printf("cases=%zu failures=0\n", thrown);
}

TEST(EraseKeepingOrderDeathTest, StableTablesHaveNoOrder) {
  Table<Unit> table({.storage = Storage::stable});
  const auto handle = table.insert({1});
  EXPECT_DEATH(table.erase_keeping_order(handle), "only dense tables have an order");
}

TEST(Positions, InAStableTableThePositionIsTheSlot) {
  Table<Unit> table({.storage = Storage::stable});
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 4; ++i) handles.push_back(table.insert({i}));
  table.erase(handles[1]);
  EXPECT_EQ(table.handle_at(2), handles[2]);
  EXPECT_EQ(table.record_at(2), table.find(handles[2]));
  EXPECT_TRUE(table.handle_at(1).is_null());
  EXPECT_EQ(table.record_at(1), nullptr);
  for (const std::uint64_t beyond : {std::uint64_t{4}, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    EXPECT_TRUE(table.handle_at(beyond).is_null());
    EXPECT_EQ(table.record_at(beyond), nullptr);
  }
}

TEST(Capacity, ReserveMakesRoomThatInsertsUse) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit> table({.storage = storage});
    EXPECT_EQ(table.capacity(), 0u);
    table.reserve(10'000);
    const std::size_t room = table.capacity();
    EXPECT_GE(room, 10'000u);
    for (std::uint64_t i = 0; i < 10'000; ++i) table.insert({i});
    EXPECT_EQ(table.capacity(), room);
  }
}

template <class TableType, class H>
std::string text_of_at(const TableType& table, H handle) {
  try {
    static_cast<void>(table.at(handle));
  } catch (const std::out_of_range& error) {
    return error.what();
  }
  return "no exception";
}

TEST(At, ThrowsWithTheTableAndTheHandle) {
  Table<Unit> table;
  const auto handle = table.insert({4});
  EXPECT_EQ(table.at(handle).value, 4u);
  detail::core_of(table).set_label("table 'units'");
  table.erase(handle);
  EXPECT_EQ(text_of_at(table, handle),
            "table 'units': no record has the handle 0@1: the handle is stale or belongs to "
            "another table");
  EXPECT_EQ(text_of_at(table, Handle<Unit>{}), "table 'units': the handle is null");
  Table<Unit, DefaultLayout, Unit, HandleCheck::unchecked> unchecked;
  unchecked.insert({1});
  EXPECT_THROW(static_cast<void>(unchecked.at({})), std::out_of_range) << "at always looks";
}

}  // namespace
}  // namespace hdb::test::erase_order_test
