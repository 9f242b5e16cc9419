// How things and missiles travel from sector to sector, in whole map units.
#include <algorithm>
#include <cstdlib>

#include "game.hpp"

namespace demo {
namespace {

constexpr int kMostBorders = 8;         // crossed in one step
constexpr std::int32_t kHeadroom = 56;  // units that a walker needs
constexpr std::int32_t kGap = 8;        // units that a missile needs
constexpr std::int64_t kWholeStep = 65536;

std::int64_t cross(std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by) {
  return ax * by - ay * bx;
}

// Where a step meets a line: how far along the step, and towards which side.
struct Crossing {
  std::int64_t along = kWholeStep + 1;  // a number above kWholeStep: they do not meet
  bool to_left = false;
};

Crossing crossing_of(const Line& line, std::int32_t x, std::int32_t y, std::int32_t dx,
                     std::int32_t dy) {
  const std::int64_t line_dx = line.x2 - line.x1;
  const std::int64_t line_dy = line.y2 - line.y1;
  const std::int64_t start = cross(line_dx, line_dy, x - line.x1, y - line.y1);
  const std::int64_t end = cross(line_dx, line_dy, x + dx - line.x1, y + dy - line.y1);
  const bool is_beside = (cross(dx, dy, line.x1 - x, line.y1 - y) >= 0) ==
                         (cross(dx, dy, line.x2 - x, line.y2 - y) >= 0);
  if ((start >= 0) == (end >= 0) || is_beside) return {};
  return {std::abs(start) * kWholeStep / (std::abs(start) + std::abs(end)), end >= 0};
}

bool may_pass(const World& world, bool is_walker, const Line& line) {
  const Sector* const front = world.sectors.find(line.front);
  const Sector* const back = world.sectors.find(line.back);
  if (front == nullptr || back == nullptr || (is_walker && line.blocks_walkers)) return false;
  const std::int32_t gap =
      std::min(front->ceiling, back->ceiling) - std::max(front->floor, back->floor);
  return line.is_door || gap >= (is_walker ? kHeadroom : kGap);
}

}  // namespace

Arrival Game::travel(bool is_walker, SectorHandle sector, std::int32_t x, std::int32_t y,
                     std::int32_t dx, std::int32_t dy) const {
  const Arrival blocked{sector, x, y, true};
  LineHandle last_crossed;
  std::int64_t reached = 0;
  for (int borders = 0; borders < kMostBorders; ++borders) {
    const Sector* const area = world.sectors.find(sector);
    if (area == nullptr) return blocked;
    LineHandle nearest;
    Crossing crossing;
    for (const LineHandle handle : area->lines) {
      const Crossing other = crossing_of(world.lines.at(handle), x, y, dx, dy);
      if (handle == last_crossed || other.along < reached || other.along >= crossing.along)
        continue;
      nearest = handle;
      crossing = other;
    }
    if (!nearest) return {sector, x + dx, y + dy, false};
    const Line& line = world.lines.at(nearest);
    if (!may_pass(world, is_walker, line)) return blocked;
    sector = crossing.to_left ? line.back : line.front;
    last_crossed = nearest;
    reached = crossing.along;
  }
  return blocked;
}

std::int32_t distance(std::int32_t dx, std::int32_t dy) noexcept {
  const std::int32_t a = std::abs(dx);
  const std::int32_t b = std::abs(dy);
  return std::max(a, b) + std::min(a, b) / 2;
}

}  // namespace demo
