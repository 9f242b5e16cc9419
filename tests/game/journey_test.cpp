// To the next map: the old one's records go, shared textures stay, the others are flushed.
#include <gtest/gtest.h>

#include "judges.hpp"
#include "played_game.hpp"

namespace demo::test {
namespace {

class OnAJourney : public ::testing::Test {
 protected:
  OnAJourney() { game.play_to(40); }
  PlayedGame game;
};

TEST_F(OnAJourney, TexturesThatTheNextMapLacksAreGoneAndTheOthersKeepTheirHandles) {
  const TextureTable& table = game.world.textures.table();
  const TextureHandle shared = table.find_named("flat15");
  const TextureHandle old = table.find_named("flat0");
  ASSERT_TRUE(shared && old);
  const std::size_t before = table.size();
  const TextureFacts facts = game.travel_to("MAP02");
  EXPECT_EQ(facts.before, before);
  EXPECT_GT(facts.flushed, 0u);
  EXPECT_GT(facts.loaded, 0u);
  EXPECT_FALSE(table.contains(old));
  EXPECT_EQ(table.find_named("FLAT15"), shared);
  EXPECT_EQ(table.size(), facts.before + facts.loaded - facts.flushed);
  EXPECT_EQ(game.pixels.size(), table.size());
  EXPECT_TRUE(game.world.textures.unreferenced().value().empty());
}

TEST_F(OnAJourney, WhatOnlyTheStatusBarHoldsOutlivesTheJourney) {
  game.travel_to("MAP02");
  EXPECT_TRUE(game.hud);
  game.hud.reset();
  EXPECT_EQ(game.flush_textures(), 1u);
}

TEST_F(OnAJourney, RecordsOfTheOldMapAreStaleAndWalksAgree) {
  const ThingHandle thing = game.world.things.begin().handle();
  const SectorHandle sector = game.world.sectors.begin().handle();
  game.travel_to("MAP02");
  EXPECT_FALSE(game.world.things.contains(thing));
  EXPECT_FALSE(game.world.sectors.contains(sector));
  EXPECT_EQ(list_handles(game).disputed, 0u);
  EXPECT_EQ(game.world.database.check_invariants(), nullptr);
}

TEST_F(OnAJourney, EventsOfTheOldMapFindNobody) {
  const std::size_t waiting = game.world.agenda->events.size();
  ASSERT_GT(waiting, 0u);
  const std::uint32_t stale = game.world.agenda->stale;
  game.travel_to("MAP02");
  EXPECT_EQ(game.world.agenda->events.size(), waiting);
  for (const Event& event : game.world.agenda->events) {
    EXPECT_FALSE(game.world.database.contains(event.subject));
  }
  game.play_to(200);
  EXPECT_GE(game.world.agenda->stale, stale + waiting);
}

TEST_F(OnAJourney, IsTheSameAfterARestore) {
  const hdb::Snapshot snapshot = game.world.database.capture();
  const SoundSystem sounds = game.sounds;
  const Journey first = play_next_map(game);
  ASSERT_TRUE(game.world.database.restore(snapshot));
  game.refresh_pixels();
  game.sounds = sounds;
  EXPECT_EQ(play_next_map(game), first);
}

TEST_F(OnAJourney, TheFirstMapFollowsTheLast) {
  EXPECT_EQ(game.next_map(), "MAP02");
  game.travel_to("MAP02");
  EXPECT_EQ(game.next_map(), "MAP01");
}

}  // namespace
}  // namespace demo::test
