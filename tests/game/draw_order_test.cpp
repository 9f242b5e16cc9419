// The order of drawing: reached in small steps, part of the state, and no business of the rules.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "played_game.hpp"

namespace demo::test {
namespace {

std::vector<SpriteHandle> order_of(const World& world) {
  std::vector<SpriteHandle> order;
  for (const auto& [handle, sprite] : world.sprites.entries()) order.push_back(handle);
  return order;
}

TEST(DrawOrder, IsReachedInStepsWhenNobodyMoves) {
  PlayedGame game;
  game.sort_for_drawing(kLookPeriod);  // a look, and the first step
  EXPECT_FALSE(game.is_sorted_for_drawing());
  int steps = 1;
  while (!game.is_sorted_for_drawing() && steps < 1000) {
    game.sort_for_drawing(kLookPeriod + 1);
    ++steps;
  }
  std::int32_t previous = INT32_MAX;
  for (const Sprite& sprite : game.world.sprites) {
    EXPECT_LE(sprite.distance, previous) << "the farthest is drawn first";
    previous = sprite.distance;
  }
  EXPECT_EQ(previous, 0) << "the viewer himself is the nearest";
  EXPECT_GT(steps, 5);
  EXPECT_LT(steps, 1000);
}

TEST(DrawOrder, EveryThingHasOneSpriteWithItsKindsPicture) {
  PlayedGame game;
  game.play_to(100);
  ASSERT_EQ(game.world.sprites.size(), game.world.things.size());
  for (const auto& [handle, thing] : game.world.things.entries()) {
    const Sprite& sprite = game.world.sprites.at(thing.sprite);
    EXPECT_EQ(sprite.thing, handle);
    EXPECT_EQ(sprite.number, thing.number);
    EXPECT_EQ(sprite.picture, game.world.cast->roles[static_cast<std::size_t>(thing.kind)].picture);
  }
}

TEST(DrawOrder, UnfinishedSortGoesOnAfterARestore) {
  PlayedGame game;
  game.play_to(kLookPeriod + 3);
  ASSERT_FALSE(game.is_sorted_for_drawing());
  const hdb::Snapshot snapshot = game.world.database.capture();
  const std::vector<SpriteHandle> before = order_of(game.world);
  const auto sort_on = [&] {
    for (std::uint32_t tick = 1; tick < 6; ++tick) game.sort_for_drawing(kLookPeriod + tick);
    return order_of(game.world);
  };
  const std::vector<SpriteHandle> after = sort_on();
  EXPECT_NE(after, before);
  ASSERT_TRUE(game.world.database.restore(snapshot));
  EXPECT_EQ(order_of(game.world), before);
  EXPECT_EQ(sort_on(), after);
}

TEST(DrawOrder, HowFarSortingHasComeIsState) {
  PlayedGame game;
  game.play_to(kLookPeriod + 3);
  ASSERT_FALSE(game.is_sorted_for_drawing());
  const hdb::Hash128 hash = game.world.database.state_hash();
  game.world.sprites.restart_sort();
  EXPECT_NE(game.world.database.state_hash(), hash);
}

}  // namespace
}  // namespace demo::test
