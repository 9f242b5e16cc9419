// Saves go where they were meant to go when the program said so, whatever becomes of the current
// directory and of the folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "files/child_process.hpp"
#include "files/folder.hpp"
#include "hdb/autosaver.hpp"
#include "hdb/file_system.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::save_places_test {
namespace {

using testing::ElementsAre;

Snapshot small_world() {
  Database db;
  db.singleton<Clock>("clock").edit().tick = 5;
  return db.capture();
}

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Runs `body` in a folder "here" that has another folder "elsewhere".
void in_folder(const Folder& folder, const std::function<void()>& body) {
  std::filesystem::create_directories(folder / "here/elsewhere");
  in_child([&] {
    ASSERT_EQ(::chdir((folder / "here").c_str()), 0);
    body();
  });
}

TEST(SavePlaces, ARelativeFolderOfSavesIsBoundWhenItIsOpened) {
  const Folder folder;
  in_folder(folder, [&] {
    auto saves = SaveDirectory::open("saves");
    ASSERT_TRUE(saves);
    Autosaver autosaver;
    const SaveTarget target = saves->target(SaveName::autosave());
    ASSERT_EQ(::chdir("elsewhere"), 0);
    std::filesystem::create_directory("saves");
    EXPECT_TRUE(saves->save(small_world(), "one"));
    EXPECT_TRUE(save_async(small_world(), saves->target("two")).result());
    EXPECT_TRUE(autosaver.save(small_world(), target).result());
    EXPECT_EQ(saves->list()->size(), 3u);
    Database db;
    db.singleton<Clock>("clock");
    EXPECT_TRUE(saves->load_newest(db));
    EXPECT_EQ(saves->remove("two"), true);
  });
  EXPECT_THAT(names_in(folder / "here/saves"), ElementsAre("auto-1.hdb", "slot-one.hdb"));
  EXPECT_THAT(names_in(folder / "here/elsewhere/saves"), testing::IsEmpty());
}

TEST(SavePlaces, ARelativePathIsBoundWhenItIsGiven) {
  const Folder folder;
  in_folder(folder, [&] {
    // Both saves begin after the program has moved on.
    std::vector<std::function<void()>> tasks;
    const auto later = [&](std::function<void()> task) { tasks.push_back(std::move(task)); };
    Autosaver autosaver({.background = later});
    SaveOptions options;
    options.background = later;
    Saving saving = save_async(small_world(), "async.hdb", options);
    const SaveTarget target = "auto.hdb";
    ASSERT_EQ(::chdir("elsewhere"), 0);
    const Saving ticket = autosaver.save(small_world(), target);
    const Saving other = autosaver.save(small_world(), "auto.hdb");  // another file
    for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i]();
    EXPECT_TRUE(saving.result());
    EXPECT_TRUE(ticket.result());
    EXPECT_TRUE(other.result());
  });
  EXPECT_THAT(names_in(folder / "here"), ElementsAre("async.hdb", "auto.hdb", "elsewhere"));
  EXPECT_THAT(names_in(folder / "here/elsewhere"), ElementsAre("auto.hdb"));
}

TEST(SavePlaces, AFileThatIsReadStaysItselfWhenTheProgramMovesOn) {
  const Folder folder;
  in_folder(folder, [&] {
    put("file", "text");
    const auto source = FileSource::open("file");
    ASSERT_TRUE(source);
    ASSERT_EQ(::chdir("elsewhere"), 0);
    EXPECT_TRUE((*source)->check_unchanged());
  });
}

TEST(SavePlaces, ASaveFromARemovedDirectoryIsAnError) {
  const Folder folder;
  in_folder(folder, [&] {
    ASSERT_EQ(::chdir("elsewhere"), 0);
    std::filesystem::remove(folder / "here/elsewhere");
    EXPECT_FALSE(SaveDirectory::open("saves"));
    EXPECT_FALSE(save_async(small_world(), "async.hdb").result());
  });
}

TEST(SavePlaces, AFolderThatMayBeUsedButNotListedHasSaves) {
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0333), 0);
  in_child([&] {
    ASSERT_TRUE(drop_root());
    auto saves = SaveDirectory::open(folder.path());
    ASSERT_TRUE(saves) << saves.error().message();
    for (int i = 0; i < 3; ++i) {
      for (const SaveName& name : {SaveName("The Gate"), SaveName::quick()}) {
        const auto report = saves->save(small_world(), name);
        ASSERT_TRUE(report) << report.error().message();
        EXPECT_EQ(report->outcome, SaveOutcome::replaced_not_durable);
      }
    }
    Database db;
    db.singleton<Clock>("clock");
    EXPECT_TRUE(saves->load(db, "The Gate"));
    const auto last = saves->load(db, SaveName::quick());
    ASSERT_TRUE(last) << last.error().message();
    EXPECT_EQ(last->entry.name, "3");
    EXPECT_EQ(saves->list().error().code, ErrorCode::permission_denied);
  });
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  EXPECT_EQ(folder.names().size(), 5u);  // a save, a backup and three quicksaves
  EXPECT_FALSE(folder.has_temporary());
}

TEST(SavePlaces, SavesOfAFolderThatMayNotBeListedAreNewerThanThoseThatWereThere) {
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  in_child([&] {
    ASSERT_TRUE(drop_root());
    const Folder own(folder.path());
    SaveOptions options;
    options.metadata.sequence = 50;
    ASSERT_TRUE(SaveDirectory::open(own.path())->save(small_world(), "old", options));
    ASSERT_EQ(::chmod(own.path().c_str(), 0333), 0);
    for (const char* name : {"new", "newest"})
      ASSERT_TRUE(SaveDirectory::open(own.path())->save(small_world(), name));
    ASSERT_EQ(::chmod(own.path().c_str(), 0755), 0);
    auto saves = SaveDirectory::open(own.path());
    Database db;
    db.singleton<Clock>("clock");
    const auto loaded = saves->load_newest(db);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(loaded->entry.name, "newest");
    // Then the numbers go on.
    const std::uint64_t number = loaded->entry.info->metadata.sequence;
    ASSERT_TRUE(saves->save(small_world(), "next"));
    EXPECT_EQ(saves->list()->front().info->metadata.sequence, number + 1);
  });
}

TEST(SavePlaces, AFolderThatVanishedIsMadeAgain) {
  const Folder folder;
  auto saves = SaveDirectory::open(folder / "saves");
  ASSERT_TRUE(saves);
  ASSERT_TRUE(saves->save(small_world(), "old"));
  Autosaver autosaver;
  const auto vanish = [&] { std::filesystem::remove_all(folder / "saves"); };
  const auto expect = [&](const Result<SaveReport>& report, const std::string& file) {
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->outcome, SaveOutcome::durable);
    EXPECT_TRUE(read_info(folder / "saves/" + file)) << file;
    vanish();
  };
  vanish();
  expect(saves->save(small_world(), "one"), "slot-one.hdb");
  expect(save_async(small_world(), saves->target(SaveName::quick())).result(), "quick-1.hdb");
  expect(autosaver.save(small_world(), saves->target(SaveName::autosave())).result(), "auto-1.hdb");
  expect(autosaver.save(small_world(), folder / "saves/own.hdb").result(), "own.hdb");
  expect(save_async(small_world(), folder / "saves/own.hdb").result(), "own.hdb");
  expect(save(small_world(), folder / "saves/own.hdb"), "own.hdb");
  // Also if it vanishes between the choice of the file and the save.
  std::function<void()> task;
  SaveOptions options;
  options.background = [&](std::function<void()> given) { task = std::move(given); };
  const Saving saving = save_async(small_world(), saves->target("late"), options);
  vanish();
  task();
  expect(saving.result(), "slot-late.hdb");
}

TEST(SavePlaces, WhatACrashLeftIsRemovedAfterADayWhenTheFolderIsOpened) {
  const Folder folder;
  crash_in_save(folder / "slot-one.hdb");
  for (const std::string& name : folder.names()) set_age(folder / name, std::chrono::hours(25));
  EXPECT_TRUE(SaveDirectory::open(folder.path()));
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(SavePlaces, WhatACrashLeftOfANameIsRemovedWithTheName) {
  const Folder folder;
  crash_in_save(folder / "slot-one.hdb");
  auto saves = SaveDirectory::open(folder.path());
  ASSERT_TRUE(saves);
  EXPECT_EQ(folder.names().size(), 2u);
  EXPECT_EQ(saves->remove("one"), false);
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

}  // namespace
}  // namespace hdb::test::save_places_test
