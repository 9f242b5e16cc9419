// Slots: the order of the free list, generations, retirement, wrapping, and generations after a
// fork.
#include "hdb/detail/core/slots/slots.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/arrays/page_pool.hpp"
#include "core/arrays/undo_log.hpp"
#include "core/slots/issued.hpp"
#include "support/fill_slot.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using testing::ElementsAre;

class SlotsTest : public testing::Test {
 protected:
  std::unique_ptr<Slots> make(TablePolicy policy) { return std::make_unique<Slots>(log_, policy); }
  static std::optional<Slots::Next> acquire(Slots& slots) {
    const auto next = slots.next();
    if (!next) return std::nullopt;
    slots.prepare_acquire(next);
    slots.acquire(next, static_cast<std::uint32_t>(slots.counters().live_count));
    return next;
  }
  static std::uint32_t acquire_slot(Slots& slots) { return acquire(slots).value().slot; }
  static void release(Slots& slots, std::uint32_t slot) {
    slots.prepare_release(slot);
    slots.release(slot);
  }
  static std::vector<std::uint32_t> free_list(const Slots& slots) {
    std::vector<std::uint32_t> list(static_cast<std::size_t>(slots.counters().free_count));
    slots.read_free_list(0, list);
    return list;
  }
  // A table of one slot, live, in its last generation.
  std::unique_ptr<Slots> make_at_last_generation(TablePolicy policy) {
    auto slots = make(policy);
    SlotCounters counters;
    counters.slot_count = 1;
    counters.live_count = 1;
    counters.highest_generation = policy.layout.max_generation();
    if (policy.generations == Generations::table_counter)
      counters.counter = counters.highest_generation;
    slots->begin_fill(counters);
    fill_slot(*slots, 0, SlotState::live, counters.highest_generation);
    EXPECT_EQ(slots->check_invariants(), nullptr);
    return slots;
  }

  std::shared_ptr<PagePool> pool_ = std::make_shared<PagePool>();
  std::shared_ptr<UndoLog> log_ = std::make_shared<UndoLog>(pool_);
};

constexpr HandleLayout kLayouts[] = {{32, 31, 0}, {16, 16, 0}, {20, 12, 0}, {32, 16, 15},
                                     {10, 6, 0},  {24, 8, 0},  {40, 23, 0}, {20, 31, 0},
                                     {8, 2, 0},   {8, 1, 0},   {1, 1, 0},   {32, 16, 16}};

TEST_F(SlotsTest, LifoUsesTheSlotFreedLastFirst) {  // H4
  const auto slots = make({.free_list = FreeList::lifo});
  for (int i = 0; i < 5; ++i) acquire(*slots);
  for (const std::uint32_t slot : {1u, 3u, 0u}) release(*slots, slot);
  EXPECT_THAT(free_list(*slots), ElementsAre(0, 3, 1));
  EXPECT_EQ(acquire_slot(*slots), 0u);
  EXPECT_EQ(acquire_slot(*slots), 3u);
  EXPECT_EQ(acquire_slot(*slots), 1u);
  EXPECT_EQ(acquire_slot(*slots), 5u);
}

TEST_F(SlotsTest, WhenAllAreReleasedTheLowestIsUsedFirst) {  // H4
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    for (const FreeList free_list_policy : {FreeList::lifo, FreeList::fifo, FreeList::lowest}) {
      for (std::uint32_t count = 0; count < 70; ++count) {
        const auto slots = make({.storage = storage, .free_list = free_list_policy});
        for (std::uint32_t i = 0; i < count; ++i) acquire(*slots);
        slots->prepare_release_all();
        slots->release_all();
        ASSERT_STREQ(slots->check_invariants(), nullptr);
        ASSERT_EQ(slots->counters().free_count, count);
        const std::vector<std::uint32_t> list = free_list(*slots);
        for (std::uint32_t slot = 0; slot < count; ++slot) {
          ASSERT_EQ(list[slot], slot);
          ASSERT_EQ(slots->tag(slot), 1 | slot_tag::kVacant);
          if (storage == Storage::dense) {
            ASSERT_EQ(slots->position(slot), 0u);
          }
        }
      }
    }
  }
}

TEST_F(SlotsTest, FifoUsesTheSlotFreedFirstFirst) {  // H4
  const auto slots = make({.free_list = FreeList::fifo});
  for (int i = 0; i < 5; ++i) acquire(*slots);
  for (const std::uint32_t slot : {1u, 3u, 0u}) release(*slots, slot);
  EXPECT_THAT(free_list(*slots), ElementsAre(1, 3, 0));
  EXPECT_EQ(acquire_slot(*slots), 1u);
  release(*slots, 4);
  EXPECT_EQ(acquire_slot(*slots), 3u);
  EXPECT_EQ(acquire_slot(*slots), 0u);
  EXPECT_EQ(acquire_slot(*slots), 4u);
}

TEST_F(SlotsTest, FifoQueueRunsThroughManyPagesWithoutGrowing) {  // H4
  const auto slots = make({.free_list = FreeList::fifo});
  for (int i = 0; i < 40; ++i) acquire(*slots);
  for (std::uint32_t slot = 0; slot < 20; ++slot) release(*slots, slot);
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    if (i == 100) bytes = pool_->memory_bytes();
    EXPECT_EQ(acquire_slot(*slots), i % 40);
    release(*slots, (i + 20) % 40);
    ASSERT_EQ(slots->check_invariants(), nullptr) << i;
  }
  EXPECT_EQ(pool_->memory_bytes(), bytes);
}

TEST_F(SlotsTest, ReleaseAllOrdersTheLowestSlotFirst) {
  for (const FreeList order : {FreeList::lifo, FreeList::fifo}) {
    const auto slots = make({.free_list = order});
    for (int i = 0; i < 5; ++i) acquire(*slots);
    release(*slots, 1);
    slots->prepare_release_all();
    slots->release_all();
    if (order == FreeList::lifo) {
      EXPECT_THAT(free_list(*slots), ElementsAre(0, 2, 3, 4, 1));
    } else {
      EXPECT_THAT(free_list(*slots), ElementsAre(1, 0, 2, 3, 4));
    }
    EXPECT_EQ(slots->check_invariants(), nullptr);
  }
}

TEST_F(SlotsTest, GenerationsPerSlotCountTheTenantsOfEachSlot) {
  const auto slots = make({.generations = Generations::per_slot});
  acquire(*slots);
  for (std::uint32_t generation = 2; generation < 10; ++generation) {
    release(*slots, 0);
    EXPECT_EQ(acquire(*slots)->generation, generation);
  }
  EXPECT_EQ(acquire(*slots)->generation, 1u) << "another slot starts at 1";
  EXPECT_EQ(slots->counters().highest_generation, 9u);
  EXPECT_EQ(slots->counters().counter, 0u);
}

TEST_F(SlotsTest, GenerationsOfATableCounterAreUniqueInTheTable) {
  const auto slots = make({.generations = Generations::table_counter});
  for (std::uint32_t i = 1; i < 10; ++i) EXPECT_EQ(acquire(*slots)->generation, i);
  release(*slots, 4);
  EXPECT_EQ(acquire(*slots)->generation, 10u);
  EXPECT_EQ(slots->counters().counter, 10u);
}

TEST_F(SlotsTest, RetireNeverUsesASlotAgainAfterItsLastGeneration) {  // H2
  for (const HandleLayout& layout : kLayouts) {
    for (const Storage storage : {Storage::dense, Storage::stable}) {
      const auto slots = make_at_last_generation({.layout = layout, .storage = storage});
      const std::uint32_t last = layout.max_generation();
      EXPECT_TRUE(slots->matches(0, last));
      release(*slots, 0);
      EXPECT_EQ(slots->counters().retired_count, 1u);
      EXPECT_EQ(slots->counters().free_count, 0u);
      for (const std::uint32_t generation : {0u, 1u, last - 1, last, 0x7fffffffu, 0xffffffffu}) {
        EXPECT_FALSE(slots->matches(0, generation)) << generation;  // H3
      }
      EXPECT_EQ(acquire_slot(*slots), 1u);
      EXPECT_EQ(slots->check_invariants(), nullptr);
    }
  }
}

TEST_F(SlotsTest, WrapGoesOnWithGenerationOne) {  // H1: never 0
  for (const HandleLayout& layout : kLayouts) {
    const auto slots = make_at_last_generation({.layout = layout, .overflow = Overflow::wrap});
    release(*slots, 0);
    const auto next = acquire(*slots);
    EXPECT_EQ(next->slot, 0u);
    EXPECT_EQ(next->generation, 1u);
    EXPECT_EQ(slots->counters().highest_generation, layout.max_generation());
    EXPECT_EQ(slots->check_invariants(), nullptr);
  }
}

TEST_F(SlotsTest, ATableCounterAtItsEndIsFullUnderRetireAndWrapsElse) {
  for (const HandleLayout& layout : kLayouts) {
    TablePolicy policy{.layout = layout, .generations = Generations::table_counter};
    const auto full = make_at_last_generation(policy);
    EXPECT_FALSE(full->next());
    release(*full, 0);
    EXPECT_EQ(full->counters().free_count, 1u);
    EXPECT_FALSE(full->next()) << "a free slot, but no generation for it";

    policy.overflow = Overflow::wrap;
    const auto wrapping = make_at_last_generation(policy);
    EXPECT_EQ(acquire(*wrapping)->generation, 1u);
    EXPECT_EQ(wrapping->counters().counter, 1u);
    EXPECT_EQ(wrapping->check_invariants(), nullptr);
  }
}

TEST_F(SlotsTest, ATableIsFullWhenEveryIndexIsUsed) {
  const auto slots = make({.layout = {16, 16, 0}});
  for (std::uint32_t i = 0; i < 65536; ++i) ASSERT_EQ(acquire_slot(*slots), i);
  EXPECT_FALSE(slots->next());
  release(*slots, 777);
  EXPECT_EQ(acquire_slot(*slots), 777u);
  EXPECT_FALSE(slots->next());
}

// Fork: slots free, live and not yet made all issue generations above the floor from now on.
TEST_F(SlotsTest, AfterAForkEveryNewGenerationIsAboveTheFloor) {
  for (const Generations generations : {Generations::per_slot, Generations::table_counter}) {
    const auto slots = make({.generations = generations});
    for (int i = 0; i < 6; ++i) acquire(*slots);
    release(*slots, 2);
    slots->raise_generations(100);
    for (const std::uint32_t slot : {0u, 1u, 3u}) release(*slots, slot);  // live at the fork
    for (int i = 0; i < 10; ++i) EXPECT_GT(acquire(*slots)->generation, 100u);
    EXPECT_TRUE(slots->matches(4, 5) || slots->matches(4, 1))
        << "records that were live keep their handles";
    EXPECT_EQ(slots->check_invariants(), nullptr);
  }
}

// Another timeline used slot 0 (live at the fork) to the end, slot 1 (free at the fork) far, and
// slot 2 (unknown here) to the end.
TEST_F(SlotsTest, AForkRetiresTheSlotsThatAnotherTimelineUsedUpAndNoOthers) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    for (const FreeList order : {FreeList::lifo, FreeList::fifo}) {
      const TablePolicy policy{.layout = {20, 12, 0}, .storage = storage, .free_list = order};
      const auto other = make(policy);
      for (int i = 0; i < 3; ++i) acquire(*other);
      const auto use = [&](std::uint32_t slot, std::uint32_t last) {
        release(*other, slot);
        while (slot_tag::generation(other->tag(slot), other->policy().layout) < last) {
          acquire(*other);
          if (slot_tag::is_live(other->tag(slot))) release(*other, slot);
        }
      };
      use(1, 3000);
      acquire(*other);
      use(0, 4095);
      use(2, 4095);
      Issued issued;
      issued.note(*other);
      EXPECT_EQ(issued.by_slot().size(), 3u);

      const auto slots = make(policy);
      acquire(*slots);
      acquire(*slots);
      release(*slots, 1);
      slots->rise_above(issued);
      EXPECT_EQ(slots->check_invariants(), nullptr);
      EXPECT_TRUE(slots->matches(0, 1)) << "the live record keeps its handle";
      EXPECT_EQ(slots->counters().slot_count, 3u);
      EXPECT_EQ(slots->counters().retired_count, 1u) << "slot 2";
      const auto again = acquire(*slots);
      EXPECT_EQ(again->slot, 1u);
      EXPECT_EQ(again->generation, 3003u) << "3002 was passed over: nobody has it";
      release(*slots, 0);
      EXPECT_EQ(slots->counters().retired_count, 2u) << "H8";
      EXPECT_FALSE(slots->can_revive(0, 1));
      const auto next = acquire(*slots);
      EXPECT_EQ(next->slot, 3u);
      EXPECT_EQ(next->generation, 2u) << "all generations are left";
      release(*slots, 3);
      EXPECT_EQ(slots->counters().free_count, 1u);
      EXPECT_EQ(slots->check_invariants(), nullptr);
    }
  }
}

// What a slot remembers after a fork was nobody's then, but another timeline may issue it later.
TEST_F(SlotsTest, AForkOfAForkPassesOverWhatOthersIssuedMeanwhile) {
  const TablePolicy policy{.layout = {20, 12, 0}};
  const auto used_until = [&](std::uint32_t last) {
    auto slots = make(policy);
    while (!slots->can_revive(0, last)) release(*slots, acquire(*slots)->slot);
    return slots;
  };
  const auto issued_by = [](const Slots& slots) {
    Issued issued;
    issued.note(slots);
    return issued;
  };
  auto slots = used_until(3000);
  slots->rise_above(issued_by(*used_until(3500)));
  EXPECT_TRUE(slots->can_revive(0, 3501)) << "which nobody was given";
  slots->rise_above(issued_by(*used_until(3501)));
  EXPECT_FALSE(slots->can_revive(0, 3501));
  EXPECT_EQ(acquire(*slots)->generation, 3503u);
}

TEST_F(SlotsTest, StoredStateIsFilledInAndContinues) {  // S1
  for (const FreeList order : {FreeList::lifo, FreeList::fifo}) {
    const auto slots = make({.storage = Storage::stable, .free_list = order});
    for (int i = 0; i < 100; ++i) acquire(*slots);
    for (const std::uint32_t slot : {60u, 5u, 99u, 17u}) release(*slots, slot);

    const auto copy = make({.storage = Storage::stable, .free_list = order});
    copy->begin_fill(slots->counters());
    for (std::uint32_t slot = 0; slot < 100; ++slot) {
      const std::uint32_t tag = slots->tag(slot);
      fill_slot(*copy, slot, slot_tag::kind(tag),
                slot_tag::generation(tag, slots->policy().layout));
    }
    copy->fill_free_list(free_list(*slots));
    EXPECT_EQ(copy->check_invariants(), nullptr);
    for (int i = 0; i < 10; ++i) {
      const auto a = acquire(*slots);
      const auto b = acquire(*copy);
      EXPECT_EQ(a->slot, b->slot);
      EXPECT_EQ(a->generation, b->generation);
    }
    EXPECT_EQ(slots->counters(), copy->counters());
  }
}

}  // namespace
}  // namespace hdb
