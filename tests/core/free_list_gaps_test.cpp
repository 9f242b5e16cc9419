// Records that come back, or are inserted under chosen handles, in the middle of a long free list:
// whatever gaps they leave there, the table does what its model does (H4, H11, S1).
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/model.hpp"
#include "core/test_records.hpp"
#include "hdb/table.hpp"
#include "support/scale.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::free_list_gaps_test {
namespace {

struct Policies {
  Storage storage;
  FreeList free_list;
  Generations generations = Generations::per_slot;
};

class FreeListGaps : public testing::TestWithParam<Policies> {
 protected:
  using H = Handle<Unit>;
  static constexpr std::uint64_t kRecords = 1500;

  static TableOptions options() {
    return {.storage = GetParam().storage,
            .free_list = GetParam().free_list,
            .generations = GetParam().generations};
  }
  FreeListGaps()
      : model_({Layout<32, 31>::value, GetParam().storage, GetParam().free_list,
                GetParam().generations}) {
    for (std::uint64_t i = 0; i < kRecords; ++i) insert();
  }

  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  static H handle(ModelTable::Issued issued) {
    return H::from_bits(pack_handle(Layout<32, 31>::value, issued.slot, issued.generation, 0));
  }
  void insert() {
    const std::uint64_t value = random_() % 1000;
    const auto expected = model_.insert(value);
    ASSERT_EQ(table_.insert({value}), handle(*expected));
  }
  void erase() {
    if (model_.size() == 0) return;
    const auto victim = model_.pick(below(model_.size()));
    ASSERT_TRUE(model_.erase(victim));
    ASSERT_TRUE(table_.erase(handle(victim)));
  }
  void erase_most(std::size_t left = 20) {
    while (model_.size() > left && !HasFailure()) erase();
  }
  // Of the free slots, those below `share` of the order of use.
  void take(double share, bool is_revival) {
    const std::vector<std::uint32_t> free = model_.free_list();
    const auto end = static_cast<std::size_t>(static_cast<double>(free.size()) * share);
    if (end == 0) return;
    auto chosen = model_.handle_of(free[below(end)]);
    if (is_revival) {
      ASSERT_EQ(table_.revive(handle(chosen), {7}), model_.revive(chosen, 7));
      return;
    }
    chosen.generation =
        std::max(chosen.generation, model_.counter()) + 1 + static_cast<std::uint32_t>(below(3));
    ASSERT_EQ(table_.insert_as(handle(chosen), Unit{8}), model_.insert_as(chosen, 8));
  }
  static std::vector<std::uint32_t> free_list(const Table<Unit>& table) {
    std::vector<std::uint32_t> slots(static_cast<std::size_t>(table.counters().free_count));
    core_of(table).slots().read_free_list(0, slots);
    return slots;
  }
  void compare() {
    ASSERT_STREQ(table_.check_invariants(), nullptr);
    const std::vector<std::uint32_t> free = model_.free_list();
    ASSERT_EQ(free_list(table_), free);
    const auto next = core_of(table_).slots().next_handles(100);
    for (std::size_t i = 0; i < std::min(next.size(), free.size()); ++i)
      ASSERT_EQ(next[i].slot, free[i]);
    for (const auto& [slot, content] : model_.slots()) {
      if (content.state != ModelTable::State::live) continue;
      const Unit* const record = table_.find(handle({slot, content.last}));
      ASSERT_NE(record, nullptr);
      ASSERT_EQ(record->value, content.value);
    }
  }
  struct Captured {
    FrozenTable table;
    ModelTable model;
  };
  void capture() {
    if (captures_.size() == 4) captures_.erase(captures_.begin());
    captures_.push_back({core_of(table_).freeze(), model_});
  }
  void check(const Captured& captured) {
    const FrozenSlots& slots = captured.table.slots;
    std::vector<std::uint32_t> expected = captured.model.free_list();
    ASSERT_EQ(slots.list_size(), expected.size());
    if (GetParam().free_list == FreeList::lowest) return;
    std::vector<std::uint32_t> list(expected.size());
    slots.read_free_list(0, list);
    ASSERT_EQ(list, expected);
    // The same in pieces, from anywhere.
    for (int i = 0; i < 5 && !expected.empty(); ++i) {
      const std::size_t first = below(expected.size());
      std::vector<std::uint32_t> piece(below(expected.size() - first + 1));
      slots.read_free_list(first, piece);
      const auto from = expected.begin() + static_cast<std::ptrdiff_t>(first);
      ASSERT_EQ(piece,
                std::vector<std::uint32_t>(from, from + static_cast<std::ptrdiff_t>(piece.size())));
    }
  }
  void restore(const Captured& captured) {
    check(captured);
    core_of(table_).thaw(captured.table);
    model_ = captured.model;
    compare();
  }

  std::mt19937_64 random_{20};
  ModelTable model_;
  Table<Unit> table_{options()};
  std::vector<Captured> captures_;
};

INSTANTIATE_TEST_SUITE_P(
    Policies, FreeListGaps,
    testing::Values(
        Policies{Storage::dense, FreeList::lifo}, Policies{Storage::dense, FreeList::fifo},
        Policies{Storage::dense, FreeList::lowest}, Policies{Storage::stable, FreeList::lifo},
        Policies{Storage::stable, FreeList::fifo}, Policies{Storage::stable, FreeList::lowest},
        Policies{Storage::dense, FreeList::lifo, Generations::table_counter},
        Policies{Storage::stable, FreeList::fifo, Generations::table_counter}));

TEST_P(FreeListGaps, AllComeBackInAnyOrder) {  // H4
  erase_most(0);
  for (std::uint64_t i = 0; i < kRecords && !HasFailure(); ++i) {
    take(1.0, i % 3 != 0);
    if (i % 100 == 0) compare();
  }
  ASSERT_EQ(table_.size(), kRecords);
  compare();
  for (int i = 0; i < 10; ++i) insert();
  erase_most(0);
  compare();
}

TEST_P(FreeListGaps, InsertsAndErasesAfterwardsUseTheOthersInTheirOrder) {  // H4, H11
  erase_most();
  for (int i = 0; i < 300; ++i) take(1.0, true);
  compare();
  // First up and down near the end of the list, then until all slots are used, gaps and all.
  for (int i = 0; i < 2000 && !HasFailure(); ++i) {
    i / 7 % 2 == 0 ? insert() : erase();
    if (i % 250 == 0) compare();
  }
  erase_most(900);
  for (int i = 0; i < 200; ++i) take(1.0, false);
  while (table_.counters().free_count != 0 && !HasFailure()) insert();
  compare();
  for (int i = 0; i < 3; ++i) insert();
  erase_most();
  compare();
}

TEST_P(FreeListGaps, ACaptureHoldsTheListWithoutTheGaps) {  // S1
  erase_most();
  for (int i = 0; i < 400; ++i) take(1.0, true);
  capture();
  for (int i = 0; i < 900 && !HasFailure(); ++i) take(1.0, i % 2 == 0);
  capture();
  for (int i = 0; i < 500 && !HasFailure(); ++i) erase();
  for (const Captured& captured : captures_) check(captured);
  for (const std::size_t which : {0u, 1u, 0u}) {
    restore(captures_[which]);
    for (int i = 0; i < 200 && !HasFailure(); ++i) insert();
    for (int i = 0; i < 200 && !HasFailure(); ++i) take(1.0, true);
    compare();
  }
}

TEST_P(FreeListGaps, ClearLoadAndResetForgetThem) {
  erase_most(700);
  for (int i = 0; i < 300; ++i) take(1.0, true);
  table_.clear();
  model_.clear();
  compare();
  for (int i = 0; i < 300; ++i) take(1.0, true);
  // A table that takes over the content goes on with it.
  const auto other = core_of(table_).make_empty();
  other->core().adopt(core_of(table_));
  EXPECT_STREQ(other->core().check_invariants(), nullptr);
  EXPECT_STREQ(table_.check_invariants(), nullptr);
  EXPECT_EQ(table_.size(), 0u);
  core_of(table_).adopt(*other);
  compare();
  for (int i = 0; i < 300; ++i) insert();
  compare();
  for (int i = 0; i < 100; ++i) take(1.0, true);
  table_.reset();
  model_.reset();
  for (int i = 0; i < 100; ++i) insert();
  erase_most();
  compare();
}

TEST_P(FreeListGaps, RandomCallsDoWhatTheModelDoes) {  // H4, H11, S1
  std::size_t steps = 0;
  for (std::size_t round = 0; round < test::scaled(40) && !HasFailure(); ++round) {
    erase_most(100 + below(1000));
    const double share = round % 3 == 0 ? 0.1 : 1.0;
    for (int i = 0; i < 400 && !HasFailure(); ++i, ++steps) {
      const std::size_t dice = below(100);
      if (dice < 15)
        insert();
      else if (dice < 30)
        erase();
      else if (dice < 75)
        take(share, true);
      else if (dice < 92)
        take(share, false);
      else if (dice < 96)
        capture();
      else if (dice < 98 && !captures_.empty())
        restore(captures_[below(captures_.size())]);
      if (i % 50 == 0) compare();
    }
  }
  compare();
  std::printf("cases=%zu failures=%d\n", steps, HasFailure() ? 1 : 0);
}

}  // namespace
}  // namespace hdb::test::free_list_gaps_test
