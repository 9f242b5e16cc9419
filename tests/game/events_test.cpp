// The agenda: events come when they are due, to subjects of three tables, and skip those that are
// gone.
#include "events.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "game.hpp"

namespace demo::test {
namespace {

class Events : public ::testing::Test {
 protected:
  template <class T>
  void plan(std::uint32_t tick, EventKind kind, hdb::TypedHandle<T> subject) {
    game.world.agenda.edit().events.push_back({tick, kind, hdb::any_handle(subject)});
  }
  // One that does nothing and that nobody hunts.
  [[nodiscard]] ThingHandle some_item() const {
    for (const auto& [handle, thing] : game.world.things.entries()) {
      if (thing.kind == Kind::item) return handle;
    }
    return {};
  }
  [[nodiscard]] static Missile spark_with(SoundHandle sound) {
    Missile spark;
    spark.kind = MissileKind::spark;
    spark.ticks_left = 9;
    spark.sound = sound;
    return spark;
  }
  [[nodiscard]] const Agenda& agenda() const { return *game.world.agenda; }

  Game game;
};

TEST_F(Events, ComeInTheirTickAndNoSooner) {
  const ThingHandle item = some_item();
  game.world.things.edit(item)->is_stunned = true;
  plan(3, EventKind::wake, item);
  game.play_to(2);
  EXPECT_TRUE(game.world.things.at(item).is_stunned);
  game.play_to(3);
  EXPECT_FALSE(game.world.things.at(item).is_stunned);
}

TEST_F(Events, ReachSubjectsOfEachTable) {
  const ThingHandle item = some_item();
  const SoundHandle sound = game.world.cast->fireball;
  const SectorHandle sector = game.world.sectors.begin().handle();
  const MissileHandle spark = game.world.missiles.insert(spark_with(sound));
  game.world.things.edit(item)->sound = sound;
  game.world.sectors.edit(sector)->is_open = true;
  plan(1, EventKind::sound_ends, item);
  plan(1, EventKind::sound_ends, spark);
  plan(1, EventKind::door_closes, sector);
  game.simulation.tick();
  EXPECT_EQ(agenda().handled, 3u);
  EXPECT_EQ(agenda().stale, 0u);
  EXPECT_TRUE(game.world.things.at(item).sound.is_null());
  EXPECT_TRUE(game.world.missiles.at(spark).sound.is_null());
  EXPECT_FALSE(game.world.sectors.at(sector).is_open);
}

TEST_F(Events, StaleSubjectsAreSkippedAndTheNextTenantIsLeftAlone) {
  const SoundHandle sound = game.world.cast->fireball;
  const Missile spark = spark_with(sound);
  const MissileHandle gone = game.world.missiles.insert(spark);
  plan(1, EventKind::sound_ends, gone);
  game.world.missiles.erase(gone);
  const MissileHandle tenant = game.world.missiles.insert(spark);
  ASSERT_EQ(tenant.index(), gone.index());
  game.simulation.tick();
  EXPECT_EQ(agenda().stale, 1u);
  EXPECT_EQ(agenda().handled, 0u);
  EXPECT_EQ(game.world.missiles.at(tenant).sound, sound);
  EXPECT_TRUE(std::ranges::all_of(agenda().events, [](const Event& e) { return e.tick > 1; }));
}

TEST_F(Events, InventedSubjectsAreSkipped) {
  game.world.agenda.edit().events = {{1, EventKind::wake, {}},
                                     {1, EventKind::door_closes, hdb::AnyHandle::from_bits(~0ull)}};
  game.simulation.tick();
  EXPECT_EQ(agenda().stale, 2u);
}

TEST_F(Events, PlayStunsAndWakesMonstersAndOpensAndClosesDoors) {
  std::size_t stunned = 0;
  std::size_t open = 0;
  while (game.world.clock->tick < 150) {
    game.simulation.tick();
    for (const Thing& thing : game.world.things) stunned += thing.is_stunned ? 1 : 0;
    for (const Sector& sector : game.world.sectors) open += sector.is_open ? 1 : 0;
  }
  EXPECT_GT(stunned, 0u);
  EXPECT_GT(open, 0u);
  EXPECT_GT(agenda().handled, 100u);
  EXPECT_GT(agenda().stale, 100u);
  // Whoever is stunned, sounds or is open has one event to end it.
  const auto waiting_for = [&](hdb::AnyHandle subject) {
    return std::ranges::count(agenda().events, subject, &Event::subject);
  };
  for (const auto& [handle, thing] : game.world.things.entries()) {
    EXPECT_EQ(waiting_for(hdb::any_handle(handle)),
              (thing.is_stunned ? 1 : 0) + (thing.sound ? 1 : 0))
        << thing.name;
  }
  for (const auto& [handle, sector] : game.world.sectors.entries()) {
    EXPECT_EQ(waiting_for(hdb::any_handle(handle)), sector.is_open ? 1 : 0);
  }
}

}  // namespace
}  // namespace demo::test
