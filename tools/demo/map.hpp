// The plain contents of one DOOM map: read from a WAD, or generated where there is none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wad.hpp"

namespace demo {

inline constexpr std::uint16_t kNoSide = 0xffff;
/// The special of lines that are ordinary doors: they open for everybody, and close again.
inline constexpr std::uint16_t kDoorSpecial = 1;

struct MapThing {
  std::int16_t x = 0;
  std::int16_t y = 0;
  std::uint16_t type = 0;  ///< The number that the game's editors give to a kind of thing.
};
struct MapVertex {
  std::int16_t x = 0;
  std::int16_t y = 0;
};
struct MapLine {
  std::uint16_t from = 0;
  std::uint16_t to = 0;
  std::uint16_t flags = 0;  ///< Bit 0: blocks everything that walks.
  std::uint16_t special = 0;
  std::uint16_t tag = 0;
  std::uint16_t front = kNoSide;  ///< The side to the right of the direction from -> to.
  std::uint16_t back = kNoSide;
};
struct MapSide {
  std::int16_t x_offset = 0;
  std::int16_t y_offset = 0;
  std::string upper;  ///< A texture's name; "-": none.
  std::string lower;
  std::string middle;
  std::uint16_t sector = 0;
};
struct MapSector {
  std::int16_t floor = 0;
  std::int16_t ceiling = 0;
  std::string floor_flat;
  std::string ceiling_flat;
  std::int16_t light = 0;
  std::uint16_t special = 0;
  std::uint16_t tag = 0;
};
/// Every number in it names something that is there.
struct MapData {
  std::string name;
  std::vector<MapThing> things;
  std::vector<MapVertex> vertexes;
  std::vector<MapLine> lines;
  std::vector<MapSide> sides;
  std::vector<MapSector> sectors;
};

/// Reads one map; checks that lines, sides and sectors name what exists.
[[nodiscard]] WadResult<MapData> read_map(const Wad& wad, const std::string& name);

/// A map of rooms with doorways between them, the same for the same seed; its textures are those of
/// generate_wad().
[[nodiscard]] MapData generate_map(std::uint64_t seed, const std::string& name = "GENERATED");

}  // namespace demo
