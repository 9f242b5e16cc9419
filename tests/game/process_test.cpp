// Child processes and the text that they send back.
#include "process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "game.hpp"
#include "resume.hpp"

namespace demo::test {
namespace {

using ::testing::HasSubstr;

TEST(Process, GivesOutputAndExitStatus) {
  const ProcessResult echo = run_process({"/bin/echo", "one two", "$HOME"});
  EXPECT_EQ(echo.exit_status, 0);
  EXPECT_EQ(echo.output, "one two $HOME\n");  // no shell
  EXPECT_EQ(run_process({"/bin/false"}).exit_status, 1);
}

TEST(Process, ProgramThatIsNotThereIsAnError) {
  const ProcessResult missing = run_process({"/no/such/program"});
  EXPECT_NE(missing.exit_status, 0);
  EXPECT_EQ(run_process({}).exit_status, -1);
}

TEST(Process, OwnPathNamesThisProgram) { EXPECT_THAT(own_path(), HasSubstr("game_test")); }

TEST(Resumed, TextGivesTheSameBack) {
  Resumed resumed;
  resumed.load_ms = 1.5;
  resumed.list = {10, 1, 20, 2, "imp 4.target things:0x1 must be imp 1, but is stale"};
  resumed.first_other_tick = 301;
  resumed.first_other_fate = 303;
  resumed.handles_unique = true;
  resumed.state_hash = "ab";
  resumed.plain_hash = "cd";
  resumed.textures = 9;
  resumed.decoded = 8;
  resumed.journey = {"", "MAP02", {1, 2, 3}, 4, "ef", "gh"};
  const Resumed back = parse_resumed(to_json(resumed));
  EXPECT_EQ(back.error, "");
  EXPECT_EQ(back.load_ms, 1.5);
  EXPECT_EQ(back.list.live_right, 10u);
  EXPECT_EQ(back.list.live_wrong, 1u);
  EXPECT_EQ(back.list.stale_right, 20u);
  EXPECT_EQ(back.list.stale_wrong, 2u);
  EXPECT_EQ(back.list.first_wrong, resumed.list.first_wrong);
  EXPECT_EQ(back.first_other_tick, 301u);
  EXPECT_EQ(back.first_other_fate, 303u);
  EXPECT_TRUE(back.handles_unique);
  EXPECT_EQ(back.state_hash, "ab");
  EXPECT_EQ(back.plain_hash, "cd");
  EXPECT_EQ(back.textures, 9u);
  EXPECT_EQ(back.decoded, 8u);
  EXPECT_EQ(back.journey, resumed.journey);
}

TEST(Resumed, AnythingElseIsAnError) {
  EXPECT_EQ(parse_resumed("Segmentation fault\nand more\n").error, "Segmentation fault");
  EXPECT_NE(parse_resumed("").error, "");
  EXPECT_NE(resume(Files{"/no/such/folder"}, generated_art(), Resume::exact).error, "");
}

TEST(Trace, TextGivesTheSameBack) {
  const Trace trace{{1, 2}, {0xffffffffffffffffu, 0}};
  EXPECT_EQ(from_json<Trace>(to_json(trace)), trace);
  EXPECT_FALSE(from_json<Trace>(""));
}

}  // namespace
}  // namespace demo::test
