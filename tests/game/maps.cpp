// Writes the lumps that the sample game reads.
#include "maps.hpp"

namespace demo::test {
namespace {

unsigned bits(std::int16_t value) { return static_cast<std::uint16_t>(value); }

}  // namespace

LumpBuilder& LumpBuilder::number(std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  return *this;
}

LumpBuilder& LumpBuilder::name(const std::string& text) {
  for (std::size_t i = 0; i < 8; ++i) {
    bytes_.push_back(static_cast<std::byte>(i < text.size() ? text[i] : '\0'));
  }
  return *this;
}

void put_u16(Bytes& bytes, std::size_t at, unsigned value) {
  for (unsigned i = 0; i < 2; ++i) bytes.at(at + i) = static_cast<std::byte>(value >> (8 * i));
}

void put_u32(Bytes& bytes, std::size_t at, std::uint64_t value) {
  for (unsigned i = 0; i < 4; ++i) bytes.at(at + i) = static_cast<std::byte>(value >> (8 * i));
}

WadBuilder& WadBuilder::lump(const std::string& name, const Bytes& bytes) {
  lumps_.emplace_back(name, bytes);
  return *this;
}

WadBuilder& WadBuilder::append(const WadBuilder& other) {
  lumps_.insert(lumps_.end(), other.lumps_.begin(), other.lumps_.end());
  return *this;
}

Bytes WadBuilder::build() const {
  Bytes file = LumpBuilder().name("PWAD").bytes();
  file.resize(4);
  LumpBuilder directory;
  Bytes contents;
  for (const auto& [name, bytes] : lumps_) {
    directory.u32(12 + contents.size()).u32(bytes.size()).name(name);
    contents.insert(contents.end(), bytes.begin(), bytes.end());
  }
  const Bytes counts = LumpBuilder().u32(lumps_.size()).u32(12 + contents.size()).bytes();
  const Bytes& entries = directory.bytes();
  for (const Bytes* const part : {&counts, static_cast<const Bytes*>(&contents), &entries}) {
    file.insert(file.end(), part->begin(), part->end());
  }
  return file;
}

MapData two_rooms() {
  MapData map;
  map.name = "E1M1";
  map.vertexes = {{0, 0}, {256, 0}, {512, 0}, {512, 256}, {256, 256}, {0, 256}};
  MapSector room;
  room.ceiling = 128;
  room.floor_flat = "FLOOR";
  room.ceiling_flat = "CEIL";
  map.sectors = {room, room};
  const auto side = [&](std::uint16_t sector, const char* middle) {
    MapSide face;
    face.upper = face.lower = "-";
    face.middle = middle;
    face.sector = sector;
    map.sides.push_back(face);
    return static_cast<std::uint16_t>(map.sides.size() - 1);
  };
  const auto front = side(1, "-");
  const auto back = side(0, "-");
  map.lines.push_back({1, 4, 0, 0, 0, front, back});
  // Walls go round clockwise, so that the room is to their right.
  const std::uint16_t corners[][3] = {{1, 0, 0}, {0, 5, 0}, {5, 4, 0},
                                      {4, 3, 1}, {3, 2, 1}, {2, 1, 1}};
  for (const auto& [from, to, sector] : corners) {
    map.lines.push_back({from, to, 1, 0, 0, side(sector, "BRICK"), kNoSide});
  }
  map.things = {{64, 64, 1}, {400, 128, 3001}, {128, 128, 2012}};
  return map;
}

WadBuilder wad_of(const MapData& map) {
  LumpBuilder things;
  for (const MapThing& t : map.things) {
    things.u16(bits(t.x)).u16(bits(t.y)).u16(0).u16(t.type).u16(7);
  }
  LumpBuilder lines;
  for (const MapLine& l : map.lines) {
    lines.u16(l.from).u16(l.to).u16(l.flags).u16(l.special).u16(l.tag).u16(l.front).u16(l.back);
  }
  LumpBuilder sides;
  for (const MapSide& s : map.sides) {
    sides.u16(bits(s.x_offset)).u16(bits(s.y_offset));
    sides.name(s.upper).name(s.lower).name(s.middle).u16(s.sector);
  }
  LumpBuilder vertexes;
  for (const MapVertex& v : map.vertexes) vertexes.u16(bits(v.x)).u16(bits(v.y));
  LumpBuilder sectors;
  for (const MapSector& s : map.sectors) {
    sectors.u16(bits(s.floor)).u16(bits(s.ceiling)).name(s.floor_flat).name(s.ceiling_flat);
    sectors.u16(bits(s.light)).u16(s.special).u16(s.tag);
  }
  struct Definition {
    const char* name;
    unsigned width;
    unsigned patch;
  };
  constexpr Definition kDefinitions[] = {{"BRICK", 64, 0}, {"STONE", 128, 1}};
  LumpBuilder textures;
  textures.u32(2).u32(12).u32(12 + 32);
  for (const Definition& wall : kDefinitions) {
    textures.name(wall.name).u32(0).u16(wall.width).u16(128).u32(0).u16(1);
    textures.u16(1).u16(2).u16(wall.patch).u16(0).u16(0);  // its one patch, at (1, 2)
  }
  WadBuilder wad;
  wad.lump(map.name).lump("THINGS", things.bytes()).lump("LINEDEFS", lines.bytes());
  wad.lump("SIDEDEFS", sides.bytes()).lump("VERTEXES", vertexes.bytes());
  wad.lump("SECTORS", sectors.bytes()).lump("TEXTURE1", textures.bytes());
  return wad;
}

Bytes small_picture() {
  LumpBuilder picture;
  picture.u16(2).u16(3).u16(0).u16(0).u32(16).u32(23);
  picture.u8(1).u8(2).u8(0).u8(7).u8(8).u8(0).u8(255);  // rows 1 and 2 of column 0
  picture.u8(255);                                      // nothing in column 1
  return picture.bytes();
}

WadBuilder& add_art(WadBuilder& wad) {
  wad.lump("PNAMES", LumpBuilder().u32(2).name("PATCH").name("NOPATCH").bytes());
  wad.lump("PATCH", small_picture()).lump("STBAR", small_picture());
  wad.lump("F_START").lump("FLOOR", Bytes(64 * 64, std::byte{5})).lump("F_END");
  LumpBuilder sound;
  sound.u16(3).u16(1000).u32(100);
  for (unsigned i = 0; i < 100; ++i) sound.u8(i);
  return wad.lump("DSPISTOL", sound.bytes());
}

}  // namespace demo::test
