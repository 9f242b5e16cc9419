// Textures by name: loaded once, shared, kept by whoever holds them; their pixels are made again.
#include <gtest/gtest.h>

#include "played_game.hpp"
#include "support/folder.hpp"

namespace demo::test {
namespace {

TEST(Textures, SameNameInAnyCaseIsLoadedOnce) {
  Game game(generated_wad_1());
  const TextureRef first = game.texture("FLAT3");
  ASSERT_TRUE(first);
  EXPECT_EQ(game.texture("flat3"), first);
  EXPECT_EQ(first->bytes, 64u * 64u);
  EXPECT_EQ(game.world.textures.table().size(), 1u);
  ASSERT_NE(game.pixels.find(first), nullptr);
  EXPECT_EQ(game.pixels.find(first)->size(), 64u * 64u);
  EXPECT_FALSE(game.texture("NONE"));
  EXPECT_EQ(game.world.textures.table().size(), 1u);
}

TEST(Textures, StatusBarHoldsItsTextureUntilItLetsGo) {
  PlayedGame game;
  const TextureHandle bar = game.hud.handle();
  EXPECT_EQ(game.flush_textures(), 0u) << "sectors, sprites, roles and the bar hold them";
  game.hud.reset();
  EXPECT_TRUE(game.world.textures.table().contains(bar)) << "letting go destroys nothing";
  EXPECT_EQ(game.flush_textures(), 1u);
  EXPECT_FALSE(game.world.textures.table().contains(bar));
  EXPECT_EQ(game.pixels.find(bar), nullptr);
}

TEST(Textures, PixelsFollowARestore) {
  PlayedGame game;
  game.hud.reset();
  game.flush_textures();
  const hdb::Snapshot before = game.world.database.capture();
  const TextureRef bar = game.texture(kHudPicture);
  const hdb::Snapshot after = game.world.database.capture();
  const std::size_t count = game.pixels.size();
  ASSERT_TRUE(game.world.database.restore(before));
  EXPECT_EQ(game.refresh_pixels(), 0u);
  EXPECT_EQ(game.pixels.find(bar), nullptr);
  EXPECT_EQ(game.pixels.size(), count - 1);
  ASSERT_TRUE(game.world.database.restore(after));
  EXPECT_EQ(game.refresh_pixels(), 1u);
  ASSERT_NE(game.pixels.find(bar), nullptr);
  EXPECT_EQ(game.pixels.size(), count);
}

TEST(Textures, AllPixelsAreMadeAfterALoadAndEqualThoseOfBefore) {
  const hdb::test::Folder folder;
  PlayedGame game;
  ASSERT_TRUE(hdb::save(game.world.database.capture(), folder / "a.hdb", game.save_options()));
  Game other(generated_wad_1());
  ASSERT_TRUE(other.load(folder / "a.hdb"));
  EXPECT_EQ(other.pixels.size(), game.pixels.size());
  for (const auto& [handle, texture] : game.world.textures.table().entries()) {
    ASSERT_NE(other.pixels.find(handle), nullptr);
    EXPECT_EQ(*other.pixels.find(handle), *game.pixels.find(handle));
  }
  EXPECT_EQ(other.hud, other.world.textures.find(kHudPicture));
  EXPECT_EQ(other.sounds, game.sounds);
}

}  // namespace
}  // namespace demo::test
