// G2: a program that saves again and again is killed at random times; another process looks at
// what is left.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "crash/save_kinds.hpp"
#include "files/folder.hpp"
#include "support/killed_saver.hpp"
#include "support/scale.hpp"

namespace hdb::test::kill_test {
namespace {

struct Pipe {
  Pipe() {
    if (::pipe(ends) != 0) std::abort();
  }
  ~Pipe() {
    for (const int end : ends) ::close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int ends[2] = {-1, -1};
};

// The answer of a process of its own, which has nothing of the saver's or the test's memory of the
// folder.
std::uint64_t ask_observer(SaveWay way, const std::string& folder) {
  const Pipe pipe;
  const pid_t child = ::fork();
  if (child == 0) {
    const std::uint64_t version = current_version(way, folder).value_or(0);
    const bool is_written = ::write(pipe.ends[1], &version, sizeof version) == sizeof version;
    ::_exit(is_written ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  std::uint64_t version = 0;
  EXPECT_EQ(::read(pipe.ends[0], &version, sizeof version), ssize_t{sizeof version});
  return version;
}

// Saves one version after another.
void save_for_ever(SaveWay way, const std::string& folder, std::uint64_t first,
                   const SaverProcess::Report& report) {
  for (std::uint64_t version = first;; ++version) {
    report({.number = version});
    const auto saved = save_version(way, folder, version);
    if (!saved || saved->outcome != SaveOutcome::durable) ::_exit(2);
    report({.number = version, .is_done = true});
  }
}

std::size_t temporaries(const Folder& folder) {
  const auto names = folder.names();
  return static_cast<std::size_t>(std::count_if(
      names.begin(), names.end(), [](const std::string& name) { return name.starts_with('.'); }));
}

// Goes on until that many kills came inside of a save.
void kill_again_and_again(SaveWay way, const char* name, std::size_t wanted, unsigned seed) {
  const Folder folder(fast_parent());
  SaverKiller killer(seed, 3);
  std::uint64_t current = 0;
  std::size_t failures = 0;
  std::size_t kills = 0;
  for (std::size_t inside_of_saves = 0; inside_of_saves < wanted; ++kills) {
    const KilledSaver killed = killer.run([&](const SaverProcess::Report& report) {
      save_for_ever(way, folder.path(), current + 1, report);
    });
    const std::uint64_t found = ask_observer(way, folder.path());
    const std::uint64_t at_least = killed.done.empty() ? current : killed.done.back().number;
    if (killed.is_inside_of_a_save) ++inside_of_saves;
    // One temporary, one lock file, and one backup that waits to be moved.
    const bool sound = killed.was_killed && found >= at_least &&
                       found <= std::max(killed.begun, current) && temporaries(folder) <= 3;
    if (!sound) {
      ++failures;
      ADD_FAILURE() << name << ", kill " << kills << ": found version " << found
                    << ", durable were " << at_least << ", begun " << killed.begun;
      if (failures > 3) break;
    }
    current = found;
  }
  // The next save is not hindered, and removes what the kills left.
  EXPECT_TRUE(save_version(way, folder.path(), current + 1));
  if (way != SaveWay::ring) {
    EXPECT_EQ(temporaries(folder), 0U);
  }
  for (const FoundFile& file : find_files(folder.path())) {
    EXPECT_TRUE(file.version) << file.name << " is not a whole save";
  }
  std::printf(
      "G2 kills at random times, %s: cases=%zu failures=%zu (%zu inside of a save, %llu saves "
      "made)\n",
      name, kills, failures, wanted, static_cast<unsigned long long>(current));
}

TEST(Kill, AtRandomTimesLeavesTheOldOrTheNewSave) {
  kill_again_and_again(SaveWay::plain, "plain", scaled(250), 1);
}

TEST(Kill, AtRandomTimesLeavesTheOldOrTheNewSaveWithBackups) {
  kill_again_and_again(SaveWay::backups, "with backups", scaled(250), 2);
}

TEST(Kill, AtRandomTimesLeavesTheOldOrTheNewNamedSaveOfADirectory) {
  kill_again_and_again(SaveWay::named, "named saves", scaled(250), 3);
}

TEST(Kill, AtRandomTimesLeavesTheOldOrTheNewSaveOfARing) {
  kill_again_and_again(SaveWay::ring, "ring of quicksaves", scaled(250), 4);
}

}  // namespace
}  // namespace hdb::test::kill_test
