// The WAD reader and the import of maps: no broken file gets through or breaks them.
#include "wad.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "maps.hpp"
#include "played_game.hpp"

namespace demo::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Bytes = std::vector<std::byte>;

// Reads the file and brings its map in; the text of the error, empty if there is none.
std::string refusal_of(const Bytes& file) {
  try {
    const Wad wad(file);
    const Game game(wad, "E1M1", 1);
    EXPECT_EQ(game.world.database.check_invariants(), nullptr);
    for (const Line& line : game.world.lines) {
      EXPECT_TRUE(game.world.sectors.contains(line.front));
    }
    return {};
  } catch (const WadError& error) {
    return error.what();
  }
}

void put(Bytes& bytes, std::size_t at, std::uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; ++i) {
    bytes.at(at + i) = static_cast<std::byte>(value >> (8 * i));
  }
}

std::size_t offset_of(const Bytes& file, const char* lump) {
  const Wad wad(file);
  return static_cast<std::size_t>(wad.lumps()[wad.find(lump).value()].offset);
}

TEST(Wad, MapsAreFoundByTheirMarkers) {
  WadWriter wad = two_rooms();
  wad.lump("DEMO1").lump("MAP02").lump("THINGS").lump("MAP03");
  EXPECT_THAT(Wad(wad.build()).map_names(), ElementsAre("E1M1", "MAP02"));
}

TEST(Wad, FileCutAtAnyByteIsRefused) {
  const Bytes file = two_rooms().build();
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(refusal_of(cut), "") << "cut at " << size;
  }
}

TEST(Wad, NoChangedByteBreaksTheGame) {
  const Bytes file = two_rooms().build();
  std::size_t refused = 0;
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const int value : {0x00, 0x7f, 0xff}) {
      Bytes changed = file;
      changed[at] = static_cast<std::byte>(value);
      refused += refusal_of(changed).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(Wad, HostileLumpCountIsRefusedBeforeAnythingIsAllocated) {
  Bytes file = two_rooms().build();
  put(file, 4, 0xffffffff, 4);
  EXPECT_THAT(refusal_of(file), HasSubstr("header, byte 4: the directory of 4294967295 lumps"));
}

TEST(Wad, LumpBeyondTheEndIsRefusedWithTheByteOfItsEntry) {
  Bytes file = two_rooms().build();
  const std::size_t entry = file.size() - 16;  // SECTORS
  put(file, entry, 0xfffffff0, 4);
  EXPECT_THAT(refusal_of(file), HasSubstr("directory, byte " + std::to_string(entry)));
}

TEST(Wad, NumbersOfWhatIsMissingAreRefused) {
  const Bytes file = two_rooms().build();
  Bytes line = file;
  put(line, offset_of(file, "LINEDEFS") + std::size_t{14} * 2, 6, 2);
  EXPECT_THAT(refusal_of(line), HasSubstr("refers to vertex 6, but there are only 6"));
  Bytes side = file;
  put(side, offset_of(file, "SIDEDEFS") + 28, 2, 2);
  EXPECT_THAT(refusal_of(side), HasSubstr("refers to sector 2, but there are only 2"));
}

TEST(Wad, LumpWithPartOfARecordIsRefused) {
  WadWriter wad = two_rooms();
  LumpWriter odd;
  wad.lump("E1M1").lump("THINGS").lump("SECTORS", odd.u32(1));
  EXPECT_THAT(refusal_of(wad.build()), HasSubstr("the last record has 4 of 26 bytes"));
}

TEST(Wad, SoundThatEndsEarlyIsRefused) {
  WadWriter wad = two_rooms();
  LumpWriter cut;
  wad.lump("DSPISTOL", cut.u16(3).u16(1000).u32(2).u8(0));
  EXPECT_THAT(refusal_of(wad.build()), HasSubstr("DSPISTOL"));
}

TEST(Wad, FileThatIsNotThereIsAnError) {
  EXPECT_THROW(static_cast<void>(Wad::open("no/such.wad")), std::runtime_error);
}

TEST(Wad, GeneratedWadIsTheSameForTheSameSeedAndHasAllThatItsMapsName) {
  EXPECT_EQ(generate_wad(3), generate_wad(3));
  EXPECT_NE(generate_wad(3), generate_wad(4));
  const Wad wad(generate_wad(3));
  for (const std::string& map : wad.map_names()) {
    const Game game(wad, map, 1);
    EXPECT_GT(game.world.sounds.size(), 3u);
    for (const Sector& sector : game.world.sectors) {
      EXPECT_TRUE(sector.floor_flat && sector.ceiling_flat);
    }
    for (const Thing& thing : game.world.things) {
      EXPECT_TRUE(game.world.cast->roles[static_cast<std::size_t>(thing.kind)].picture);
    }
  }
}

}  // namespace
}  // namespace demo::test
