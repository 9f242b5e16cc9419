// The slot state machine:  (none) -> live -> free -> live ... -> retired.
#include "hdb/core/slots.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "hdb/base/assert.hpp"

namespace hdb {
namespace {

template <class T>
constexpr RecordOps plain_ops(std::size_t count = 1) noexcept {
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

Slots::Slots(std::shared_ptr<PagePool> pool, const TablePolicy& policy, std::size_t page_bytes)
    : entries_(pool, plain_ops<std::uint32_t>(policy.storage == Storage::dense ? 2 : 1),
               page_bytes),
      policy_(policy),
      lookup_(page_bytes != kDefaultPageBytes    ? Lookup::general
              : policy.storage == Storage::dense ? Lookup::dense
                                                 : Lookup::stable),
      max_generation_(policy.layout.max_generation()),
      live_bits_(pool, plain_ops<std::uint64_t>(), page_bytes),
      free_list_(pool, plain_ops<std::uint32_t>(), page_bytes) {
  HDB_REQUIRE(policy.layout.is_known(), "a handle layout of the format");
}

std::uint32_t Slots::generation_after(std::uint32_t last) const noexcept {
  if (last < max_generation_) return last + 1;
  return policy_.overflow == Overflow::wrap ? 1 : 0;
}

std::optional<Slots::Next> Slots::next() const noexcept {
  Next next{};
  std::uint32_t last = counters_.counter;
  if (counters_.free_count != 0) {
    const std::uint64_t index =
        policy_.free_list == FreeList::fifo ? free_head_ : counters_.free_count - 1;
    next.slot = free_list_.as<std::uint32_t>(static_cast<std::size_t>(index));
    // The counter of a forked table stands above what slots that were live at the fork remember.
    if (policy_.generations == Generations::per_slot)
      last = std::max(last, tag(next.slot) & ~slot_tag::kVacant);
  } else {
    if (counters_.slot_count >= policy_.layout.max_slots()) return std::nullopt;
    next.slot = static_cast<std::uint32_t>(counters_.slot_count);
  }
  next.generation = generation_after(last);
  if (next.generation == 0) return std::nullopt;
  return next;
}

void Slots::prepare_acquire(const Next& next) {
  if (next.slot >= counters_.slot_count) {
    entries_.grow_to(std::size_t{next.slot} + 1);
    if (policy_.storage == Storage::stable) {
      const std::size_t words = live_bits_.capacity();
      live_bits_.grow_to(std::size_t{next.slot} / 64 + 1);
      for (std::size_t word = words; word < live_bits_.capacity(); ++word) {
        live_bits_.owned_as<std::uint64_t>(word) = 0;
      }
    }
  }
  static_cast<void>(entries_.edit(next.slot));
  if (policy_.storage == Storage::stable) static_cast<void>(live_bits_.edit(next.slot / 64));
}

void Slots::acquire(const Next& next, std::uint32_t position) noexcept {
  if (next.slot >= counters_.slot_count) {
    bounds_[static_cast<std::size_t>(lookup_)] = ++counters_.slot_count;
  } else {
    --counters_.free_count;
    if (policy_.free_list == FreeList::fifo) {
      ++free_head_;
      if (free_head_ == free_list_.per_page()) {
        free_list_.drop_first_page();
        free_head_ = 0;
      }
      if (counters_.free_count == 0) free_head_ = 0;
    }
  }
  if (policy_.generations == Generations::table_counter) counters_.counter = next.generation;
  counters_.highest_generation = std::max(counters_.highest_generation, next.generation);
  ++counters_.live_count;
  std::uint32_t* const entry = &entries_.owned_as<std::uint32_t>(next.slot);
  entry[0] = next.generation;
  if (policy_.storage == Storage::dense) {
    entry[1] = position;
  } else {
    set_live_bit(next.slot, true);
  }
}

void Slots::prepare_release(std::uint32_t slot) {
  static_cast<void>(entries_.edit(slot));
  if (policy_.storage == Storage::stable) static_cast<void>(live_bits_.edit(slot / 64));
  const auto end = static_cast<std::size_t>(free_head_ + counters_.free_count);
  free_list_.grow_to(end + 1);
  static_cast<void>(free_list_.edit(end));
}

void Slots::release(std::uint32_t slot) noexcept {
  std::uint32_t* const entry = &entries_.owned_as<std::uint32_t>(slot);
  const std::uint32_t generation = entry[0];
  --counters_.live_count;
  if (policy_.storage == Storage::dense) {
    entry[1] = 0;
  } else {
    set_live_bit(slot, false);
  }
  if (policy_.generations == Generations::per_slot && policy_.overflow == Overflow::retire &&
      generation == max_generation_) {
    entry[0] = slot_tag::kRetired;
    ++counters_.retired_count;
    return;
  }
  entry[0] = generation | slot_tag::kVacant;
  push_free(slot);
}

void Slots::push_free(std::uint32_t slot) noexcept {
  free_list_.owned_as<std::uint32_t>(static_cast<std::size_t>(free_head_ + counters_.free_count)) =
      slot;
  ++counters_.free_count;
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
  const auto count = static_cast<std::uint32_t>(counters_.slot_count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t slot = policy_.free_list == FreeList::fifo ? i : count - 1 - i;
    if (slot_tag::is_live(tag(slot))) release(slot);
  }
}

void Slots::set_live_bit(std::uint32_t slot, bool live) noexcept {
  std::uint64_t& word = live_bits_.owned_as<std::uint64_t>(slot / 64);
  const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
  word = live ? word | bit : word & ~bit;
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
  HDB_ASSERT(floor < max_generation_, "a generation is left above the floor");
  counters_.counter = std::max(counters_.counter, floor);
  counters_.highest_generation = std::max(counters_.highest_generation, floor);
}

void Slots::read_free_list(std::uint64_t first, std::span<std::uint32_t> out) const noexcept {
  read_in_order(free_list_, policy_.free_list, free_head_, counters_.free_count, first, out);
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

void Slots::fill_slot(std::uint32_t slot, SlotKind kind, std::uint32_t generation,
                      std::uint32_t position) noexcept {
  std::uint32_t* const entry = &entries_.owned_as<std::uint32_t>(slot);
  if (kind == SlotKind::retired) {
    entry[0] = slot_tag::kRetired;
  } else {
    entry[0] = generation | (kind == SlotKind::live ? 0 : slot_tag::kVacant);
  }
  if (policy_.storage == Storage::dense) {
    entry[1] = position;
  } else if (kind == SlotKind::live) {
    set_live_bit(slot, true);
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
    const SlotKind kind = slot_tag::kind(value);
    live += kind == SlotKind::live;
    retired += kind == SlotKind::retired;
    const std::uint32_t generation = slot_tag::generation(value, policy_.layout);
    if (generation > max_generation_) return "H7: a generation exceeds the layout";
    if (kind != SlotKind::retired && generation > counters_.highest_generation) {
      return "H7: a generation exceeds the highest issued";
    }
    if (kind == SlotKind::live && generation == 0) return "H1: a live slot has generation 0";
    if (policy_.storage == Storage::stable) {
      const bool bit = live_bits_.as<std::uint64_t>(slot / 64) >> (slot % 64) & 1;
      if (bit != (kind == SlotKind::live)) return "H3: a live bit contradicts its slot";
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
    if (slot >= counters_.slot_count || seen[slot] || slot_tag::kind(tag(slot)) != SlotKind::free) {
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

}  // namespace hdb
