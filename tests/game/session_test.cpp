// The game that is played in a window: its frames, saves and way back, without the window.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "played_game.hpp"
#include "support/folder.hpp"
#include "window/session.hpp"

namespace demo::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class PlayedSession : public testing::Test {
 protected:
  const hdb::test::Folder folder_;
  Session session_{generated_wad_1(), "MAP01", 1, folder_.path(), std::uint64_t{64} << 20};

  // The hashes of the states of the next frames, and of what is beside the database.
  std::vector<std::uint64_t> play(int frames) {
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < frames; ++i) {
      session_.advance();
      hashes.push_back(plain_hash(session_.game()));
    }
    return hashes;
  }
};

TEST_F(PlayedSession, RewoundFramesArePlayedAgainAlike) {
  play(30);
  const std::uint64_t before = plain_hash(session_.game());
  const auto hashes = play(20);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(session_.rewind());
  EXPECT_EQ(session_.tick(), 30u);
  EXPECT_EQ(plain_hash(session_.game()), before);
  EXPECT_EQ(play(20), hashes);
}

TEST_F(PlayedSession, TheOldestFrameIsTheEndOfTheWayBack) {
  const hdb::Hash128 begin = session_.state_hash();
  play(5);
  int frames = 0;
  while (session_.rewind()) ++frames;
  EXPECT_EQ(frames, 5);
  EXPECT_EQ(session_.state_hash(), begin);
}

TEST_F(PlayedSession, ALoadBringsBackTheSaveAndTheGameGoesOnAlike) {
  EXPECT_FALSE(session_.load());  // nothing was saved yet
  play(40);
  ASSERT_TRUE(session_.save());
  const std::uint64_t saved = plain_hash(session_.game());
  const auto hashes = play(15);
  ASSERT_TRUE(session_.load());
  EXPECT_EQ(plain_hash(session_.game()), saved);
  EXPECT_EQ(play(15), hashes);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(session_.rewind());  // to before the load
  EXPECT_EQ(plain_hash(session_.game()), hashes[10]);
}

TEST_F(PlayedSession, AFrameThatTheBrowserRestoredIsTheOneToGoOnFrom) {
  play(kTicksACapture);
  const std::uint64_t captured = plain_hash(session_.game());
  const auto hashes = play(15);
  ASSERT_TRUE(session_.game().world.database.restore(*session_.history().find(kTicksACapture)));
  session_.on_restore(kTicksACapture);
  EXPECT_EQ(plain_hash(session_.game()), captured);
  session_.continue_here();
  EXPECT_EQ(session_.history().newest(), kTicksACapture);
  EXPECT_EQ(play(15), hashes);
}

TEST_F(PlayedSession, ThePlantedBugIsFoundInASecondGameOnly) {
  play(60);
  const std::uint64_t before = plain_hash(session_.game());
  EXPECT_THAT(session_.find_planted_bug(),
              MatchesRegex("frame [0-9]+: things:[0-9]+@[0-9]+\\.hp: -?[0-9]+ -> -?[0-9]+"));
  EXPECT_EQ(plain_hash(session_.game()), before);
}

TEST_F(PlayedSession, CostsOfTheLastSecondAreShown) {
  play(61);
  for (const char* const name : {"tick ", "capture ", "copied ", "autosave "})
    EXPECT_THAT(session_.costs(), HasSubstr(name));
}

TEST(Costs, MedianAndWorstAreThoseOfTheLastSecond) {
  Cost cost;
  EXPECT_EQ(cost.median(), 0);
  for (const double value : {3.0, 1.0, 2.0}) cost.add(value);
  EXPECT_EQ(cost.median(), 2);
  EXPECT_EQ(cost.worst(), 3);
  for (std::size_t i = 0; i < kFramesASecond; ++i) cost.add(1);
  EXPECT_EQ(cost.worst(), 1);
}

}  // namespace
}  // namespace demo::test
