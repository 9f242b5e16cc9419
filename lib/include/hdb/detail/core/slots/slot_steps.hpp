// What happens to the slots at an insert and an erase for which nothing must be prepared. Included
// by slots.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/slots/slots.hpp"

namespace hdb::detail {

HDB_INLINE Slots::Next Slots::next_ready(Storage storage) const noexcept {
  if (is_full()) return {};
  std::uint32_t slot = 0;
  std::uint32_t last = counters_.counter;
  if (counters_.free_count != 0) [[likely]] {
    slot = next_free(0);
    // The counter of a forked table stands above what slots that were live at the fork remember.
    last = std::max(last, *entry(storage, slot) & ~slot_tag::kVacant);
  } else {
    slot = static_cast<std::uint32_t>(counters_.slot_count);
    if (slot >= entries_.capacity() || slot >= policy_.layout.max_slots() ||
        counters_.unissued_count() != 0 || (storage == Storage::stable && slot % 64 == 0)) {
      return {};
    }
  }
  if (last >= max_generation_) return {};
  return {slot, last + 1};
}

// Each step comes before its callers, or g++ for Windows would import it from a DLL.
HDB_INLINE void Slots::occupy(Storage storage, const Next& tenant,
                              std::uint32_t position) noexcept {
  if (tenant.generation > counters_.highest_generation) [[unlikely]]
    counters_.highest_generation = tenant.generation;
  ++counters_.live_count;
  auto* const entry = const_cast<std::uint32_t*>(this->entry(storage, tenant.slot));
  entry[0] = tenant.generation;
  if (storage == Storage::stable) {
    set_live_bit(live_bits_.owned_as<std::uint64_t>(tenant.slot / 64), tenant.slot, true);
    ++changes_;
  } else {
    entry[1] = position;
  }
}

HDB_INLINE void Slots::acquire_ready(Storage storage, const Next& next,
                                     std::uint32_t position) noexcept {
  if (counters_.free_count != 0) [[likely]] {
    --counters_.free_count;
  } else {
    ++counters_.slot_count;
  }
  occupy(storage, next, position);
}

HDB_INLINE void Slots::vacate(Storage storage, std::uint32_t slot, std::uint32_t tag) noexcept {
  auto* const entry = const_cast<std::uint32_t*>(this->entry(storage, slot));
  if (storage == Storage::stable) {
    entry[0] = tag;
    set_live_bit(live_bits_.owned_as<std::uint64_t>(slot / 64), slot, false);
    ++changes_;
  } else {
    // One write, not two: writes that wait for memory are what limits erases in a random order.
    const auto both = std::bit_cast<std::uint64_t>(SlotEntry{tag, 0});
    std::memcpy(entry, &both, sizeof both);
  }
  --counters_.live_count;
}

HDB_INLINE void Slots::release_ready(Storage storage, std::uint32_t slot,
                                     std::uint32_t generation) noexcept {
  vacate(storage, slot, generation | slot_tag::kVacant);
  free_list_.owned_as<std::uint32_t>(to_size(counters_.free_count)) = slot;
  ++counters_.free_count;
}

}  // namespace hdb::detail
