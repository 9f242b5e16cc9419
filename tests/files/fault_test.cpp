// G3: whichever call of a save fails, once or for ever, the old file stays whole and nothing is
// left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/atomic_file.hpp"
#include "support/scale.hpp"

namespace hdb::test {
namespace {

constexpr std::array kErrors{EIO, ENOSPC, EDQUOT, EINTR, EROFS, EACCES, EMFILE};

enum class Sticky { once, same_call, everything };

struct Scenario {
  unsigned keep = 0;
  bool has_old = true;
  bool has_links = true;
};

// Old saves, a stale temporary and the save that is to be disturbed.
class FaultRun {
 public:
  explicit FaultRun(const Scenario& scenario) : scenario_(scenario) {
    if (scenario.has_old) {
      old_ = sample_text(2000, 3);
      put(target_, old_);
      for (unsigned number = 1; number <= scenario.keep; ++number)
        put(backup(number), old_backup(number));
    }
    // A temporary as a crash leaves it.
    auto crashed = AtomicFile::create(target_);
    for (const std::string& name : folder_.names()) {
      if (name.ends_with(".hdb.tmp")) stale_ = folder_ / name;
    }
    crashed->reset();
    put(stale_, "half");
  }

  // Fails call number `nth` (from 1); returns how many calls there were.
  std::size_t run(std::size_t nth, int error, Sticky sticky) {
    const std::size_t descriptors = open_descriptors();
    WrappedFileSystem files;
    std::size_t calls = 0;
    std::optional<Call> failed_call;
    files.before = [&](Call call) -> std::optional<int> {
      if (call == Call::link && !scenario_.has_links) return EPERM;
      ++calls;
      if (calls == nth) failed_call = call;
      const bool again =
          failed_call && calls > nth &&
          (sticky == Sticky::everything || (sticky == Sticky::same_call && call == *failed_call));
      if (calls == nth || again) return error;
      return std::nullopt;
    };
    const std::string text = sample_text(9000, 9);
    const auto report = save_text(target_, text,
                                  {.keep = scenario_.keep,
                                   .read_back = ReadBack::always,
                                   .buffer_bytes = 0,
                                   .file_system = &files});
    EXPECT_EQ(open_descriptors(), descriptors);
    if (report) {
      EXPECT_EQ(get(target_), text);
      EXPECT_EQ(report->outcome == SaveOutcome::durable, report->problem.what.empty());
      expect_backups_moved_up(report->backup_problem);
    } else {
      EXPECT_EQ(get(target_), old_);
      for (unsigned number = 1; scenario_.has_old && number <= scenario_.keep; ++number) {
        EXPECT_EQ(get(backup(number)), old_backup(number)) << "backup " << number;
      }
      EXPECT_EQ(report.error().file, target_);
      EXPECT_THAT(report.error().what, testing::Not(testing::IsEmpty()));
    }
    // The stale one goes early in a save, so an earlier failure leaves it; and what cannot be
    // removed now, the next save removes.
    const bool removal_failed = failed_call == Call::unlink || failed_call == Call::list;
    const bool lock_failed = failed_call == Call::try_lock || failed_call == Call::status_at ||
                             failed_call == Call::status || failed_call == Call::unlink;
    if (sticky == Sticky::everything || !report || removal_failed) {
      std::filesystem::remove(stale_);
    }
    const bool rotation_failed = report && !report->backup_problem.what.empty();
    if ((sticky == Sticky::everything || lock_failed || rotation_failed) &&
        folder_.has_temporary()) {
      EXPECT_TRUE(save_text(target_, "next", {.keep = scenario_.keep}));
      if (rotation_failed && scenario_.has_old) {
        EXPECT_EQ(get(backup(1)), text);
        if (scenario_.keep > 1) {
          EXPECT_EQ(get(backup(2)), old_);
        }
      }
    }
    EXPECT_FALSE(folder_.has_temporary()) << testing::PrintToString(folder_.names());
    return calls;
  }

 private:
  [[nodiscard]] std::string backup(unsigned number) const {
    return target_ + "." + std::to_string(number);
  }
  static std::string old_backup(unsigned number) { return sample_text(2000, 3 - number); }

  // Also when that fails, the old file and all backups but the oldest are left in some form.
  void expect_backups_moved_up(const Error& problem) const {
    if (!scenario_.has_old || scenario_.keep == 0) return;
    std::vector<std::string> contents;
    for (const std::string& name : folder_.names()) contents.push_back(get(folder_ / name));
    EXPECT_THAT(contents, testing::Contains(old_));
    for (unsigned number = 1; number < scenario_.keep; ++number) {
      EXPECT_THAT(contents, testing::Contains(old_backup(number)));
    }
    if (!problem.what.empty()) return;
    EXPECT_EQ(get(backup(1)), old_);
    for (unsigned number = 1; number < scenario_.keep; ++number) {
      EXPECT_EQ(get(backup(number + 1)), old_backup(number));
    }
  }

  Scenario scenario_;
  Folder folder_{fast_parent()};
  std::string target_ = folder_ / "slot1.hdb";
  std::string old_ = "(none)";
  std::string stale_;
};

void fail_every_call(const Scenario& scenario, const char* name) {
  const std::size_t calls = FaultRun(scenario).run(0, 0, Sticky::once);
  ASSERT_GT(calls, 20u);
  std::size_t cases = 0;
  // With a scale below 1 a call fails with some of the errors, and the next call with others.
  const std::size_t stride = scaled_stride();
  for (std::size_t nth = 1; nth <= calls; ++nth) {
    for (std::size_t i = nth % stride; i < kErrors.size(); i += stride) {
      const int error = kErrors[i];
      for (const Sticky sticky : {Sticky::once, Sticky::same_call, Sticky::everything}) {
        SCOPED_TRACE(testing::Message() << name << ": call " << nth << ", errno " << error
                                        << ", sticky " << static_cast<int>(sticky));
        FaultRun(scenario).run(nth, error, sticky);
        ++cases;
      }
    }
  }
  std::printf("G3 %s: cases=%zu failures=%d\n", name, cases, testing::Test::HasFailure() ? 1 : 0);
}

TEST(Fault, FirstSaveFailsCleanlyAtEveryCall) { fail_every_call({.has_old = false}, "first save"); }

TEST(Fault, SaveOverAnOldFileFailsCleanlyAtEveryCall) { fail_every_call({}, "second save"); }

TEST(Fault, SaveWithBackupsFailsCleanlyAtEveryCall) {
  fail_every_call({.keep = 2}, "save with backups");
}

TEST(Fault, SaveWithOneBackupFailsCleanlyAtEveryCall) {
  fail_every_call({.keep = 1}, "save with one backup");
}

TEST(Fault, SaveWithCopiedBackupsFailsCleanlyAtEveryCall) {
  fail_every_call({.keep = 2, .has_links = false}, "save with copied backups");
}

TEST(Fault, OneByteAndInterruptedWritesStillSaveEverything) {
  const Folder folder;
  WrappedFileSystem files;
  files.max_write_bytes = 1;
  unsigned calls = 0;
  files.before = [&](Call call) -> std::optional<int> {
    return call == Call::write && ++calls % 3 == 0 ? std::optional(EINTR) : std::nullopt;
  };
  const std::string text = sample_text(5000, 1);
  const auto report = save_text(folder / "slot", text, {.file_system = &files});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(get(folder / "slot"), text);
}

TEST(Fault, WritesThatTakeNothingEndInAnError) {
  const Folder folder;
  WrappedFileSystem files;
  files.max_write_bytes = 0;
  const auto report = save_text(folder / "slot", "text", {.file_system = &files});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::io_failed);
  EXPECT_TRUE(folder.names().empty());
}

TEST(Fault, FailedSyncIsNotRetried) {
  const Folder folder;
  WrappedFileSystem files;
  int syncs = 0;
  files.before = [&](Call call) -> std::optional<int> {
    if (call != Call::sync_file) return std::nullopt;
    return ++syncs == 1 ? EINTR : 0;
  };
  ASSERT_FALSE(save_text(folder / "slot", "text", {.file_system = &files}));
  EXPECT_EQ(syncs, 1);
}

TEST(Fault, SyncOfTheFolderFailingIsReportedAsNotDurable) {
  const Folder folder;
  WrappedFileSystem files;
  files.before = [](Call call) {
    return call == Call::sync_directory ? std::optional(EIO) : std::nullopt;
  };
  const auto report = save_text(folder / "slot", "text", {.file_system = &files});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, SaveOutcome::replaced_not_durable);
  EXPECT_EQ(
      report->problem.message(),
      folder / "slot" +
          ": i/o: the new file is written, but a power cut may bring the old file back: fsync of "
          "the folder failed: " +
          std::strerror(EIO));
  EXPECT_EQ(get(folder / "slot"), "text");
}

TEST(Fault, RenameThatHappenedAlthoughItFailedIsNoticed) {
  const Folder folder;
  put(folder / "slot", "old");
  WrappedFileSystem inner;
  WrappedFileSystem files(inner);
  files.before = [&](Call call) -> std::optional<int> {
    if (call != Call::rename) return std::nullopt;
    const auto all = folder.names();
    std::filesystem::rename(folder / all.at(0), folder / "slot");
    return EIO;
  };
  const auto report = save_text(folder / "slot", "new", {.file_system = &files});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, SaveOutcome::replaced_not_durable);
  EXPECT_EQ(get(folder / "slot"), "new");
}

TEST(Fault, DamageBetweenWritingAndReadingBackIsFound) {
  const Folder folder;
  put(folder / "slot", "old");
  WrappedFileSystem files;
  files.before = [&](Call call) -> std::optional<int> {
    if (call == Call::sync_file) put(folder / folder.names().at(0), "tesd");
    return std::nullopt;
  };
  const auto report = save_text(folder / "slot", "test", {.file_system = &files});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::verify_failed);
  EXPECT_EQ(get(folder / "slot"), "old");
  EXPECT_FALSE(folder.has_temporary());
}

TEST(Fault, FullDiskShowsWhenSpaceIsReserved) {
  const Folder folder;
  WrappedFileSystem files;
  files.before = [](Call call) {
    return call == Call::reserve_space ? std::optional(ENOSPC) : std::nullopt;
  };
  auto file = AtomicFile::create(folder / "slot", {.file_system = &files});
  ASSERT_TRUE(file);
  const auto reserved = (*file)->reserve(1 << 20);
  ASSERT_FALSE(reserved);
  EXPECT_EQ(reserved.error().code, ErrorCode::disk_full);
  EXPECT_TRUE(folder.names().empty());
  EXPECT_EQ((*file)->write(bytes_of("more")).error().code, ErrorCode::disk_full);
}

TEST(Fault, FileSystemsWithoutReservationStillSave) {
  const Folder folder;
  WrappedFileSystem files;
  files.before = [](Call call) {
    return call == Call::reserve_space ? std::optional(EOPNOTSUPP) : std::nullopt;
  };
  EXPECT_TRUE(save_text(folder / "slot", sample_text(100000, 1), {.file_system = &files}));
}

}  // namespace
}  // namespace hdb::test
