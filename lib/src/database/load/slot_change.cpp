// Slot states, counters and free lists under other policies than those of the file.
#include "database/load/slot_change.hpp"

#include <algorithm>

namespace hdb {

SlotChange::SlotChange(const TableDescriptor& stored, const TablePolicy& own) noexcept
    : stored_(stored),
      own_(own),
      stored_last_(stored.policy.layout.max_generation()),
      own_last_(own.layout.max_generation()),
      frees_retired_(own_last_ > stored_last_ &&
                     stored.policy.generations == Generations::per_slot &&
                     stored.policy.overflow == Overflow::retire) {}

SlotCounters SlotChange::room() const noexcept {
  SlotCounters counters = stored_;
  if (frees_retired_) counters.free_count += counters.retired_count;
  return counters;
}

SlotChange::Slot SlotChange::of(SlotState state, std::uint32_t generation) const noexcept {
  if (state == SlotState::retired && frees_retired_) return {SlotState::free, stored_last_};
  const bool retires =
      own_.generations == Generations::per_slot && own_.overflow == Overflow::retire;
  if (state == SlotState::free && retires && generation >= own_last_)
    return {SlotState::retired, own_last_};
  return {state, generation};
}

SlotCounters SlotChange::counters(const Slots& filled) const noexcept {
  SlotCounters counters = stored_;
  counters.retired_count = counters.free_count = 0;
  for (std::uint32_t slot = 0; slot < counters.slot_count; ++slot) {
    const SlotState state = slot_tag::kind(filled.tag(slot));
    counters.retired_count += state == SlotState::retired ? 1 : 0;
    counters.free_count += state == SlotState::free ? 1 : 0;
  }
  const bool freed = frees_retired_ && stored_.retired_count != 0;
  if (freed) counters.highest_generation = std::max(counters.highest_generation, stored_last_);
  const bool may_have_wrapped =
      stored_.policy.overflow == Overflow::wrap && stored_.highest_generation >= stored_last_;
  const bool is_per_slot = stored_.policy.generations == Generations::per_slot;
  if (own_.generations == Generations::table_counter) {
    if (is_per_slot || freed || (may_have_wrapped && own_last_ > stored_last_))
      counters.counter = std::max(counters.counter, counters.highest_generation);
    // FORMAT.md, section 4.4: only a counter of slots may be above the highest generation.
    counters.highest_generation = std::max(counters.highest_generation, counters.counter);
    return counters;
  }
  if (own_.overflow == Overflow::wrap) {
    if (!is_per_slot) counters.counter = 0;  // each slot counts from its own last generation
  } else if (own_last_ > stored_last_ && stored_.highest_generation >= stored_last_ &&
             (may_have_wrapped || stored_.counter != 0)) {
    counters.counter = stored_last_;  // as H8, for slots whose last generation says too little
  }
  return counters;
}

std::vector<std::uint32_t> SlotChange::order_of_use(std::vector<std::uint32_t> stored,
                                                    const Slots& filled) const {
  if (own_.free_list == FreeList::lowest) return {};
  if (own_.free_list != stored_.policy.free_list) std::reverse(stored.begin(), stored.end());
  const auto is_free = [&](std::uint32_t slot) {
    return slot_tag::kind(filled.tag(slot)) == SlotState::free;
  };
  std::erase_if(stored, [&](std::uint32_t slot) { return !is_free(slot); });
  std::vector<bool> listed(static_cast<std::size_t>(stored_.slot_count));
  for (const std::uint32_t slot : stored) listed[slot] = true;
  for (std::uint32_t slot = 0; slot < stored_.slot_count; ++slot) {
    if (is_free(slot) && !listed[slot]) stored.push_back(slot);
  }
  return stored;
}

}  // namespace hdb
