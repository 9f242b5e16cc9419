// What happens to the slots at an insert and an erase: first everything that may fail, then the
// writing. Included by slots.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hdb/detail/core/slots/slots.hpp"

namespace hdb::detail {

HDB_INLINE std::uint32_t Slots::free_slot(std::uint64_t ahead) const noexcept {
  const std::uint64_t index =
      policy_.free_list == FreeList::fifo ? free_head_ + ahead : counters_.free_count - 1 - ahead;
  return free_list_.as<std::uint32_t>(static_cast<std::size_t>(index));
}

HDB_INLINE Slots::Next Slots::next_of(Storage storage, std::uint64_t slot,
                                      std::uint32_t counter) const noexcept {
  Next next;
  std::uint32_t last = counter;
  if (slot < counters_.slot_count) {
    // The counter of a forked table stands above what slots that were live at the fork remember.
    if (policy_.generations == Generations::per_slot)
      last = std::max(last, *entry(storage, static_cast<std::uint32_t>(slot)) & ~slot_tag::kVacant);
  } else if (slot >= policy_.layout.max_slots()) {
    return {};
  }
  next.slot = static_cast<std::uint32_t>(slot);
  next.generation = generation_after(last);
  return next;
}

HDB_INLINE Slots::Next Slots::next(Storage storage) const noexcept {
  if (is_full()) return {};
  const bool is_listed = counters_.free_count != 0 && !uses_lowest();
  return next_of(storage, is_listed ? free_slot(0) : next_slot(), counters_.counter);
}

HDB_INLINE void Slots::add_slot(Storage storage, std::uint32_t slot) {
  entries_.grow_to(std::size_t{slot} + 1);
  if (uses_lowest()) [[unlikely]]
    add_to_set(slot);
  if (storage == Storage::dense || slot % 64 != 0) return;
  live_bits_.grow_to(std::size_t{slot} / 64 + 1);
  // Bits of slots that are not there mean nothing: a restore may have left some.
  *reinterpret_cast<std::uint64_t*>(live_bits_.edit(slot / 64)) = 0;
}

HDB_INLINE void Slots::prepare_acquire(Storage storage, const Next& next) {
  if (next.slot >= counters_.slot_count) {
    add_slot(storage, next.slot);
  } else if (uses_lowest()) [[unlikely]] {
    prepare_free(next.slot);
  }
  if (storage == Storage::stable) live_bits_.make_private(next.slot / 64);
  entries_.make_private(next.slot);
}

HDB_INLINE void Slots::acquire(Storage storage, const Next& next, std::uint32_t position) noexcept {
  if (next.slot >= counters_.slot_count) {
    bounds_[storage == Storage::stable ? 0 : 1] = ++counters_.slot_count;
  } else if (counters_.free_count == 0 || uses_lowest()) [[unlikely]] {
    leave_free_slots(next.slot);
  } else {
    --counters_.free_count;
    if (policy_.free_list == FreeList::fifo)
      free_head_ = counters_.free_count == 0 ? 0 : free_head_ + 1;
  }
  if (policy_.generations == Generations::table_counter) counters_.counter = next.generation;
  counters_.highest_generation = std::max(counters_.highest_generation, next.generation);
  occupy(storage, next, position);
}

HDB_INLINE void Slots::occupy(Storage storage, const Next& tenant,
                              std::uint32_t position) noexcept {
  ++counters_.live_count;
  auto* const entry = const_cast<std::uint32_t*>(this->entry(storage, tenant.slot));
  entry[0] = tenant.generation;
  if (storage == Storage::stable) {
    set_live_bit(live_bits_.owned_as<std::uint64_t>(tenant.slot / 64), tenant.slot, true);
  } else {
    entry[1] = position;
  }
}

HDB_INLINE void Slots::prepare_release(Storage storage, std::uint32_t slot) {
  if (uses_lowest()) [[unlikely]] {
    prepare_free(slot);
  } else {
    if (free_head_ + counters_.free_count >= free_list_.capacity()) [[unlikely]]
      make_free_room(1);
    free_list_.make_private(static_cast<std::size_t>(free_head_ + counters_.free_count));
  }
  if (storage == Storage::stable) live_bits_.make_private(slot / 64);
  entries_.make_private(slot);
}

HDB_INLINE void Slots::release(Storage storage, std::uint32_t slot) noexcept {
  auto* const entry = const_cast<std::uint32_t*>(this->entry(storage, slot));
  const std::uint32_t generation = entry[0];
  const bool retires =
      generation == retired_after_ ||
      (generation <= counters_.counter && counters_.highest_generation == retired_after_);  // H8
  entry[0] = retires ? slot_tag::kRetired : generation | slot_tag::kVacant;
  if (storage == Storage::stable) {
    set_live_bit(live_bits_.owned_as<std::uint64_t>(slot / 64), slot, false);
  } else {
    entry[1] = 0;
  }
  --counters_.live_count;
  if (retires) {
    ++counters_.retired_count;
    return;
  }
  if (uses_lowest()) [[unlikely]]
    return add_free(slot);
  free_list_.owned_as<std::uint32_t>(static_cast<std::size_t>(free_head_ + counters_.free_count)) =
      slot;
  ++counters_.free_count;
}

}  // namespace hdb::detail
