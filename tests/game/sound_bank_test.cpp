// Sounds as blobs: copied once, held by things and missiles, and back with a restore.
#include "world.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "game.hpp"

namespace demo::test {
namespace {

TEST(SoundBank, CopiesTheSamplesOfTheWadOnce) {
  World world;
  Ledger ledger;
  const SoundHandle sound = obtain_sound(world, generated_art(), "DSPISTOL", ledger);
  const auto samples = std::as_const(world.sounds).find(sound);
  const auto lump = generated_art().find_sound("DSPISTOL");
  ASSERT_TRUE(lump);
  EXPECT_TRUE(std::ranges::equal(samples, lump->samples));
  const SoundInfo* const info = world.sounds.meta(sound);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->sample_rate, lump->sample_rate);
  EXPECT_EQ(info->ticks, lump->samples.size() * kTicksASecond / lump->sample_rate + 1);
  EXPECT_EQ(obtain_sound(world, generated_art(), "DSPISTOL", ledger), sound);
  EXPECT_EQ(world.sounds.size(), 1u);
}

TEST(SoundBank, SoundThatTheWadLacksIsNull) {
  World world;
  Ledger ledger;
  EXPECT_FALSE(obtain_sound(world, generated_art(), "DSNONE", ledger));
  EXPECT_TRUE(world.sounds.empty());
}

TEST(SoundBank, SoundForWhichThereIsNoRoomIsNullAndTheOthersStay) {
  World world;
  Ledger ledger;
  const SoundHandle sound = obtain_sound(world, generated_art(), "DSPISTOL", ledger);
  const std::uint64_t room = world.sounds.capacity() - world.sounds.allocated_bytes();
  ASSERT_TRUE(
      world.sounds.insert({.name = "silence", .number = 0, .sample_rate = 1, .ticks = 1}, room));
  EXPECT_FALSE(obtain_sound(world, generated_art(), "DSCLAW", ledger));
  EXPECT_EQ(obtain_sound(world, generated_art(), "DSPISTOL", ledger), sound);
}

TEST(SoundBank, ThingsAndMissilesHoldTheSoundThatTheyMake) {
  Game game;
  game.play_to(60);
  const auto is_sounding = [&](const auto& record) {
    return game.world.sounds.contains(record.sound);
  };
  EXPECT_GT(std::ranges::count_if(game.world.things, is_sounding), 0);
  EXPECT_GT(std::ranges::count_if(game.world.missiles, is_sounding), 0);
  for (const Thing& thing : game.world.things) {
    EXPECT_EQ(!thing.sound.is_null(), is_sounding(thing)) << thing.name;
  }
}

TEST(SoundBank, ErasedSoundsAreBackAfterARestore) {
  Game game;
  const SoundHandle fireball = game.world.cast->fireball;
  const std::size_t size = std::as_const(game.world.sounds).find(fireball).size();
  const hdb::Snapshot snapshot = game.world.database.capture();
  game.world.sounds.clear();
  EXPECT_EQ(std::as_const(game.world.sounds).find(fireball).data(), nullptr);
  game.play_to(5);  // nobody minds the silence
  ASSERT_TRUE(game.world.database.restore(snapshot));
  EXPECT_EQ(std::as_const(game.world.sounds).find(fireball).size(), size);
}

}  // namespace
}  // namespace demo::test
