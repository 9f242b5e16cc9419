// Autosaves, frames run twice, and rollback on the sample game.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checks.hpp"
#include "hdb/save_directory.hpp"
#include "played_game.hpp"
#include "support/folder.hpp"

namespace demo::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(Trials, AutosavesChangeNothingOfTheGame) {
  const hdb::test::Folder folder;
  const Check check = try_autosaves(generated_wad_1(), "MAP01", 1, folder.path());
  EXPECT_TRUE(check.passed) << check.text;
  EXPECT_THAT(check.text, HasSubstr("12 autosaves"));
}

// Somebody runs the demo again, after a change of the game, with the same folder for its files.
TEST(Trials, AutosavesOfAnEarlierRunAreNotTakenForThoseOfThisOne) {
  const hdb::test::Folder folder;
  Game earlier(generated_wad_1(), "MAP01", 2);
  hdb::SaveOptions options = earlier.save_options();
  options.metadata.sequence = 1'000'000;
  {
    auto directory = hdb::SaveDirectory::open(folder.path());
    ASSERT_TRUE(directory);
    const auto saved =
        directory->save(earlier.world.database.capture(), hdb::SaveName::autosave(), options);
    ASSERT_TRUE(saved) << saved.error().message();
  }
  const Check check = try_autosaves(generated_wad_1(), "MAP01", 1, folder.path());
  EXPECT_TRUE(check.passed) << check.text;
}

TEST(Trials, EachTickIsTheSameTwice) {
  const Check check = try_sync(generated_wad_1(), "MAP01", 3, false);
  EXPECT_TRUE(check.passed) << check.text;
  EXPECT_EQ(check.text, "sync_test: 60 ticks run twice with equal results");
}

TEST(Trials, APlantedBugIsNamed) {
  const Check check = try_sync(generated_wad_1(), "MAP01", 3, true);
  EXPECT_TRUE(check.passed);
  EXPECT_THAT(check.text,
              MatchesRegex(".*frame [0-9]+: things:[0-9]+@[0-9]+\\.hp: -?[0-9]+ -> -?[0-9]+"));
}

TEST(Trials, RollbackInEachFrameEndsInTheStateOfTheGameThatWentStraightOn) {
  const Check check = try_rollback(generated_wad_1(), "MAP01", 2);
  EXPECT_TRUE(check.passed) << check.text;
}

}  // namespace
}  // namespace demo::test
