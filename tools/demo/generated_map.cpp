// Makes a map of rooms and doorways for machines without a WAD.
#include <fmt/format.h>

#include "map.hpp"
#include "rng.hpp"

namespace demo {
namespace {

constexpr int kRoomsAcross = 12;
constexpr int kRoomUnits = 320;
constexpr int kDoorUnits = 128;

class Builder {
 public:
  Builder(std::uint64_t seed, const std::string& name)
      : rng_{seed}, first_wall_(static_cast<unsigned>(seed % 3) * 8), flat_(seed % 2) {
    map_.name = name;
  }

  [[nodiscard]] MapData build() {
    for (int i = 0; i < kRoomsAcross * kRoomsAcross; ++i) add_room();
    for (int y = 0; y <= kRoomsAcross; ++y) {
      for (int x = 0; x < kRoomsAcross; ++x) {
        add_wall(x, y, x + 1, y, room(x, y - 1), room(x, y));
        add_wall(y, x, y, x + 1, room(y, x), room(y - 1, x));
      }
    }
    add_things();
    return std::move(map_);
  }

 private:
  static constexpr int kNoRoom = -1;

  static int room(int x, int y) {
    const bool inside = x >= 0 && y >= 0 && x < kRoomsAcross && y < kRoomsAcross;
    return inside ? y * kRoomsAcross + x : kNoRoom;
  }

  void add_room() {
    MapSector sector;
    sector.floor = static_cast<std::int16_t>(8 * rng_.below(3));
    sector.ceiling = static_cast<std::int16_t>(128 + 16 * rng_.below(4));
    sector.floor_flat = fmt::format("FLOOR{}", flat_);
    sector.ceiling_flat = fmt::format("CEIL{}", flat_);
    sector.light = static_cast<std::int16_t>(96 + rng_.below(160));
    map_.sectors.push_back(std::move(sector));
  }

  // The wall between two corners of the grid; `right` and `left` as seen along it.
  void add_wall(int x0, int y0, int x1, int y1, int right, int left) {
    const bool is_outer = right == kNoRoom || left == kNoRoom;
    const int dx = (x1 - x0) * kRoomUnits;
    const int dy = (y1 - y0) * kRoomUnits;
    if (is_outer) {
      const bool turned = right == kNoRoom;
      const auto from = vertex(x0 * kRoomUnits, y0 * kRoomUnits);
      const auto to = vertex(x1 * kRoomUnits, y1 * kRoomUnits);
      add_line(turned ? to : from, turned ? from : to, turned ? left : right, kNoRoom, 0);
      return;
    }
    // Wall, doorway, wall; the walls are lines that block but have two sides.
    const int near = (kRoomUnits - kDoorUnits) / 2;
    const int far = near + kDoorUnits;
    const bool has_way = rng_.below(8) != 0;
    std::uint16_t corners[4];
    int i = 0;
    for (const int along : {0, near, far, kRoomUnits}) {
      corners[i++] = vertex(x0 * kRoomUnits + dx * along / kRoomUnits,
                            y0 * kRoomUnits + dy * along / kRoomUnits);
    }
    add_line(corners[0], corners[1], right, left, 1);
    add_line(corners[1], corners[2], right, left, has_way ? 0 : 1);
    if (has_way && rng_.one_in(4)) map_.lines.back().special = kDoorSpecial;
    add_line(corners[2], corners[3], right, left, 1);
  }

  std::uint16_t vertex(int x, int y) {
    map_.vertexes.push_back({static_cast<std::int16_t>(x), static_cast<std::int16_t>(y)});
    return static_cast<std::uint16_t>(map_.vertexes.size() - 1);
  }

  std::uint16_t side(int room) {
    if (room == kNoRoom) return kNoSide;
    MapSide side;
    side.upper = "-";
    side.lower = "-";
    // 16 of the 24 walls, so that maps share some; in small letters, as names ignore case.
    side.middle = fmt::format("wall{:02}", (first_wall_ + rng_.below(16)) % 24);
    side.sector = static_cast<std::uint16_t>(room);
    map_.sides.push_back(std::move(side));
    return static_cast<std::uint16_t>(map_.sides.size() - 1);
  }

  void add_line(std::uint16_t from, std::uint16_t to, int right, int left, std::uint16_t flags) {
    const std::uint16_t front = side(right);
    map_.lines.push_back({from, to, flags, 0, 0, front, side(left)});
  }

  void add_things() {
    constexpr std::uint16_t kTypes[] = {3004, 9, 3001, 3002, 3005, 69, 2012, 2007};
    for (int i = 0; i < kRoomsAcross * kRoomsAcross; ++i) {
      for (int copy = 0; copy < 3; ++copy) {
        const int x = i % kRoomsAcross * kRoomUnits + 32 + static_cast<int>(rng_.below(256));
        const int y = i / kRoomsAcross * kRoomUnits + 32 + static_cast<int>(rng_.below(256));
        const std::uint16_t type =
            i == 0 ? static_cast<std::uint16_t>(1 + copy) : kTypes[rng_.below(std::size(kTypes))];
        map_.things.push_back({static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), type});
      }
    }
  }

  Rng rng_;
  unsigned first_wall_;
  std::uint64_t flat_;
  MapData map_;
};

}  // namespace

MapData generate_map(std::uint64_t seed, const std::string& name) {
  return Builder(seed, name).build();
}

}  // namespace demo
