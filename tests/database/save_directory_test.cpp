// SaveDirectory: names, rings, backups, the newest valid save, removal that touches nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "format/forge.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "save_directory_world.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::save_directory_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(SaveDirectory, MakesItsFolderAndShowsItsSavesTheNewestFirst) {
  const Folder parent;
  World world;
  SaveDirectory saves = open(parent / "saves");
  EXPECT_THAT(shown(saves.list()), IsEmpty());
  SaveOptions options;
  options.metadata.title = "At the gate";
  options.metadata.play_time_ms = 61'000;
  options.metadata.date_unix_ms = 1'700'000'000'000;
  options.thumbnail = Bytes(3, std::byte{9});
  ASSERT_TRUE(saves.save(world.at(1), "The Gate", options));
  ASSERT_TRUE(saves.save(world.at(2), SaveName::quick()));
  ASSERT_TRUE(saves.save(world.at(3), SaveName::autosave()));
  const auto entries = saves.list();
  EXPECT_THAT(shown(entries), ElementsAre("auto 1", "quick 1", "The Gate"));
  const SaveEntry& gate = entries->at(2);
  EXPECT_EQ(gate.info->metadata.title, "At the gate");
  EXPECT_EQ(gate.info->metadata.play_time_ms, 61'000u);
  EXPECT_EQ(gate.info->metadata.sequence, 1u);
  EXPECT_EQ(*saves.read_thumbnail(gate), options.thumbnail);
  EXPECT_THAT(*saves.read_thumbnail(entries->at(0)), IsEmpty());
  EXPECT_EQ(gate.path, *saves.path_of("The Gate"));
  EXPECT_THAT(shown(open(parent / "saves").list()), ElementsAre("auto 1", "quick 1", "The Gate"));
}

TEST(SaveDirectory, ARingReplacesWhatIsMissingDamagedOrOldest) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path(), {.quicksaves = 3});
  for (std::uint64_t i = 1; i <= 5; ++i) ASSERT_TRUE(saves.save(world.at(i), SaveName::quick()));
  EXPECT_THAT(shown(saves.list()), ElementsAre("quick 2", "quick 1", "quick 3"));
  // Another run of the game goes on where this one stopped.
  SaveDirectory later = open(folder.path(), {.quicksaves = 3});
  ASSERT_TRUE(later.save(world.at(6), SaveName::quick()));
  EXPECT_THAT(shown(later.list()), ElementsAre("quick 3", "quick 2", "quick 1"));
  truncate(folder / "quick-2.hdb");
  EXPECT_THAT(shown(later.list()), ElementsAre("quick 2 broken", "quick 3", "quick 1"));
  SaveDirectory again = open(folder.path(), {.quicksaves = 3});
  ASSERT_TRUE(again.save(world.at(7), SaveName::quick()));
  EXPECT_THAT(shown(again.list()), ElementsAre("quick 2", "quick 3", "quick 1"));
  EXPECT_EQ(again.list()->front().info->metadata.sequence, 7u);
  EXPECT_THAT(folder.names(), ElementsAre("quick-1.hdb", "quick-2.hdb", "quick-3.hdb"));
}

// Whatever made a file with the last sequence number: the saves after it are newer.
TEST(SaveDirectory, AFileWithTheLastSequenceNumberDoesNotStayTheNewest) {
  const Folder folder;
  World world;
  SaveOptions last;
  last.metadata.sequence = ~std::uint64_t{0};
  last.metadata.date_unix_ms = 4'000'000'000'000;  // of a clock that was wrong
  ASSERT_TRUE(open(folder.path()).save(world.at(1), SaveName::quick(), last));
  for (std::uint64_t i = 2; i <= 5; ++i) {
    // Each by another run of the game.
    std::filesystem::last_write_time(
        folder / "quick-1.hdb",
        std::filesystem::last_write_time(folder / "quick-1.hdb") - std::chrono::seconds(1));
    SaveDirectory saves = open(folder.path());
    ASSERT_TRUE(saves.save(world.at(i), i % 2 == 0 ? SaveName("hero") : SaveName::quick()));
    const auto loaded = saves.load_newest(world.db);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(world.clock->tick, i) << "after save " << i;
  }
  EXPECT_THAT(shown(open(folder.path()).list()),
              ElementsAre("quick 3", "hero", "quick 2", "quick 1"));
}

TEST(SaveDirectory, ARingOfFilesWithTheLastSequenceNumberReplacesTheOldest) {
  const Folder folder;
  World world;
  SaveOptions last;
  last.metadata.sequence = ~std::uint64_t{0};
  SaveDirectory saves = open(folder.path());
  const auto save_to = [&](SaveDirectory& directory, const char* expected, std::uint64_t tick) {
    const auto report = directory.save(world.at(tick), SaveName::quick(), last);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->path, folder / expected);
    std::filesystem::last_write_time(  // coarse clocks give two saves one time
        report->path, std::filesystem::file_time_type{} + std::chrono::seconds(tick));
  };
  save_to(saves, "quick-1.hdb", 1);
  save_to(saves, "quick-2.hdb", 2);
  save_to(saves, "quick-3.hdb", 3);
  save_to(saves, "quick-1.hdb", 4);
  SaveDirectory later = open(folder.path());
  save_to(later, "quick-2.hdb", 5);
  save_to(later, "quick-3.hdb", 6);
}

TEST(SaveDirectory, AFileOfTheRingThatANewerProgramWroteIsReplacedLast) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path());
  for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(saves.save(world.at(i), SaveName::quick()));
  std::string bytes = get(folder / "quick-1.hdb");
  ForgedFile newer(
      Bytes(std::as_bytes(std::span(bytes)).begin(), std::as_bytes(std::span(bytes)).end()));
  newer.header.version_major = 200;
  const Bytes sealed = newer.sealed();
  put(folder / "quick-1.hdb",
      std::string(reinterpret_cast<const char*>(sealed.data()), sealed.size()));
  SaveDirectory later = open(folder.path());
  for (std::uint64_t i = 4; i <= 7; ++i) {
    const auto report = later.save(world.at(i), SaveName::quick());
    ASSERT_TRUE(report);
    EXPECT_EQ(report->path, folder / (i % 2 == 0 ? "quick-2.hdb" : "quick-3.hdb"));
  }
  EXPECT_EQ(read_info(folder / "quick-1.hdb").error().code, ErrorCode::newer_version);
  SaveDirectory smallest = open(folder.path(), {.quicksaves = 1});
  EXPECT_TRUE(smallest.save(world.at(8), SaveName::quick())) << "there is no other file";
  EXPECT_TRUE(read_info(folder / "quick-1.hdb"));
}

// As when too many files are open: what could not be read is not lost for that.
TEST(SaveDirectory, AFileOfTheRingThatCannotBeReadNowIsReplacedLast) {
  const Folder folder(fast_parent());
  World world;
  WrappedFileSystem files;
  {
    SaveDirectory saves = open(folder.path());
    for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(saves.save(world.at(i), SaveName::quick()));
  }
  const std::string newest = get(folder / "quick-3.hdb");
  SaveOptions oldest;
  oldest.metadata.sequence = 1;
  std::size_t opened = 0;
  std::size_t failing = 0;
  files.before = [&](Call call) -> std::optional<int> {
    return call == Call::open_for_reading && ++opened == failing ? std::optional(EMFILE)
                                                                 : std::nullopt;
  };
  for (failing = 1; failing <= 3; ++failing) {
    opened = 0;
    SaveDirectory saves = open(folder.path(), {.file_system = &files});
    ASSERT_TRUE(saves.save(world.at(1), SaveName::quick(), oldest));
    EXPECT_EQ(get(folder / "quick-3.hdb"), newest) << "reading file " << failing << " failed";
  }
}

TEST(SaveDirectory, SavesInTheBackgroundNeverShareAFileOfARing) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path(), {.autosaves = 3});
  std::vector<std::function<void()>> waiting;
  SaveOptions options;
  options.background = [&](std::function<void()> save) { waiting.push_back(std::move(save)); };
  std::vector<Saving> savings;
  for (std::uint64_t i = 1; i <= 3; ++i) {
    savings.push_back(save_async(world.at(i), saves.target(SaveName::autosave()), options));
  }
  for (auto& save : waiting) save();
  for (Saving& saving : savings) EXPECT_TRUE(saving.result());
  EXPECT_THAT(shown(saves.list()), ElementsAre("auto 3", "auto 2", "auto 1"));
}

// The second save begins to look at the folder before the first one has its file, and has looked
// when that has ended.
TEST(SaveDirectory, ASaveThatEndsWhileAnotherOneLooksKeepsItsFile) {
  const Folder folder;
  World world;
  WrappedFileSystem files;
  SaveDirectory saves = open(folder.path(), {.autosaves = 3, .file_system = &files});
  ASSERT_TRUE(saves.save(world.at(1), SaveName::autosave()));
  const Snapshot second = world.at(2);
  const Snapshot third = world.at(3);
  std::promise<void> has_begun;
  std::promise<void> may_end;
  std::future<bool> ended;
  std::atomic<bool> is_in_background{false};
  bool has_looked = false;
  const auto game = std::this_thread::get_id();
  files.before = [&](Call call) -> std::optional<int> {
    if (std::this_thread::get_id() != game) {
      if (call == Call::write && !is_in_background.exchange(true)) {
        has_begun.set_value();
        may_end.get_future().wait();
      }
    } else if (call == Call::open_for_reading && ended.valid() &&
               !std::exchange(has_looked, true)) {
      may_end.set_value();
      while (!std::filesystem::exists(folder / "auto-2.hdb")) std::this_thread::yield();
      ended.wait_for(std::chrono::milliseconds(200));  // it may wait for this one
    }
    return std::nullopt;
  };
  ended = std::async(std::launch::async,
                     [&] { return saves.save(second, SaveName::autosave()).has_value(); });
  has_begun.get_future().wait();
  EXPECT_TRUE(saves.save(third, SaveName::autosave()));
  EXPECT_TRUE(ended.get());
  EXPECT_TRUE(has_looked);
  EXPECT_THAT(shown(saves.list()), ElementsAre("auto 3", "auto 2", "auto 1"));
}

TEST(SaveDirectory, ARenamedFileIsNoPlaceForSaves) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path());
  SaveName name("foo");
  name.kind = SaveKind::renamed;
  EXPECT_EQ(saves.save(world.at(1), name).error().code, ErrorCode::bad_name);
  EXPECT_EQ(saves.load(world.db, name).error().code, ErrorCode::bad_name);
  EXPECT_EQ(saves.remove(name).error().code, ErrorCode::bad_name);
  EXPECT_THAT(saves.list().value(), IsEmpty());
}

TEST(SaveDirectory, ASaveThatMayNotBeLookedForIsNotMissing) {
  const Folder folder;
  World world;
  WrappedFileSystem files;
  SaveDirectory saves = open(folder.path(), {.file_system = &files});
  ASSERT_TRUE(saves.save(world.at(1), "gate"));
  files.before = [&](Call call) -> std::optional<int> {
    return call == Call::list || call == Call::status_at ? std::optional(EACCES) : std::nullopt;
  };
  const auto loaded = saves.load(world.db, "gate");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::permission_denied) << loaded.error().message();
}

TEST(SaveDirectory, TheNewestValidSaveIsLoadedAndWhatWasPassedOverIsTold) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path(), {.keep = 2});
  const Error none = saves.load_newest(world.db).error();
  EXPECT_EQ(none.code, ErrorCode::not_found);
  EXPECT_EQ(none.what, "the folder has no save");
  EXPECT_EQ(saves.load(world.db, "hero").error().what, "the folder has no save 'hero'");
  EXPECT_EQ(saves.load(world.db, SaveName::quick()).error().what, "the folder has no quicksaves");
  ASSERT_TRUE(saves.save(world.at(1), SaveName::quick()));
  for (std::uint64_t i = 2; i <= 4; ++i) ASSERT_TRUE(saves.save(world.at(i), "hero"));
  EXPECT_THAT(shown(saves.list()), ElementsAre("hero", "quick 1"));
  EXPECT_THAT(shown(saves.list_all()),
              ElementsAre("hero", "hero backup 1", "hero backup 2", "quick 1"));

  damage(folder / "slot-hero.hdb");      // its information can still be read
  truncate(folder / "slot-hero.hdb.1");  // not even that
  auto loaded = saves.load_newest(world.db);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(world.clock->tick, 2u);
  EXPECT_EQ(loaded->entry.backup, 2u);
  EXPECT_EQ(loaded->entry.name, "hero");
  ASSERT_THAT(shown(loaded->skipped), ElementsAre("hero", "hero backup 1 broken"));
  for (const SaveEntry& passed : loaded->skipped)
    EXPECT_EQ(category_of(passed.problem.code), ErrorCategory::corrupt);

  loaded = saves.load(world.db, "hero");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->skipped.size(), 2u) << "the save and its first backup";
  EXPECT_EQ(world.clock->tick, 2u);

  truncate(folder / "slot-hero.hdb.2");
  world.clock.edit().tick = 99;
  EXPECT_EQ(saves.load(world.db, "hero").error().code, ErrorCode::block_checksum);
  EXPECT_THAT(saves.load(world.db, "hero").error().message(), HasSubstr("2 other files"));
  EXPECT_EQ(world.clock->tick, 99u);
  ASSERT_TRUE(saves.load_newest(world.db));
  EXPECT_EQ(world.clock->tick, 1u);
}

TEST(SaveDirectory, ABackupStandsForASaveThatIsGone) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path(), {.keep = 2});
  for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(saves.save(world.at(i), "hero"));
  std::filesystem::remove(folder / "slot-hero.hdb");
  EXPECT_THAT(shown(saves.list()), ElementsAre("hero backup 1"));
  ASSERT_TRUE(saves.load(world.db, "hero"));
  EXPECT_EQ(world.clock->tick, 2u);
}

TEST(SaveDirectory, ASaveThatOnlyAnotherProgramReadsIsNotPassedOver) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path());
  ASSERT_TRUE(saves.save(world.at(1), SaveName::quick()));
  Database other;
  other.create_table<Hero>("clock").insert({.name = "no clock"});
  ASSERT_TRUE(saves.save(other.capture(), "other"));
  EXPECT_EQ(category_of(saves.load_newest(world.db).error().code), ErrorCategory::mismatch);
}

TEST(SaveDirectory, RemovingASaveTakesItsBackupsAndNothingElse) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path(), {.keep = 3});
  for (std::uint64_t i = 1; i <= 4; ++i) ASSERT_TRUE(saves.save(world.at(i), "hero"));
  ASSERT_TRUE(saves.save(world.at(5), "hero2"));
  ASSERT_TRUE(saves.save(world.at(6), SaveName::quick()));
  const std::vector<std::string> others = {
      "slot-hero.hdb.bak", "slot-hero.hdb.01", "slot-hero.hdb.1.1",
      "slot-hero.hdb.",    "slot-Hero.hdb",    "notes.txt",
      "slot-~68ero.hdb",   "quick-01.hdb",     "quick-x.hdb"};
  for (const std::string& name : others) put(folder / name, "mine");
  EXPECT_THAT(shown(saves.list()), ElementsAre("quick 1", "hero2", "hero"));
  EXPECT_TRUE(*saves.remove("hero"));
  EXPECT_FALSE(*saves.remove("hero"));
  EXPECT_THAT(shown(saves.list()), ElementsAre("quick 1", "hero2"));
  for (const std::string& name : others) EXPECT_EQ(get(folder / name), "mine") << name;
  EXPECT_TRUE(*saves.remove(SaveName::quick()));
  EXPECT_FALSE(*saves.remove(SaveName::quick()));
  const SaveEntry hero2 = saves.list()->front();
  EXPECT_TRUE(*saves.remove(hero2));
  EXPECT_EQ(folder.names().size(), others.size());
}

TEST(SaveDirectory, RemovingASaveTakesABackupThatStillWaitsToBeMoved) {
  const Folder folder;
  World world;
  WrappedFileSystem files;
  SaveDirectory saves = open(folder.path(), {.file_system = &files});
  ASSERT_TRUE(saves.save(world.at(1), "hero"));
  int renames = 0;
  files.before = [&](Call call) {
    return call == Call::rename && ++renames == 2 ? std::optional(EIO) : std::nullopt;
  };
  const auto saved = saves.save(world.at(2), "hero");
  ASSERT_TRUE(saved);
  EXPECT_FALSE(saved->backup_problem.what.empty());
  EXPECT_TRUE(folder.has_temporary());
  files.before = nullptr;
  EXPECT_TRUE(*saves.remove("hero"));
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(SaveDirectory, OneFileOfARingCanBeRemovedAndAForgedEntryRemovesNothing) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path());
  for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(saves.save(world.at(i), SaveName::quick()));
  SaveEntry middle = saves.list()->at(1);
  SaveEntry forged = middle;
  forged.name = "../x";
  EXPECT_FALSE(saves.remove(forged));
  EXPECT_TRUE(*saves.remove(middle));
  EXPECT_THAT(shown(saves.list()), ElementsAre("quick 3", "quick 1"));
  ASSERT_TRUE(saves.save(world.at(4), SaveName::quick()));
  EXPECT_THAT(shown(saves.list()), ElementsAre("quick 2", "quick 3", "quick 1"));
}

TEST(SaveDirectory, ASaveThatIsBeingWrittenIsNotRemoved) {
  const Folder folder;
  World world;
  SaveDirectory saves = open(folder.path());
  ASSERT_TRUE(saves.save(world.at(1), "hero"));
  SaveOptions options;
  bool asked = false;
  options.write.on_progress = [&](const Progress&) {
    if (std::exchange(asked, true)) return;
    const auto removed = saves.remove("hero");
    EXPECT_EQ(removed.error().code, ErrorCode::save_busy);
  };
  ASSERT_TRUE(saves.save(world.at(2), "hero", options));
  EXPECT_TRUE(asked);
  EXPECT_THAT(shown(saves.list()), ElementsAre("hero"));
}

TEST(SaveDirectory, AFailedSaveLeavesTheRingAsItWas) {
  const Folder folder;
  World world;
  WrappedFileSystem files;
  SaveDirectory saves = open(folder.path(), {.quicksaves = 2, .file_system = &files});
  for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(saves.save(world.at(i), SaveName::quick()));
  files.before = [](Call call) -> std::optional<int> {
    if (call == Call::write) return ENOSPC;
    return std::nullopt;
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(saves.save(world.at(4), SaveName::quick()).error().code, ErrorCode::disk_full);
  }
  files.before = nullptr;
  EXPECT_THAT(shown(saves.list()), ElementsAre("quick 1", "quick 2"));
  ASSERT_TRUE(saves.save(world.at(4), SaveName::quick()));
  EXPECT_THAT(shown(saves.list()), ElementsAre("quick 2", "quick 1"));
  EXPECT_FALSE(folder.has_temporary());
}

TEST(SaveDirectory, EveryFailingCallIsAnErrorAndLeavesTheFolderWhole) {
  const Folder folder;
  World world;
  WrappedFileSystem files;
  SaveDirectory saves = open(folder.path(), {.file_system = &files});
  ASSERT_TRUE(saves.save(world.at(1), "hero"));
  int cases = 0;
  for (const Call failing : {Call::open_directory, Call::list, Call::open_lock_file, Call::try_lock,
                             Call::status_at, Call::unlink, Call::sync_directory}) {
    files.before = [failing](Call call) -> std::optional<int> {
      if (call == failing) return EIO;
      return std::nullopt;
    };
    const auto removed = saves.remove("hero");
    ASSERT_FALSE(removed) << static_cast<int>(failing);
    EXPECT_EQ(removed.error().code, ErrorCode::io_failed);
    EXPECT_THAT(removed.error().message(), HasSubstr(folder.path()));
    files.before = nullptr;
    // A lock that cannot be taken or removed is left; the next save of the file removes it.
    std::filesystem::remove(folder / ".slot-hero.hdb.hdb.lock");
    EXPECT_EQ(folder.names().size(), failing == Call::sync_directory ? 0u : 1u);
    ++cases;
  }
  EXPECT_EQ(cases, 7);
}

TEST(SaveDirectory, OddFoldersAndOptionsAreRefused) {
  const Folder parent;
  put(parent / "file", "x");
  EXPECT_EQ(SaveDirectory::open(parent / "file").error().code, ErrorCode::bad_path);
  EXPECT_EQ(SaveDirectory::open(parent / "no/such").error().code, ErrorCode::file_not_found);
  EXPECT_EQ(SaveDirectory::open("").error().code, ErrorCode::bad_path);
  EXPECT_EQ(SaveDirectory::open(parent / "a", {.quicksaves = 0}).error().code,
            ErrorCode::bad_options);
  EXPECT_EQ(SaveDirectory::open(parent / "a", {.autosaves = 1001}).error().code,
            ErrorCode::bad_options);
  EXPECT_THAT(parent.names(), ElementsAre("file"));
  SaveDirectory saves = open(parent / "b");
  std::filesystem::create_directory(parent / "b/slot-x.hdb");
  World world;
  EXPECT_EQ(saves.save(world.at(1), "x").error().code, ErrorCode::not_regular);
  EXPECT_EQ(saves.remove("x").error().code, ErrorCode::not_regular);
  EXPECT_THAT(shown(saves.list()), ElementsAre("x broken"));
  std::filesystem::remove_all(parent / "b");
  EXPECT_EQ(saves.list().error().code, ErrorCode::file_not_found);
}

}  // namespace
}  // namespace hdb::test::save_directory_test
