// Pictures and sounds of a WAD: found by name, decoded pixel by pixel, refused when broken.
#include "art.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "game.hpp"
#include "maps.hpp"

namespace demo::test {
namespace {

constexpr std::int16_t kClear = Image::kClear;

Art art_of(const Bytes& file) { return Art::read(Wad::parse(file).value()).value(); }
Art small_art() {
  WadBuilder wad = wad_of(two_rooms());
  return art_of(add_art(wad).build());
}

TEST(Art, FindsPicturesByFolderAndNameWhateverTheCase) {
  const Art art = small_art();
  const auto wall = art.find("walls/brick");
  ASSERT_TRUE(wall);
  EXPECT_EQ(wall->kind, PictureKind::wall);
  EXPECT_EQ(wall->width, 64);
  EXPECT_EQ(wall->height, 128);
  EXPECT_EQ(wall->bytes, small_picture().size());
  EXPECT_EQ(art.find("flats/Floor")->bytes, 64u * 64u);
  EXPECT_EQ(art.find("pictures/STBAR")->height, 3);
}

TEST(Art, FindsNothingThatTheWadLacks) {
  const Art art = small_art();
  for (const char* const name : {"walls/STONE", "walls/FLOOR", "flats/STBAR", "flats/CEIL",
                                 "pictures/FLOOR", "pictures/", "BRICK", "", "/"}) {
    EXPECT_FALSE(art.find(name)) << name;  // STONE's patch is named but not there
  }
}

TEST(Art, DrawsPostsWhereTheyBelongAndLeavesTheRestClear) {
  const Art art = small_art();
  const auto picture = art.decode(art.find("pictures/STBAR").value());
  ASSERT_TRUE(picture);
  EXPECT_THAT(picture->pixels, testing::ElementsAre(kClear, kClear, 7, kClear, 8, kClear));
  const auto wall = art.decode(art.find("walls/BRICK").value());
  ASSERT_TRUE(wall);
  const auto at = [&](std::size_t x, std::size_t y) { return wall->pixels[y * 64 + x]; };
  EXPECT_EQ(at(1, 3), 7);  // the patch lies at (1, 2)
  EXPECT_EQ(at(1, 4), 8);
  EXPECT_EQ(at(1, 2), kClear);
  EXPECT_EQ(at(2, 3), kClear);
  const auto flat = art.decode(art.find("flats/FLOOR").value());
  ASSERT_TRUE(flat);
  EXPECT_THAT(flat->pixels, testing::Each(5));
}

TEST(Art, BrokenPicturesAreRefusedAtAnyCut) {
  const Bytes whole = small_picture();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    WadBuilder wad;
    wad.lump("STBAR", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    const Art art = art_of(wad.build());
    const auto found = art.find("pictures/STBAR");
    EXPECT_FALSE(found && art.decode(*found)) << size;
  }
}

TEST(Art, RecordsOfAnotherWadDecodeToNothing) {
  const Art art = small_art();
  for (const PictureKind kind : {PictureKind::wall, PictureKind::flat, PictureKind::picture}) {
    EXPECT_FALSE(art.decode({kind, 900, 64, 64, 0}));
    EXPECT_FALSE(art.decode({kind, 0, 64, 0, 0}));
    EXPECT_FALSE(art.decode({kind, 0, -1, 64, 0}));
  }
}

TEST(Art, GivesTheSamplesOfASoundAndNoneOfABrokenOne) {
  const Art art = small_art();
  const auto sound = art.find_sound("dspistol");
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->sample_rate, 1000);
  ASSERT_EQ(sound->samples.size(), 100u);
  EXPECT_EQ(sound->samples[99], std::byte{99});
  EXPECT_FALSE(art.find_sound("DSNONE"));
  WadBuilder wad;
  wad.lump("SHORT", LumpBuilder().u16(3).u16(1000).u32(2).u8(0).bytes());
  wad.lump("OTHER", LumpBuilder().u16(0).u16(1000).u32(0).bytes());
  wad.lump("NORATE", LumpBuilder().u16(3).u16(0).u32(0).bytes());
  const Art broken = art_of(wad.build());
  for (const char* const name : {"SHORT", "OTHER", "NORATE"}) {
    EXPECT_FALSE(broken.find_sound(name)) << name;
  }
}

TEST(Art, GeneratedWadHasAllThatGeneratedMapsName) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    World world;
    Ledger ledger;
    TextureStore textures(world, generated_art());
    build_world(world, generate_map(seed), seed, textures, ledger);
    EXPECT_TRUE(textures.counts().unknown.empty()) << *textures.counts().unknown.begin();
    EXPECT_GT(world.sounds.size(), 3u);
    for (const Role& role : world.cast->roles) EXPECT_EQ(role.is_cast, !role.picture.is_null());
  }
}

}  // namespace
}  // namespace demo::test
