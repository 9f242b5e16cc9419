// What happens to the slots at an insert and an erase: first where it writes, which may fail, then
// the writing. Included by slots.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "hdb/detail/core/slots/slots.hpp"

namespace hdb::detail {

struct AnySlots : AnyPages {
  [[nodiscard]] static bool is_stable(bool stored) noexcept { return stored; }
};

template <Storage S>
struct OwnedSlots : OwnedPages {
  [[nodiscard]] static constexpr bool is_stable(bool) noexcept { return S == Storage::stable; }
};

template <class Pages>
bool Slots::has_live_bits() const noexcept {
  return Pages::is_stable(is_stable());
}

template <class Pages>
const std::uint32_t* Slots::entry_at(std::uint32_t slot) const noexcept {
  return reinterpret_cast<const std::uint32_t*>(has_live_bits<Pages>()
                                                    ? Pages::template at<4>(entries_, slot)
                                                    : Pages::template at<8>(entries_, slot));
}

template <class Pages>
std::uint32_t* Slots::edit_entry(std::uint32_t slot) {
  return reinterpret_cast<std::uint32_t*>(has_live_bits<Pages>()
                                              ? Pages::template edit<4>(entries_, slot)
                                              : Pages::template edit<8>(entries_, slot));
}

template <class Pages>
std::uint32_t Slots::free_slot(std::uint64_t ahead) const noexcept {
  const std::uint64_t index =
      policy_.free_list == FreeList::fifo ? free_head_ + ahead : counters_.free_count - 1 - ahead;
  return *reinterpret_cast<const std::uint32_t*>(
      Pages::template at<4>(free_list_, static_cast<std::size_t>(index)));
}

template <class Pages>
std::optional<Slots::Next> Slots::next() const noexcept {
  if (is_full()) return std::nullopt;
  Next next{};
  std::uint32_t last = counters_.counter;
  if (counters_.free_count != 0) {
    next.slot = free_slot<Pages>(0);
    // The counter of a forked table stands above what slots that were live at the fork remember.
    if (policy_.generations == Generations::per_slot)
      last = std::max(last, *entry_at<Pages>(next.slot) & ~slot_tag::kVacant);
  } else {
    if (counters_.slot_count >= policy_.layout.max_slots()) return std::nullopt;
    next.slot = static_cast<std::uint32_t>(counters_.slot_count);
  }
  next.generation = generation_after(last);
  if (next.generation == 0) return std::nullopt;
  return next;
}

// Room for a slot that there was not yet.
template <class Pages>
bool Slots::add_slot(std::uint32_t slot) {
  if (!Pages::grow(entries_, std::size_t{slot} + 1)) return false;
  if (!has_live_bits<Pages>()) return true;
  const std::size_t words = live_bits_.capacity();
  if (!Pages::grow(live_bits_, std::size_t{slot} / 64 + 1)) return false;
  for (std::size_t word = words; word < live_bits_.capacity(); ++word) {
    live_bits_.owned_as<std::uint64_t>(word) = 0;
  }
  return true;
}

template <class Pages>
Slots::Places Slots::places_to_acquire(const Next& next) {
  if (next.slot >= counters_.slot_count && !add_slot<Pages>(next.slot)) return {};
  Places places;
  if (has_live_bits<Pages>()) {
    places.live_word =
        reinterpret_cast<std::uint64_t*>(Pages::template edit<8>(live_bits_, next.slot / 64));
    if (places.live_word == nullptr) return {};
  }
  places.entry = edit_entry<Pages>(next.slot);
  return places;
}

template <class Pages>
void Slots::acquire(const Next& next, std::uint32_t position, const Places& places) noexcept {
  if (next.slot >= counters_.slot_count) {
    bounds_[static_cast<std::size_t>(lookup_)] = ++counters_.slot_count;
  } else {
    --counters_.free_count;
    if (policy_.free_list == FreeList::fifo) take_first_free();
  }
  if (policy_.generations == Generations::table_counter) counters_.counter = next.generation;
  counters_.highest_generation = std::max(counters_.highest_generation, next.generation);
  occupy<Pages>(next, position, places);
}

template <class Pages>
void Slots::occupy(const Next& tenant, std::uint32_t position, const Places& places) noexcept {
  ++counters_.live_count;
  places.entry[0] = tenant.generation;
  if (has_live_bits<Pages>()) {
    set_live_bit(*places.live_word, tenant.slot, true);
  } else {
    places.entry[1] = position;
  }
}

template <class Pages>
Slots::Places Slots::places_to_release(std::uint32_t slot) {
  const auto end = static_cast<std::size_t>(free_head_ + counters_.free_count);
  if (!Pages::grow(free_list_, end + 1)) return {};
  Places places;
  places.free_end = reinterpret_cast<std::uint32_t*>(Pages::template edit<4>(free_list_, end));
  if (places.free_end == nullptr) return {};
  if (has_live_bits<Pages>()) {
    places.live_word =
        reinterpret_cast<std::uint64_t*>(Pages::template edit<8>(live_bits_, slot / 64));
    if (places.live_word == nullptr) return {};
  }
  places.entry = edit_entry<Pages>(slot);
  return places;
}

template <class Pages>
void Slots::release(std::uint32_t slot, const Places& places) noexcept {
  const std::uint32_t generation = places.entry[0];
  const bool retires =
      generation == retired_after_ ||
      (generation <= counters_.counter && counters_.highest_generation == retired_after_);  // H8
  const std::uint32_t entry[] = {retires ? slot_tag::kRetired : generation | slot_tag::kVacant, 0};
  if (has_live_bits<Pages>()) {
    set_live_bit(*places.live_word, slot, false);
    places.entry[0] = entry[0];
  } else {
    std::memcpy(places.entry, entry, sizeof entry);
  }
  --counters_.live_count;
  if (retires) {
    ++counters_.retired_count;
    return;
  }
  *places.free_end = slot;
  ++counters_.free_count;
}

}  // namespace hdb::detail
