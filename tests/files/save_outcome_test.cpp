// SaveOutcome: what a save reports of itself is what it did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::save_outcome_test {
namespace {

using testing::HasSubstr;

Snapshot small_world() {
  Database db;
  db.singleton<Clock>("clock").edit().tick = 5;
  return db.capture();
}

TEST(SaveOutcome, OfASinkSaysThatThereIsNoFile) {
  MemorySink sink;
  const auto report = save(small_world(), sink);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, SaveOutcome::not_a_file);
  EXPECT_EQ(outcome_name(report->outcome), "not_a_file");
  EXPECT_TRUE(report->path.empty());
}

TEST(SaveOutcome, OfAFileIsDurable) {
  const Folder folder(fast_parent());
  const auto report = save(small_world(), folder / "slot");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, SaveOutcome::durable);
  EXPECT_EQ(outcome_name(report->outcome), "durable");
  EXPECT_TRUE(report->problem.what.empty());
}

TEST(SaveOutcome, OfAFileWhoseFolderCannotBeSyncedSaysSoAndWhy) {
  const Folder folder(fast_parent());
  WrappedFileSystem files;
  files.before = [](Call call) {
    return call == Call::sync_directory ? std::optional(EIO) : std::nullopt;
  };
  SaveOptions options;
  options.file.file_system = &files;
  const auto report = save(small_world(), folder / "slot", options);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, SaveOutcome::replaced_not_durable);
  EXPECT_EQ(outcome_name(report->outcome), "replaced_not_durable");
  EXPECT_THAT(report->problem.message(), HasSubstr("the new file is written"));
  EXPECT_THAT(report->problem.message(), HasSubstr("fsync of the folder failed"));
}

// Windows refuses to replace a file that another program has open.
TEST(SaveOutcome, ATargetInUseIsAnErrorThatSaysSo) {
  const Folder folder(fast_parent());
  put(folder / "slot", "old");
  WrappedFileSystem files;
  files.before = [](Call call) {
    return call == Call::rename ? std::optional(EBUSY) : std::nullopt;
  };
  SaveOptions options;
  options.file.file_system = &files;
  const auto report = save(small_world(), folder / "slot", options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::file_in_use);
  EXPECT_EQ(code_id(report.error().code), "HDB-E0714");
  EXPECT_THAT(report.error().message(), HasSubstr("another program has the file open"));
  EXPECT_EQ(get(folder / "slot"), "old");
  EXPECT_FALSE(folder.has_temporary());
}

// A game may cut a title in the middle of a letter, or have it from a system with another encoding.
TEST(SaveOutcome, OfMetadataThatIsNotUtf8SaysWhichTextChanged) {
  const Folder folder(fast_parent());
  SaveOptions options;
  options.metadata.title = "Ba\xc3";
  options.metadata.values = {
      {"mod \xff", "1"}, {"mod \xef\xbf\xbd", "2"}, {"place", "Caf\xe9"}, {"level", "3"}};
  const auto report = save(small_world(), folder / "slot", options);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->outcome, SaveOutcome::durable);
  EXPECT_EQ(report->metadata_problem.message(),
            "usage: the title; the value 'mod \\xff'; the value 'place': not UTF-8; "
            "U+FFFD was saved in place of each bad byte (metadata)");
  const auto info = read_info(folder / "slot");
  ASSERT_TRUE(info) << info.error().message();
  EXPECT_EQ(info->metadata.title, "Ba\xef\xbf\xbd");
  const std::map<std::string, std::string> kept{{"mod \xef\xbf\xbd\xef\xbf\xbd", "1"},
                                                {"mod \xef\xbf\xbd", "2"},
                                                {"place", "Caf\xef\xbf\xbd"},
                                                {"level", "3"}};
  EXPECT_EQ(info->metadata.values, kept);
  options.metadata = info->metadata;
  EXPECT_TRUE(save(small_world(), folder / "slot", options)->metadata_problem.what.empty());
}

TEST(SaveOutcome, AFailureIsAnErrorAndTheOldFileIsIntact) {
  const Folder folder(fast_parent());
  put(folder / "slot", "old");
  WrappedFileSystem files;
  files.before = [](Call call) {
    return call == Call::sync_file ? std::optional(EIO) : std::nullopt;
  };
  SaveOptions options;
  options.file.file_system = &files;
  const auto report = save(small_world(), folder / "slot", options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::io_failed);
  EXPECT_EQ(get(folder / "slot"), "old");
}

}  // namespace
}  // namespace hdb::test::save_outcome_test
