// Counts in bytes, as many at once as a vector has: a count of that width cannot overflow in 255
// steps.
#include "format/columns/state_counts.hpp"

#include <algorithm>
#include <cstring>

#include "hdb/table_options.hpp"

namespace hdb::format {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kSteps = 255;

struct Lanes {
  std::uint8_t counts[kLanes] = {};

  void add(const std::uint8_t* states, std::uint8_t state) noexcept {
    for (std::size_t i = 0; i < kLanes; ++i)
      counts[i] = static_cast<std::uint8_t>(counts[i] + (states[i] == state ? 1 : 0));
  }
  [[nodiscard]] std::size_t sum() const noexcept {
    constexpr std::uint64_t kEven = 0x00ff00ff00ff00ff;
    std::uint64_t words[kLanes / 8];
    std::memcpy(words, counts, sizeof words);
    std::uint64_t pairs = 0;
    for (const std::uint64_t word : words) pairs += (word & kEven) + (word >> 8 & kEven);
    return static_cast<std::size_t>(pairs * 0x0001000100010001 >> 48);
  }
};

}  // namespace

StateCounts count_states(std::span<const std::uint8_t> states) noexcept {
  constexpr std::uint8_t kNone = 0xff;  // fills the last vector
  StateCounts counts;
  while (!states.empty()) {
    const auto some = states.first(std::min(states.size(), kLanes * kSteps));
    Lanes free, live, retired;
    const auto add = [&](const std::uint8_t* at) {
      free.add(at, static_cast<std::uint8_t>(SlotState::free));
      live.add(at, static_cast<std::uint8_t>(SlotState::live));
      retired.add(at, static_cast<std::uint8_t>(SlotState::retired));
    };
    const std::size_t rest = some.size() % kLanes;
    const std::size_t whole = some.size() - rest;
    for (std::size_t at = 0; at != whole; at += kLanes) add(some.data() + at);
    if (rest != 0) {
      std::uint8_t last[kLanes];
      std::memset(last, kNone, sizeof last);
      std::copy_n(some.data() + whole, rest, last);
      add(last);
    }
    counts.free += free.sum();
    counts.live += live.sum();
    counts.retired += retired.sum();
    states = states.subspan(some.size());
  }
  return counts;
}

}  // namespace hdb::format
