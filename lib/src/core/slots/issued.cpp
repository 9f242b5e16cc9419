// Noting what a table issued, and starting a table above it.
#include "core/slots/issued.hpp"

#include <algorithm>
#include <vector>

#include "core/slots/frozen_slots.hpp"
#include "hdb/detail/core/slots/slot_set.hpp"

namespace hdb::detail {
namespace {

std::uint32_t middle_generation(const HandleLayout& layout) noexcept {
  return layout.max_generation() / 2;
}

// Whether a page holds what a capture has there, for certain.
bool is_same_page(const FlatArray& live, const FrozenArray& frozen, std::size_t page) noexcept {
  return page < frozen.page_count() && live.number() == frozen.number() &&
         live.stamp(page) == frozen.stamp(page);
}

}  // namespace

Issued::Issued(const DroppedHandles& described)
    : floor_(described.floor), highest_(described.highest) {
  if (!described.slots.empty()) by_slot_.resize(std::size_t{described.slots.back().first} + 1);
  for (const auto& [slot, generation] : described.slots) by_slot_[slot] = generation;
}

DroppedHandles Issued::described(const HandleSpace& space) const {
  DroppedHandles described{space, highest_, floor_, {}};
  for (std::size_t slot = 0; slot < by_slot_.size(); ++slot) {
    if (by_slot_[slot] != 0)
      described.slots.emplace_back(static_cast<std::uint32_t>(slot), by_slot_[slot]);
  }
  return described;
}

void Issued::note(const Slots& slots, const FrozenSlots* next) {
  const TablePolicy& policy = slots.policy();
  const SlotCounters& counters = slots.counters();
  if (policy.overflow == Overflow::wrap) return;
  highest_ = std::max(highest_, counters.highest_generation);
  if (counters.highest_generation <= middle_generation(policy.layout)) {
    if (counters.highest_generation <= floor_) return;
    floor_ = counters.highest_generation;
    return forget_below_floor();
  }
  const auto count = static_cast<std::size_t>(counters.slot_count);
  if (by_slot_.size() < count) by_slot_.resize(count);
  const FlatArray& entries = slots.entries();
  for (std::size_t first = 0, end = 0; first < count; first = end) {
    end = std::min(first + entries.per_page(), count);
    if (next != nullptr && is_same_page(entries, next->entries, first >> entries.shift())) continue;
    for (std::size_t slot = first; slot < end; ++slot) {
      const std::uint32_t last =
          slot_tag::generation(slots.tag(static_cast<std::uint32_t>(slot)), policy.layout);
      if (last > floor_) by_slot_[slot] = std::max(by_slot_[slot], last);
      highest_ = std::max(highest_, last);
    }
  }
}

void Issued::merge(const Issued& other) {
  if (by_slot_.size() < other.by_slot_.size()) by_slot_.resize(other.by_slot_.size());
  for (std::size_t slot = 0; slot < other.by_slot_.size(); ++slot) {
    by_slot_[slot] = std::max(by_slot_[slot], other.by_slot_[slot]);
  }
  floor_ = std::max(floor_, other.floor_);
  highest_ = std::max(highest_, other.highest_);
  forget_below_floor();
}

void Issued::forget_below_floor() noexcept {
  for (std::uint32_t& generation : by_slot_) {
    if (generation <= floor_) generation = 0;
  }
}

bool Slots::can_rise_above(const Issued& issued) const noexcept {
  if (policy_.overflow == Overflow::wrap) return false;
  return policy_.generations == Generations::per_slot || issued.highest() < max_generation_;
}

void Slots::rise_above(const Issued& issued) {
  HDB_ASSERT(can_rise_above(issued), "no generation is left");
  if (policy_.generations == Generations::table_counter) {
    if (!issued.empty()) raise_generations(issued.highest());
  } else {
    raise_slots(issued);
  }
}

void Slots::raise_slots(const Issued& issued) {
  if (issued.floor() != 0) raise_generations(issued.floor());
  std::span<const std::uint32_t> by_slot = issued.by_slot();
  while (!by_slot.empty() && by_slot.back() <= counters_.counter) {
    by_slot = by_slot.first(by_slot.size() - 1);
  }
  if (by_slot.empty()) return;
  raise_live_slots(by_slot);
  raise_vacant_slots(by_slot);
}

// A live slot keeps its generation, so it is the counter that keeps its next tenant above `issued`;
// or, where that would cost the other slots the second half of their generations, H8.
void Slots::raise_live_slots(std::span<const std::uint32_t> issued) noexcept {
  std::uint32_t above = 0;  // the generations that these slots may not issue
  std::uint32_t below = 0;  // the generations that they have
  const std::uint64_t count = std::min<std::uint64_t>(counters_.slot_count, issued.size());
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    const std::uint32_t value = tag(slot);
    if (!slot_tag::is_live(value)) continue;
    if (issued[slot] <= std::max(value, counters_.counter)) continue;
    above = std::max(above, issued[slot]);
    below = std::max(below, value);
  }
  if (above > middle_generation(policy_.layout)) {
    counters_.highest_generation = max_generation_;
    above = below;
  }
  if (above != 0) raise_generations(above);
}

// A free slot passes over what it issued here or elsewhere, and over one generation more, which
// nobody has (H10); or it retires. The highest generation then says to a repair that lost slots may
// have, too. An unissued slot that issued something elsewhere becomes free, last in the order of
// use, and so does one that is not there yet.
void Slots::raise_vacant_slots(std::span<const std::uint32_t> issued) {
  SlotCounters counters = counters_;
  std::vector<std::uint32_t> list;
  if (!uses_lowest()) {
    list.resize(static_cast<std::size_t>(counters.free_count));
    read_free_list(0, list);
  }
  for (std::uint32_t slot = 0; slot < issued.size(); ++slot) {
    const bool is_new = slot >= counters_.slot_count;
    if (is_new) add_slots(slot, std::uint64_t{slot} + 1);
    const std::uint32_t value = is_new ? slot_tag::kUnissued : tag(slot);
    const SlotState kind = slot_tag::kind(value);
    if (kind != SlotState::free && kind != SlotState::unissued) continue;
    const std::uint32_t own = value & ~slot_tag::kVacant;
    const bool is_below = issued[slot] < own || issued[slot] <= counters_.counter;
    if (is_below && !is_new) continue;
    const std::uint32_t last = is_below ? 0 : std::min(issued[slot] + 1, max_generation_);
    const bool retires = last == max_generation_;
    auto* const entry = reinterpret_cast<std::uint32_t*>(entries_.edit(slot));
    entry[0] = retires ? slot_tag::kRetired : last | slot_tag::kVacant;
    if (!is_stable()) entry[1] = 0;
    if (retires) ++counters.retired_count;
    counters.highest_generation = std::max(counters.highest_generation, last);
    if (kind == SlotState::free) {
      counters.free_count -= retires ? 1 : 0;
    } else if (last != 0 && !retires) {
      ++counters.free_count;
      if (!uses_lowest()) list.push_back(slot);
    }
  }
  counters.highest_generation = std::max(counters.highest_generation, counters.counter);
  counters.slot_count = std::max<std::uint64_t>(counters.slot_count, issued.size());
  std::erase_if(list, [this](std::uint32_t slot) { return tag(slot) == slot_tag::kRetired; });
  free_head_ = 0;
  gap_count_ = 0;
  if (uses_lowest()) {
    slot_set::clear(free_list_, counters.slot_count);
  } else {
    free_list_.grow_to(list.size());
    free_list_.make_private(0, list.size());
  }
  counters_ = counters;
  fill_free_list(list);
}

}  // namespace hdb::detail
