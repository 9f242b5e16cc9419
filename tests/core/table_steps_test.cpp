// Inserts and erases of plain records take a short way where pages are writable: it leads where the
// long way leads.
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/detail/core/tables/table_observer.hpp"
#include "hdb/table.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::make_record;
using test::Unit;
using test::Wide;
using WideHandle = Handle<Wide>;

struct Deaf final : TableObserver {
  void on_erased(std::uint32_t, std::uint32_t) noexcept override { ++erased; }
  void on_cleared(bool) noexcept override {}
  void on_replaced() noexcept override {}
  std::size_t erased = 0;
};

void expect_equal(const Table<Wide>& a, const Table<Wide>& b) {
  ASSERT_STREQ(a.check_invariants(), nullptr);
  ASSERT_STREQ(b.check_invariants(), nullptr);
  ASSERT_EQ(a.counters(), b.counters());
  std::vector<std::uint32_t> free_a(static_cast<std::size_t>(a.counters().free_count));
  std::vector<std::uint32_t> free_b(free_a.size());
  detail::core_of(a).slots().read_free_list(0, free_a);
  detail::core_of(b).slots().read_free_list(0, free_b);
  ASSERT_EQ(free_a, free_b);
  auto at = b.entries().begin();
  for (const auto& [handle, record] : a.entries()) {
    const auto [other, copy] = *at;
    ASSERT_EQ(handle, other);
    ASSERT_EQ(record, copy);
    ++at;
  }
}

// The same random program, over many pages, on three tables: plain, with small pages, and watched.
TEST(TableSteps, AllWaysLeadToTheSameTable) {
  for (unsigned bits = 0; bits < 8; ++bits) {
    TableOptions options;
    options.storage = bits & 1 ? Storage::stable : Storage::dense;
    options.free_list = bits & 2 ? FreeList::fifo : FreeList::lifo;
    options.generations = bits & 4 ? Generations::table_counter : Generations::per_slot;
    Table<Wide> plain(options);
    Table<Wide> watched(options);
    Table<Wide> small(options);
    Deaf deaf;
    detail::core_of(watched).add_observer(deaf);
    std::mt19937_64 random(bits);
    std::vector<WideHandle> handles;
    std::vector<FrozenTable> captures;
    std::size_t erased = 0;
    for (int round = 0; round < 12; ++round) {
      const std::size_t count = 1 + random() % 20'000;
      for (std::size_t i = 0; i < count; ++i) {
        if (random() % 8 < (round % 2 == 0 ? 6u : 2u) || handles.empty()) {
          const Wide record = make_record<Wide>(random() % 1000);
          const WideHandle handle = plain.insert(record);
          ASSERT_EQ(small.insert(record), handle);
          ASSERT_EQ(watched.insert(record), handle);
          handles.push_back(handle);
        } else {
          std::swap(handles[static_cast<std::size_t>(random() % handles.size())], handles.back());
          ASSERT_TRUE(plain.erase(handles.back()));
          ASSERT_TRUE(small.erase(handles.back()));
          ASSERT_TRUE(watched.erase(handles.back()));
          ASSERT_FALSE(plain.erase(handles.back()));
          handles.pop_back();
          ++erased;
        }
      }
      // Some pages are shared from here on, others are not.
      if (round % 3 == 0) captures.push_back(detail::core_of(plain).freeze());
      if (round % 4 == 3) captures.erase(captures.begin());
      ASSERT_NO_FATAL_FAILURE(expect_equal(plain, small));
      ASSERT_NO_FATAL_FAILURE(expect_equal(plain, watched));
    }
    EXPECT_EQ(deaf.erased, erased);
    detail::core_of(watched).remove_observer(deaf);
  }
}

TEST(TableSteps, AShortWayLeavesACaptureAsItWas) {  // A1
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit> table({.storage = storage});
    std::vector<Handle<Unit>> handles;
    for (std::uint64_t i = 0; i < 30'000; ++i) handles.push_back(table.insert({i}));
    const FrozenTable frozen = detail::core_of(table).freeze();
    for (std::size_t i = 0; i < handles.size(); i += 2) ASSERT_TRUE(table.erase(handles[i]));
    for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_TRUE(table.insert({i + 1'000'000}));
    for (std::uint32_t i = 0; i < handles.size(); ++i) {
      ASSERT_EQ(test::captured<Unit>(frozen, handles[i].index()).value, i);
      ASSERT_EQ(frozen.slots.tag(handles[i].index()), handles[i].generation());
    }
    ASSERT_STREQ(table.check_invariants(), nullptr);
  }
}

TEST(TableSteps, AnObserverThatComesLateIsToldOfEveryErase) {
  Table<Unit> table;
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 10; ++i) handles.push_back(table.insert({i}));
  ASSERT_TRUE(table.erase(handles[0]));
  Deaf deaf;
  detail::core_of(table).add_observer(deaf);
  ASSERT_TRUE(table.erase(handles[1]));
  EXPECT_EQ(deaf.erased, 1u);
  detail::core_of(table).remove_observer(deaf);
  ASSERT_TRUE(table.erase(handles[2]));
  EXPECT_EQ(deaf.erased, 1u);
}

}  // namespace
}  // namespace hdb
