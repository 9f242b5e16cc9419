// Crossing of lines in integer arithmetic.
#include "travel.hpp"

#include <algorithm>
#include <cstdlib>

namespace demo {
namespace {

constexpr int kMostBorders = 8;         // crossed in one step
constexpr std::int32_t kStepUp = 24;    // units that a walker can climb
constexpr std::int32_t kHeadroom = 56;  // units that a walker or flyer needs
constexpr std::int32_t kGap = 8;        // units that a missile needs
constexpr std::uint16_t kBlocks = 1;    // flag of a line

std::int64_t cross(std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by) {
  return ax * by - ay * bx;
}

// Where a step meets a line: how far along the step, and towards which side.
struct Crossing {
  std::int64_t along = 0;  // 0 to 65536
  bool to_left = false;
};

bool crosses(const Line& line, std::int32_t x, std::int32_t y, std::int32_t dx, std::int32_t dy,
             Crossing& crossing) {
  const std::int64_t line_dx = line.x2 - line.x1;
  const std::int64_t line_dy = line.y2 - line.y1;
  const std::int64_t start = cross(line_dx, line_dy, x - line.x1, y - line.y1);
  const std::int64_t end = cross(line_dx, line_dy, x + dx - line.x1, y + dy - line.y1);
  if ((start >= 0) == (end >= 0)) return false;
  const bool from_left = cross(dx, dy, line.x1 - x, line.y1 - y) >= 0;
  const bool to_left = cross(dx, dy, line.x2 - x, line.y2 - y) >= 0;
  if (from_left == to_left) return false;
  crossing.along = std::abs(start) * 65536 / (std::abs(start) + std::abs(end));
  crossing.to_left = end >= 0;
  return true;
}

// The sector on the far side of the line opens and closes.
SectorHandle door_of(const World& world, const Line& line) {
  return world.sides.at(line.back).sector;
}

bool may_pass(const World& world, Traveller who, const Line& line, const Side& from,
              const Side& to) {
  const Sector& here = world.sectors.at(from.sector);
  const Sector& there = world.sectors.at(to.sector);
  const std::int32_t floor = std::max(here.floor, there.floor);
  const std::int32_t gap = std::min(here.ceiling, there.ceiling) - floor;
  if (who == Traveller::missile) {
    if (line.special == kDoorSpecial) return world.sectors.at(door_of(world, line)).is_open;
    return gap >= kGap || line.special != 0;
  }
  const bool is_door = line.special != 0;  // opens for everybody
  if ((line.flags & kBlocks) != 0) return false;
  if (gap < kHeadroom && !is_door) return false;
  return who == Traveller::flyer || there.floor - here.floor <= kStepUp;
}

}  // namespace

Arrival travel(const World& world, Traveller who, SectorHandle sector, std::int32_t x,
               std::int32_t y, std::int32_t dx, std::int32_t dy) {
  const Arrival blocked{sector, x, y, {}, true};
  SectorHandle door;
  LineHandle last_crossed;
  std::int64_t reached = 0;
  for (int borders = 0; borders < kMostBorders; ++borders) {
    const Sector* const area = world.sectors.find(sector);
    if (area == nullptr) return blocked;
    LineHandle nearest;
    Crossing nearest_crossing{65537, false};
    for (const LineHandle handle : area->lines) {
      Crossing crossing;
      if (handle == last_crossed || !crosses(world.lines.at(handle), x, y, dx, dy, crossing)) {
        continue;
      }
      if (crossing.along < reached || crossing.along >= nearest_crossing.along) continue;
      nearest = handle;
      nearest_crossing = crossing;
    }
    if (nearest.is_null()) return {sector, x + dx, y + dy, door, false};
    const Line& line = world.lines.at(nearest);
    const Side* const front = world.sides.find(line.front);
    const Side* const back = world.sides.find(line.back);
    if (front == nullptr || back == nullptr) return blocked;
    const Side* const from = nearest_crossing.to_left ? front : back;
    const Side* const to = nearest_crossing.to_left ? back : front;
    if (!may_pass(world, who, line, *from, *to)) return blocked;
    if (line.special == kDoorSpecial) door = door_of(world, line);
    sector = to->sector;
    last_crossed = nearest;
    reached = nearest_crossing.along;
  }
  return blocked;
}

std::int32_t distance(std::int32_t dx, std::int32_t dy) noexcept {
  const std::int32_t a = std::abs(dx);
  const std::int32_t b = std::abs(dy);
  return std::max(a, b) + std::min(a, b) / 2;
}

}  // namespace demo
