// A small random generator whose whole state is one number, so that it can be a record.
#pragma once

#include <cereal/cereal.hpp>
#include <cstdint>

namespace demo {

/// Equal states give equal futures, on every machine.
struct Rng {
  std::uint64_t state = 1;

  /// The next 31 random bits.
  std::uint32_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state >> 33);
  }
  /// A number from 0 to `bound` - 1. Requires: bound > 0.
  std::uint32_t below(std::size_t bound) { return next() % static_cast<std::uint32_t>(bound); }
  /// True once in `times`, on average.
  bool one_in(std::uint32_t times) { return below(times) == 0; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(state));
  }
};

}  // namespace demo
