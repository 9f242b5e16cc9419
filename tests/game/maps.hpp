// Small maps and WAD files for the tests of the sample game.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "map.hpp"

namespace demo::test {

using Bytes = std::vector<std::byte>;

/// Builds a WAD in memory, lump by lump, the directory last.
class WadBuilder {
 public:
  WadBuilder& lump(const std::string& name, const Bytes& bytes = {});
  /// Adds all lumps of another.
  WadBuilder& append(const WadBuilder& other);
  [[nodiscard]] Bytes build() const;

 private:
  std::vector<std::pair<std::string, Bytes>> lumps_;
};

/// Little-endian numbers and names, one after another.
class LumpBuilder {
 public:
  LumpBuilder& u8(unsigned value) { return number(value, 1); }
  LumpBuilder& u16(unsigned value) { return number(value, 2); }
  LumpBuilder& u32(std::uint64_t value) { return number(value, 4); }
  LumpBuilder& name(const std::string& text);
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  LumpBuilder& number(std::uint64_t value, unsigned width);
  Bytes bytes_;
};

void put_u16(Bytes& bytes, std::size_t at, unsigned value);
void put_u32(Bytes& bytes, std::size_t at, std::uint64_t value);

/// Two rooms of 256 x 256 side by side, (0, 0) to (512, 256), with a line of two sides between
/// them: line 0 is that border (front: room 1), lines 1 to 6 are walls.
[[nodiscard]] MapData two_rooms();
/// The WAD of a map, called E1M1 in it, and the definitions of BRICK and STONE.
[[nodiscard]] WadBuilder wad_of(const MapData& map);
/// 2 x 3 pixels: 7 and 8 in rows 1 and 2 of the first column, the rest clear.
[[nodiscard]] Bytes small_picture();
/// Adds the patch of BRICK, not that of STONE; the flat FLOOR; the picture STBAR; a sound.
WadBuilder& add_art(WadBuilder& wad);

}  // namespace demo::test
