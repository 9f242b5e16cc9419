// A small map for the tests of the sample game.
#pragma once

#include "wad.hpp"

namespace demo::test {

/// The lumps of a map, called E1M1. Two rooms of 256 x 256 side by side, (0, 0) to (512, 256), with
/// a line of two sides between them: line 0 is that border (front: room 1), lines 1 to 6 are walls.
inline WadWriter two_rooms() {
  LumpWriter things;
  for (const unsigned x : {64u, 128u}) things.u16(x).u16(64).u16(0).u16(x == 64 ? 1 : 2012).u16(7);
  things.u16(400).u16(128).u16(0).u16(3001).u16(7);
  LumpWriter vertexes;
  vertexes.u16(0).u16(0).u16(256).u16(0).u16(512).u16(0);
  vertexes.u16(512).u16(256).u16(256).u16(256).u16(0).u16(256);
  LumpWriter sectors;
  for (int i = 0; i < 2; ++i) {
    sectors.u16(0).u16(128).name8("FLOOR").name8("CEIL").u16(160).u16(0).u16(0);
  }
  LumpWriter sides;
  LumpWriter lines;
  for (const unsigned sector : {1u, 0u}) {
    sides.u32(0).name8("-").name8("-").name8("-").u16(sector);
  }
  lines.u16(1).u16(4).u16(0).u16(0).u16(0).u16(0).u16(1);
  // Walls go round clockwise, so that the room is to their right.
  constexpr unsigned kCorners[][3] = {{1, 0, 0}, {0, 5, 0}, {5, 4, 0},
                                      {4, 3, 1}, {3, 2, 1}, {2, 1, 1}};
  unsigned side = 2;
  for (const auto& [from, to, sector] : kCorners) {
    sides.u32(0).name8("-").name8("-").name8("-").u16(sector);
    lines.u16(from).u16(to).u16(1).u16(0).u16(0).u16(side++).u16(0xffff);
  }
  WadWriter wad;
  wad.lump("E1M1").lump("THINGS", things).lump("LINEDEFS", lines).lump("SIDEDEFS", sides);
  return wad.lump("VERTEXES", vertexes).lump("SECTORS", sectors);
}

}  // namespace demo::test
