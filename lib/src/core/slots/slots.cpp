// The slot state machine:  (none) -> live -> free -> live ... -> retired.
#include "hdb/detail/core/slots/slots.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/slots/frozen_slots.hpp"
#include "core/slots/issued.hpp"
#include "hdb/assert.hpp"
#include "hdb/detail/core/slots/slot_set.hpp"

namespace hdb::detail {

void FrozenSlots::see(const std::shared_ptr<const Moment>& moment, bool is_now) {
  entries.see(moment, is_now);
  live_bits.see(moment, is_now);
  free_list.see(moment, is_now);
}

bool FrozenSlots::is_same_state(const FrozenSlots& other) const noexcept {
  return counters == other.counters && free_head == other.free_head &&
         first_unissued == other.first_unissued && hole_count == other.hole_count &&
         (gaps == nullptr ? 0 : gaps->count) == (other.gaps == nullptr ? 0 : other.gaps->count) &&
         entries.is_same_array(other.entries) && live_bits.is_same_array(other.live_bits) &&
         free_list.is_same_array(other.free_list);
}

void FrozenSlots::read_entries(std::uint64_t first, std::span<SlotEntry> out) const noexcept {
  if (policy.storage == Storage::dense) return entries.read(first, out.size(), out.data());
  PagePin pin(entries);
  for (SlotEntry& entry : out) entry = {pin.as<std::uint32_t>(first++), 0};
}

Slots::Slots(const std::shared_ptr<UndoLog>& log, const TablePolicy& policy, std::uint64_t max_live)
    : entries_(log, trivial_ops<std::uint32_t>(policy.storage == Storage::dense ? 2 : 1)),
      entry_shift_(policy.storage == Storage::dense ? 3 : 2),
      policy_(policy),
      max_generation_(policy.layout.max_generation()),
      retired_after_(policy.generations == Generations::per_slot &&
                             policy.overflow == Overflow::retire
                         ? max_generation_
                         : slot_tag::kRetired),
      max_live_(max_live),
      live_bits_(log, trivial_ops<std::uint64_t>()),
      free_list_(log, policy.free_list == FreeList::lowest ? trivial_ops<std::uint64_t>()
                                                           : trivial_ops<std::uint32_t>()) {
  HDB_REQUIRE(policy.layout.is_valid(), "the handle layout has bits that no handle can have");
}

std::uint64_t Slots::unissued_from(std::uint64_t slot) const noexcept {
  const std::uint64_t count = counters_.slot_count;
  while (slot < count && tag(static_cast<std::uint32_t>(slot)) != slot_tag::kUnissued) ++slot;
  return slot;
}

std::vector<Slots::Next> Slots::next_handles(std::uint64_t count) const {
  std::vector<Next> handles;
  const std::uint64_t room = is_full() ? 0 : max_live_ - counters_.live_count;
  std::uint32_t counter = counters_.counter;
  std::uint64_t slot = 0;   // one past the last one, under FreeList::lowest and of unissued slots
  std::uint64_t entry = 0;  // one past the last one of the list, gaps included
  for (std::uint64_t ahead = 0; ahead < std::min(count, room); ++ahead) {
    if (ahead < counters_.free_count && !uses_lowest()) {
      do slot = listed(entry++);
      while (slot == kGap);
    } else if (ahead < counters_.free_count) {
      slot = *slot_set::first_from(free_list_, slot, counters_.slot_count);
    } else {
      if (ahead == counters_.free_count) {
        slot = counters_.unissued_count() != 0 ? first_unissued_ : counters_.slot_count;
      }
      slot = std::max(slot, unissued_from(slot));
    }
    const Next next = next_of(slot++, counter);
    if (!next) break;
    if (policy_.generations == Generations::table_counter) counter = next.generation;
    handles.push_back(next);
  }
  return handles;
}

bool Slots::can_revive(std::uint32_t slot, std::uint32_t generation) const noexcept {
  if (slot >= counters_.slot_count || generation == 0 || generation > max_generation_) return false;
  return tag(slot) == (generation | slot_tag::kVacant);
}

bool Slots::can_issue(std::uint32_t slot, std::uint32_t generation) const noexcept {
  if (slot >= policy_.layout.max_slots() || generation > max_generation_) return false;
  if (generation <= counters_.counter) return false;  // also generation 0
  if (slot >= counters_.slot_count) return slot < counters_.slot_count + addable_slots();
  const std::uint32_t value = tag(slot);
  if (slot_tag::is_live(value) || value == slot_tag::kRetired) return false;
  return generation > (value & ~slot_tag::kVacant);
}

std::uint64_t Slots::addable_slots() const noexcept {
  if (policy_.is_component) return policy_.layout.max_slots();  // the owner's are its bound
  const std::uint64_t unissued = counters_.unissued_count();
  std::uint64_t count = unissued < kMaxUnissued ? kMaxUnissued - unissued + 1 : 1;
  if (max_live_ < policy_.layout.max_slots()) {
    const std::uint64_t most = max_live_ + counters_.retired_count;
    count = std::min(count, most - std::min(most, counters_.slot_count));
  }
  return count;
}

void Slots::add_unissued(std::uint64_t end) {
  if (end <= counters_.slot_count) return;
  const auto first = static_cast<std::size_t>(counters_.slot_count);
  auto last = static_cast<std::size_t>(end);
  const std::size_t used = std::max(entries_.capacity(), first);
  add_slots(counters_.slot_count, end);
  // No capture holds slots beyond the count, but it may hold the page of the first ones.
  entries_.make_private(first, last);
  if (policy_.is_component && entries_.adds_zeros()) last = std::min(last, used);
  if (is_stable()) {
    std::fill_n(&entries_.owned_as<std::uint32_t>(first), last - first, slot_tag::kUnissued);
  } else {
    std::fill_n(&entries_.owned_as<SlotEntry>(first), last - first,
                SlotEntry{slot_tag::kUnissued, 0});
  }
}

void Slots::follow(const SlotCounters& owner) {
  add_unissued(owner.slot_count);
  counters_.slot_count = owner.slot_count;
  counters_.highest_generation = owner.highest_generation;
}

void Slots::prepare_vacate(std::uint32_t slot) {
  entries_.make_private(slot);
  if (is_stable()) live_bits_.make_private(slot / 64);
}

void Slots::vacate(std::uint32_t slot) noexcept {
  std::uint32_t* const entry = private_entry(slot);
  entry[0] = slot_tag::kUnissued;
  if (is_stable()) {
    set_live_bit(live_bits_.owned_as<std::uint64_t>(slot / 64), slot, false);
  } else {
    entry[1] = 0;
  }
  --counters_.live_count;
  ++changes_;
}

void Slots::prepare_vacate_all() {
  const auto count = static_cast<std::size_t>(counters_.slot_count);
  entries_.make_private(0, count);
  if (is_stable()) live_bits_.make_private(0, (count + 63) / 64);
}

void Slots::prepare_holes(std::uint64_t more) {
  const auto end = static_cast<std::size_t>(hole_count_ + more);
  free_list_.grow_to(end + 1);
  free_list_.make_private(static_cast<std::size_t>(hole_count_), end + 1);
}

void Slots::prepare_release_all() {
  const auto count = static_cast<std::size_t>(counters_.slot_count);
  const std::size_t begin = uses_lowest() ? 0 : list_end();
  const auto end = begin + static_cast<std::size_t>(counters_.live_count);
  if (uses_lowest()) {
    free_list_.make_private(0, slot_set::words_for(counters_.slot_count));
  } else {
    free_list_.grow_to(end);
    free_list_.make_private(begin, end);
  }
  entries_.make_private(0, count);
  if (is_stable()) live_bits_.make_private(0, (count + 63) / 64);
}

void Slots::release_all() noexcept {
  if (counters_.live_count == counters_.slot_count && !uses_lowest() &&
      (counters_.highest_generation < retired_after_ || counters_.live_count == 0)) {
    return release_full();
  }
  const auto count = static_cast<std::uint32_t>(counters_.slot_count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t slot = policy_.free_list == FreeList::lifo ? count - 1 - i : i;
    if (slot_tag::is_live(tag(slot))) release(slot);
  }
}

namespace {

// Calls `each(i)` for i below `count`, in blocks of a fixed length: compilers make vector
// instructions of these also where they optimize little.
template <class Each>
HDB_INLINE void for_each_in_blocks(std::size_t count, const Each& each) noexcept {
  constexpr std::size_t kBlock = 16;
  std::size_t i = 0;
  for (; i + kBlock <= count; i += kBlock) {
    for (std::size_t j = 0; j < kBlock; ++j) each(i + j);
  }
  for (; i < count; ++i) each(i);
}

}  // namespace

// As release_all, where every slot is live and none retires: loops without a branch.
void Slots::release_full() noexcept {
  const auto count = static_cast<std::size_t>(counters_.slot_count);
  if (count == 0) return;
  std::uint32_t* const words = private_entry(0);
  if (is_stable()) {
    for_each_in_blocks(count, [words](std::size_t i) { words[i] |= slot_tag::kVacant; });
    std::fill_n(&live_bits_.owned_as<std::uint64_t>(0), (count + 63) / 64, std::uint64_t{0});
  } else {
    // Tags and positions take turns: the mask is all ones for a tag and zero for a position.
    for_each_in_blocks(2 * count, [words](std::size_t i) {
      words[i] = (words[i] | slot_tag::kVacant) & (static_cast<std::uint32_t>(i & 1) - 1);
    });
  }
  // No slot was free: the list is these alone, and begins where FIFO begins.
  auto* const list = &free_list_.owned_as<std::uint32_t>(0);
  if (policy_.free_list == FreeList::fifo) {
    for_each_in_blocks(count, [list](std::size_t i) { list[i] = static_cast<std::uint32_t>(i); });
  } else {
    const auto last = static_cast<std::uint32_t>(count - 1);
    for_each_in_blocks(
        count, [list, last](std::size_t i) { list[i] = last - static_cast<std::uint32_t>(i); });
  }
  counters_.free_count = counters_.live_count;
  counters_.live_count = 0;
  ++changes_;
}

void Slots::prepare_reset() {
  entries_.prepare_drop();
  live_bits_.prepare_drop();
  free_list_.prepare_drop();
}

void Slots::reset() noexcept {
  entries_.drop_all();
  live_bits_.drop_all();
  free_list_.drop_all();
  counters_ = {};
  free_head_ = 0;
  gap_count_ = 0;
  places_.forget();
  first_unissued_ = 0;
  hole_count_ = 0;
  ++changes_;
}

void Slots::reserve(std::uint64_t slots) {
  entries_.grow_to(static_cast<std::size_t>(std::min(slots, policy_.layout.max_slots())));
}

void Slots::set_label(const std::string& label) {
  entries_.set_label("the slots of " + label, "slots");
  live_bits_.set_label("the live bits of " + label, "words");
  free_list_.set_label("the free list of " + label, "entries");
}

FrozenSlots Slots::freeze(const std::shared_ptr<const Moment>& moment) {
  FrozenSlots frozen;
  frozen.policy = policy_;
  frozen.counters = counters_;
  frozen.free_head = free_head_;
  frozen.first_unissued = first_unissued_;
  frozen.hole_count = hole_count_;
  frozen.gaps = freeze_gaps();
  frozen.entries = entries_.freeze(moment);
  frozen.live_bits = live_bits_.freeze(moment);
  frozen.free_list = free_list_.freeze(moment);
  return frozen;
}

void Slots::prepare_thaw(const FrozenSlots& frozen) {
  entries_.prepare_thaw(frozen.entries);
  live_bits_.prepare_thaw(frozen.live_bits);
  free_list_.prepare_thaw(frozen.free_list);
}

void Slots::commit_thaw(const FrozenSlots& frozen) noexcept {
  entries_.commit_thaw();
  live_bits_.commit_thaw();
  free_list_.commit_thaw();
  counters_ = frozen.counters;
  free_head_ = frozen.free_head;
  first_unissued_ = frozen.first_unissued;
  hole_count_ = frozen.hole_count;
  gap_count_ = frozen.gaps == nullptr ? 0 : frozen.gaps->count;
  ++changes_;
}

void Slots::adopt(Slots& other) noexcept {
  entries_.adopt(other.entries_);
  live_bits_.adopt(other.live_bits_);
  free_list_.adopt(other.free_list_);
  counters_ = std::exchange(other.counters_, {});
  free_head_ = std::exchange(other.free_head_, 0);
  first_unissued_ = std::exchange(other.first_unissued_, 0);
  hole_count_ = std::exchange(other.hole_count_, 0);
  gap_count_ = std::exchange(other.gap_count_, 0);
  places_.forget();
  ++changes_;
}

void Slots::raise_generations(std::uint32_t floor) noexcept {
  HDB_ASSERT(floor < max_generation_, "no generation is left above the floor");
  counters_.counter = std::max(counters_.counter, floor);
  counters_.highest_generation = std::max(counters_.highest_generation, floor);
}

void Slots::begin_fill(const SlotCounters& counters, std::uint64_t holes) {
  prepare_reset();
  reset();
  entries_.grow_to(static_cast<std::size_t>(counters.slot_count));
  if (uses_lowest()) {
    slot_set::add_slots(free_list_, 0, counters.slot_count);
  } else {
    free_list_.grow_to(static_cast<std::size_t>(counters.free_count + holes));
  }
  hole_count_ = holes;
  if (is_stable() && counters.slot_count != 0) {
    live_bits_.grow_to(static_cast<std::size_t>((counters.slot_count + 63) / 64));
    std::fill_n(&live_bits_.owned_as<std::uint64_t>(0), (counters.slot_count + 63) / 64,
                std::uint64_t{0});
  }
  counters_ = counters;
}

void Slots::fill_slots(std::uint32_t first, std::span<const std::uint8_t> states,
                       std::span<const std::uint32_t> generations,
                       std::span<const std::uint32_t> positions) noexcept {
  const bool is_dense = policy_.storage == Storage::dense;
  std::size_t live = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto slot = static_cast<std::uint32_t>(first + i);
    const SlotState kind{states[i]};
    std::uint32_t* const entry = private_entry(slot);
    if (kind == SlotState::retired) {
      entry[0] = slot_tag::kRetired;
    } else {
      entry[0] = generations[i] | (kind == SlotState::live ? 0 : slot_tag::kVacant);
    }
    if (is_dense) {
      entry[1] = kind == SlotState::live ? positions[live++] : 0;
    } else if (kind == SlotState::live) {
      set_live_bit(live_bits_.owned_as<std::uint64_t>(slot / 64), slot, true);
    }
  }
}

void Slots::fill_set() noexcept {
  for (std::uint32_t slot = 0; slot < counters_.slot_count; ++slot) {
    if (slot_tag::kind(tag(slot)) == SlotState::free) slot_set::insert(free_list_, slot);
  }
}

void Slots::fill_free_list(std::span<const std::uint32_t> in_order_of_use) noexcept {
  if (!policy_.is_component && counters_.unissued_count() != 0) first_unissued_ = unissued_from(0);
  if (uses_lowest()) return fill_set();
  const std::size_t size = in_order_of_use.size();
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t index = policy_.free_list == FreeList::fifo ? i : size - 1 - i;
    free_list_.owned_as<std::uint32_t>(index) = in_order_of_use[i];
  }
}

const char* Slots::check_invariants() const {
  std::uint64_t live = 0;
  std::uint64_t retired = 0;
  std::uint64_t unissued = 0;
  for (std::uint32_t slot = 0; slot < counters_.slot_count; ++slot) {
    const std::uint32_t value = tag(slot);
    const SlotState kind = slot_tag::kind(value);
    live += kind == SlotState::live;
    retired += kind == SlotState::retired;
    unissued += kind == SlotState::unissued;
    const std::uint32_t generation = slot_tag::generation(value, policy_.layout);
    if (generation > max_generation_) return "H7: a generation exceeds the layout";
    if (kind != SlotState::retired && generation > counters_.highest_generation) {
      return "H7: a generation exceeds the highest issued";
    }
    if (kind == SlotState::live && generation == 0) return "H1: a live slot has generation 0";
    if (policy_.storage == Storage::stable) {
      const bool bit = live_bits_.as<std::uint64_t>(slot / 64) >> (slot % 64) & 1;
      if (bit != (kind == SlotState::live)) return "H3: a live bit contradicts its slot";
    }
  }
  if (live != counters_.live_count || retired != counters_.retired_count ||
      live + retired + unissued + counters_.free_count != counters_.slot_count) {
    return "H6: the counts do not add up";
  }
  if (policy_.is_component) {
    if (retired + counters_.free_count + counters_.counter + first_unissued_ != 0)
      return "H9: a slot of a component table is neither live nor unissued";
  } else if (unissued != 0 && first_unissued_ != unissued_from(0)) {
    return "H6: the first unissued slot is another one";
  }
  if (const char* const broken = check_free_list()) return broken;
  if (counters_.highest_generation > max_generation_ || counters_.counter > max_generation_) {
    return "H7: a counter exceeds the layout";
  }
  if (policy_.generations == Generations::table_counter &&
      counters_.counter > counters_.highest_generation) {
    return "H7: the table counter exceeds the highest issued";
  }
  return entries_.check() && live_bits_.check() && free_list_.check()
             ? nullptr
             : "A1: what an array knows of its memory";
}

}  // namespace hdb::detail
