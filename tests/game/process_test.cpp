// Child processes.
#include "process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace demo::test {
namespace {

using ::testing::HasSubstr;

TEST(Process, GivesOutputAndExitStatus) {
  const ProcessResult echo = run_process({"/bin/echo", "one  two", "$HOME", "it's", "\\"});
  EXPECT_EQ(echo.exit_status, 0);
  EXPECT_EQ(echo.output, "one  two $HOME it's \\\n");  // as given, whatever the shell makes of it
  EXPECT_EQ(run_process({"/bin/false"}).exit_status, 1);
}

TEST(Process, ProgramThatIsNotThereIsAnError) {
  const ProcessResult missing = run_process({"/no/such/program"});
  EXPECT_NE(missing.exit_status, 0);
  EXPECT_THAT(missing.output, HasSubstr("/no/such/program"));
  EXPECT_EQ(run_process({}).exit_status, -1);
}

TEST(Process, OwnPathNamesThisProgram) { EXPECT_THAT(own_path(), HasSubstr("game_test")); }

}  // namespace
}  // namespace demo::test
