// The rules of the game: one future for one state, which hangs on the order of free slots.
#include "simulation.hpp"

#include <gtest/gtest.h>

#include <string>

#include "game.hpp"
#include "play.hpp"
#include "resume.hpp"
#include "sorted_image.hpp"
#include "support/folder.hpp"

namespace demo::test {
namespace {

TEST(Simulation, EqualSeedsGiveEqualGamesTickByTick) {
  Game first(5);
  Game second(5);
  for (std::uint32_t tick = 1; tick <= 120; ++tick) {
    first.play_to(tick);
    second.play_to(tick);
    ASSERT_EQ(first.hashes(), second.hashes()) << "tick " << tick;
  }
  EXPECT_EQ(world_hash(first.world, first.sound), world_hash(second.world, second.sound));
}

TEST(Simulation, OtherSeedsGiveOtherGames) {
  Game first(5);
  Game second(6);
  first.play_to(10);
  second.play_to(10);
  EXPECT_NE(first.hashes().fates, second.hashes().fates);
}

TEST(Simulation, PlaysHardEnoughToWearOutSlots) {
  Game game;
  game.play_to(kSaveTick);
  EXPECT_GE(game.world.missiles.counters().free_count, 1000u);
  EXPECT_GE(game.world.shots.counters().retired_count, 1u);
  EXPECT_GT(game.world.clock->deaths, 100u);
  EXPECT_GT(game.world.clock->respawns, 100u);
  EXPECT_TRUE(game.ledger.is_sound());
  EXPECT_EQ(game.world.database.check_invariants(), nullptr);
}

TEST(Simulation, MonstersMoveBetweenSectors) {
  Game game;
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

TEST(Simulation, RestoredGameHasTheFutureThatItHad) {
  Game game;
  game.play_to(80);
  const hdb::Snapshot snapshot = game.world.database.capture();
  const SoundSystem sound = game.sound;
  const Ledger ledger = game.ledger;
  game.play_to(140);
  const TickHashes future = game.hashes();
  ASSERT_TRUE(game.world.database.restore(snapshot));
  game.sound = sound;
  game.ledger = ledger;
  game.play_to(140);
  EXPECT_EQ(game.hashes(), future);
}

TEST(Simulation, RawBitsOutsideTheDatabaseMatterToTheFuture) {
  std::size_t other_futures = 0;
  for (const std::uint32_t tick : {40u, 80u, 120u, 160u, 200u}) {
    Game game;
    game.play_to(tick);
    const hdb::Snapshot snapshot = game.world.database.capture();
    const SoundSystem sound = game.sound;
    game.play_to(tick + 100);
    const TickHashes future = game.hashes();
    ASSERT_TRUE(game.world.database.restore(snapshot));
    game.sound = sound;
    game.play_to(tick + 100);
    ASSERT_EQ(game.hashes().fates, future.fates) << "with the raw bits, tick " << tick;
    ASSERT_TRUE(game.world.database.restore(snapshot));
    game.sound = SoundSystem();
    game.play_to(tick + 100);
    other_futures += game.hashes().fates != future.fates ? 1 : 0;
  }
  EXPECT_GE(other_futures, 4u);
}

TEST(Simulation, LoadedGameHasTheSameFutureAndOneWithASortedFreeListAnother) {
  const hdb::test::Folder folder;
  const Files files{folder.path()};
  const Played played = play(generate_map(1), generated_art(), 1, files);
  ASSERT_EQ(played.error, "");
  const Resumed exact = resume(files, generated_art(), Resume::exact);
  ASSERT_EQ(exact.error, "");
  EXPECT_EQ(exact.first_other_tick, 0u);
  EXPECT_EQ(exact.first_other_fate, 0u);
  EXPECT_EQ(exact.state_hash, played.state_hash);
  EXPECT_EQ(exact.plain_hash, played.plain_hash);
  EXPECT_EQ(exact.list.live_wrong + exact.list.stale_wrong, 0u);
  EXPECT_GT(exact.list.stale_right, 0u);
  EXPECT_EQ(exact.textures, played.at_save.textures);
  EXPECT_EQ(exact.decoded, exact.textures);
  EXPECT_EQ(exact.journey, played.journey);
  EXPECT_GT(played.journey.textures.flushed, 0u);
  EXPECT_TRUE(exact.handles_unique && played.handles_unique);

  const Resumed control = resume(files, generated_art(), Resume::control);
  ASSERT_EQ(control.error, "");
  EXPECT_EQ(control.list.live_wrong + control.list.stale_wrong,
            0u);  // as saved: only the order differs
  EXPECT_GT(control.first_other_tick, kSaveTick);
  EXPECT_GE(control.first_other_fate, control.first_other_tick);
  EXPECT_NE(control.plain_hash, played.plain_hash);
}

TEST(Simulation, DamagedSaveIsRefusedBySecondProcess) {
  const hdb::test::Folder folder;
  const Files files{folder.path()};
  ASSERT_EQ(play(generate_map(1), generated_art(), 2, files).error, "");
  auto text = read_text(files.save());
  ASSERT_TRUE(text);
  (*text)[text->size() / 2] = static_cast<char>((*text)[text->size() / 2] ^ 1);
  ASSERT_TRUE(write_text(files.save(), *text));
  EXPECT_NE(resume(files, generated_art(), Resume::exact).error, "");
}

TEST(SortedImage, OnlyTheOrderOfFreeSlotsDiffers) {
  const hdb::test::Folder folder;
  const Files files{folder.path()};
  Game game;
  game.play_to(120);
  ASSERT_TRUE(hdb::save(game.world.database.capture(), files.save(), save_options(game.world)));
  ASSERT_TRUE(write_with_sorted_free_lists(files.save(), files.sorted_save()));
  const auto before = free_list_shape(files.save(), "missiles");
  const auto after = free_list_shape(files.sorted_save(), "missiles");
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->size, after->size);
  EXPECT_GT(before->descents, 0u);
  EXPECT_EQ(after->descents, 0u);
  World sorted;
  ASSERT_TRUE(sorted.database.load(files.sorted_save()));
  EXPECT_EQ(world_hash(sorted, game.sound), world_hash(game.world, game.sound));
  EXPECT_NE(sorted.database.state_hash(), game.world.database.state_hash());
}

}  // namespace
}  // namespace demo::test
