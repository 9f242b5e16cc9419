// AtomicFile when nothing goes wrong: what it writes, whom it locks out, which backups it keeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/atomic_file.hpp"
#include "hdb/file_system.hpp"

namespace hdb::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(AtomicFile, SavesWhatIsWritten) {
  const Folder folder;
  for (const std::size_t size : {0u, 1u, 4096u, 65536u, 65537u, 1000000u}) {
    const std::string text = sample_text(size, 1);
    for (const std::size_t block : {777u, 65536u, 200000u}) {
      const auto report = save_text(folder / "slot", text, {}, block);
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->outcome, SaveOutcome::durable);
      EXPECT_EQ(report->bytes, size);
      EXPECT_EQ(get(folder / "slot"), text);
    }
  }
  EXPECT_THAT(folder.names(), ElementsAre("slot"));
}

TEST(AtomicFile, NothingIsVisibleBeforeCommit) {
  const Folder folder;
  put(folder / "slot", "old");
  auto file = AtomicFile::create(folder / "slot");
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->write(bytes_of(sample_text(300000, 1))));
  EXPECT_EQ(get(folder / "slot"), "old");
  EXPECT_TRUE(folder.has_temporary());
  file->reset();  // never committed
  EXPECT_THAT(folder.names(), ElementsAre("slot"));
  EXPECT_EQ(get(folder / "slot"), "old");
}

TEST(AtomicFile, AbandonRemovesTheTemporaryAndFreesTheLock) {
  const Folder folder;
  auto file = AtomicFile::create(folder / "slot");
  ASSERT_TRUE(file);
  (*file)->abandon();
  EXPECT_THAT(folder.names(), IsEmpty());
  EXPECT_TRUE(save_text(folder / "slot", "other"));
  EXPECT_FALSE((*file)->write(bytes_of("more")));
  EXPECT_FALSE((*file)->commit());
  EXPECT_EQ(get(folder / "slot"), "other");
}

// Notes which bytes the system was asked to put on the disk early.
class EarlyWriting final : public WrappedFileSystem {
 public:
  void start_writing(Descriptor, std::uint64_t offset, std::uint64_t size_bytes) override {
    EXPECT_EQ(offset, started) << "a gap, or asked twice";
    started = offset + size_bytes;
  }
  OsStatus sync_file(Descriptor file) override {
    started_at_sync = started;
    return WrappedFileSystem::sync_file(file);
  }
  std::uint64_t started = 0;
  std::uint64_t started_at_sync = 0;
};

TEST(AtomicFile, TheDiskWorksBeforeTheCommit) {
  const Folder folder;
  EarlyWriting files;
  AtomicFileOptions options;
  options.file_system = &files;
  const std::string text = sample_text(5 << 20, 1);
  auto file = AtomicFile::create(folder / "slot", options);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->write(bytes_of(text.substr(0, 3 << 20))));
  EXPECT_GE(files.started, 2u << 20);
  ASSERT_TRUE((*file)->write(bytes_of(text.substr(3 << 20))));
  ASSERT_TRUE((*file)->commit());
  EXPECT_GE(files.started_at_sync, 4u << 20);
  EXPECT_EQ(get(folder / "slot"), text);
}

TEST(AtomicFile, CommitEndsTheSave) {
  const Folder folder;
  auto file = AtomicFile::create(folder / "slot");
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->write(bytes_of("text")));
  ASSERT_TRUE((*file)->commit());
  EXPECT_FALSE((*file)->commit());
  EXPECT_FALSE((*file)->write(bytes_of("more")));
  EXPECT_FALSE((*file)->reserve(10));
  EXPECT_TRUE(save_text(folder / "slot", "next"));  // the lock is free while `file` lives
}

TEST(AtomicFile, TemporaryIsPrivateAndUnguessable) {
  const Folder folder;
  std::vector<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    auto file = AtomicFile::create(folder / "slot");
    ASSERT_TRUE(file);
    const auto names = folder.names();
    ASSERT_THAT(names, ElementsAre(testing::EndsWith(".hdb.tmp"), ".slot.hdb.lock"));
    EXPECT_EQ(mode_of(folder / names[0]), 0600u);
    EXPECT_THAT(seen, testing::Not(testing::Contains(names[0])));
    seen.push_back(names[0]);
  }
}

TEST(AtomicFile, StaleTemporariesOfThisTargetOnlyAreRemoved) {
  const Folder folder;
  std::string stale;
  {
    auto file = AtomicFile::create(folder / "slot");
    stale = folder.names().at(0);
  }
  put(folder / stale, "left by a crash");
  const std::string foreign = ".0000000000000000-" + std::string(32, '0') + ".hdb.tmp";
  put(folder / foreign, "of another target");
  ASSERT_TRUE(save_text(folder / "slot", "text"));
  EXPECT_THAT(folder.names(), ElementsAre(foreign, "slot"));
}

TEST(AtomicFile, SpaceReservedTooMuchIsGivenBack) {
  const Folder folder;
  auto file = AtomicFile::create(folder / "slot");
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->reserve(64 << 20));
  ASSERT_TRUE((*file)->write(bytes_of("text")));
  ASSERT_TRUE((*file)->commit());
  struct stat status {};
  ASSERT_EQ(::stat((folder / "slot").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 4);
  EXPECT_LT(status.st_blocks, 1024);
}

TEST(AtomicFile, SmallFilesAreReadBackByDefault) {
  const Folder folder;
  const auto report = [&](std::size_t size, ReadBack read_back) {
    return save_text(folder / "slot", std::string(size, 'x'), {.read_back = read_back}, 1 << 20);
  };
  EXPECT_TRUE(report(100, ReadBack::small_files)->read_back);
  EXPECT_FALSE(report(100, ReadBack::never)->read_back);
  EXPECT_FALSE(report(kSmallFileBytes + 1, ReadBack::small_files)->read_back);
  EXPECT_TRUE(report(kSmallFileBytes + 1, ReadBack::always)->read_back);
}

TEST(AtomicFile, ValidationSeesTheFileAndCanRefuseIt) {
  const Folder folder;
  put(folder / "slot", "old");
  AtomicFileOptions options;
  std::uint64_t size = 0;
  options.validate = [&](ByteSource& source) -> Status {
    size = source.size().value();
    return fail(ErrorCode::bad_footer, "the footer is malformed", "the footer", 2);
  };
  const auto report = save_text(folder / "slot", "text", options);
  ASSERT_FALSE(report);
  EXPECT_EQ(size, 4u);
  EXPECT_EQ(report.error().code, ErrorCode::verify_failed);
  EXPECT_THAT(report.error().what, testing::HasSubstr("the footer is malformed"));
  EXPECT_EQ(get(folder / "slot"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("slot"));
}

TEST(AtomicFile, ValidationThatThrowsLeavesNothingBehind) {
  const Folder folder;
  AtomicFileOptions options;
  options.validate = [](ByteSource&) -> Status { throw 1; };
  EXPECT_THROW(static_cast<void>(save_text(folder / "slot", "text", options)), int);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(AtomicFile, BackupsMoveUpAndTheOldestGoes) {
  const Folder folder;
  const auto save = [&](const std::string& text) {
    ASSERT_TRUE(save_text(folder / "slot", text, {.keep = 3}));
  };
  const auto all = [&] {
    std::string text = get(folder / "slot");
    for (const std::string& path : backup_paths(folder / "slot", 3)) text += " " + get(path);
    return text;
  };
  save("1");
  EXPECT_EQ(all(), "1 (none) (none) (none)");
  save("2");
  EXPECT_EQ(all(), "2 1 (none) (none)");
  save("3");
  save("4");
  save("5");
  EXPECT_EQ(all(), "5 4 3 2");
  std::filesystem::remove(folder / "slot.2");  // a gap is filled; nothing older is lost
  save("6");
  EXPECT_EQ(all(), "6 5 4 2");
  EXPECT_THAT(folder.names(), ElementsAre("slot", "slot.1", "slot.2", "slot.3"));
}

TEST(AtomicFile, AFailedReplacementMovesNoBackup) {
  const Folder folder;
  for (const char* text : {"1", "2"}) ASSERT_TRUE(save_text(folder / "slot", text, {.keep = 1}));
  WrappedFileSystem files;
  files.before = [](Call call) { return call == Call::rename ? std::optional(EIO) : std::nullopt; };
  ASSERT_FALSE(save_text(folder / "slot", "3", {.keep = 1, .file_system = &files}));
  EXPECT_EQ(get(folder / "slot"), "2");
  EXPECT_EQ(get(folder / "slot.1"), "1");
  EXPECT_THAT(folder.names(), ElementsAre("slot", "slot.1"));
  ASSERT_TRUE(save_text(folder / "slot", "3", {.keep = 1}));
  EXPECT_EQ(get(folder / "slot.1"), "2");
}

TEST(AtomicFile, ARotationThatStopsHalfWayIsReportedAndFinishedByTheNextSave) {
  for (const int failing : {2, 3}) {  // the first rename replaces the target
    for (const bool has_links : {true, false}) {
      const Folder folder;
      for (const char* text : {"1", "2", "3"}) {
        ASSERT_TRUE(save_text(folder / "slot", text, {.keep = 2}));
      }
      WrappedFileSystem files;
      int renames = has_links ? 0 : -1;  // a copy gets its name by another one
      files.before = [&](Call call) -> std::optional<int> {
        if (call == Call::link && !has_links) return EPERM;
        if (call == Call::rename && ++renames == failing) return EIO;
        return std::nullopt;
      };
      const auto report = save_text(folder / "slot", "4", {.keep = 2, .file_system = &files});
      ASSERT_TRUE(report);
      EXPECT_EQ(report->outcome, SaveOutcome::durable);
      EXPECT_THAT(report->backup_problem.message(), testing::HasSubstr("could not be renamed"));
      EXPECT_EQ(get(folder / "slot"), "4");
      ASSERT_TRUE(save_text(folder / "slot", "5", {.keep = 2}));
      EXPECT_EQ(get(folder / "slot.1"), "4");
      EXPECT_EQ(get(folder / "slot.2"), "3");
      EXPECT_THAT(folder.names(), ElementsAre("slot", "slot.1", "slot.2"));
    }
  }
}

TEST(AtomicFile, AnUnfinishedRotationIsForgottenByASaveWithoutBackups) {
  const Folder folder;
  for (const char* text : {"1", "2"}) ASSERT_TRUE(save_text(folder / "slot", text, {.keep = 1}));
  WrappedFileSystem files;
  int renames = 0;
  files.before = [&](Call call) {
    return call == Call::rename && ++renames == 2 ? std::optional(EIO) : std::nullopt;
  };
  ASSERT_TRUE(save_text(folder / "slot", "3", {.keep = 1, .file_system = &files}));
  EXPECT_EQ(folder.names().size(), 3u);
  ASSERT_TRUE(save_text(folder / "slot", "4"));
  EXPECT_THAT(folder.names(), ElementsAre("slot", "slot.1"));
}

TEST(AtomicFile, BackupsAreCopiedWhereLinksDoNotExist) {
  const Folder folder;
  WrappedFileSystem files;
  files.before = [](Call call) { return call == Call::link ? std::optional(EPERM) : std::nullopt; };
  const std::string big = sample_text(700000, 1);
  ASSERT_TRUE(save_text(folder / "slot", big));
  ::chmod((folder / "slot").c_str(), 0640);
  ASSERT_TRUE(save_text(folder / "slot", "2", {.keep = 2, .file_system = &files}));
  EXPECT_EQ(get(folder / "slot.1"), big);
  EXPECT_EQ(mode_of(folder / "slot.1"), 0640u);
  EXPECT_THAT(folder.names(), ElementsAre("slot", "slot.1"));
}

TEST(AtomicFile, BackupNameThatIsAFolderIsRefused) {
  const Folder folder;
  put(folder / "slot", "old");
  std::filesystem::create_directory(folder / "slot.1");
  const auto report = save_text(folder / "slot", "new", {.keep = 2});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::not_regular);
  EXPECT_EQ(get(folder / "slot"), "old");
  EXPECT_FALSE(folder.has_temporary());
}

TEST(AtomicFileThreads, ManySaversOfSomeTargetsAllSave) {
  const Folder folder;
  const std::size_t descriptors = open_descriptors();
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (unsigned round = 0; round < 10; ++round) {
        const std::string path = folder / ("slot" + std::to_string((thread + round) % 3));
        const AtomicFileOptions options{.keep = 1, .lock_timeout = std::chrono::hours(24)};
        if (!save_text(path, sample_text(3000, thread), options)) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_THAT(folder.names(),
              ElementsAre("slot0", "slot0.1", "slot1", "slot1.1", "slot2", "slot2.1"));
}

}  // namespace
}  // namespace hdb::test
