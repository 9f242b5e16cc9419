// Counts in bytes, as many at once as a vector has: a count of that width cannot overflow in 255
// steps.
#include "format/columns/state_counts.hpp"

#include <algorithm>

#include "hdb/table_options.hpp"

namespace hdb::format {

StateCounts count_states(std::span<const std::uint8_t> states) noexcept {
  constexpr std::size_t kLanes = 64;
  constexpr std::size_t kSteps = 255;
  StateCounts counts;
  const auto count = [](std::span<const std::uint8_t> some, std::uint8_t state) {
    std::uint8_t lanes[kLanes] = {};
    std::size_t at = 0;
    for (; at + kLanes <= some.size(); at += kLanes) {
      for (std::size_t i = 0; i < kLanes; ++i)
        lanes[i] = static_cast<std::uint8_t>(lanes[i] + (some[at + i] == state ? 1 : 0));
    }
    std::size_t sum = 0;
    for (const std::uint8_t lane : lanes) sum += lane;
    for (; at < some.size(); ++at) sum += some[at] == state ? 1u : 0u;
    return sum;
  };
  while (!states.empty()) {
    const auto some = states.first(std::min(states.size(), kLanes * kSteps));
    counts.free += count(some, static_cast<std::uint8_t>(SlotState::free));
    counts.live += count(some, static_cast<std::uint8_t>(SlotState::live));
    counts.retired += count(some, static_cast<std::uint8_t>(SlotState::retired));
    states = states.subspan(some.size());
  }
  return counts;
}

}  // namespace hdb::format
