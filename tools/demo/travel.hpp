// How things and missiles travel from sector to sector, in whole map units.
#pragma once

#include <cstdint>

#include "world.hpp"

namespace demo {

/// Who wants to pass a line.
enum class Traveller : std::uint8_t { walker, flyer, missile };

/// Where a step ended.
struct Arrival {
  SectorHandle sector;
  std::int32_t x = 0;
  std::int32_t y = 0;
  SectorHandle door;        ///< The sector of the last door on the way; null: there was none.
  bool is_blocked = false;  ///< A line was in the way; the place is that of the start.
};

/// A step of (dx, dy) from a place in `sector`, across as many borders as lie in between.
[[nodiscard]] Arrival travel(const World& world, Traveller who, SectorHandle sector, std::int32_t x,
                             std::int32_t y, std::int32_t dx, std::int32_t dy);

/// An estimate of the distance between two places that needs no roots: at most an eighth too long.
[[nodiscard]] std::int32_t distance(std::int32_t dx, std::int32_t dy) noexcept;

}  // namespace demo
