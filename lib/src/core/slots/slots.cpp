// The slot state machine:  (none) -> live -> free -> live ... -> retired.
#include "hdb/detail/core/slots/slots.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "hdb/assert.hpp"

namespace hdb::detail {
namespace {

template <class T>
constexpr RecordOps trivial_ops(std::size_t count = 1) noexcept {
  RecordOps ops;
  ops.size_bytes = sizeof(T) * count;
  ops.alignment = alignof(T);
  return ops;
}

// Reads entry `index` of the order of use.
template <class Pages>
void read_in_order(const Pages& list, FreeList order, std::uint64_t head, std::uint64_t size,
                   std::uint64_t first, std::span<std::uint32_t> out) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t index = order == FreeList::fifo ? head + first + i : size - 1 - first - i;
    out[i] = list.template as<std::uint32_t>(static_cast<std::size_t>(index));
  }
}

}  // namespace

void FrozenSlots::read_free_list(std::uint64_t first, std::span<std::uint32_t> out) const noexcept {
  read_in_order(free_list, policy.free_list, free_head, counters.free_count, first, out);
}

Slots::Slots(std::shared_ptr<PagePool> pool, const TablePolicy& policy, std::size_t page_bytes,
             std::uint64_t max_live)
    : entries_(pool, trivial_ops<std::uint32_t>(policy.storage == Storage::dense ? 2 : 1),
               page_bytes),
      policy_(policy),
      lookup_(page_bytes != kDefaultPageBytes    ? Lookup::general
              : policy.storage == Storage::dense ? Lookup::dense
                                                 : Lookup::stable),
      max_generation_(policy.layout.max_generation()),
      retired_after_(policy.generations == Generations::per_slot &&
                             policy.overflow == Overflow::retire
                         ? max_generation_
                         : slot_tag::kRetired),
      max_live_(max_live),
      live_bits_(pool, trivial_ops<std::uint64_t>(), page_bytes),
      free_list_(pool, trivial_ops<std::uint32_t>(), page_bytes) {
  HDB_REQUIRE(policy.layout.is_valid(), "the handle layout has bits that no handle can have");
}

Slots::Places Slots::places_of(std::uint32_t slot) noexcept {
  Places places{};
  places.entry = &entries_.owned_as<std::uint32_t>(slot);
  if (is_stable()) places.live_word = &live_bits_.owned_as<std::uint64_t>(slot / 64);
  return places;
}

// FIFO: free_count is one less already.
void Slots::take_first_free() noexcept {
  ++free_head_;
  if (free_head_ == free_list_.per_page()) {
    free_list_.drop_first_page();
    free_head_ = 0;
  }
  if (counters_.free_count == 0) free_head_ = 0;
}

void Slots::release(std::uint32_t slot) noexcept {
  Places places = places_of(slot);
  places.free_end = &free_list_.owned_as<std::uint32_t>(
      static_cast<std::size_t>(free_head_ + counters_.free_count));
  release<AnySlots>(slot, places);
}

void Slots::acquire(const Next& next, std::uint32_t position) noexcept {
  acquire<AnySlots>(next, position, places_of(next.slot));
}

bool Slots::can_revive(std::uint32_t slot, std::uint32_t generation) const noexcept {
  if (slot >= counters_.slot_count || generation == 0 || generation > max_generation_) return false;
  if (tag(slot) == slot_tag::kRetired) {
    return generation == retired_after_ && counters_.highest_generation == max_generation_;
  }
  return tag(slot) == (generation | slot_tag::kVacant);
}

std::size_t Slots::prepare_revive(std::uint32_t slot) {
  static_cast<void>(edit_entry<AnySlots>(slot));
  if (is_stable()) static_cast<void>(live_bits_.edit(slot / 64));
  // Under both policies the slot freed last stands last.
  const auto end = static_cast<std::size_t>(free_head_ + counters_.free_count);
  std::size_t place = end;
  if (slot_tag::kind(tag(slot)) == SlotState::retired) return place;
  while (free_list_.as<std::uint32_t>(--place) != slot) {  // H4: it is there
  }
  const std::size_t per_page = free_list_.per_page();
  for (std::size_t i = place; i + 1 < end; i = (i / per_page + 1) * per_page) {
    static_cast<void>(free_list_.edit(i));
  }
  return place;
}

void Slots::revive(const Next& tenant, std::uint32_t position, std::size_t free_place) noexcept {
  HDB_ASSERT(can_revive(tenant.slot, tenant.generation), "the slot has held another record since");
  if (slot_tag::kind(tag(tenant.slot)) == SlotState::retired) {
    --counters_.retired_count;
  } else {
    const auto end = static_cast<std::size_t>(free_head_ + counters_.free_count);
    for (std::size_t i = free_place; i + 1 < end; ++i) {
      free_list_.owned_as<std::uint32_t>(i) = free_list_.as<std::uint32_t>(i + 1);
    }
    if (--counters_.free_count == 0) free_head_ = 0;
  }
  occupy<AnySlots>(tenant, position, places_of(tenant.slot));
}

void Slots::prepare_release_all() {
  const auto begin = static_cast<std::size_t>(free_head_ + counters_.free_count);
  const auto end = begin + static_cast<std::size_t>(counters_.live_count);
  free_list_.grow_to(end);
  for (std::size_t i = begin; i < end;
       i = (i / free_list_.per_page() + 1) * free_list_.per_page()) {
    static_cast<void>(free_list_.edit(i));
  }
  for (std::size_t slot = 0; slot < counters_.slot_count; slot += entries_.per_page()) {
    static_cast<void>(entries_.edit(slot));
  }
  for (std::size_t slot = 0; policy_.storage == Storage::stable && slot < counters_.slot_count;
       slot += 64 * live_bits_.per_page()) {
    static_cast<void>(live_bits_.edit(slot / 64));
  }
}

void Slots::release_all() noexcept {
  if (counters_.live_count == counters_.slot_count &&
      (counters_.highest_generation < retired_after_ || counters_.live_count == 0)) {
    return release_full();
  }
  const auto count = static_cast<std::uint32_t>(counters_.slot_count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t slot = policy_.free_list == FreeList::fifo ? i : count - 1 - i;
    if (slot_tag::is_live(tag(slot))) release(slot);
  }
}

// As release_all, where every slot is live and none retires: loops without a branch.
void Slots::release_full() noexcept {
  const auto count = static_cast<std::size_t>(counters_.slot_count);
  // Calls visit(first element, slots before it, slots in it) with each page; an element holds so
  // many slots.
  const auto for_each_page = [count](PagedArray& array, std::size_t slots_each, const auto& visit) {
    const std::size_t slots_per_page = array.per_page() * slots_each;
    for (std::size_t first = 0; first < count; first += slots_per_page) {
      visit(array.owned_at(first / slots_each), static_cast<std::uint32_t>(first),
            static_cast<std::uint32_t>(std::min(slots_per_page, count - first)));
    }
  };
  for_each_page(entries_, 1, [this](std::byte* page, std::uint32_t, std::uint32_t slots) {
    auto* const words = reinterpret_cast<std::uint32_t*>(page);
    if (is_stable()) {
      for (std::uint32_t i = 0; i < slots; ++i) words[i] |= slot_tag::kVacant;
      return;
    }
    // Tags and positions take turns: the mask is all ones for a tag and zero for a position.
    const std::uint32_t end = 2 * slots;
    for (std::uint32_t i = 0; i < end; ++i)
      words[i] = (words[i] | slot_tag::kVacant) & ((i & 1) - 1);
  });
  if (is_stable()) {
    for_each_page(live_bits_, 64, [](std::byte* page, std::uint32_t, std::uint32_t slots) {
      std::fill_n(reinterpret_cast<std::uint64_t*>(page), (slots + 63) / 64, std::uint64_t{0});
    });
  }
  // No slot was free: the list is these alone, and begins where FIFO begins.
  const bool rising = policy_.free_list == FreeList::fifo;
  for_each_page(free_list_, 1, [&](std::byte* page, std::uint32_t first, std::uint32_t slots) {
    auto* const list = reinterpret_cast<std::uint32_t*>(page);
    if (rising) {
      std::iota(list, list + slots, first);
      return;
    }
    const auto highest = static_cast<std::uint32_t>(count - 1 - first);
    for (std::uint32_t i = 0; i < slots; ++i) list[i] = highest - i;
  });
  counters_.free_count = counters_.live_count;
  counters_.live_count = 0;
}

void Slots::reset() noexcept {
  entries_.drop_all();
  live_bits_.drop_all();
  free_list_.drop_all();
  set_counters({});
  free_head_ = 0;
}

void Slots::reserve(std::uint64_t slots) {
  entries_.grow_to(static_cast<std::size_t>(std::min(slots, policy_.layout.max_slots())));
}

void Slots::notify(std::atomic<std::uint8_t>& notice) noexcept {
  entries_.notify(notice);
  live_bits_.notify(notice);
  free_list_.notify(notice);
}

void Slots::set_label(const std::string& label) {
  entries_.set_label("the slots of " + label, "slots");
  live_bits_.set_label("the live bits of " + label, "words");
  free_list_.set_label("the free list of " + label, "entries");
}

void Slots::release_parked() noexcept {
  entries_.release_parked();
  live_bits_.release_parked();
  free_list_.release_parked();
}

void Slots::count_pages(std::vector<PagePool::PageCount>& counts) const {
  entries_.count_pages(counts);
  live_bits_.count_pages(counts);
  free_list_.count_pages(counts);
}

FrozenSlots Slots::freeze() {
  FrozenSlots frozen;
  frozen.policy = policy_;
  frozen.counters = counters_;
  frozen.free_head = free_head_;
  frozen.entries = entries_.freeze();
  frozen.live_bits = live_bits_.freeze();
  frozen.free_list = free_list_.freeze();
  return frozen;
}

void Slots::thaw(const FrozenSlots& frozen) {
  entries_.thaw(frozen.entries);
  live_bits_.thaw(frozen.live_bits);
  free_list_.thaw(frozen.free_list);
  set_counters(frozen.counters);
  free_head_ = frozen.free_head;
}

void Slots::prepare_thaw(const FrozenSlots& frozen) {
  entries_.prepare_thaw(frozen.entries);
  live_bits_.prepare_thaw(frozen.live_bits);
  free_list_.prepare_thaw(frozen.free_list);
}

void Slots::prepare_adopt() {
  entries_.prepare_adopt();
  live_bits_.prepare_adopt();
  free_list_.prepare_adopt();
}

void Slots::adopt(Slots& other) noexcept {
  entries_.adopt(other.entries_);
  live_bits_.adopt(other.live_bits_);
  free_list_.adopt(other.free_list_);
  set_counters(other.counters_);
  other.set_counters({});
  free_head_ = std::exchange(other.free_head_, 0);
}

void Slots::raise_generations(std::uint32_t floor) noexcept {
  HDB_ASSERT(floor < max_generation_, "no generation is left above the floor");
  counters_.counter = std::max(counters_.counter, floor);
  counters_.highest_generation = std::max(counters_.highest_generation, floor);
}

void Slots::read_free_list(std::uint64_t first, std::span<std::uint32_t> out) const noexcept {
  read_in_order(free_list_, policy_.free_list, free_head_, counters_.free_count, first, out);
}

void Slots::read_tags(std::uint32_t first, std::span<std::uint32_t> out) const noexcept {
  const std::size_t words = is_stable() ? 1 : 2;
  while (!out.empty()) {
    const std::size_t in_page = entries_.per_page() - (first & (entries_.per_page() - 1));
    const std::size_t run = std::min(out.size(), in_page);
    const std::uint32_t* const tags = &entries_.as<std::uint32_t>(first);
    for (std::size_t i = 0; i < run; ++i) out[i] = tags[i * words];
    out = out.subspan(run);
    first += static_cast<std::uint32_t>(run);
  }
}

void Slots::begin_fill(const SlotCounters& counters) {
  reset();
  entries_.grow_to(static_cast<std::size_t>(counters.slot_count));
  free_list_.grow_to(static_cast<std::size_t>(counters.free_count));
  if (policy_.storage == Storage::stable) {
    live_bits_.grow_to(static_cast<std::size_t>((counters.slot_count + 63) / 64));
    for (std::size_t word = 0; word < live_bits_.capacity(); ++word) {
      live_bits_.owned_as<std::uint64_t>(word) = 0;
    }
  }
  set_counters(counters);
}

void Slots::fill_slot(std::uint32_t slot, SlotState kind, std::uint32_t generation,
                      std::uint32_t position) noexcept {
  std::uint32_t* const entry = &entries_.owned_as<std::uint32_t>(slot);
  if (kind == SlotState::retired) {
    entry[0] = slot_tag::kRetired;
  } else {
    entry[0] = generation | (kind == SlotState::live ? 0 : slot_tag::kVacant);
  }
  if (policy_.storage == Storage::dense) {
    entry[1] = position;
  } else if (kind == SlotState::live) {
    set_live_bit(live_bits_.owned_as<std::uint64_t>(slot / 64), slot, true);
  }
}

void Slots::fill_free_list(std::span<const std::uint32_t> in_order_of_use) noexcept {
  const std::size_t size = in_order_of_use.size();
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t index = policy_.free_list == FreeList::fifo ? i : size - 1 - i;
    free_list_.owned_as<std::uint32_t>(index) = in_order_of_use[i];
  }
}

const char* Slots::check_invariants() const {
  std::uint64_t live = 0;
  std::uint64_t retired = 0;
  for (std::uint32_t slot = 0; slot < counters_.slot_count; ++slot) {
    const std::uint32_t value = tag(slot);
    const SlotState kind = slot_tag::kind(value);
    live += kind == SlotState::live;
    retired += kind == SlotState::retired;
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
      live + retired + counters_.free_count != counters_.slot_count) {
    return "H6: the counts do not add up";
  }
  std::vector<bool> seen(static_cast<std::size_t>(counters_.slot_count));
  for (std::uint64_t i = 0; i < counters_.free_count; ++i) {
    std::uint32_t slot = 0;
    read_free_list(i, {&slot, 1});
    if (slot >= counters_.slot_count || seen[slot] ||
        slot_tag::kind(tag(slot)) != SlotState::free) {
      return "H4: the free list is not the free slots";
    }
    seen[slot] = true;
  }
  if (bound(Lookup::stable) + bound(Lookup::dense) + bound(Lookup::general) !=
          counters_.slot_count ||
      bound(lookup_) != counters_.slot_count) {
    return "H3: the bounds of lookups are not the number of slots";
  }
  if (counters_.highest_generation > max_generation_ || counters_.counter > max_generation_) {
    return "H7: a counter exceeds the layout";
  }
  return entries_.check() && live_bits_.check() && free_list_.check() ? nullptr
                                                                      : "A1: page ownership";
}

}  // namespace hdb::detail
