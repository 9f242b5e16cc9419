// G15: saving to odd places: each has a stated result, and modes are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "files/child_process.hpp"
#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/atomic_file.hpp"
#include "support/promise_line.hpp"

namespace hdb::test {
namespace {

using testing::ElementsAre;

[[maybe_unused]] const bool says_g15 = says_promise("G15", "OddPlaces");

std::string code_of(const Result<CommitReport>& report) {
  return std::string(report ? outcome_name(report->outcome) : code_name(report.error().code));
}

std::string save_code(const std::string& path, const AtomicFileOptions& options = {}) {
  return code_of(save_text(path, "new", options));
}

void link_to(const std::string& target, const std::string& link) {
  ASSERT_EQ(::symlink(target.c_str(), link.c_str()), 0);
}

TEST(OddPlaces, WhatIsNoFileIsRefused) {
  const Folder folder;
  std::filesystem::create_directory(folder / "folder");
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  link_to("fifo", folder / "to_fifo");
  put(folder / "file", "text");
  const auto before = folder.names();
  EXPECT_EQ(save_code(folder / "folder"), "not_regular");
  EXPECT_EQ(save_code(folder / "folder/"), "not_regular");
  EXPECT_EQ(save_code(folder / "folder/."), "not_regular");
  EXPECT_EQ(save_code(folder / "folder/.."), "not_regular");
  EXPECT_EQ(save_code("/"), "not_regular");
  EXPECT_EQ(save_code(folder / "fifo"), "not_regular");
  EXPECT_EQ(save_code(folder / "to_fifo"), "not_regular");
  EXPECT_EQ(save_code("/dev/null"), "not_regular");
  EXPECT_EQ(save_code(folder / "missing/slot"), "file_not_found");
  EXPECT_EQ(save_code(folder / "file/slot"), "bad_path");
  EXPECT_EQ(save_code(""), "bad_path");
  EXPECT_EQ(save_code(folder / std::string("a\0b", 3)), "bad_path");
  EXPECT_EQ(folder.names(), before);
}

TEST(OddPlaces, ErrorNamesTheFileAndTheCall) {
  const Folder folder;
  const auto report = save_text(folder / "missing/slot", "new");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().file, folder / "missing/slot");
  EXPECT_EQ(report.error().message(), (folder / "missing/slot") + ": i/o: opening the folder '" +
                                          (folder / "missing") +
                                          "' failed: No such file or directory");
}

TEST(OddPlaces, SymbolicLinkStaysAndItsFileIsReplaced) {
  const Folder folder;
  std::filesystem::create_directory(folder / "real");
  put(folder / "real/slot", "old");
  link_to("real/slot", folder / "relative");
  link_to(folder / "real/slot", folder / "absolute");
  link_to("real/fresh", folder / "dangling");
  EXPECT_EQ(save_code(folder / "relative", {.keep = 1}), "durable");
  EXPECT_EQ(get(folder / "real/slot"), "new");
  EXPECT_EQ(get(folder / "real/slot.1"), "old");  // beside the file, not beside the link
  EXPECT_EQ(get(backup_paths(folder / "relative", 1).at(0)), "old");
  EXPECT_EQ(get(backup_paths(folder / "absolute", 1).at(0)), "old");
  EXPECT_EQ(save_code(folder / "absolute"), "durable");
  EXPECT_EQ(save_code(folder / "dangling"), "durable");
  EXPECT_EQ(get(folder / "real/fresh"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "relative"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "absolute"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
  EXPECT_THAT(folder.names(), ElementsAre("absolute", "dangling", "real", "relative"));
}

// What loads can be saved.
TEST(OddPlaces, LinksToLinksAreFollowed) {
  const Folder folder;
  std::filesystem::create_directories(folder / "a/b");
  put(folder / "a/b/slot", "old");
  link_to("b/slot", folder / "a/one");
  link_to("a/one", folder / "two");
  link_to(folder / "two", folder / "a/b/three");
  EXPECT_EQ(save_code(folder / "a/b/three", {.keep = 1}), "durable");
  EXPECT_EQ(get(folder / "a/b/slot"), "new");
  EXPECT_EQ(get(folder / "a/b/slot.1"), "old");
  EXPECT_EQ(get(backup_paths(folder / "two", 1).at(0)), "old");
  for (const char* link : {"a/one", "two", "a/b/three"})
    EXPECT_TRUE(std::filesystem::is_symlink(folder / link)) << link;
  EXPECT_THAT(folder.names(), ElementsAre("a", "two"));
}

TEST(OddPlaces, AsManyLinksAreFollowedAsWhenTheFileIsOpened) {
  const Folder folder;
  put(folder / "0", "old");
  for (int i = 1; i <= 41; ++i) link_to(std::to_string(i - 1), folder / std::to_string(i));
  link_to("loop", folder / "loop");
  EXPECT_EQ(save_code(folder / "40"), "durable");
  EXPECT_EQ(get(folder / "40"), "new");
  EXPECT_EQ(get(folder / "41"), "(none)");
  EXPECT_EQ(save_code(folder / "41"), "bad_path");
  EXPECT_EQ(save_code(folder / "loop"), "bad_path");
  EXPECT_FALSE(folder.has_temporary());
}

TEST(OddPlaces, LongestNameIsSavedAndOneMoreIsRefused) {
  const Folder folder;
  const std::string longest(255, 'n');
  EXPECT_EQ(save_code(folder / longest), "durable");
  EXPECT_EQ(get(folder / longest), "new");
  EXPECT_EQ(save_code(folder / (longest + "n")), "bad_path");
  EXPECT_EQ(save_code(folder / std::string(253, 'b'), {.keep = 9}), "durable");
  EXPECT_EQ(save_code(std::string(5000, 'p')), "bad_path");
}

TEST(OddPlaces, BackupsOfNamesWithoutRoomForTheirNumberHaveAHash) {
  const Folder folder;
  std::string letters(109, 'x');
  while (letters.size() < 254) letters += "\xd0\x91";  // a cut must not leave half a letter
  letters.resize(255, 'x');
  for (const std::string& name : {std::string(254, 'n'), std::string(255, 'n'), letters}) {
    for (const char* text : {"first", "second", "third", "fourth"}) {
      const auto report = save_text(folder / name, text, {.keep = 2});
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_TRUE(report->backup_problem.what.empty()) << report->backup_problem.message();
    }
    const auto backups = backup_paths(folder / name, 2);
    EXPECT_EQ(get(backups.at(0)), "third");
    EXPECT_EQ(get(backups.at(1)), "second");
    EXPECT_TRUE(is_utf8(backups.at(0)));
    EXPECT_LE(backups.at(1).size() - folder.path().size() - 1, 143u);
  }
  EXPECT_EQ(folder.names().size(), 9u);
}

TEST(OddPlaces, LongestPathIsSaved) {
  const Folder folder;
  std::string deep = folder.path();
  while (deep.size() + 205 < 4095) {
    deep += "/" + std::string(200, 'd');
    std::filesystem::create_directory(deep);
  }
  const std::string path = deep + "/" + std::string(4095 - deep.size() - 1, 'f');
  EXPECT_EQ(path.size(), 4095u);
  EXPECT_EQ(save_code(path), "durable");
}

TEST(OddPlaces, ModeIsKept) {
  const Folder folder;
  for (const unsigned mode : {0600u, 0640u, 0644u, 0664u, 0666u, 0755u, 0200u}) {
    put(folder / "slot", "old");
    ASSERT_EQ(::chmod((folder / "slot").c_str(), mode), 0);
    EXPECT_EQ(save_code(folder / "slot"), "durable");
    EXPECT_EQ(mode_of(folder / "slot"), mode);
    EXPECT_EQ(std::filesystem::remove(folder / "slot"), true);
  }
}

TEST(OddPlaces, NewFileFollowsTheUmask) {
  const Folder folder;
  for (const unsigned mask : {0000u, 0022u, 0027u, 0077u}) {
    const auto former = ::umask(mask);
    EXPECT_EQ(save_code(folder / "slot"), "durable");
    EXPECT_EQ(mode_of(folder / "slot"), 0666u & ~mask);
    EXPECT_EQ(::umask(former), mask);  // unchanged by the save
    std::filesystem::remove(folder / "slot");
  }
}

TEST(OddPlaces, WriteProtectedFileIsRefused) {
  const Folder folder;
  put(folder / "slot", "old");
  ASSERT_EQ(::chmod((folder / "slot").c_str(), 0444), 0);
  EXPECT_EQ(save_code(folder / "slot"), "permission_denied");  // for root too
  EXPECT_EQ(get(folder / "slot"), "old");
  EXPECT_EQ(mode_of(folder / "slot"), 0444u);
}

TEST(OddPlaces, ReadOnlyFolderIsRefused) {
  const Folder folder;
  put(folder / "slot", "old");
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  in_child([&] {
    ASSERT_TRUE(drop_root());
    EXPECT_EQ(save_code(folder / "slot"), "permission_denied");
    EXPECT_EQ(save_code(folder / "fresh"), "permission_denied");
  });
  EXPECT_EQ(get(folder / "slot"), "old");
  EXPECT_THAT(folder.names(), ElementsAre("slot"));
  ::chmod(folder.path().c_str(), 0755);
}

TEST(OddPlaces, AFolderThatMayBeWrittenButNotListedIsSavedTo) {
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0333), 0);
  in_child([&] {
    ASSERT_TRUE(drop_root());
    EXPECT_EQ(save_code(folder / "slot", {.keep = 1}), "replaced_not_durable");
    const auto report = save_text(folder / "slot", "newer", {.keep = 1});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_THAT(report->problem.what, testing::HasSubstr("Permission denied"));
  });
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_EQ(get(folder / "slot"), "newer");
  EXPECT_EQ(get(folder / "slot.1"), "new");
  EXPECT_THAT(folder.names(), ElementsAre("slot", "slot.1"));
}

TEST(OddPlaces, ReadOnlyFileSystemIsRefused) {
  const Folder folder;
  in_child([&] {
    const unsigned long read_only = MS_REMOUNT | MS_RDONLY;
    if (!own_mounts(folder.path()) || !mount_tmpfs(folder.path(), 1 << 20))
      GTEST_SKIP() << "mounting is not permitted here; the fault tests inject EROFS";
    put(folder / "slot", "old");
    ASSERT_EQ(::mount("tmpfs", folder.path().c_str(), "tmpfs", read_only, nullptr), 0);
    EXPECT_EQ(save_code(folder / "slot"), "read_only");
    EXPECT_EQ(get(folder / "slot"), "old");
    EXPECT_THAT(folder.names(), ElementsAre("slot"));
  });
}

TEST(OddPlaces, TargetThatBecomesAFolderMeanwhileIsRefused) {
  const Folder folder;
  auto file = AtomicFile::create(folder / "slot");
  ASSERT_TRUE(file);
  std::filesystem::create_directory(folder / "slot");
  EXPECT_EQ(code_of((*file)->commit()), "not_regular");
  EXPECT_THAT(folder.names(), ElementsAre("slot"));
}

TEST(OddPlaces, RelativePathsAndTheCurrentFolderWork) {
  const Folder folder;
  in_child([&] {
    ASSERT_EQ(::chdir(folder.path().c_str()), 0);
    EXPECT_EQ(save_code("slot"), "durable");
    EXPECT_EQ(save_code("./slot"), "durable");
    EXPECT_EQ(backup_paths("slot", 2), (std::vector<std::string>{"slot.1", "slot.2"}));
  });
  EXPECT_EQ(get(folder / "slot"), "new");
}

}  // namespace
}  // namespace hdb::test
