// Undo: erased records come back under their handles, and the free list keeps the order of the
// others.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/core.hpp"
#include "hdb/sidecar.hpp"
#include "support/fill_slot.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::Counted;
using test::Rich;
using test::Unit;
using testing::ElementsAre;

struct Policies {
  Storage storage;
  FreeList free_list;
};

class ReviveTest : public testing::TestWithParam<Policies> {
 protected:
  using H = Handle<Unit>;
  static TableOptions options() {
    return {.storage = GetParam().storage, .free_list = GetParam().free_list};
  }
  template <class TableType>
  static std::vector<std::uint32_t> free_list(const TableType& table) {
    std::vector<std::uint32_t> slots(static_cast<std::size_t>(table.counters().free_count));
    detail::core_of(table).slots().read_free_list(0, slots);
    return slots;
  }
  static std::vector<H> fill(Table<Unit>& table, std::uint64_t count) {
    std::vector<H> handles;
    for (std::uint64_t i = 0; i < count; ++i) handles.push_back(table.insert({i}));
    return handles;
  }
};

INSTANTIATE_TEST_SUITE_P(Policies, ReviveTest,
                         testing::Values(Policies{Storage::dense, FreeList::lifo},
                                         Policies{Storage::dense, FreeList::fifo},
                                         Policies{Storage::stable, FreeList::lifo},
                                         Policies{Storage::stable, FreeList::fifo}));

TEST_P(ReviveTest, TheErasedRecordIsBackUnderItsHandleAndNoOtherChanged) {
  Table<Unit> table(options());
  const auto handles = fill(table, 3);
  const SlotCounters before = table.counters();
  table.erase(handles[1]);
  EXPECT_TRUE(table.revive(handles[1], {7}));
  EXPECT_EQ(table.at(handles[0]).value, 0u);
  EXPECT_EQ(table.at(handles[1]).value, 7u);
  EXPECT_EQ(table.at(handles[2]).value, 2u);
  EXPECT_EQ(table.counters(), before);
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST_P(ReviveTest, HandlesOfNoErasedRecordAreRefused) {
  Table<Unit> table(options());
  const auto handles = fill(table, 3);
  Table<Unit> other(options());
  const auto foreign = fill(other, 100).back();
  EXPECT_FALSE(table.revive(H{}, {7})) << "null";
  EXPECT_FALSE(table.revive(handles[1], {7})) << "live";
  EXPECT_FALSE(table.revive(foreign, {7})) << "no such slot";
  table.erase(handles[1]);
  for (const std::uint64_t generation : {0ull, 2ull, 0x7fffffffull, 0x80000001ull, 0xffffffffull}) {
    EXPECT_FALSE(table.revive(H::from_bits(generation << 32 | handles[1].index()), {7}))
        << "never issued: " << generation;
  }
  EXPECT_EQ(table.size(), 2u);
  EXPECT_TRUE(table.revive(handles[1], {7}));
}

TEST_P(ReviveTest, AHandleWhoseSlotHadAnotherTenantStaysStale) {
  Table<Unit> table(options());
  const H first = table.insert({1});
  table.erase(first);
  const H second = table.insert({2});
  ASSERT_EQ(second.index(), first.index());
  EXPECT_FALSE(table.revive(first, {7})) << "the other lives";
  table.erase(second);
  EXPECT_FALSE(table.revive(first, {7})) << "the other is gone too";
  EXPECT_TRUE(table.revive(second, {2}));
}

TEST_P(ReviveTest, ErasesUndoneInReverseOrderLeaveNoTraceInTheFreeList) {
  Table<Unit> table(options());
  const auto handles = fill(table, 200);
  for (std::size_t i = 0; i < 200; i += 7) table.erase(handles[i]);
  for (int i = 0; i < 5; ++i) table.insert({});
  const auto before = free_list(table);
  const H next = table.next_handle();
  for (const unsigned i : {3u, 190u, 50u, 100u, 4u}) ASSERT_TRUE(table.erase(handles[i]));
  for (const unsigned i : {4u, 100u, 50u, 190u, 3u}) ASSERT_TRUE(table.revive(handles[i], {}));
  EXPECT_EQ(free_list(table), before);
  EXPECT_EQ(table.next_handle(), next);
}

TEST_P(ReviveTest, TheOthersKeepTheirOrderWhateverPlaceTheSlotHad) {
  for (std::uint32_t revived = 0; revived < 100; ++revived) {
    Table<Unit> table(options());
    const auto handles = fill(table, 101);
    for (std::uint32_t i = 0; i < 100; ++i) table.erase(handles[i * 37 % 100]);
    auto expected = free_list(table);
    std::erase(expected, revived);
    ASSERT_TRUE(table.revive(handles[revived], {}));
    ASSERT_EQ(free_list(table), expected);
    ASSERT_STREQ(table.check_invariants(), nullptr);
  }
}

TEST_P(ReviveTest, TheRecordStandsWhereAnInsertWouldPutIt) {
  Table<Unit> table(options());
  const auto handles = fill(table, 4);
  table.erase(handles[1]);
  table.revive(handles[1], {1});
  std::vector<std::uint32_t> order;
  for (const auto& [handle, record] : table.entries()) order.push_back(handle.index());
  if (GetParam().storage == Storage::dense) {
    EXPECT_THAT(order, ElementsAre(0, 3, 2, 1));
  } else {
    EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
  }
}

TEST_P(ReviveTest, AllOfAClearedTableCanComeBackAndNothingOfAResetOne) {
  Table<Unit> table(options());
  const auto handles = fill(table, 100);
  table.clear();
  for (const H handle : handles) ASSERT_TRUE(table.revive(handle, {1}));
  EXPECT_EQ(table.size(), 100u);
  EXPECT_STREQ(table.check_invariants(), nullptr);
  table.clear();
  table.reset();
  for (const H handle : handles) ASSERT_FALSE(table.revive(handle, {1}));
}

TEST_P(ReviveTest, ACaptureOfTheGapIsKeptAndLeadsToTheSameFuture) {  // S1
  Table<Unit> table(options());
  const auto handles = fill(table, 60);
  for (const unsigned i : {5u, 40u, 20u, 59u}) table.erase(handles[i]);
  const FrozenTable gap = detail::core_of(table).freeze();
  const auto future = [&] {
    std::vector<std::uint64_t> seen{table.revive(handles[40], {7})};
    for (int i = 0; i < 6; ++i) seen.push_back(table.insert({}).bits());
    for (const auto& [handle, record] : table.entries()) seen.push_back(handle.bits());
    return seen;
  };
  const auto first = future();
  detail::core_of(table).thaw(gap);
  EXPECT_FALSE(table.contains(handles[40]));
  EXPECT_EQ(future(), first);
}

TEST_P(ReviveTest, ARetiredSlotStaysRetired) {  // H7, H10
  using L = Layout<20, 12>;
  TableOptions with = options();
  Table<Unit, L> table(with);
  Handle<Unit, L> last;
  for (std::uint32_t i = 0; i < L::value.max_generation(); ++i) {
    last = table.insert({i});
    table.erase(last);
  }
  ASSERT_EQ(table.counters().retired_count, 1u);
  EXPECT_FALSE(table.revive(last, {7}));
  EXPECT_FALSE(table.insert_as(last, Unit{7}));
  EXPECT_EQ(table.counters().retired_count, 1u);
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST_P(ReviveTest, ASlotThatARepairRetiredStaysRetired) {  // H7, H10
  // No record of it reached the last generation; a record of another slot may have.
  using L = Layout<20, 12>;
  for (const std::uint32_t highest : {5u, L::value.max_generation()}) {
    Table<Unit, L> table(options());
    detail::core_of(table).begin_fill(
        {.slot_count = 1, .retired_count = 1, .highest_generation = highest});
    fill_slot(detail::core_of(table), 0, SlotState::retired, 0);
    for (std::uint32_t generation = 1; generation <= L::value.max_generation(); ++generation) {
      const auto handle = Handle<Unit, L>::from_bits(
          static_cast<std::uint32_t>(pack_handle(L::value, 0, generation, 0)));
      ASSERT_FALSE(table.revive(handle, {7})) << generation;
    }
    EXPECT_STREQ(table.check_invariants(), nullptr);
  }
}

TEST_P(ReviveTest, UnderWrapAHandleOfTheSameGenerationPasses) {
  using L = Layout<20, 12>;
  TableOptions with = options();
  with.overflow = Overflow::wrap;
  Table<Unit, L> table(with);
  const auto old = table.insert({1});
  table.erase(old);
  for (std::uint32_t i = 1; i < L::value.max_generation(); ++i) table.erase(table.insert({}));
  EXPECT_FALSE(table.revive(old, {7})) << "the slot had other tenants";
  const auto again = table.insert({2});
  ASSERT_EQ(again, old);
  table.erase(again);
  EXPECT_TRUE(table.revive(old, {7})) << "the two cannot be told apart";
}

TEST_P(ReviveTest, ATableCounterGoesOnWhereItWas) {
  TableOptions with = options();
  with.generations = Generations::table_counter;
  Table<Unit> table(with);
  const auto handles = fill(table, 5);
  table.erase(handles[1]);
  EXPECT_TRUE(table.revive(handles[1], {}));
  EXPECT_EQ(table.counters().counter, 5u);
  table.erase(handles[1]);
  EXPECT_EQ(table.insert({}).generation(), 6u);
}

TEST_P(ReviveTest, AHandleOfAnotherTypeIdIsRefused) {
  using L = Layout<32, 16, 15>;
  TableOptions with = options();
  with.type_id = 3;
  Table<Unit, L> table(with);
  const auto handle = table.insert({1});
  table.erase(handle);
  using TypedH = Handle<Unit, L>;
  EXPECT_FALSE(table.revive(TypedH::from_bits(pack_handle(L::value, 0, 1, 4)), {7}));
  EXPECT_TRUE(table.revive(handle, {7}));
}

TEST_P(ReviveTest, NamesAreGivenAnewAndAUsedOneIsRefused) {  // N1, N2
  TableOptions with = options();
  with.names = RecordNames::exact;
  Table<Rich> table(with);
  const auto one = table.insert_named("one", Rich{"1", {}});
  const auto two = table.insert_named("two", Rich{"2", {}});
  table.erase(one);
  EXPECT_FALSE(table.revive_named(one, "two", Rich{}));
  EXPECT_FALSE(table.contains(one));
  EXPECT_TRUE(table.revive_named(one, "one", {"back", {1, 2}}));
  EXPECT_EQ(table.find_named("one"), one);
  EXPECT_EQ(table.at(one).name, "back");
  table.erase(two);
  EXPECT_TRUE(table.revive(two, Rich{"plain", {}}));
  EXPECT_EQ(table.name(two), "");
  EXPECT_STREQ(table.check_invariants(), nullptr);
}

TEST_P(ReviveTest, AConstructorThatThrowsChangesNothing) {  // T3
  Table<Counted> table(options());
  std::vector<Handle<Counted>> handles;
  for (std::uint64_t i = 0; i < 20; ++i) handles.push_back(table.emplace(i));
  for (const unsigned i : {3u, 9u, 11u}) table.erase(handles[i]);
  const auto before = free_list(table);
  const Counted record(7);
  Counted::throw_at_copy = 1;
  EXPECT_THROW(table.revive(handles[9], record), std::runtime_error);
  EXPECT_FALSE(table.contains(handles[9]));
  EXPECT_EQ(free_list(table), before);
  EXPECT_STREQ(table.check_invariants(), nullptr);
  const auto next = table.next_handle();
  EXPECT_EQ(table.emplace(8u), next) << "an insert is not taken for the revival";
  EXPECT_TRUE(table.revive(handles[9], record));
}

TEST_P(ReviveTest, AValueBesideTheRecordStaysGone) {  // K2
  Table<Unit> table(options());
  Sidecar<double, Table<Unit>> values(table);
  const H handle = table.insert({1});
  values.set(handle, 1.5);
  table.erase(handle);
  table.revive(handle, {1});
  EXPECT_EQ(values.find(handle), nullptr);
  EXPECT_NE(values.set(handle, 2.5), nullptr);
}

TEST(Revive, ATableThatWasSortedCountsAsChanged) {  // O1
  Table<Unit> table;
  std::vector<Handle<Unit>> handles;
  for (std::uint64_t i = 0; i < 50; ++i) handles.push_back(table.insert({i}));
  const auto rising = [](const Unit& a, const Unit& b) { return a.value < b.value; };
  table.erase(handles[0]);
  table.sort(rising);
  ASSERT_TRUE(table.sort_step(rising, 0));
  table.revive(handles[0], {0});
  EXPECT_FALSE(table.sort_step(rising, 0));
}

}  // namespace
}  // namespace hdb
