// To the next map: the old one's records go, shared textures stay, the others are flushed.
#include "journey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "game.hpp"
#include "handle_list.hpp"
#include "maps.hpp"

namespace demo::test {
namespace {

using ::testing::IsSubsetOf;

std::set<std::string> texture_names(const World& world) {
  std::set<std::string> names;
  for (const auto& [handle, texture] : world.textures.table().entries()) {
    names.emplace(world.textures.table().name(handle));
  }
  return names;
}

class OnAJourney : public ::testing::Test {
 protected:
  OnAJourney() { game.play_to(40); }
  TextureFacts leave() {
    return leave_for(game.world, generate_map(2, "GENERATED2"), game.textures, game.ledger);
  }
  Game game;
  Hud& hud = game.hud;
};

TEST_F(OnAJourney, TexturesThatTheNextMapLacksAreGoneAndTheOthersKeepTheirHandles) {
  const std::set<std::string> before = texture_names(game.world);
  const TextureHandle shared = game.world.textures.table().find_named("walls/wall16");
  const TextureHandle old = game.world.textures.table().find_named("walls/wall08");
  ASSERT_TRUE(shared && old);
  const TextureFacts facts = leave();
  EXPECT_EQ(facts.before, before.size());
  EXPECT_GT(facts.flushed, 0u);
  EXPECT_GT(facts.loaded, 0u);
  // What is left is what a game has that begins on that map, and the picture of the status bar.
  World fresh;
  Ledger ledger;
  TextureStore store(fresh, generated_art());
  build_world(fresh, generate_map(2), 1, store, ledger);
  std::set<std::string> wanted = texture_names(fresh);
  EXPECT_TRUE(wanted.insert(kHudPicture).second);
  for (const Sprite& sprite : game.world.sprites) {  // kinds that chance added
    if (sprite.picture) wanted.emplace(game.world.textures.table().name(sprite.picture));
  }
  EXPECT_THAT(texture_names(game.world), IsSubsetOf(wanted));
  EXPECT_FALSE(game.world.textures.table().contains(old));
  EXPECT_EQ(game.world.textures.table().find_named("WALLS/WALL16"), shared);
  EXPECT_EQ(game.world.textures.table().size(), facts.before + facts.loaded - facts.flushed);
  EXPECT_EQ(game.textures.image_count(), game.world.textures.table().size());
  EXPECT_TRUE(game.world.textures.unreferenced().value().empty());
}

TEST_F(OnAJourney, WhatOnlyTheStatusBarHoldsOutlivesTheJourney) {
  leave();
  EXPECT_TRUE(hud.bar);
  hud.bar.reset();
  EXPECT_EQ(game.textures.flush(game.ledger), 1u);
}

TEST_F(OnAJourney, RecordsOfTheOldMapAreStaleAndLedgerAgrees) {
  const ThingHandle thing = game.world.things.begin().handle();
  const SectorHandle sector = game.world.sectors.begin().handle();
  leave();
  EXPECT_FALSE(game.world.things.contains(thing));
  EXPECT_FALSE(game.world.sectors.contains(sector));
  EXPECT_TRUE(game.ledger.is_sound());
  const HandleList list = list_handles(game.world, game.sound, hud, game.ledger);
  EXPECT_EQ(list.disputed, 0u);
  EXPECT_EQ(game.world.database.check_invariants(), nullptr);
  for (const Side& side : game.world.sides) EXPECT_TRUE(game.world.sectors.contains(side.sector));
}

TEST_F(OnAJourney, EventsOfTheOldMapFindNobody) {
  const std::size_t waiting = game.world.agenda->events.size();
  ASSERT_GT(waiting, 0u);
  const std::uint32_t stale = game.world.agenda->stale;
  leave();
  EXPECT_EQ(game.world.agenda->events.size(), waiting);
  for (const Event& event : game.world.agenda->events) {
    EXPECT_FALSE(game.world.database.contains(event.subject));
  }
  game.play_to(200);  // all of them are due by then
  EXPECT_GE(game.world.agenda->stale, stale + waiting);
}

TEST_F(OnAJourney, IsTheSameAfterARestore) {
  const hdb::Snapshot snapshot = game.world.database.capture();
  const SoundSystem sound = game.sound;
  const Ledger ledger = game.ledger;
  const Journey first = play_next_map(game);
  EXPECT_EQ(first.error, "");
  ASSERT_TRUE(game.world.database.restore(snapshot));
  game.textures.refresh();
  game.sound = sound;
  game.ledger = ledger;
  EXPECT_EQ(play_next_map(game), first);
}

TEST(NextMap, IsTheNextOfTheWadAndTheFirstAfterTheLast) {
  WadBuilder wad = wad_of(two_rooms());
  MapData other = two_rooms();
  other.name = "E1M2";
  other.things.pop_back();
  // The lumps of a map follow its marker, so one WAD can be put behind another's maps.
  wad.append(wad_of(other));
  const Art art = Art::read(Wad::parse(wad.build()).value()).value();
  World world;
  world.settings.edit().map = "E1M1";
  EXPECT_EQ(next_map(art, world)->name, "E1M2");
  EXPECT_EQ(next_map(art, world)->things.size(), 2u);
  world.settings.edit().map = "E1M2";
  EXPECT_EQ(next_map(art, world)->name, "E1M1");
  EXPECT_EQ(next_map(generated_art(), world)->name, "GENERATED2");
}

}  // namespace
}  // namespace demo::test
