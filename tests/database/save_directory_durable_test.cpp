// A folder that was made for saves is as durable as the saves in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <tuple>

#include "files/child_process.hpp"
#include "files/folder.hpp"
#include "files/model_file_system.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::save_directory_durable_test {
namespace {

Snapshot world_at(std::uint64_t tick) {
  Database db;
  db.singleton<Clock>("clock").edit().tick = tick;
  return db.capture();
}

// Whether a power cut at this state may lose the file.
bool may_vanish(const ModelState& state, const std::string& name) {
  const auto found = state.synced_names.find(name);
  if (!state.folder_is_durable || found == state.synced_names.end()) return true;
  const ModelState::File& file = state.files[found->second];
  return file.synced_bytes < file.content.size();
}

TEST(SaveDirectoryDurable, TheFirstSaveInANewFolderSurvivesAPowerCut) {  // G1
  ModelFileSystem model;
  model.state.has_folder = model.state.folder_is_durable = false;
  auto saves = SaveDirectory::open("saves", {.file_system = &model});
  ASSERT_TRUE(saves) << saves.error().message();
  std::size_t cases = 0;
  std::size_t failures = 0;
  for (std::uint64_t tick = 1; tick <= 3; ++tick) {
    const auto report = saves->save(world_at(tick), "hero");
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->outcome, SaveOutcome::durable);
    // From the first one on, the power may go at any call.
    for (const ModelState& state : model.history) {
      ++cases;
      if (tick > 1 && may_vanish(state, "slot-hero.hdb")) ++failures;
    }
    if (may_vanish(model.state, "slot-hero.hdb")) ++failures;
    model.history.clear();
  }
  EXPECT_TRUE(model.all_closed());
  std::printf("G1 folder of saves: cases=%zu failures=%zu\n", cases, failures);
  EXPECT_EQ(failures, 0u);
}

TEST(SaveDirectoryDurable, AFolderMadeByAProgramThatWasKilledIsSyncedByTheNextOne) {
  ModelFileSystem model;
  model.state.folder_is_durable = false;
  auto saves = SaveDirectory::open("saves", {.file_system = &model});
  ASSERT_TRUE(saves);
  ASSERT_TRUE(saves->save(world_at(1), SaveName::quick()));
  EXPECT_FALSE(may_vanish(model.state, "quick-1.hdb"));
}

class FailedSync : public testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(FailedSync, OfTheParentIsReportedAndTriedAgain) {
  const auto [error, is_old] = GetParam();
  const Folder parent(fast_parent());
  if (is_old) std::filesystem::create_directory(parent / "saves");
  WrappedFileSystem files;
  auto saves = SaveDirectory::open(parent / "saves", {.file_system = &files});
  ASSERT_TRUE(saves);
  int syncs = 0;
  files.before = [&, error = error](Call call) {
    return call == Call::sync_directory && ++syncs == 1 ? std::optional(error) : std::nullopt;
  };
  const auto first = saves->save(world_at(1), "hero");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->outcome, SaveOutcome::replaced_not_durable);
  EXPECT_THAT(first->problem.message(), testing::HasSubstr("a power cut may lose the folder"));
  const auto second = saves->save(world_at(2), "hero");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->outcome, SaveOutcome::durable);
  EXPECT_TRUE(second->problem.what.empty());
}

INSTANTIATE_TEST_SUITE_P(SaveDirectoryDurable, FailedSync,
                         testing::Combine(testing::Values(EIO, EACCES, EPERM), testing::Bool()));

TEST(SaveDirectoryDurable, AParentThatMayNotBeReadMattersOnlyForAFolderMadeNow) {
  const Folder parent(fast_parent());
  ASSERT_EQ(::chmod(parent.path().c_str(), 0777), 0);
  in_child([&] {
    ASSERT_TRUE(drop_root());
    const Folder closed(parent.path());
    std::filesystem::create_directory(closed / "old");
    ASSERT_EQ(::chmod(closed.path().c_str(), 0333), 0);
    for (const bool is_old : {true, false}) {
      auto saves = SaveDirectory::open(closed / (is_old ? "old" : "new"));
      ASSERT_TRUE(saves) << saves.error().message();
      const auto report = saves->save(world_at(1), "hero");
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->outcome, is_old ? SaveOutcome::durable : SaveOutcome::replaced_not_durable);
    }
    ASSERT_EQ(::chmod(closed.path().c_str(), 0777), 0);
  });
}

}  // namespace
}  // namespace hdb::test::save_directory_durable_test
