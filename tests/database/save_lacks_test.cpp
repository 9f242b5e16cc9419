// G3: folders of saves on file systems that lack a call: named saves, rings and autosaves work
// there, or are a stated error that changes nothing; and the newest save is the one that loads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "files/lacks.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "save_directory_world.hpp"

namespace hdb::test::save_directory_test {
namespace {

constexpr int kRounds = 5;  // more than a ring has files, and a name backups

// What a folder of saves holds, as a player sees it.
class Game {
 public:
  explicit Game(const LackingSystem& system) : system_(system) {
    files_.lacks = system.lacks;
    saves_.emplace(open("saves", {.quicksaves = 2, .autosaves = 3, .file_system = &files_}));
  }

  void play_round() {
    Autosaver autosaver;
    expect(saves_->save(world_.at(++tick_), "The Gate"), "The Gate");
    expect(save_async(world_.at(++tick_), saves_->target(SaveName::quick())).result(), "quick");
    expect(autosaver.save(world_.at(++tick_), saves_->target(SaveName::autosave())).result(),
           "auto");
    EXPECT_TRUE(files_.all_closed());
    expect_loads("The Gate", "The Gate");
    expect_loads(SaveName::quick(), "quick");
    expect_loads(SaveName::autosave(), "auto");
    const auto newest = saves_->load_newest(world_.db);
    if (system_.lacks.list != 0) {
      ASSERT_FALSE(newest);
      EXPECT_EQ(newest.error().code, ErrorCode::permission_denied);
      return;
    }
    ASSERT_TRUE(newest) << newest.error().message();
    EXPECT_EQ(world_.clock->tick, newest_);
    EXPECT_TRUE(newest->skipped.empty());
  }

 private:
  void expect(const Result<SaveReport>& report, const std::string& name) {
    if (report) {
      EXPECT_EQ(report->outcome == SaveOutcome::durable, system_.lacks.sync_directory == 0);
      EXPECT_EQ(!report->done_without.what.empty(),
                system_.lacks.locks != 0 || (system_.lacks.links != 0 && has_backup(name)))
          << report->done_without.message();
      newest_ = saved_[name] = tick_;
      return;
    }
    // Only where a file has to be replaced.
    EXPECT_NE(system_.lacks.rename_over, 0) << report.error().message();
    EXPECT_TRUE(saved_.contains(name));
    EXPECT_THAT(report.error().what, testing::HasSubstr("rename failed"));
  }
  bool has_backup(const std::string& name) const {
    return name == "The Gate" && saved_.contains(name);
  }
  void expect_loads(const SaveName& name, const std::string& as) {
    const auto loaded = saves_->load(world_.db, name);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(world_.clock->tick, saved_.at(as));
  }

  const LackingSystem& system_;
  ModelFileSystem files_;
  std::optional<SaveDirectory> saves_;
  World world_;
  std::uint64_t tick_ = 0;
  std::uint64_t newest_ = 0;
  std::map<std::string, std::uint64_t> saved_;
};

TEST(SaveLacks, AFolderOfSavesWorksWithoutACallOrChangesNothing) {
  std::size_t cases = 0;
  for (const LackingSystem& system : lacking_systems()) {
    SCOPED_TRACE("without " + system.name);
    Game game(system);
    for (int round = 0; round < kRounds; ++round) game.play_round();
    cases += 3 * kRounds;
  }
  std::printf("G3 folders of saves that lack a call: cases=%zu failures=%d\n", cases,
              HasFailure() ? 1 : 0);
}

}  // namespace
}  // namespace hdb::test::save_directory_test
