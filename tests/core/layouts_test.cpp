// Layouts of any widths: slots of random layouts against the model, and tables of the shortest and
// longest parts.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/model.hpp"
#include "core/test_records.hpp"
#include "hdb/detail/core/tables/ref_counts.hpp"
#include "hdb/sidecar.hpp"
#include "hdb/table.hpp"
#include "hdb/translate_handle.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::layouts_test {
namespace {

using Random = std::mt19937_64;

std::uint8_t between(Random& random, unsigned low, unsigned high) {
  return static_cast<std::uint8_t>(low + random() % (high - low + 1));
}

// Short parts more often than chance would have it: their limits are reached.
HandleLayout random_layout(Random& random) {
  const bool is_short = random() % 2 == 0;
  HandleLayout layout;
  layout.generation_bits = between(random, 1, is_short ? 4 : 31);
  layout.type_bits = between(random, 0, is_short ? 2 : 16);
  layout.index_bits =
      between(random, 1, is_short ? 6 : 64u - layout.generation_bits - layout.type_bits);
  return layout;
}

// One table's slots beside the model.
class Pair {
 public:
  Pair(const TablePolicy& policy, Random& random)
      : policy_(policy),
        random_(random),
        model_(policy),
        slots_(std::make_shared<UndoLog>(std::make_shared<PagePool>()), policy) {}

  void run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFatalFailure(); ++step) {
      if (random_() % 5 < (step / 100 % 2 == 0 ? 3u : 2u)) {
        insert();
      } else {
        erase();
      }
    }
    compare();
  }
  [[nodiscard]] const ModelTable& model() const { return model_; }

 private:
  void insert() {
    const auto expected = model_.insert(0);
    const auto next = slots_.next();
    ASSERT_EQ(bool{next}, expected.has_value());
    if (!next) return;
    ASSERT_EQ(next.slot, expected->slot);
    ASSERT_EQ(next.generation, expected->generation);
    slots_.prepare_acquire(next);
    slots_.acquire(next, static_cast<std::uint32_t>(slots_.counters().live_count));
    // The handle's bits lead back to the record, and hold no more than the layout's.
    const std::uint64_t bits = pack_handle(policy_.layout, next.slot, next.generation, 1);
    const auto parts = split_handle(policy_.layout, bits);
    ASSERT_TRUE(parts.has_value());
    ASSERT_TRUE(slots_.matches(parts->index, parts->generation));
    ASSERT_TRUE(policy_.layout.byte_size() == 8 || bits >> 8 * policy_.layout.byte_size() == 0);
  }
  void erase() {
    if (model_.size() == 0) return;
    const auto victim = model_.pick(static_cast<std::size_t>(random_() % model_.size()));
    ASSERT_TRUE(slots_.matches(victim.slot, victim.generation));
    ASSERT_TRUE(model_.erase(victim));
    slots_.prepare_release(victim.slot);
    slots_.release(victim.slot);
    ASSERT_FALSE(slots_.matches(victim.slot, victim.generation));
  }
  void compare() {
    ASSERT_EQ(slots_.check_invariants(), nullptr);
    ASSERT_EQ(slots_.counters().retired_count, model_.count(ModelTable::State::retired));
    ASSERT_EQ(slots_.counters().highest_generation, model_.highest());
    std::vector<std::uint32_t> list(static_cast<std::size_t>(slots_.counters().free_count));
    slots_.read_free_list(0, list);
    ASSERT_EQ(list, model_.free_list());
  }

  TablePolicy policy_;
  Random& random_;
  ModelTable model_;
  Slots slots_;
};

TEST(Layouts, SlotsOfRandomLayoutsDoWhatTheModelDoes) {
  Random random(2026);
  std::size_t retired = 0;
  std::size_t full = 0;
  constexpr int kCases = 2000;
  for (int i = 0; i < kCases; ++i) {
    TablePolicy policy;
    policy.layout = random_layout(random);
    ASSERT_TRUE(policy.layout.is_valid());
    policy.storage = random() % 2 == 0 ? Storage::dense : Storage::stable;
    policy.free_list = random() % 2 == 0 ? FreeList::lifo : FreeList::fifo;
    policy.generations = random() % 2 == 0 ? Generations::per_slot : Generations::table_counter;
    policy.overflow = random() % 2 == 0 ? Overflow::retire : Overflow::wrap;
    SCOPED_TRACE(testing::Message()
                 << int{policy.layout.index_bits} << ',' << int{policy.layout.generation_bits}
                 << ',' << int{policy.layout.type_bits} << " case " << i);
    Pair pair(policy, random);
    pair.run(300);
    ASSERT_FALSE(HasFailure());
    retired += pair.model().count(ModelTable::State::retired);
    full += pair.model().slots().size() == policy.layout.max_slots() ? 1 : 0;
  }
  std::printf("layouts: cases=%d (retired slots %zu, with every index used %zu)\n", kCases, retired,
              full);
  EXPECT_GT(retired, 1000u);
  EXPECT_GT(full, 100u);
}

// With one bit of generation a slot retires after one tenant, with two after three.
TEST(Layouts, ASlotOfFewGenerationsRetiresAfterItsLastTenant) {
  const auto tenants = [](auto& table) {
    std::size_t count = 0;
    while (const auto handle = table.insert(Unit{count})) {
      EXPECT_TRUE(table.erase(handle));
      EXPECT_FALSE(table.contains(handle));
      ++count;
    }
    EXPECT_EQ(table.check_invariants(), nullptr);
    return count;
  };
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit, Layout<4, 1>> once({.storage = storage});
    EXPECT_EQ(tenants(once), 16u);
    Table<Unit, Layout<4, 2>> thrice({.storage = storage});
    EXPECT_EQ(tenants(thrice), 48u);
    EXPECT_EQ(detail::core_of(thrice).counters().retired_count, 16u);
  }
}

TEST(Layouts, OneGenerationThatWrapsNamesWhateverLivesInTheSlot) {
  Table<Unit, Layout<4, 1>> table({.overflow = Overflow::wrap});
  const auto old = table.insert(Unit{1});
  table.erase(old);
  EXPECT_FALSE(table.contains(old));
  EXPECT_EQ(table.insert(Unit{2}), old);
}

// The table has slot 0; indexes that differ from 0 only above bit 31 are other indexes.
TEST(Layouts, AnIndexBeyond32BitsIsForeign) {
  using L = Layout<40, 23>;
  using H = Handle<Unit, L>;
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Table<Unit, L> table({.storage = storage});
    const H issued = table.insert(Unit{1});
    const H far = H::from_bits(issued.bits() | std::uint64_t{1} << 32);
    EXPECT_EQ(far.index(), std::uint64_t{1} << 32);
    EXPECT_EQ(far.generation(), issued.generation());
    EXPECT_FALSE(table.contains(far));
    EXPECT_EQ(table.find(far), nullptr);
    EXPECT_EQ(table.edit(far), nullptr);
    EXPECT_FALSE(table.erase(far));
    Sidecar<int, Table<Unit, L>> values(table);
    ASSERT_NE(values.set(issued, 7), nullptr);
    EXPECT_EQ(values.set(far, 8), nullptr);
    EXPECT_EQ(values.find(far), nullptr);
    const Unit* out[2] = {};
    EXPECT_EQ(table.find_batch(std::vector<H>{far, issued}, out), 1u);
    EXPECT_EQ(out[0], nullptr);
    ASSERT_TRUE(table.erase(issued));
    EXPECT_FALSE(table.revive(far, Unit{1}));
    EXPECT_TRUE(table.revive(issued, Unit{1}));
  }
  auto* const counts = new RefCounts(nullptr);
  counts->add(0, 1);
  EXPECT_EQ(counts->count(std::uint64_t{1} << 32, 1), 0u);
  EXPECT_FALSE(counts->release(std::uint64_t{1} << 32, 1));
  EXPECT_TRUE(counts->release(0, 1));
  counts->drop_if_unused();
}

}  // namespace
}  // namespace hdb::test::layouts_test
