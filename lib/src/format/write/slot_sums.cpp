// Sums of slots and positions, and what they say of a whole table.
#include "format/write/slot_sums.hpp"

#include <algorithm>

#include "format/columns/state_counts.hpp"

namespace hdb::format {
namespace {

constexpr unsigned kStepShift = 14;

// The finalizer of MurmurHash3 after a step that moves zero: it changes about half of the bits for
// each bit of the number.
std::uint64_t mixed(std::uint64_t number) noexcept {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ number >> 33) * 0xff51afd7ed558ccd;
  number = (number ^ number >> 33) * 0xc4ceb9fe1a85ec53;
  return number ^ number >> 33;
}

std::uint64_t range_sum(std::uint64_t begin, std::uint64_t end) noexcept {
  std::uint64_t sum = 0;
  for (std::uint64_t number = begin; number < end; ++number) sum += mixed(number);
  return sum;
}

}  // namespace

std::uint64_t mixed_sum(std::span<const std::uint32_t> numbers) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint32_t number : numbers) sum += mixed(number);
  return sum;
}

SlotSums SlotSums::of(const RowGroup& slots) noexcept {
  SlotSums sums;
  const StateCounts counts = count_states(slots.states);
  sums.live = counts.live;
  sums.free = counts.free;
  sums.retired = counts.retired;
  if (counts.free != 0) {
    for (std::size_t i = 0; i < slots.states.size(); ++i) {
      if (slots.states[i] == static_cast<std::uint8_t>(SlotState::free))
        sums.free_slots += mixed(slots.first_slot + i);
    }
  }
  sums.positions = mixed_sum(slots.positions);
  for (const std::uint32_t generation : slots.generations)
    sums.highest_generation = std::max(sums.highest_generation, generation);
  return sums;
}

std::uint64_t PositionSums::below(std::uint64_t n) {
  const std::uint64_t step = n >> kStepShift;
  while (steps_.size() <= step) {
    const std::uint64_t last = steps_.size() - 1;
    steps_.push_back(steps_.back() + range_sum(last << kStepShift, (last + 1) << kStepShift));
  }
  return steps_[static_cast<std::size_t>(step)] + range_sum(step << kStepShift, n);
}

void SlotSumCheck::add_group(const SlotSums& sums) noexcept {
  total_.live += sums.live;
  total_.free += sums.free;
  total_.retired += sums.retired;
  total_.free_slots += sums.free_slots;
  total_.positions += sums.positions;
}

void SlotSumCheck::add_free(std::span<const std::uint32_t> numbers) noexcept {
  listed_ += numbers.size();
  list_ += mixed_sum(numbers);
}

bool SlotSumCheck::is_sound(const TableDescriptor& table, PositionSums& positions) const {
  const bool counts = total_.live == table.live_count && total_.free == table.free_count &&
                      total_.retired == table.retired_count && listed_ == table.listed_count();
  if (!counts) return false;
  const bool is_component = table.policy.is_component;
  if (!is_component && listed_ != 0 && list_ != total_.free_slots) return false;
  if (table.policy.storage != Storage::dense) return true;
  const std::uint64_t holes = is_component ? list_ : 0;
  return total_.positions + holes == positions.below(table.position_count());
}

}  // namespace hdb::format
