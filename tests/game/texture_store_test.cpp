// Textures by name: loaded once, shared, kept by whoever holds them; their pixels are made anew.
#include "texture_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "game.hpp"
#include "hdb/inspect/image.hpp"
#include "maps.hpp"
#include "resume.hpp"
#include "support/folder.hpp"

namespace demo::test {
namespace {

TEST(TextureStore, SameNameInAnyCaseIsLoadedOnce) {
  World world;
  Ledger ledger;
  TextureStore textures(world, generated_art());
  const TextureRef first = textures.obtain("walls/WALL03", ledger);
  const TextureRef second = textures.obtain("walls/wall03", ledger);
  ASSERT_TRUE(first);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->height, 64 + 3);
  EXPECT_EQ(textures.counts().loaded, 1u);
  EXPECT_EQ(textures.counts().shared, 1u);
  EXPECT_EQ(world.textures.table().size(), 1u);
  ASSERT_NE(textures.image(first), nullptr);
  EXPECT_EQ(textures.image(first)->pixels.size(), 64u * 67u);
}

TEST(TextureStore, NameThatTheWadLacksGivesNullAndIsTold) {
  WadBuilder wad = wad_of(two_rooms());
  const Art art = Art::read(Wad::parse(add_art(wad).build()).value()).value();
  World world;
  Ledger ledger;
  TextureStore textures(world, art);
  build_world(world, two_rooms(), 1, textures, ledger);
  // The ceiling is not there, nor are the kinds' pictures; the rest of the map is as it should be.
  EXPECT_THAT(textures.counts().unknown, ::testing::Contains("flats/CEIL"));
  for (const Sector& sector : world.sectors) {
    EXPECT_TRUE(sector.ceiling_flat.is_null());
    EXPECT_EQ(world.textures.table().name(sector.floor_flat), "flats/FLOOR");
  }
  EXPECT_FALSE(textures.obtain("walls/STONE", ledger)) << "its patch is missing";
  EXPECT_EQ(world.textures.table().size(), 2u);
  EXPECT_TRUE(ledger.is_sound());
}

TEST(TextureStore, AMapLoadsEachOfItsTexturesOnceAndHoldsThem) {
  Game game;
  const std::size_t loaded = game.textures.counts().loaded;
  EXPECT_EQ(game.world.textures.table().size(), loaded);
  EXPECT_GT(game.textures.counts().shared, 100u);
  EXPECT_EQ(game.textures.flush(game.ledger), 0u) << "walls, sectors, sprites and roles hold them";
  EXPECT_EQ(game.textures.image_count(), loaded);
}

TEST(TextureStore, StatusBarHoldsItsTextureUntilItLetsGo) {
  Game game;
  Hud& hud = game.hud;
  const TextureHandle bar = hud.bar.handle();
  EXPECT_EQ(game.textures.flush(game.ledger), 0u);
  EXPECT_TRUE(hud.bar);
  hud.bar.reset();
  EXPECT_TRUE(game.world.textures.table().contains(bar)) << "letting go destroys nothing";
  EXPECT_EQ(game.textures.flush(game.ledger), 1u);
  EXPECT_FALSE(game.world.textures.table().contains(bar));
  EXPECT_EQ(game.textures.image(bar), nullptr);
  EXPECT_TRUE(game.ledger.is_sound());
}

TEST(TextureStore, ImagesFollowARestore) {
  Game game;
  game.hud.bar.reset();
  game.textures.flush(game.ledger);
  const hdb::Snapshot before = game.world.database.capture();
  const TextureRef bar = game.textures.obtain(kHudPicture, game.ledger);
  const hdb::Snapshot after = game.world.database.capture();
  const std::size_t count = game.textures.image_count();

  ASSERT_TRUE(game.world.database.restore(before));
  const auto gone = game.textures.refresh();
  EXPECT_EQ(gone.decoded, 0u);
  EXPECT_EQ(gone.dropped, 1u);
  EXPECT_EQ(game.textures.image(bar), nullptr);
  EXPECT_EQ(game.textures.image_count(), count - 1);

  ASSERT_TRUE(game.world.database.restore(after));
  const auto back = game.textures.refresh();
  EXPECT_EQ(back.decoded, 1u);
  EXPECT_EQ(back.dropped, 0u);
  ASSERT_NE(game.textures.image(bar), nullptr);
  EXPECT_EQ(game.textures.image_count(), count);
}

TEST(TextureStore, AllImagesAreDecodedAfterALoadAndEqualThoseOfBefore) {
  const hdb::test::Folder folder;
  const std::string path = folder / "images.hdb";
  Game game;
  ASSERT_TRUE(hdb::save(game.world.database.capture(), path, save_options(game.world)));
  World world;
  TextureStore textures(world, generated_art());
  ASSERT_TRUE(world.database.load(path));
  EXPECT_EQ(textures.image_count(), 0u);
  EXPECT_EQ(textures.refresh().decoded, game.textures.image_count());
  for (const auto& [handle, texture] : world.textures.table().entries()) {
    const Image* const image = textures.image(handle);
    ASSERT_NE(image, nullptr);
    EXPECT_EQ(image->pixels, game.textures.image(handle)->pixels);
  }
}

}  // namespace
}  // namespace demo::test
