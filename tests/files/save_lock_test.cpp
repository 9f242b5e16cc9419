// W3: one saver a target, across processes and within one; savers of different targets never
// exclude each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "files/child_process.hpp"
#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/atomic_file.hpp"

namespace hdb::test::save_lock_test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr milliseconds kAtOnce{0};
constexpr milliseconds kLong = std::chrono::hours(24);

ErrorCode create_code(const std::string& path, milliseconds timeout = kAtOnce,
                      FileSystem* files = nullptr) {
  const auto file = AtomicFile::create(path, {.lock_timeout = timeout, .file_system = files});
  return file ? ErrorCode{} : file.error().code;
}

// A process that runs `body`; what that returns is its exit status.
pid_t start(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}
bool ends_well(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A process that holds a target until it is told to commit.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    int ready[2];
    int go[2];
    EXPECT_EQ(::pipe(ready) + ::pipe(go), 0);
    child_ = start([&] {
      ::close(go[1]);
      auto file = AtomicFile::create(path);
      char byte = 0;
      if (!file || ::write(ready[1], "r", 1) != 1 || ::read(go[0], &byte, 1) != 1) return 1;
      return (*file)->write(bytes_of("held")) && (*file)->commit() ? 0 : 2;
    });
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    go_ = go[1];
    for (const int end : {ready[0], ready[1], go[0]}) ::close(end);
  }
  void commit() {
    EXPECT_EQ(::write(go_, "g", 1), 1);
    EXPECT_TRUE(ends_well(child_));
    ::close(go_);
  }
  void kill() {
    ::kill(child_, SIGKILL);
    EXPECT_FALSE(ends_well(child_));
    ::close(go_);
  }

 private:
  pid_t child_ = -1;
  int go_ = -1;
};

TEST(SaveLock, SecondSaverOfOneTargetIsBusy) {
  const Folder folder;
  std::filesystem::create_directory_symlink(folder.path(), folder / "again");
  std::filesystem::create_symlink("slot", folder / "link");
  const auto first = AtomicFile::create(folder / "slot");
  ASSERT_TRUE(first);
  EXPECT_EQ(create_code(folder / "slot"), ErrorCode::save_busy);
  EXPECT_EQ(create_code(folder / "again/slot"), ErrorCode::save_busy);  // by another path
  EXPECT_EQ(create_code(folder / "link"), ErrorCode::save_busy);
  EXPECT_EQ(create_code(folder / "slot", milliseconds(20)), ErrorCode::save_busy);
  EXPECT_EQ(create_code(folder / "other"), ErrorCode{});  // another target of the folder
  WrappedFileSystem other_world;                          // seen by the lock file alone
  EXPECT_EQ(create_code(folder / "slot", kAtOnce, &other_world), ErrorCode::save_busy);
  const auto refused = AtomicFile::create(folder / "slot", {.lock_timeout = milliseconds(20)});
  EXPECT_EQ(
      refused.error().message(),
      folder / "slot" +
          ": busy: another save of this file in this program is still running (waited 20 ms)");
}

TEST(SaveLock, SecondSaverWaitsASecondByDefault) {
  const Folder folder;
  const auto first = AtomicFile::create(folder / "slot");
  ASSERT_TRUE(first);
  const auto second = AtomicFile::create(folder / "slot");
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message(), HasSubstr("still running (waited 1000 ms)"));
}

TEST(SaveLock, SecondSaverWaitsForTheFirstAndThenSaves) {
  const Folder folder;
  auto first = AtomicFile::create(folder / "slot");
  ASSERT_TRUE(first);
  ASSERT_TRUE((*first)->write(bytes_of("first")));
  std::thread second(
      [&] { EXPECT_TRUE(save_text(folder / "slot", "second", {.lock_timeout = kLong})); });
  std::this_thread::sleep_for(milliseconds(20));  // most likely it waits by then
  EXPECT_TRUE((*first)->commit());
  second.join();
  EXPECT_EQ(get(folder / "slot"), "second");
}

TEST(SaveLock, ASaverInAnotherProcessIsWaitedFor) {
  const Folder folder;
  Holder holder(folder / "slot");
  const auto refused = AtomicFile::create(folder / "slot", {.lock_timeout = kAtOnce});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            folder / "slot" + ": busy: another program is still saving this file");
  EXPECT_EQ(create_code(folder / "slot", milliseconds(30)), ErrorCode::save_busy);
  EXPECT_EQ(create_code(folder / "other"), ErrorCode{});
  std::thread commit([&] {
    std::this_thread::sleep_for(milliseconds(30));
    holder.commit();
  });
  EXPECT_TRUE(save_text(folder / "slot", "mine", {.keep = 1, .lock_timeout = kLong}));
  commit.join();
  EXPECT_EQ(get(folder / "slot"), "mine");
  EXPECT_EQ(get(folder / "slot.1"), "held");
  EXPECT_THAT(folder.names(), ElementsAre("slot", "slot.1"));
}

TEST(SaveLock, FortyProcessesSaveDifferentNamesOfOneFolderAtOnce) {
  const Folder folder;
  std::vector<pid_t> children;
  for (unsigned number = 0; number < 40; ++number) {
    children.push_back(start([&, number] {
      for (unsigned round = 0; round < 3; ++round) {
        const std::string path = folder / ("slot" + std::to_string(number));
        if (!save_text(path, sample_text(3000, number), {.keep = 1, .lock_timeout = kAtOnce})) {
          return 1;
        }
      }
      return 0;
    }));
  }
  int failures = 0;
  for (const pid_t child : children) failures += ends_well(child) ? 0 : 1;
  std::printf("W3 different targets: cases=40 failures=%d\n", failures);
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(folder.names().size(), 80u);
}

TEST(SaveLock, OnlyOneProcessAtATimeHoldsATarget) {
  const Folder folder;
  constexpr unsigned kProcesses = 6;
  constexpr unsigned kRounds = 40;
  std::vector<pid_t> children;
  for (unsigned number = 0; number < kProcesses; ++number) {
    children.push_back(start([&, number] {
      for (unsigned round = 0; round < kRounds; ++round) {
        auto file = AtomicFile::create(folder / "slot", {.lock_timeout = kLong});
        if (!file) return 1;
        const int alone = ::open((folder / "alone").c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (alone < 0) return 2;
        ::close(alone);
        if (!(*file)->write(bytes_of(sample_text(100, number)))) return 3;
        if (::unlink((folder / "alone").c_str()) != 0) return 4;
        if (round % 2 == 0 && !(*file)->commit()) return 5;
      }
      return 0;
    }));
  }
  int failures = 0;
  for (const pid_t child : children) failures += ends_well(child) ? 0 : 1;
  std::printf("W3 one target: cases=%u failures=%d\n", kProcesses * kRounds, failures);
  EXPECT_EQ(failures, 0);
  EXPECT_THAT(folder.names(), ElementsAre("slot"));
}

TEST(SaveLock, WhoMayOnlyReadTheFolderCannotBlockIt) {
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const int directory = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(directory, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(create_code(folder / "slot"), ErrorCode{});
  const auto file = AtomicFile::create(folder / "slot");
  EXPECT_EQ(mode_of(folder / ".slot.hdb.lock"), 0600u);
  if (::geteuid() == 0) {  // else all files are the reader's own
    in_child([&] {
      ASSERT_TRUE(drop_root());
      EXPECT_EQ(::open((folder / ".slot.hdb.lock").c_str(), O_RDONLY | O_CLOEXEC), -1);
      EXPECT_EQ(errno, EACCES);
    });
  }
  ::close(directory);
}

TEST(SaveLock, WhoMayWriteIntoTheFolderMayLock) {
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0775), 0);
  const auto file = AtomicFile::create(folder / "slot");
  EXPECT_EQ(mode_of(folder / ".slot.hdb.lock"), 0620u);
}

TEST(SaveLock, WhatAKilledProcessLeftIsTakenOverAndRemoved) {
  const Folder folder;
  put(folder / "slot", "old");
  Holder holder(folder / "slot");
  holder.kill();
  EXPECT_EQ(folder.names().size(), 3u);  // a temporary, the lock and the old file
  EXPECT_TRUE(save_text(folder / "slot", "new", {.lock_timeout = kAtOnce}));
  EXPECT_THAT(folder.names(), ElementsAre("slot"));
}

TEST(SaveLock, ALockFileThatIsRemovedWhileItIsTakenDoesNotCount) {  // L1
  const Folder folder;
  WrappedFileSystem files;
  int tries = 0;
  files.before = [&](Call call) -> std::optional<int> {
    // A former holder ends between the opening and the locking of its file.
    if (call == Call::try_lock && ++tries == 1) std::filesystem::remove(folder / ".slot.hdb.lock");
    return std::nullopt;
  };
  const auto file =
      AtomicFile::create(folder / "slot", {.lock_timeout = kAtOnce, .file_system = &files});
  ASSERT_TRUE(file);
  EXPECT_EQ(tries, 3);  // the last: of the temporary
  EXPECT_EQ(create_code(folder / "slot"), ErrorCode::save_busy);
}

TEST(SaveLock, TimeOutsOfAnySizeAreTakenAsTheyAreMeant) {
  const Folder folder;
  auto first = AtomicFile::create(folder / "slot");
  ASSERT_TRUE(first);
  WrappedFileSystem other_world;
  for (FileSystem* files :
       {static_cast<FileSystem*>(nullptr), static_cast<FileSystem*>(&other_world)}) {
    EXPECT_EQ(create_code(folder / "slot", milliseconds(-1), files), ErrorCode::save_busy);
    EXPECT_EQ(create_code(folder / "slot", milliseconds::min(), files), ErrorCode::save_busy);
  }
  std::thread end([&] {
    std::this_thread::sleep_for(milliseconds(30));
    first->reset();
  });
  EXPECT_EQ(create_code(folder / "slot", milliseconds::max()), ErrorCode{});
  end.join();
}

TEST(SaveLock, WhatIsNoLockFileIsRefusedWithoutWaiting) {
  const Folder folder;
  const std::string lock = folder / ".slot.hdb.lock";
  ASSERT_EQ(::mkfifo(lock.c_str(), 0666), 0);
  EXPECT_EQ(create_code(folder / "slot"), ErrorCode::not_regular);
  std::filesystem::remove(lock);
  std::filesystem::create_directory(lock);
  EXPECT_EQ(create_code(folder / "slot"), ErrorCode::not_regular);
  std::filesystem::remove(lock);
  put(folder / "victim", "text");
  std::filesystem::create_symlink("victim", lock);
  EXPECT_EQ(create_code(folder / "slot"), ErrorCode::bad_path);
  EXPECT_EQ(get(folder / "victim"), "text");
}

TEST(SaveLock, ALockOfAnotherUserIsReportedAsSuch) {
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  put(folder / ".slot.hdb.lock", "");
  ASSERT_EQ(::chmod((folder / ".slot.hdb.lock").c_str(), 0), 0);
  in_child([&] {
    ASSERT_TRUE(drop_root());
    const auto file = AtomicFile::create(folder / "slot", {.lock_timeout = kAtOnce});
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().code, ErrorCode::save_busy);
    EXPECT_THAT(file.error().what, HasSubstr("another user"));
    EXPECT_THAT(file.error().what, HasSubstr("'.slot.hdb.lock'"));
  });
}

TEST(SaveLock, FileSystemsWithoutLocksStillSaveOneAtATime) {
  for (const int number : {EOPNOTSUPP, ENOSYS, EINVAL, ENOLCK, EBADF}) {  // the last two: NFS
    SCOPED_TRACE(number);
    const Folder folder;
    WrappedFileSystem files;
    files.before = [&](Call call) {
      return call == Call::try_lock ? std::optional(number) : std::nullopt;
    };
    {
      const auto first = AtomicFile::create(folder / "slot", {.file_system = &files});
      ASSERT_TRUE(first) << first.error().message();
      EXPECT_EQ(create_code(folder / "slot", kAtOnce, &files), ErrorCode::save_busy);
    }
    const auto report = save_text(folder / "slot", "text", {.file_system = &files});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->outcome, SaveOutcome::durable);
    EXPECT_THAT(report->done_without.what, HasSubstr("for want of a lock"));
    EXPECT_THAT(folder.names(), ElementsAre("slot"));
  }
}

// Whether the other user still saves cannot be found out: after an hour no save waits for it.
TEST(SaveLock, ALockThatAnotherUserLeftIsPassedByAfterAnHour) {
  if (::geteuid() != 0) {
    std::printf("W3: lock of another user not tried (only root can be two users)\n");
    return;
  }
  for (const unsigned mode : {0777u, 01777u}) {  // in the second, nobody removes others' files
    SCOPED_TRACE(mode);
    const Folder folder;
    ASSERT_EQ(::chmod(folder.path().c_str(), mode), 0);
    const std::string lock = folder / ".slot.hdb.lock";
    put(lock, "");
    ASSERT_EQ(::chmod(lock.c_str(), 0), 0);
    set_age(lock, std::chrono::minutes(61));
    in_child([&] {
      ASSERT_TRUE(drop_root());
      const auto report = save_text(folder / "slot", "text", {.lock_timeout = kAtOnce});
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->done_without.what.empty(), mode == 0777u);
    });
    EXPECT_EQ(get(folder / "slot"), "text");
    EXPECT_EQ(folder.names().size(), mode == 0777u ? 1u : 2u);
  }
}

}  // namespace
}  // namespace hdb::test::save_lock_test
