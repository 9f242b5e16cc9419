// G2: a program that saves again and again is killed at random times; another process looks at
// what is left.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "crash/save_kinds.hpp"
#include "files/folder.hpp"
#include "support/records.hpp"
#include "support/scale.hpp"

namespace hdb::test::kill_test {
namespace {

// What a saver reports through its pipe: first that it began a save, then that the save is durable.
struct Note {
  std::uint64_t version = 0;
  bool is_durable = false;
};

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

[[noreturn]] void save_for_ever(SaveWay way, const std::string& folder, std::uint64_t first,
                                int notes) {
  for (std::uint64_t version = first;; ++version) {
    const Note begun{version, false};
    if (::write(notes, &begun, sizeof begun) != sizeof begun) ::_exit(1);
    const auto report = save_version(way, folder, version);
    if (!report || report->outcome != SaveOutcome::durable) ::_exit(2);
    const Note done{version, true};
    if (::write(notes, &done, sizeof done) != sizeof done) ::_exit(1);
  }
}

struct Killed {
  std::uint64_t durable = 0;  ///< The last version that was reported as durable.
  std::uint64_t begun = 0;    ///< The last version of which a save began.
  bool was_killed = false;    ///< Not ended by itself, as after an error.
};

Killed kill_after(SaveWay way, const std::string& folder, std::uint64_t first,
                  std::chrono::microseconds delay) {
  const Pipe pipe;
  const pid_t child = ::fork();
  if (child == 0) save_for_ever(way, folder, first, pipe.ends[1]);
  // The time runs from the first note on: the fork itself takes long when the machine is busy.
  ::pollfd begun{pipe.ends[0], POLLIN, 0};
  ::poll(&begun, 1, 60'000);
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  Killed killed;
  killed.was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  for (Note note;;) {
    ::pollfd more{pipe.ends[0], POLLIN, 0};
    if (::poll(&more, 1, 0) != 1) break;
    if (::read(pipe.ends[0], &note, sizeof note) != ssize_t{sizeof note}) break;
    (note.is_durable ? killed.durable : killed.begun) = note.version;
  }
  return killed;
}

std::size_t temporaries(const Folder& folder) {
  const auto names = folder.names();
  return static_cast<std::size_t>(std::count_if(
      names.begin(), names.end(), [](const std::string& name) { return name.starts_with('.'); }));
}

void kill_again_and_again(SaveWay way, const char* name, std::size_t kills, unsigned seed) {
  const Folder folder(fast_parent());
  Random random(seed);
  std::uint64_t current = 0;
  std::size_t failures = 0;
  std::size_t inside_of_saves = 0;
  for (std::size_t kill = 0; kill < kills; ++kill) {
    const std::chrono::microseconds delay(random.below(12'000));
    const Killed killed = kill_after(way, folder.path(), current + 1, delay);
    const std::uint64_t found = ask_observer(way, folder.path());
    const std::uint64_t at_least = std::max(current, killed.durable);
    if (killed.begun > killed.durable) ++inside_of_saves;
    // One temporary, one lock file, and one backup that waits to be moved.
    const bool sound = killed.was_killed && found >= at_least &&
                       found <= std::max(killed.begun, current) && temporaries(folder) <= 3;
    if (!sound) {
      ++failures;
      ADD_FAILURE() << name << ", kill " << kill << ": found version " << found << ", durable were "
                    << at_least << ", begun " << killed.begun;
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
      name, kills, failures, inside_of_saves, static_cast<unsigned long long>(current));
  EXPECT_GT(inside_of_saves, kills / 2);
  EXPECT_GT(current, kills / 10) << "the kills came too early";
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
