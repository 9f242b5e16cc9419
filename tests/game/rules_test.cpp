// The rules of the game: one future for one state, which hangs on the order of free slots.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "played_game.hpp"
#include "support/folder.hpp"

namespace demo::test {
namespace {

TEST(Rules, EqualSeedsGiveEqualGamesTickByTick) {
  PlayedGame first(5);
  PlayedGame second(5);
  for (std::uint32_t tick = 1; tick <= 120; ++tick) {
    first.play_to(tick);
    second.play_to(tick);
    ASSERT_EQ(first.hashes(), second.hashes()) << "tick " << tick;
  }
  EXPECT_EQ(plain_hash(first), plain_hash(second));
}

TEST(Rules, OtherSeedsGiveOtherGames) {
  PlayedGame first(5);
  PlayedGame second(6);
  first.play_to(10);
  second.play_to(10);
  EXPECT_NE(first.hashes().fates, second.hashes().fates);
}

TEST(Rules, PlaysHardEnoughToWearOutSlots) {
  PlayedGame game;
  game.play_to(kSaveTick);
  EXPECT_GE(game.world.missiles.counters().free_count, 1000u);
  EXPECT_GE(game.world.shots.counters().retired_count, 1u);
  EXPECT_GT(game.world.clock->deaths, 100u);
  EXPECT_EQ(game.world.database.check_invariants(), nullptr);
}

TEST(Rules, MonstersMoveBetweenSectors) {
  PlayedGame game;
  std::vector<std::pair<ThingHandle, SectorHandle>> before;
  for (const auto& [handle, thing] : game.world.things.entries()) {
    if (thing.kind != Kind::item) before.emplace_back(handle, thing.sector);
  }
  game.play_to(100);
  std::size_t moved = 0;
  for (const auto& [handle, sector] : before) {
    const Thing* const thing = game.world.things.find(handle);
    moved += thing != nullptr && thing->sector != sector ? 1 : 0;
  }
  EXPECT_GT(moved, 5u);  // of those still alive
}

TEST(Rules, RestoredGameHasTheFutureThatItHad) {
  PlayedGame game;
  game.play_to(80);
  const hdb::Snapshot snapshot = game.world.database.capture();
  const SoundSystem sounds = game.sounds;
  game.play_to(140);
  const TickHashes future = game.hashes();
  ASSERT_TRUE(game.world.database.restore(snapshot));
  game.sounds = sounds;
  game.play_to(140);
  EXPECT_EQ(game.hashes(), future);
}

TEST(Rules, RawBitsOutsideTheDatabaseMatterToTheFuture) {
  std::size_t other_futures = 0;
  for (const std::uint32_t tick : {40u, 80u, 120u, 160u, 200u}) {
    PlayedGame game;
    game.play_to(tick);
    const hdb::Snapshot snapshot = game.world.database.capture();
    const SoundSystem sounds = game.sounds;
    game.play_to(tick + 100);
    const TickHashes future = game.hashes();
    ASSERT_TRUE(game.world.database.restore(snapshot));
    game.sounds = sounds;
    game.play_to(tick + 100);
    ASSERT_EQ(game.hashes().fates, future.fates) << "with the raw bits, tick " << tick;
    ASSERT_TRUE(game.world.database.restore(snapshot));
    game.sounds = SoundSystem();
    game.play_to(tick + 100);
    other_futures += game.hashes().fates != future.fates ? 1 : 0;
  }
  EXPECT_GE(other_futures, 4u);
}

Checks failed(const Checks& checks) {
  Checks found;
  for (const Check& check : checks) {
    if (!check.passed) found.push_back(check);
  }
  return found;
}

TEST(Demonstration, LoadedGameHasTheSameFutureAndOneWithASortedFreeListAnother) {
  const hdb::test::Folder folder;
  const Files files{folder.path()};
  const Demonstration played = play(generated_wad_1(), "MAP01", 1, files);
  EXPECT_EQ(played.first_checks.size(), 3u);
  for (const Check& check : failed(played.first_checks)) ADD_FAILURE() << check.text;
  const Checks exact = check_resumed_game(files, generated_wad_1());
  EXPECT_EQ(exact.size(), 7u);
  for (const Check& check : failed(exact)) ADD_FAILURE() << check.text;
  const Check control = check_control(files, generated_wad_1());
  EXPECT_TRUE(control.passed) << control.text;

  // Each check of the second process can fail: here all but the list, the pixels and the bytes of
  // the file, which depend on the save alone.
  std::filesystem::copy_file(files.sorted_save(), files.save(),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(failed(check_resumed_game(files, generated_wad_1())).size(), 5u);
  std::filesystem::resize_file(files.save(), std::filesystem::file_size(files.save()) / 2);
  EXPECT_THROW(static_cast<void>(check_resumed_game(files, generated_wad_1())), std::runtime_error);
}

TEST(Demonstration, TrialThatCannotBeFinishedIsAFailedCheck) {
  const hdb::test::Folder folder;
  std::ofstream(folder / "autosaves") << "a file where the folder of the saves must be";
  const Checks checks =
      demonstrate(generated_wad_1(), "", "MAP01", 1, Files{folder.path()}, "/bin/false")
          .first_checks;
  ASSERT_EQ(checks.size(), 5u);
  EXPECT_EQ(failed(checks).size(), 1u);
  EXPECT_FALSE(checks[3].passed);
  EXPECT_NE(checks[3].text.find("Not a directory"), std::string::npos) << checks[3].text;
}

TEST(SortedImage, OnlyTheOrderOfFreeSlotsDiffers) {
  const hdb::test::Folder folder;
  const Files files{folder.path()};
  PlayedGame game;
  game.play_to(120);
  ASSERT_TRUE(hdb::save(game.world.database.capture(), files.save(), game.save_options()));
  write_with_sorted_free_lists(files.save(), files.sorted_save());
  auto before = free_list_of(files.save(), "missiles");
  EXPECT_FALSE(std::ranges::is_sorted(before));
  std::ranges::sort(before);
  EXPECT_EQ(free_list_of(files.sorted_save(), "missiles"), before);
  Game sorted(generated_wad_1());
  ASSERT_TRUE(sorted.load(files.sorted_save()));
  EXPECT_EQ(plain_hash(sorted), plain_hash(game));
  EXPECT_NE(sorted.world.database.state_hash(), game.world.database.state_hash());
}

}  // namespace
}  // namespace demo::test
