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
  [[nodiscard]] Bytes build() const;

 private:
  std::vector<std::pair<std::string, Bytes>> lumps_;
};

/// Little-endian numbers and names, one after another.
class LumpBuilder {
 public:
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
/// The WAD of a map, called E1M1 in it.
[[nodiscard]] WadBuilder wad_of(const MapData& map);

}  // namespace demo::test
