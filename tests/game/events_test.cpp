// The agenda: events come when they are due, to subjects of two tables, and skip those that are
// gone.
#include <gtest/gtest.h>

#include <algorithm>

#include "played_game.hpp"

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
  [[nodiscard]] SoundHandle some_sound() { return game.sound("DSPISTOL"); }
  [[nodiscard]] static Missile spark_with(SoundHandle sound) {
    Missile spark;
    spark.is_spark = true;
    spark.ticks_left = 9;
    spark.sound = sound;
    return spark;
  }
  [[nodiscard]] const Agenda& agenda() const { return *game.world.agenda; }

  PlayedGame game;
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
  const SoundHandle sound = some_sound();
  const MissileHandle spark = game.world.missiles.insert(spark_with(sound));
  game.world.things.edit(item)->sound = sound;
  plan(1, EventKind::sound_ends, item);
  plan(1, EventKind::sound_ends, spark);
  game.tick();
  EXPECT_EQ(agenda().handled, 2u);
  EXPECT_EQ(agenda().stale, 0u);
  EXPECT_TRUE(game.world.things.at(item).sound.is_null());
  EXPECT_TRUE(game.world.missiles.at(spark).sound.is_null());
}

TEST_F(Events, StaleSubjectsAreSkippedAndTheNextTenantIsLeftAlone) {
  const SoundHandle sound = some_sound();
  const Missile spark = spark_with(sound);
  const MissileHandle gone = game.world.missiles.insert(spark);
  plan(1, EventKind::sound_ends, gone);
  game.world.missiles.erase(gone);
  const MissileHandle tenant = game.world.missiles.insert(spark);
  ASSERT_EQ(tenant.index(), gone.index());
  game.tick();
  EXPECT_EQ(agenda().stale, 1u);
  EXPECT_EQ(agenda().handled, 0u);
  EXPECT_EQ(game.world.missiles.at(tenant).sound, sound);
  EXPECT_TRUE(std::ranges::all_of(agenda().events, [](const Event& e) { return e.tick > 1; }));
}

TEST_F(Events, InventedSubjectsAreSkipped) {
  game.world.agenda.edit().events = {{1, EventKind::wake, {}},
                                     {1, EventKind::sound_ends, hdb::AnyHandle::from_bits(~0ull)}};
  game.tick();
  EXPECT_EQ(agenda().stale, 2u);
}

TEST_F(Events, PlayStunsAndWakesMonsters) {
  std::size_t stunned = 0;
  while (game.world.clock->tick < 150) {
    game.tick();
    for (const Thing& thing : game.world.things) stunned += thing.is_stunned ? 1 : 0;
  }
  EXPECT_GT(stunned, 0u);
  EXPECT_GT(agenda().handled, 100u);
  EXPECT_GT(agenda().stale, 100u);
  // Whoever is stunned or sounds has one event to end it.
  const auto waiting_for = [&](hdb::AnyHandle subject) {
    return std::ranges::count(agenda().events, subject, &Event::subject);
  };
  for (const auto& [handle, thing] : game.world.things.entries()) {
    EXPECT_EQ(waiting_for(hdb::any_handle(handle)),
              (thing.is_stunned ? 1 : 0) + (thing.sound ? 1 : 0))
        << thing.name;
  }
}

}  // namespace
}  // namespace demo::test
