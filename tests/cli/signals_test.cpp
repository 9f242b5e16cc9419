// What a signal does: reading and writing stop, a run that does not stop is ended by force, and
// nothing is left of its output.
#include "signals.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

#include "hdb/atomic_file.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "rewrite.hpp"
#include "support/folder.hpp"

namespace hdb::test::signals_test {
namespace {

namespace fs = std::filesystem;

class SignalsDeathTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_ / "out.hdb"; }
  [[nodiscard]] bool is_empty() const { return folder_.names().empty(); }

  // An output that is begun and not finished.
  [[nodiscard]] std::unique_ptr<AtomicFile> begun() const {
    AtomicFileOptions options;
    options.file_system = &inspect::output_files();
    auto file = AtomicFile::create(path(), options);
    if (!file || !(*file)->write(Bytes(100000))) std::_Exit(99);
    return *std::move(file);
  }

  Folder folder_;
};

TEST_F(SignalsDeathTest, OneStopsReadingAndWriting) {
  EXPECT_EXIT(
      {
        inspect::install_signal_handlers();
        const Bytes bytes(100);
        const auto source = inspect::watched(std::make_unique<MemorySource>(bytes));
        Bytes out(10);
        inspect::Output output(-1, false);
        const bool before = source->read_at(0, out).has_value() && !output.closed();
        ::raise(SIGTERM);
        ::alarm(0);  // it would end the program by force
        const auto read = source->read_at(0, out);
        const bool stopped = !read && read.error().code == ErrorCode::cancelled &&
                             output.closed() && inspect::interruption() &&
                             inspect::interrupted() == SIGTERM;
        std::_Exit(before && stopped ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(SignalsDeathTest, TheProgramEndsByTheSignalThatCame) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(
        {
          inspect::install_signal_handlers();
          ::raise(number);
          inspect::end_by_signal();
        },
        ::testing::KilledBySignal(number), "");
  }
}

TEST_F(SignalsDeathTest, WhatDoesNotStopIsEndedAndItsTemporaryRemoved) {
  EXPECT_EXIT(
      {
        inspect::install_signal_handlers();
        const auto file = begun();
        if (is_empty()) std::_Exit(98);
        ::raise(SIGINT);
        for (;;) ::pause();  // as a compressor that asks for nothing
      },
      ::testing::KilledBySignal(SIGINT), "");
  EXPECT_TRUE(is_empty());
}

TEST_F(SignalsDeathTest, TheSecondOneEndsTheProgramAtOnce) {
  EXPECT_EXIT(
      {
        inspect::install_signal_handlers();
        const auto file = begun();
        ::raise(SIGTERM);
        ::alarm(0);
        ::raise(SIGTERM);
        std::_Exit(97);
      },
      ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(is_empty());
}

TEST_F(SignalsDeathTest, AFinishedOutputStays) {
  EXPECT_EXIT(
      {
        inspect::install_signal_handlers();
        const auto file = begun();
        if (!file->commit()) std::_Exit(96);
        ::raise(SIGTERM);
        ::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(fs::exists(path()));
}

TEST_F(SignalsDeathTest, IgnoredOnesStayIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        inspect::install_signal_handlers();
        ::raise(SIGHUP);
        std::_Exit(inspect::interrupted() == 0 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hdb::test::signals_test
