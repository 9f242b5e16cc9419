// How many slots of a group are in each state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hdb::format {

/// Slots that are neither of these are unissued, or have an unknown state.
struct StateCounts {
  std::size_t free = 0;
  std::size_t live = 0;
  std::size_t retired = 0;
};
[[nodiscard]] StateCounts count_states(std::span<const std::uint8_t> states) noexcept;

}  // namespace hdb::format
