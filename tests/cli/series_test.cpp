// WHERE of the history commands: which files are saves, and in which order.
#include "history/series.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "hdb/hdb.hpp"
#include "history/growth.hpp"
#include "interface/interface.hpp"
#include "interface/parser.hpp"
#include "support/folder.hpp"

namespace hdb::test::series_test {
namespace {

namespace fs = std::filesystem;
using namespace hdb::inspect;  // NOLINT(google-build-using-namespace): the subject of the test

// An empty folder, and a context whose output goes nowhere.
struct World {
  World() = default;
  ~World() { ::close(nowhere); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void save(const std::string& name, std::uint64_t sequence, std::int64_t date = 0) const {
    Database db;
    SaveOptions options;
    options.metadata.sequence = sequence;
    options.metadata.date_unix_ms = date;
    ASSERT_TRUE(hdb::save(db.capture(), folder / name, options));
  }
  OpenSeries open(const std::vector<std::string>& names = {""}) {
    std::vector<std::string> where;
    for (const std::string& name : names) where.push_back(folder / name);
    status = ExitStatus::fine;
    return open_series(context, where, status);
  }
  // The names of the files, without the folder.
  static std::vector<std::string> names_of(const OpenSeries& series) {
    std::vector<std::string> names;
    if (!series.saves) return names;
    for (const SeriesSave& save : series.saves->saves())
      names.push_back(fs::path(save.name).filename().string());
    return names;
  }

  Folder folder;
  int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  Globals globals{.quiet = true};
  Output out{nowhere, false};
  Messages messages{globals, &out};
  Interface interface {};
  Context context{globals, out, messages, interface};
  ExitStatus status = ExitStatus::fine;
};

using Names = std::vector<std::string>;

TEST(Series, IsOrderedBySequenceThenDateThenName) {
  World world;
  world.save("a.hdb", 30);
  world.save("b.hdb", 20, 5);
  world.save("c.hdb", 20, 4);
  world.save("auto-10.hdb", 7);
  world.save("auto-9.hdb", 7);
  world.save("old", 0, 99);
  EXPECT_EQ(World::names_of(world.open()),
            (Names{"old", "auto-9.hdb", "auto-10.hdb", "c.hdb", "b.hdb", "a.hdb"}));
  EXPECT_EQ(world.status, ExitStatus::fine);
}

TEST(Series, OfAFolderOnlySavesAreTaken) {
  World world;
  world.save("slot-a.hdb.1", 1);  // a backup
  world.save("slot-a.hdb", 2);
  world.save(".slot-a.hdb.tmp", 3);
  fs::create_directories(world.folder / "inner.hdb");
  world.save("inner.hdb/other.hdb", 4);
  std::ofstream(world.folder / "readme.txt") << "This is a text that is longer than a header of a "
                                                "save, and it is not a save.";
  std::ofstream(world.folder / "short.hdb") << "x";
  EXPECT_EQ(World::names_of(world.open()), (Names{"slot-a.hdb.1", "slot-a.hdb"}));
  // Whoever names a file wants to know that it is not a save.
  EXPECT_EQ(World::names_of(world.open({"readme.txt", "slot-a.hdb"})), Names{"slot-a.hdb"});
  EXPECT_EQ(world.status, ExitStatus::trouble);
}

TEST(Series, AFileThatIsNamedTwiceIsOneSave) {
  World world;
  world.save("a.hdb", 1);
  world.save("b.hdb", 2);
  EXPECT_EQ(World::names_of(world.open({"b.hdb", "a.hdb", "b.hdb"})), (Names{"a.hdb", "b.hdb"}));
}

TEST(Series, ASaveThatTheGameReplacesMeanwhileIsNotTakenForTheOneInTheList) {
  World world;
  world.save("a.hdb", 1);
  const OpenSeries series = world.open();
  ASSERT_TRUE(series.saves && series.saves->open(0));
  world.save("a.hdb", 9);
  const auto replaced = series.saves->open(0);
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().code, ErrorCode::file_changed);
}

TEST(Series, CountsWhatIsRead) {
  World world;
  world.save("a.hdb", 1);
  const OpenSeries series = world.open();
  ASSERT_TRUE(series.saves);
  const std::uint64_t listed = *series.bytes_read;
  EXPECT_GT(listed, 0U);
  const auto reader = series.saves->open(0);
  ASSERT_TRUE(reader);
  EXPECT_EQ(*series.bytes_read - listed, (*reader)->bytes_read());
  EXPECT_EQ(series.file_bytes, fs::file_size(world.folder / "a.hdb"));
}

TEST(Growth, FindsNumbersThatNeverFallAndRiseInManySaves) {
  GrowthSearch search;
  const auto look = [&](std::size_t save, const char* name, std::uint64_t live,
                        std::uint64_t free) {
    TableDescriptor table;
    table.name = name;
    table.live_count = live;
    table.free_count = free;
    search.look(table, save);
  };
  const std::uint64_t leaking[] = {5, 5, 6, 6, 7, 9};
  const std::uint64_t falling[] = {5, 6, 7, 6, 8, 9};
  for (std::size_t save = 0; save < 6; ++save) {
    look(save, "leaking", leaking[save], 4);
    look(save, "falling", falling[save], save);
    if (save >= 3) look(save, "later", save, 0);
  }
  const auto found = search.found(3);
  ASSERT_EQ(found.size(), 2U);                                 // "later" rose only twice
  EXPECT_EQ(found[0].first, GrowthSearch::Key("falling", 1));  // its free slots
  EXPECT_EQ(found[1].first, GrowthSearch::Key("leaking", 0));
  const Growth& live = found[1].second;
  EXPECT_EQ(live.first, 5U);
  EXPECT_EQ(live.last, 9U);
  EXPECT_EQ(live.rises, 3U);
  EXPECT_EQ(live.since, 1U);
  EXPECT_EQ(search.found(2).size(), 3U);
}

TEST(Parser, AListOfArgumentsLeavesOneForEachArgumentAfterIt) {
  const auto commands = all_commands();
  const Interface all = describe_interface(commands, {});
  const auto parse = [&](const std::vector<const char*>& words) {
    std::vector<const char*> line{"hdbinspect"};
    line.insert(line.end(), words.begin(), words.end());
    return parse_command_line(all, static_cast<int>(line.size()), line.data());
  };
  EXPECT_EQ(parse({"log", "a.hdb", "b.hdb", "c.hdb", "units:0@1"}).kind, Request::Kind::run);
  EXPECT_EQ(parse({"blame", "a.hdb"}).mistake.what, "RECORD is required");
  EXPECT_EQ(parse({"log"}).mistake.what, "WHERE is required");
}

}  // namespace
}  // namespace hdb::test::series_test
