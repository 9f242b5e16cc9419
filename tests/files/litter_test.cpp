// W2, W3: what crashes left under names that are never saved again goes, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

#include "files/child_process.hpp"
#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/atomic_file.hpp"

namespace hdb::test::litter_test {
namespace {

using std::chrono::hours;
using testing::ElementsAre;

// The hidden files get older.
void wait_for(const Folder& folder, hours age) {
  for (const std::string& name : folder.names())
    if (name.starts_with('.')) set_age(folder / name, age);
}

std::vector<std::string> hidden(const Folder& folder) {
  std::vector<std::string> names = folder.names();
  std::erase_if(names, [](const std::string& name) { return !name.starts_with('.'); });
  return names;
}

TEST(Litter, IsRemovedAfterADayByASaveOfAnotherName) {
  const Folder folder;
  const std::string long_name(200, 'n');  // its lock file has a hash for a name
  crash_in_save(folder / "one");
  crash_in_save(folder / long_name);
  EXPECT_EQ(hidden(folder).size(), 4u);  // a temporary and a lock file each
  wait_for(folder, hours(23));
  EXPECT_TRUE(save_text(folder / "two", "text"));
  EXPECT_EQ(hidden(folder).size(), 4u);
  wait_for(folder, hours(25));
  EXPECT_TRUE(save_text(folder / "two", "text"));
  EXPECT_THAT(folder.names(), ElementsAre("two"));
}

TEST(Litter, WhatASaverStillHoldsStays) {
  const Folder folder;
  auto file = AtomicFile::create(folder / "one");
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->write(bytes_of("slow")));
  wait_for(folder, hours(1000));
  EXPECT_TRUE(save_text(folder / "two", "text"));
  EXPECT_EQ(hidden(folder).size(), 2u);
  EXPECT_TRUE((*file)->commit());
  EXPECT_EQ(get(folder / "one"), "slow");
  EXPECT_THAT(folder.names(), ElementsAre("one", "two"));
}

TEST(Litter, GoesByItsAgeAloneWhereThereAreNoLocks) {
  const Folder folder;
  WrappedFileSystem files;
  files.before = [](Call call) {
    return call == Call::try_lock ? std::optional(ENOLCK) : std::nullopt;
  };
  crash_in_save(folder / "one");
  EXPECT_TRUE(save_text(folder / "two", "text", {.file_system = &files}));
  EXPECT_EQ(hidden(folder).size(), 2u);
  wait_for(folder, hours(25));
  EXPECT_TRUE(save_text(folder / "two", "text", {.file_system = &files}));
  EXPECT_THAT(folder.names(), ElementsAre("two"));
}

TEST(Litter, IsNothingThatOthersMade) {
  const Folder folder;
  const std::string hash(16, 'a');
  const std::string random(32, '7');
  const std::vector<std::string> others{".hdb.tmp",
                                        ".notes-" + random + ".hdb.tmp",
                                        "." + hash + "-" + random + ".tmp",
                                        "." + hash + "." + random + ".hdb.tmp",
                                        "." + hash + "-backup.hdb.tmp",
                                        hash + "-" + random + ".hdb.tmp",
                                        "slot.hdb.lock"};
  for (const std::string& name : others) {
    put(folder / name, "text");
    set_age(folder / name, hours(1000));
  }
  std::filesystem::create_directory(folder / ("." + hash + "-" + random + ".hdb.tmp"));
  EXPECT_TRUE(save_text(folder / "two", "text"));
  EXPECT_EQ(folder.names().size(), others.size() + 2);
}

// A lock file is removed only by whoever holds it, or two could save at once (L2).
TEST(Litter, ALockFileIsRemovedOnlyWhileItIsHeld) {
  const Folder folder;
  crash_in_save(folder / "one");
  wait_for(folder, hours(25));
  WrappedFileSystem files;
  ErrorCode seen{};
  files.before = [&](Call call) -> std::optional<int> {
    if (call == Call::unlink && get(folder / ".one.hdb.lock") != "(none)" && seen == ErrorCode{}) {
      const auto other =
          AtomicFile::create(folder / "one", {.lock_timeout = std::chrono::milliseconds(0)});
      seen = other ? ErrorCode::not_found : other.error().code;
    }
    return std::nullopt;
  };
  std::filesystem::remove(folder / hidden(folder).at(0));
  EXPECT_TRUE(save_text(folder / "two", "text", {.file_system = &files}));
  EXPECT_EQ(seen, ErrorCode::save_busy);
  EXPECT_THAT(folder.names(), ElementsAre("two"));
}

}  // namespace
}  // namespace hdb::test::litter_test
