// Sounds as blobs: copied once, held by things and missiles, and back with a restore.
#include <gtest/gtest.h>

#include <algorithm>

#include "played_game.hpp"

namespace demo::test {
namespace {

TEST(SoundBank, CopiesTheSamplesOfTheWadOnce) {
  Game game(generated_wad_1());
  const SoundHandle sound = game.sound("DSPISTOL");
  const auto samples = std::as_const(game.world.sounds).find(sound);
  LumpReader lump = generated_wad_1().read(generated_wad_1().find("DSPISTOL").value());
  lump.skip(8);
  EXPECT_TRUE(std::ranges::equal(samples, lump.take(lump.remaining())));
  const SoundInfo* const info = game.world.sounds.meta(sound);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(info->ticks, samples.size() * kTicksASecond / 11025 + 1);
  EXPECT_EQ(game.sound("DSPISTOL"), sound);
  EXPECT_EQ(game.world.sounds.size(), 1u);
}

TEST(SoundBank, SoundThatTheWadLacksIsNull) {
  Game game(generated_wad_1());
  EXPECT_FALSE(game.sound("DSNONE"));
  EXPECT_TRUE(game.world.sounds.empty());
}

TEST(SoundBank, SoundForWhichThereIsNoRoomIsNullAndTheOthersStay) {
  Game game(generated_wad_1());
  const SoundHandle sound = game.sound("DSPISTOL");
  const std::uint64_t room = game.world.sounds.capacity() - game.world.sounds.allocated_bytes();
  ASSERT_TRUE(game.world.sounds.insert({.name = "silence", .number = 0, .ticks = 1}, room));
  EXPECT_FALSE(game.sound("DSFIRSHT"));
  EXPECT_EQ(game.sound("DSPISTOL"), sound);
}

TEST(SoundBank, ThingsAndMissilesHoldTheSoundThatTheyMake) {
  PlayedGame game;
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
  PlayedGame game;
  const SoundHandle fireball = game.sound("DSFIRSHT");
  const std::size_t size = std::as_const(game.world.sounds).find(fireball).size();
  const hdb::Snapshot snapshot = game.world.database.capture();
  game.world.sounds.clear();
  EXPECT_EQ(std::as_const(game.world.sounds).find(fireball).data(), nullptr);
  game.play_to(5);  // nobody minds the silence
  ASSERT_TRUE(game.world.database.restore(snapshot));
  EXPECT_EQ(std::as_const(game.world.sounds).find(fireball).size(), size);
}

TEST(SoundSystem, TextIsReadBackAndAnyOtherRefused) {
  PlayedGame game;
  game.play_to(20);
  const std::string text = game.sounds.text();
  EXPECT_EQ(SoundSystem::parse(text), game.sounds);
  for (const std::string& broken :
       {std::string(), text.substr(0, text.size() / 2), "9999" + text}) {
    EXPECT_THROW(static_cast<void>(SoundSystem::parse(broken)), std::runtime_error);
  }
  EXPECT_THROW(game.after_load({}), std::runtime_error);  // the save of another program
}

}  // namespace
}  // namespace demo::test
