// The files of a SaveDirectory have names that people read and every file system takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cerrno>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "database/save/save_names.hpp"
#include "files/folder.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::save_names_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct World {
  Database db;
  Singleton<Clock>& clock = db.singleton<Clock>("clock");
  Snapshot at(std::uint64_t tick) {
    clock.edit().tick = tick;
    return db.capture();
  }
};

constexpr std::size_t kShortestLimit = 143;  // of eCryptfs
constexpr std::size_t kLongestBackup = 5;    // ".1000"

TEST(SaveNames, NamesOfAnyLettersBecomeFilesThatEverySystemTakesAndKeepsApart) {
  const Folder folder;
  World world;
  auto saves = SaveDirectory::open(folder.path());
  ASSERT_TRUE(saves);
  const std::vector<std::string> names = {"a",
                                          "A",
                                          "..",
                                          ".",
                                          "../../etc/passwd",
                                          "con",
                                          "a b.",
                                          "a ",
                                          "a~62",
                                          "~",
                                          "~~",
                                          "a/b",
                                          "a\\b",
                                          "q:1?",
                                          "\xc3\xa9",
                                          "e\xcc\x81",
                                          "x",
                                          "x.hdb",
                                          "x.hdb.1",
                                          "x.1",
                                          std::string(60, 'Z'),
                                          std::string(60, '?'),
                                          std::string(59, '?') + "Z",
                                          std::string(60, 'z'),
                                          "\xd0\x91\xd0\xb0\xd1\x88\xd0\xbd\xd1\x8f"};
  for (const std::string& name : names) ASSERT_TRUE(saves->save(world.at(7), name)) << name;
  std::set<std::string> without_case;
  for (std::string file : folder.names()) {
    EXPECT_EQ(file.find_first_of("\"*/:<>?\\|"), file.npos) << file;
    EXPECT_LE(file.size() + kLongestBackup, kShortestLimit) << file;
    for (char& c : file) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    without_case.insert(file);
  }
  EXPECT_EQ(without_case.size(), names.size());
  const auto entries = saves->list();
  ASSERT_EQ(entries->size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(entries->at(i).name, names[names.size() - 1 - i]);
    EXPECT_TRUE(saves->load(world.db, names[i]));
  }
  for (const std::string& name :
       {std::string(), std::string(61, 'a'), std::string("a\nb"), std::string("\xff"),
        std::string("a\0b", 3), std::string("\x7f")}) {
    EXPECT_EQ(saves->save(world.at(7), name).error().code, ErrorCode::bad_name);
    EXPECT_EQ(saves->load(world.db, name).error().code, ErrorCode::bad_name);
    EXPECT_EQ(saves->remove(SaveName(name)).error().code, ErrorCode::bad_name);
    EXPECT_EQ(saves->path_of(name).error().code, ErrorCode::bad_name);
  }
  EXPECT_EQ(folder.names().size(), names.size());
  // Each removal takes one save, whatever the others are called.
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(saves->remove(SaveName(names[i])), true) << names[i];
    EXPECT_EQ(folder.names().size(), names.size() - 1 - i) << names[i];
  }
}

TEST(SaveNames, PlayersFindTheirSavesInAFileManager) {
  EXPECT_EQ(named_file("the burrow, day 12"), "slot-the burrow, day 12.hdb");
  EXPECT_EQ(named_file("day 1/2?"), "slot-day 1~s2~w.hdb");
  EXPECT_THAT(named_file("The Burrow"), testing::MatchesRegex("slot-The Burrow~~[0-9a-z]+\\.hdb"));
  EXPECT_NE(named_file("The Burrow").substr(15), named_file("the Burrow").substr(15));
}

// Saves that earlier versions named "~54he~20~47ate" stay where they are.
TEST(SaveNames, AFileOfAnEarlierVersionIsUsedOn) {
  const Folder folder;
  World world;
  auto saves = SaveDirectory::open(folder.path());
  ASSERT_TRUE(saves->save(world.at(1), "The Gate"));
  const std::string former = "slot-~54he~20~47ate.hdb";
  std::filesystem::rename(*saves->path_of("The Gate"), folder / former);
  EXPECT_EQ(saves->path_of("The Gate"), folder / former);
  ASSERT_EQ(saves->list()->size(), 1u);
  EXPECT_EQ(saves->list()->front().name, "The Gate");
  ASSERT_TRUE(saves->save(world.at(2), "The Gate"));
  EXPECT_THAT(folder.names(), ElementsAre(former, former + ".1"));
  ASSERT_TRUE(saves->load(world.db, "The Gate"));
  EXPECT_EQ(world.clock->tick, 2u);
  std::filesystem::remove(folder / former);  // only a backup is left
  ASSERT_TRUE(saves->save(world.at(3), "The Gate"));
  EXPECT_THAT(folder.names(), ElementsAre(former, former + ".1"));
  EXPECT_EQ(saves->remove("The Gate"), true);
  EXPECT_THAT(folder.names(), IsEmpty());
}

// An earlier version of the game may run again after a later one.
TEST(SaveNames, OfTwoFilesOfOneNameTheNewerIsLoadedAndBothAreRemoved) {
  const Folder folder;
  World world;
  auto saves = SaveDirectory::open(folder.path());
  ASSERT_TRUE(saves->save(world.at(1), "The Gate"));
  const std::string first = *saves->path_of("The Gate");
  const std::string former = folder / "slot-~54he~20~47ate.hdb";
  ASSERT_TRUE(saves->save(world.at(2), "other"));
  std::filesystem::rename(*saves->path_of("other"), former);
  ASSERT_TRUE(saves->load(world.db, "The Gate"));
  EXPECT_EQ(world.clock->tick, 2u);
  ASSERT_TRUE(saves->save(world.at(3), "The Gate"));
  ASSERT_TRUE(saves->load(world.db, "The Gate"));
  EXPECT_EQ(world.clock->tick, 3u);
  EXPECT_EQ(saves->remove("The Gate"), true);
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace
}  // namespace hdb::test::save_names_test
