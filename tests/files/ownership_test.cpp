// W4: a file that is replaced keeps its owner, group, access control list and attributes; what the
// system does not permit is reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "files/child_process.hpp"
#include "files/folder.hpp"
#include "files/model_file_system.hpp"
#include "files/wrapped_file_system.hpp"

namespace hdb::test::ownership_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr unsigned kOwner = 1234;
constexpr unsigned kGroup = 2345;
constexpr const char* kList = "system.posix_acl_access";
constexpr const char* kDefaultList = "system.posix_acl_default";

// The bytes of an access control list: owner rw-, user 77 `rights`, group r--, mask rw-, rest r--.
std::string access_list(char rights) {
  std::string bytes("\2\0\0\0", 4);
  const auto entry = [&](char tag, char permissions, char id, char id_rest) {
    bytes += {tag, 0, permissions, 0, id, id_rest, id_rest, id_rest};
  };
  entry(1, 6, -1, -1);
  entry(2, rights, 77, 0);
  entry(4, 4, -1, -1);
  entry(16, 6, -1, -1);
  entry(32, 4, -1, -1);
  return bytes;
}

std::string attribute(const std::string& path, const char* name) {
  char value[256];
  const ssize_t size = ::getxattr(path.c_str(), name, value, sizeof value);
  return size < 0 ? "(none)" : std::string(value, static_cast<std::size_t>(size));
}

bool set_attribute(const std::string& path, const char* name, const std::string& value) {
  return ::setxattr(path.c_str(), name, value.data(), value.size(), 0) == 0;
}

struct stat status_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

// --- on the model

const ModelState::File& file_in(const ModelState& state, const std::string& name) {
  return state.files.at(state.names.at(name));
}

struct Model {
  Model() {
    EXPECT_TRUE(save_text("slot", "old", {.file_system = &files}));
    ModelState::File& old = files.state.files.at(files.state.names.at("slot"));
    old.owner = kOwner;
    old.group = kGroup;
    old.mode = 0664;
    old.attributes = {{"user.note", "kept"}, {kList, "list"}};
    files.history.clear();
  }
  Result<CommitReport> save(unsigned keep = 0) {
    return save_text("slot", "new", {.keep = keep, .file_system = &files});
  }
  [[nodiscard]] const ModelState::File& slot() const { return file_in(files.state, "slot"); }
  ModelFileSystem files;
};

TEST(Ownership, IsThereWheneverTheNewFileIs) {
  for (const bool has_links : {true, false}) {
    Model model;
    model.files.lacks.links = has_links ? 0 : EPERM;
    const auto report = model.save(1);
    ASSERT_TRUE(report);
    EXPECT_THAT(report->ownership_problem.what, IsEmpty());
    std::size_t states = 0;
    for (const ModelState& state : model.files.history) {
      for (const char* name : {"slot", "slot.1"}) {
        if (!state.names.contains(name)) continue;
        const ModelState::File& file = file_in(state, name);
        EXPECT_EQ(file.owner, kOwner) << name;
        EXPECT_EQ(file.group, kGroup) << name;
        EXPECT_EQ(file.mode, 0664U) << name;
        EXPECT_EQ(file.attributes.size(), 2U) << name;
        ++states;
      }
    }
    EXPECT_GT(states, 10U);
    std::printf("W4 owner and attributes: cases=%zu failures=%d\n", states, HasFailure() ? 1 : 0);
  }
}

TEST(Ownership, AnOwnerThatMayNotBeKeptIsReportedAndTheGroupIsStillKept) {
  Model model;
  model.files.may_give_files_away = false;
  model.files.groups = {kGroup};
  const auto report = model.save();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outcome, SaveOutcome::durable);
  EXPECT_EQ(report->ownership_problem.message(),
            "slot: i/o: the new file is in place, but does not have all that the old file had: "
            "keeping its owner and group failed: Operation not permitted");
  EXPECT_EQ(model.slot().owner, 1000U);
  EXPECT_EQ(model.slot().group, kGroup);
  EXPECT_EQ(model.slot().mode, 0664U);
  EXPECT_EQ(model.slot().attributes.size(), 2U);
}

TEST(Ownership, AnotherGroupGetsNoRightsOfTheOldOne) {  // O2
  Model model;
  model.files.may_give_files_away = false;
  const auto report = model.save();
  ASSERT_TRUE(report);
  EXPECT_THAT(report->ownership_problem.what, HasSubstr("its owner and group"));
  EXPECT_EQ(model.slot().group, 1000U);
  EXPECT_EQ(model.slot().mode, 0644U) << "the old group could write";
}

TEST(Ownership, AnAttributeThatTheFolderGivesIsTakenAway) {
  Model model;
  model.files.given_attributes = {{kList, "of the folder"}, {"user.other", "of the folder"}};
  ASSERT_TRUE(model.save());
  EXPECT_EQ(model.slot().attributes,
            (std::map<std::string, std::string>{{"user.note", "kept"}, {kList, "list"}}));
}

TEST(Ownership, EveryFailingCallIsReportedAndTheSaveIsStillMade) {  // O1
  std::size_t cases = 0;
  for (const Call failing : {Call::set_owner, Call::attributes, Call::set_attribute}) {
    for (const int error : {EIO, ENOSPC, EPERM, EDQUOT, ERANGE}) {
      Model model;
      WrappedFileSystem files(model.files);
      files.before = [&](Call call) {
        return call == failing ? std::optional(error) : std::nullopt;
      };
      const auto report = save_text("slot", "new", {.file_system = &files});
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->outcome, SaveOutcome::durable);
      EXPECT_THAT(report->ownership_problem.what, HasSubstr("does not have all"));
      EXPECT_EQ(model.slot().content, "new");
      ++cases;
    }
  }
  std::printf("G3 owner and attributes: cases=%zu failures=%d\n", cases, HasFailure() ? 1 : 0);
}

TEST(Ownership, AnInterruptedCallIsRepeated) {
  Model model;
  WrappedFileSystem files(model.files);
  int calls = 0;
  files.before = [&](Call call) -> std::optional<int> {
    const bool is_ours =
        call == Call::set_owner || call == Call::attributes || call == Call::set_attribute;
    return is_ours && ++calls % 2 == 1 ? std::optional(EINTR) : std::nullopt;
  };
  const auto report = save_text("slot", "new", {.file_system = &files});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->ownership_problem.what, IsEmpty());
  EXPECT_EQ(model.slot().owner, kOwner);
}

// --- on the real file system

TEST(Ownership, OfARealFileIsKept) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  const Folder folder;
  const std::string path = folder / "slot";
  put(path, "old");
  ASSERT_EQ(::chown(path.c_str(), kOwner, kGroup), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  const auto report = save_text(path, "new", {.keep = 1});
  ASSERT_TRUE(report);
  EXPECT_THAT(report->ownership_problem.what, IsEmpty());
  for (const std::string& file : {path, path + ".1"}) {
    EXPECT_EQ(status_of(file).st_uid, kOwner) << file;
    EXPECT_EQ(status_of(file).st_gid, kGroup) << file;
    EXPECT_EQ(mode_of(file), 0640U) << file;
  }
}

TEST(Ownership, AttributesOfARealFileAreKept) {
  const Folder folder;
  const std::string path = folder / "slot";
  put(path, "old");
  const std::string value("any \0 bytes", 11);
  if (!set_attribute(path, "user.hdb.note", value)) GTEST_SKIP() << "no attributes in /tmp";
  ASSERT_TRUE(set_attribute(path, "user.empty", ""));
  const auto report = save_text(path, "new");
  ASSERT_TRUE(report);
  EXPECT_THAT(report->ownership_problem.what, IsEmpty());
  EXPECT_EQ(attribute(path, "user.hdb.note"), value);
  EXPECT_EQ(attribute(path, "user.empty"), "");
}

TEST(Ownership, TheAccessControlListOfARealFileIsKept) {
  const Folder folder;
  const std::string path = folder / "slot";
  put(path, "old");
  if (!set_attribute(path, kList, access_list(6))) GTEST_SKIP() << "no access lists in /tmp";
  const unsigned mode = mode_of(path);
  const auto report = save_text(path, "new");
  ASSERT_TRUE(report);
  EXPECT_THAT(report->ownership_problem.what, IsEmpty());
  EXPECT_EQ(attribute(path, kList), access_list(6));
  EXPECT_EQ(mode_of(path), mode);
}

// A folder may give each new file a list: not to one that replaces a file without it.
TEST(Ownership, AListThatTheOldFileDidNotHaveIsTakenAway) {
  const Folder folder;
  const std::string path = folder / "slot";
  put(path, "old");
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  if (!set_attribute(folder.path(), kDefaultList, access_list(6))) {
    GTEST_SKIP() << "no access lists in /tmp";
  }
  put(folder / "other", "");
  ASSERT_NE(attribute(folder / "other", kList), "(none)") << "the folder does not give it";
  ASSERT_TRUE(save_text(path, "new"));
  EXPECT_EQ(attribute(path, kList), "(none)");
  EXPECT_EQ(mode_of(path), 0600U);
}

TEST(Ownership, OfAnotherUsersRealFileIsReportedAsLost) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make the other user's file";
  const Folder folder;
  const std::string path = folder / "slot";
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  put(path, "old");
  ASSERT_EQ(::chown(path.c_str(), kOwner, kGroup), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0664), 0);
  in_child([&] {
    ASSERT_TRUE(drop_root());
    const auto report = save_text(path, "new");
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_THAT(report->ownership_problem.what, HasSubstr("its owner and group"));
    EXPECT_EQ(status_of(path).st_uid, ::geteuid());
    EXPECT_EQ(mode_of(path), 0644U);
  });
}

}  // namespace
}  // namespace hdb::test::ownership_test
