// The WAD reader: what it reads, and that no broken file gets through or breaks it.
#include "wad.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "art.hpp"
#include "map.hpp"
#include "maps.hpp"

namespace demo::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Reads header, directory, the definitions of walls and the map E1M1.
WadResult<MapData> read(const Bytes& file) {
  auto wad = Wad::parse(file);
  if (!wad) return tl::unexpected<WadError>(wad.error());
  const auto art = Art::read(*std::move(wad));
  if (!art) return tl::unexpected<WadError>(art.error());
  return read_map(art->wad(), "E1M1");
}

// Where the bytes of a lump begin.
std::size_t offset_of(const Bytes& file, const char* lump) {
  const auto wad = Wad::parse(file);
  return static_cast<std::size_t>(wad.value().find(lump)->offset);
}

// Whether all numbers name what is there.
bool is_consistent(const MapData& map) {
  return std::all_of(map.lines.begin(), map.lines.end(),
                     [&](const MapLine& line) {
                       return line.from < map.vertexes.size() && line.to < map.vertexes.size() &&
                              line.front < map.sides.size() &&
                              (line.back == kNoSide || line.back < map.sides.size());
                     }) &&
         std::all_of(map.sides.begin(), map.sides.end(),
                     [&](const MapSide& side) { return side.sector < map.sectors.size(); });
}

TEST(Wad, MapIsReadAsItWasWritten) {
  const auto map = read(wad_of(two_rooms()).build());
  ASSERT_TRUE(map) << map.error().message();
  EXPECT_EQ(map->things.size(), 3u);
  EXPECT_EQ(map->things[1].x, 400);
  EXPECT_EQ(map->things[1].type, 3001);
  EXPECT_EQ(map->lines.size(), 7u);
  EXPECT_EQ(map->lines[0].back, 1);
  EXPECT_EQ(map->lines[1].back, kNoSide);
  EXPECT_EQ(map->sides[2].middle, "BRICK");
  EXPECT_EQ(map->sectors[1].ceiling, 128);
  EXPECT_EQ(map->sectors[1].floor_flat, "FLOOR");
}

TEST(Wad, MapsAreFoundByTheirMarkers) {
  WadBuilder wad = wad_of(two_rooms());
  wad.lump("DEMO1").lump("MAP02").lump("THINGS").lump("MAP03");
  const auto parsed = Wad::parse(wad.build());
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->map_names(), ElementsAre("E1M1", "MAP02"));
  EXPECT_THAT(read_map(*parsed, "MAP02").error().message(), HasSubstr("does not have this lump"));
  EXPECT_THAT(read_map(*parsed, "MAP03").error().message(), HasSubstr("no map MAP03"));
}

TEST(Wad, FileCutAtAnyByteIsRefused) {
  const Bytes file = wad_of(two_rooms()).build();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(read(cut)) << "cut at " << size;
  }
}

TEST(Wad, NoChangedByteGivesAMapThatNamesWhatIsNotThere) {
  const Bytes file = wad_of(two_rooms()).build();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const int value : {0x00, 0x7f, 0x80, 0xff}) {
      Bytes changed = file;
      changed[at] = static_cast<std::byte>(value);
      const auto map = read(changed);
      if (map) {
        EXPECT_TRUE(is_consistent(*map)) << "byte " << at << " set to " << value;
      } else {
        EXPECT_FALSE(map.error().lump.empty());
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(Wad, HostileLumpCountIsRefusedBeforeAnythingIsAllocated) {
  Bytes file = wad_of(two_rooms()).build();
  put_u32(file, 4, 0xffffffff);
  const auto wad = Wad::parse(file);
  ASSERT_FALSE(wad);
  EXPECT_EQ(wad.error().lump, "header");
  EXPECT_EQ(wad.error().byte, 4u);
  EXPECT_THAT(wad.error().what, HasSubstr("4294967295 lumps"));
}

TEST(Wad, LumpBeyondTheEndIsRefusedWithTheByteOfItsEntry) {
  Bytes file = wad_of(two_rooms()).build();
  const std::size_t entry = file.size() - 16;  // TEXTURE1
  put_u32(file, entry, 0xfffffff0);
  const auto wad = Wad::parse(file);
  ASSERT_FALSE(wad);
  EXPECT_THAT(wad.error().lump, HasSubstr("TEXTURE1"));
  EXPECT_EQ(wad.error().byte, entry);
}

TEST(Wad, LineThatNamesAMissingVertexIsRefusedWithItsByte) {
  Bytes file = wad_of(two_rooms()).build();
  const std::size_t line = offset_of(file, "LINEDEFS") + 14 * 2;
  put_u16(file, line, 6);
  const auto map = read(file);
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().lump, "LINEDEFS of E1M1");
  EXPECT_EQ(map.error().byte, line);
  EXPECT_THAT(map.error().what, HasSubstr("record 2 refers to vertex 6, but there are only 6"));
}

TEST(Wad, SideThatNamesAMissingSectorIsRefused) {
  Bytes file = wad_of(two_rooms()).build();
  put_u16(file, offset_of(file, "SIDEDEFS") + 28, 2);
  const auto map = read(file);
  ASSERT_FALSE(map);
  EXPECT_THAT(map.error().message(), HasSubstr("refers to sector 2, but there are only 2"));
}

TEST(Wad, LumpWithPartOfARecordIsRefusedWithTheByteOfThePart) {
  MapData map = two_rooms();
  WadBuilder wad;
  wad.lump("E1M1").lump("THINGS", Bytes(23));
  const auto result = read(wad.build());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().lump, "THINGS of E1M1");
  EXPECT_EQ(result.error().byte, 12u + 20u);
}

TEST(Wad, HostileTextureCountsAndOffsetsAreRefused) {
  const Bytes file = wad_of(two_rooms()).build();
  const std::size_t textures = offset_of(file, "TEXTURE1");
  Bytes count = file;
  put_u32(count, textures, 0x40000000);
  EXPECT_THAT(read(count).error().message(), HasSubstr("1073741824 textures do not fit"));
  Bytes offset = file;
  put_u32(offset, textures + 4, 0xffffffff);
  EXPECT_THAT(read(offset).error().message(), HasSubstr("TEXTURE1, byte"));
  Bytes patches = file;
  put_u16(patches, textures + 12 + 20, 0xffff);
  EXPECT_THAT(read(patches).error().message(), HasSubstr("65535 patches do not fit"));
}

TEST(Wad, FileThatIsNotThereIsAnError) {
  EXPECT_THAT(Wad::open("no/such.wad").error().message(), HasSubstr("No such file"));
}

TEST(Wad, GeneratedMapIsSoundAndTheSameForTheSameSeed) {
  const MapData map = generate_map(3);
  EXPECT_TRUE(is_consistent(map));
  EXPECT_GT(map.sectors.size(), 100u);
  const MapData again = generate_map(3);
  const MapData other = generate_map(4);
  const auto same_things = [](const MapThing& a, const MapThing& b) {
    return a.x == b.x && a.y == b.y && a.type == b.type;
  };
  EXPECT_TRUE(std::equal(map.things.begin(), map.things.end(), again.things.begin(),
                         again.things.end(), same_things));
  EXPECT_FALSE(std::equal(map.things.begin(), map.things.end(), other.things.begin(),
                          other.things.end(), same_things));
}

}  // namespace
}  // namespace demo::test
