// Autosaves, frames run twice, and rollback on the sample game; and the picture of frame times.
#include "experiments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "game.hpp"
#include "support/folder.hpp"

namespace demo::test {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

TEST(Experiments, AutosavesChangeNothingOfTheGame) {
  const hdb::test::Folder folder;
  const AutosaveTrial trial = try_autosaves(generate_map(1), generated_art(), 1, folder.path());
  ASSERT_EQ(trial.error, "");
  EXPECT_TRUE(trial.is_game_equal);
  EXPECT_TRUE(trial.is_save_exact);
  EXPECT_EQ(trial.frames.size(), 12u);
  EXPECT_EQ(trial.saved + trial.superseded, 12u);
  EXPECT_GE(trial.saved, 1u);
  EXPECT_EQ(trial.without.frames_ms.size(), trial.with.frames_ms.size());
  EXPECT_THAT(autosave_plot("MAP", trial), HasSubstr("</svg>"));
}

TEST(Experiments, EachTickComesOutTheSameTwice) {
  const SyncTrial trial = try_sync(generate_map(1), generated_art(), 3, false);
  EXPECT_EQ(trial.error, "");
  EXPECT_EQ(trial.divergence, "");
  EXPECT_EQ(trial.ticks, kSyncTestTicks);
}

TEST(Experiments, APlantedBugIsNamed) {
  const SyncTrial trial = try_sync(generate_map(1), generated_art(), 3, true);
  EXPECT_EQ(trial.error, "");
  EXPECT_LT(trial.ticks, kSyncTestTicks);
  EXPECT_THAT(trial.divergence,
              MatchesRegex("frame [0-9]+: things:[0-9]+@[0-9]+\\.hp: -?[0-9]+ -> -?[0-9]+"));
}

TEST(Experiments, RollbackInEachFrameEndsInTheStateOfTheGameThatWentStraightOn) {
  const RollbackTrial trial = try_rollback(generate_map(1), generated_art(), 2);
  EXPECT_EQ(trial.error, "");
  EXPECT_TRUE(trial.is_equal);
  EXPECT_GT(trial.history_bytes, 0u);
}

TEST(FrameTimes, AreSummedUp) {
  std::vector<double> frames;
  for (int i = 200; i >= 1; --i) frames.push_back(i);
  const FrameSummary summary = summary_of(frames);
  EXPECT_EQ(summary.median_ms, 101);
  EXPECT_EQ(summary.percentile_99_ms, 198);
  EXPECT_EQ(summary.longest_ms, 200);
  EXPECT_EQ(summary_of({}).longest_ms, 0);
  EXPECT_EQ(summary_of({7}).percentile_99_ms, 7);
}

TEST(FrameTimes, ArePlottedWithoutMarkupFromNames) {
  const std::string plot =
      frame_plot("<script>", {"a & b", {1, 2, 3}}, {"c", {2, 9, 4}}, {1}, "x < y");
  EXPECT_THAT(plot, Not(HasSubstr("<script>")));
  EXPECT_THAT(plot, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(plot, HasSubstr("a &amp; b: median 2.00 ms, 99 % 3.00 ms, longest 3.00 ms"));
  EXPECT_THAT(plot, HasSubstr("x &lt; y"));
  EXPECT_THAT(frame_plot("empty", {"a", {}}, {"b", {}}, {}, ""), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace demo::test
