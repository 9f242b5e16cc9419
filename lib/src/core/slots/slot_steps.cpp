// The steps of an insert and an erase in any case: every policy, captured pages, new slots.
#include "hdb/detail/core/slots/slot_steps.hpp"

#include <algorithm>
#include <cstring>

#include "hdb/detail/core/slots/slot_set.hpp"

namespace hdb::detail {

Slots::Next Slots::next_of(std::uint64_t slot, std::uint32_t counter) const noexcept {
  Next next;
  std::uint32_t last = counter;
  if (slot < counters_.slot_count) {
    // As in next_ready.
    if (policy_.generations == Generations::per_slot)
      last = std::max(last, tag(static_cast<std::uint32_t>(slot)) & ~slot_tag::kVacant);
  } else if (slot >= policy_.layout.max_slots()) {
    return {};
  }
  next.slot = static_cast<std::uint32_t>(slot);
  next.generation = generation_after(last);
  return next;
}

Slots::Next Slots::next() const noexcept {
  if (is_full()) return {};
  std::uint64_t slot = counters_.unissued_count() != 0 ? first_unissued_ : counters_.slot_count;
  if (counters_.free_count != 0) {
    // H4: the set of free slots has free_count members.
    slot = uses_lowest() ? *slot_set::first_from(free_list_, 0, counters_.slot_count) : listed(0);
  }
  return next_of(slot, counters_.counter);
}

void Slots::add_slots(std::uint64_t first, std::uint64_t end) {
  entries_.grow_to(static_cast<std::size_t>(end));
  if (uses_lowest()) slot_set::add_slots(free_list_, first, end);
  if (!is_stable()) return;
  const auto first_word = static_cast<std::size_t>((first + 63) / 64);
  const auto words = static_cast<std::size_t>((end + 63) / 64);
  if (first_word == words) return;
  live_bits_.grow_to(words);
  // Bits of slots that are not there mean nothing: a restore may have left some.
  live_bits_.make_private(first_word, words);
  std::fill_n(&live_bits_.owned_as<std::uint64_t>(first_word), words - first_word,
              std::uint64_t{0});
}

void Slots::prepare_acquire(const Next& next) {
  if (next.slot >= counters_.slot_count) {
    add_slots(next.slot, std::uint64_t{next.slot} + 1);
  } else if (uses_lowest()) {
    slot_set::prepare(free_list_, next.slot);
  }
  if (is_stable()) live_bits_.make_private(next.slot / 64);
  entries_.make_private(next.slot);
}

void Slots::acquire(const Next& next, std::uint32_t position) noexcept {
  if (next.slot >= counters_.slot_count) {
    ++counters_.slot_count;
  } else if (counters_.free_count == 0) {
    first_unissued_ = unissued_from(std::uint64_t{next.slot} + 1);
  } else {
    take_free(next.slot);
  }
  if (policy_.generations == Generations::table_counter) counters_.counter = next.generation;
  occupy(policy_.storage, next, position);
}

void Slots::take_free(std::uint32_t slot) noexcept {
  if (uses_lowest()) slot_set::erase(free_list_, slot);
  --counters_.free_count;
  if (policy_.free_list == FreeList::fifo) ++free_head_;
  drop_end_gaps();
}

void Slots::add_free(std::uint32_t slot) noexcept {
  if (uses_lowest()) {
    slot_set::insert(free_list_, slot);
  } else {
    free_list_.owned_as<std::uint32_t>(list_end()) = slot;
  }
  ++counters_.free_count;
}

void Slots::prepare_release(std::uint32_t slot) {
  if (uses_lowest()) {
    slot_set::prepare(free_list_, slot);
  } else {
    if (list_end() >= free_list_.capacity()) make_free_room(1);
    free_list_.make_private(list_end());
  }
  if (is_stable()) live_bits_.make_private(slot / 64);
  entries_.make_private(slot);
}

void Slots::release(std::uint32_t slot) noexcept {
  const std::uint32_t generation = tag(slot);
  const bool retires = retires_after(generation);
  vacate(policy_.storage, slot, retires ? slot_tag::kRetired : generation | slot_tag::kVacant);
  retires ? static_cast<void>(++counters_.retired_count) : add_free(slot);
}

}  // namespace hdb::detail
