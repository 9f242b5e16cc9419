// The progress bar: fits every terminal, shows the progress, and counts each part of a file once.
#include "progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <unistd.h>

#include "text.hpp"

namespace hdb::test::progress_test {
namespace {

using hdb::inspect::progress_text;
using hdb::inspect::ProgressState;
using ::testing::HasSubstr;
using ::testing::Not;

ProgressState half_done() {
  return {.verb = "validate",
          .name = "saves/slot1.hdb",
          .done = std::uint64_t{512} << 20,
          .total = std::uint64_t{1} << 30,
          .seconds = 64};
}

TEST(Progress, TellsPartAmountRateAndTimeLeft) {
  const std::string text = progress_text(half_done(), 120);
  EXPECT_THAT(text, HasSubstr("validate slot1.hdb"));
  EXPECT_THAT(text, HasSubstr("[###############---------------]"));
  EXPECT_THAT(text, HasSubstr(" 50%"));
  EXPECT_THAT(text, HasSubstr("512.0 MiB of 1.0 GiB"));
  EXPECT_THAT(text, HasSubstr("8.0 MiB/s"));
  EXPECT_THAT(text, HasSubstr("1:04 left"));
}

TEST(Progress, IsNeverWiderThanTheTerminal) {
  for (const std::string_view name : {"a.hdb", "a very long name of a save file.hdb",
                                      "\xe9\xbe\x8d\xe9\xbe\x8d\xe9\xbe\x8d\xe9\xbe\x8d.hdb", ""}) {
    for (std::size_t width = 1; width <= 160; ++width) {
      ProgressState state = half_done();
      state.name = name;
      EXPECT_LE(inspect::display_width(progress_text(state, width)), width) << name;
    }
  }
}

TEST(Progress, SaysThePercentageOnTheNarrowestTerminalThatHoldsIt) {
  EXPECT_EQ(progress_text(half_done(), 16), "validate  50%");
  EXPECT_THAT(progress_text(half_done(), 39), HasSubstr("1:04 left"));
}

TEST(Progress, EscapesTheNameOfTheFile) {
  ProgressState state = half_done();
  state.name = "a\x1b[31m\n.hdb";
  EXPECT_THAT(progress_text(state, 120), Not(HasSubstr("\x1b")));
  EXPECT_THAT(progress_text(state, 120), Not(HasSubstr("\n")));
}

TEST(Progress, WithoutATotalNothingIsDone) {
  const ProgressState state{.verb = "import", .name = "x", .done = 0, .total = 0, .seconds = 1};
  EXPECT_THAT(progress_text(state, 80), HasSubstr("  0%"));
}

TEST(Progress, TimeLeftOfHours) {
  ProgressState state = half_done();
  state.seconds = 7384;
  EXPECT_THAT(progress_text(state, 80), HasSubstr("2:03:04 left"));
}

// Standard error as a file, as long as this lives.
class ErrorFile {
 public:
  ErrorFile() { ::dup2(::fileno(file_), STDERR_FILENO); }
  ~ErrorFile() {
    ::dup2(terminal_, STDERR_FILENO);
    ::close(terminal_);
    std::fclose(file_);
  }
  ErrorFile(const ErrorFile&) = delete;
  ErrorFile& operator=(const ErrorFile&) = delete;

  [[nodiscard]] std::string text() const {
    std::string read(static_cast<std::size_t>(::lseek(STDERR_FILENO, 0, SEEK_CUR)), '\0');
    EXPECT_EQ(::pread(STDERR_FILENO, read.data(), read.size(), 0), std::ssize(read));
    return read;
  }

 private:
  int terminal_ = ::dup(STDERR_FILENO);
  std::FILE* file_ = std::tmpfile();
};

// A source that is read through is what it was.
TEST(Progress, AWatchedSourceGivesTheSameBytes) {
  Bytes bytes(100000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  inspect::set_progress_mode(inspect::When::always, false);
  const ErrorFile error;
  {
    const inspect::ProgressScope scope("read", "bytes");
    const auto source = inspect::watched(std::make_unique<MemorySource>(bytes));
    Bytes out(70000);
    for (int again = 0; again < 3; ++again) {
      ASSERT_TRUE(source->read_at(20000, out));
      EXPECT_TRUE(std::equal(out.begin(), out.end(), bytes.begin() + 20000));
    }
    EXPECT_FALSE(source->read_at(50000, out));
    // Read three times, counted once: the five parts of 16 KiB in which the bytes are.
    while (error.text().find(" 81%") == std::string::npos)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(*source->size(), bytes.size());
  }
  inspect::set_progress_mode(inspect::When::never, false);
  const std::string shown = error.text();
  EXPECT_THAT(shown, Not(HasSubstr("100%")));
  EXPECT_TRUE(shown.ends_with(" \r")) << "the bar stays on the terminal";
}

}  // namespace
}  // namespace hdb::test::progress_test
