// Which save a SaveDirectory loads, and what it says of the others: no older save in silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "database/save/save_folder.hpp"
#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "save_directory_world.hpp"
#include "support/records.hpp"

namespace hdb::test::save_directory_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The time of the last change, counted in seconds from any fixed moment.
void set_time(const std::string& path, int seconds) {
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type{} + std::chrono::seconds(seconds));
}

// Three autosaves; "auto-3.hdb" is the newest.
void save_three(SaveDirectory saves, World& world) {
  for (std::uint64_t tick = 1; tick <= 3; ++tick)
    ASSERT_TRUE(saves.save(world.at(tick), SaveName::autosave()));
}

std::string path_of_next(SaveDirectory& saves, World& world, std::uint64_t tick) {
  const auto report = saves.save(world.at(tick), SaveName::autosave());
  return report ? report->path : report.error().message();
}

TEST(SaveSearch, TheNewestFileIsToldWhenNothingOfItCanBeRead) {
  const std::vector<std::string> contents = {std::string(),
                                             std::string(4096, '\0'),
                                             "<!DOCTYPE html><html>Sign in",
                                             "version https://git-lfs.github.com/spec/v1\n",
                                             "PK\3\4zip",
                                             std::string("\x1f\x8b\x08gzip", 7)};
  for (const std::string& content : contents) {
    const Folder folder(fast_parent());
    World world;
    SaveDirectory saves = open(folder.path());
    save_three(saves, world);
    const std::string newest = folder / "auto-3.hdb";
    put(newest, content);
    for (const bool by_name : {false, true}) {
      const auto loaded =
          by_name ? saves.load(world.db, SaveName::autosave()) : saves.load_newest(world.db);
      ASSERT_TRUE(loaded) << loaded.error().message();
      EXPECT_EQ(world.clock->tick, 2u);
      ASSERT_THAT(shown(loaded->skipped), ElementsAre("auto 3 broken"));
      EXPECT_EQ(loaded->skipped[0].problem.file, newest);
    }
    // The program that wrote it goes on, and another run of the game too.
    EXPECT_EQ(path_of_next(saves, world, 4), newest);
    put(newest, content);
    SaveDirectory later = open(folder.path());
    EXPECT_EQ(path_of_next(later, world, 5), newest);
  }
}

TEST(SaveSearch, AFileWithoutANumberIsToldWhereverItIsListed) {
  const Folder folder(fast_parent());
  World world;
  SaveDirectory saves = open(folder.path(), {.keep = 2});
  save_three(saves, world);
  for (int i = 1; i <= 3; ++i) set_time(folder / ("auto-" + std::to_string(i) + ".hdb"), 10 * i);
  put(folder / "auto-2.hdb", "not a save");
  const std::map<int, std::vector<std::string>> lists = {
      {5, {"auto 3", "auto 1", "auto 2 broken"}},
      {10, {"auto 3", "auto 2 broken", "auto 1"}},
      {29, {"auto 3", "auto 2 broken", "auto 1"}},
      {30, {"auto 2 broken", "auto 3", "auto 1"}},
      {99, {"auto 2 broken", "auto 3", "auto 1"}}};
  for (const auto& [time, expected] : lists) {
    set_time(folder / "auto-2.hdb", time);
    EXPECT_EQ(shown(saves.list()), expected) << time;
    const auto loaded = saves.load_newest(world.db);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(world.clock->tick, 3u);
    EXPECT_THAT(shown(loaded->skipped), ElementsAre("auto 2 broken")) << time;
  }
  // A backup is older than its save, whatever its time says.
  for (std::uint64_t tick = 4; tick <= 6; ++tick) ASSERT_TRUE(saves.save(world.at(tick), "hero"));
  put(folder / "slot-hero.hdb.1", "not a save");
  std::filesystem::remove(folder / "auto-2.hdb");
  set_time(folder / "slot-hero.hdb", 50);
  EXPECT_EQ(shown(saves.list_all())[0], "hero");
  EXPECT_EQ(shown(saves.list_all())[1], "hero backup 1 broken");
}

TEST(SaveSearch, ADamagedSaveDoesNotPushOutASoundBackup) {
  for (const unsigned keep : {1u, 2u}) {
    for (const bool is_found_by_load : {false, true}) {
      const Folder folder(fast_parent());
      World world;
      SaveDirectory saves = open(folder.path(), {.keep = keep});
      for (std::uint64_t tick = 1; tick <= keep + 1; ++tick)
        ASSERT_TRUE(saves.save(world.at(tick), "hero"));
      const std::string oldest = get(folder / ("slot-hero.hdb." + std::to_string(keep)));
      if (is_found_by_load) {
        damage(folder / "slot-hero.hdb");
        ASSERT_TRUE(saves.load(world.db, "hero"));
      } else {
        truncate(folder / "slot-hero.hdb");
      }
      SaveOptions asks;
      asks.file.before_replace = [](ByteSource*) -> Result<OldFile> {
        return fail(ErrorCode::cancelled, "keep it");
      };
      const auto refused = saves.save(world.at(8), "hero", asks);
      EXPECT_TRUE(!refused && refused.error().what == "keep it") << "the program is asked, too";
      ASSERT_TRUE(saves.save(world.at(9), "hero"));
      EXPECT_EQ(get(folder / ("slot-hero.hdb." + std::to_string(keep))), oldest);
      EXPECT_EQ(saves.list_all()->size(), keep + 1);
      EXPECT_FALSE(folder.has_temporary());
      // A sound save is moved up again.
      ASSERT_TRUE(saves.save(world.at(10), "hero"));
      Database older;
      auto& clock = older.singleton<Clock>("clock");
      ASSERT_TRUE(older.load(folder / "slot-hero.hdb.1"));
      EXPECT_EQ(clock->tick, 9u);
    }
  }
}

TEST(SaveSearch, ADamagedSaveIsKeptWhereABackupIsFree) {
  const Folder folder(fast_parent());
  World world;
  ASSERT_TRUE(save(world.at(1), folder / "slot", {.file = {.keep = 2}}));
  truncate(folder / "slot");
  const std::string damaged = get(folder / "slot");
  ASSERT_TRUE(save(world.at(2), folder / "slot", {.file = {.keep = 2}}));
  EXPECT_EQ(get(folder / "slot.1"), damaged);
}

TEST(SaveSearch, AFileThatCannotBeOpenedEndsTheSearch) {
  const Folder folder(fast_parent());
  World world;
  save_three(open(folder.path()), world);
  WrappedFileSystem files;
  int opened = 0;
  int failing = 0;
  int number = 0;
  files.before = [&](Call call) -> std::optional<int> {
    return call == Call::open_for_reading && ++opened == failing ? std::optional(number)
                                                                 : std::nullopt;
  };
  SaveDirectory saves = open(folder.path(), {.file_system = &files});
  std::size_t cases = 0;
  for (const auto& [error, code] : std::map<int, ErrorCode>{{EACCES, ErrorCode::permission_denied},
                                                            {EMFILE, ErrorCode::too_many_files},
                                                            {EBUSY, ErrorCode::file_in_use},
                                                            {EIO, ErrorCode::io_failed}}) {
    number = error;
    // Each of three files while the folder is listed, then the one that is loaded.
    for (failing = 1; failing <= 4; ++failing) {
      for (const bool by_name : {false, true}) {
        opened = 0;
        world.clock.edit().tick = 99;
        const auto loaded =
            by_name ? saves.load(world.db, SaveName::autosave()) : saves.load_newest(world.db);
        ASSERT_FALSE(loaded) << "open " << failing;
        EXPECT_EQ(loaded.error().code, code);
        EXPECT_THAT(loaded.error().message(), HasSubstr(folder / "auto-"));
        EXPECT_EQ(world.clock->tick, 99u);
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 32u);
  // A backup that cannot be opened is not in the way of its own save.
  failing = 0;
  for (std::uint64_t tick = 4; tick <= 5; ++tick) ASSERT_TRUE(saves.save(world.at(tick), "hero"));
  std::filesystem::remove(folder / "slot-hero.hdb.1");
  std::filesystem::create_symlink("nowhere", folder / "slot-hero.hdb.1");
  ASSERT_TRUE(saves.load(world.db, "hero"));
  EXPECT_EQ(world.clock->tick, 5u);
  EXPECT_EQ(saves.load_newest(world.db).error().code, ErrorCode::file_not_found);
}

TEST(SaveSearch, ARingReplacesAFileThatALoadFoundDamagedBeforeASoundOne) {
  const Folder folder(fast_parent());
  World world;
  SaveDirectory saves = open(folder.path());
  save_three(saves, world);
  damage(folder / "auto-3.hdb");  // its information can be read
  const auto loaded = saves.load_newest(world.db);
  ASSERT_TRUE(loaded) << loaded.error().message();
  ASSERT_THAT(shown(loaded->skipped), ElementsAre("auto 3"));
  EXPECT_EQ(path_of_next(saves, world, 4), folder / "auto-3.hdb");
  EXPECT_EQ(path_of_next(saves, world, 5), folder / "auto-1.hdb");
}

TEST(SaveSearch, OfDamagedFilesOfARingTheOldestIsReplaced) {
  const Folder folder(fast_parent());
  World world;
  SaveDirectory saves = open(folder.path());
  save_three(saves, world);
  for (int i = 1; i <= 3; ++i) {
    const std::string path = folder / ("auto-" + std::to_string(i) + ".hdb");
    if (i != 2) put(path, "not a save");
    set_time(path, 40 - 10 * i);
  }
  EXPECT_EQ(path_of_next(saves, world, 4), folder / "auto-3.hdb");
  EXPECT_EQ(path_of_next(saves, world, 5), folder / "auto-1.hdb");
  EXPECT_EQ(path_of_next(saves, world, 6), folder / "auto-2.hdb");
}

TEST(SaveSearch, FilesThatAnotherProgramRenamedAreListedAndLoadedButNeverReplaced) {
  const Folder folder(fast_parent());
  World world;
  SaveDirectory saves = open(folder.path(), {.keep = 1});
  const std::vector<std::string> renamed = {
      "auto-2-LAPTOP.hdb",  // OneDrive
      "slot-gate (1).hdb",    "slot-gate (Anna's conflicted copy 2026-01-02).hdb",
      "slot-gate - Copy.hdb", "slot-gate.sync-conflict-20260102-030405-ABCDEFG.hdb",
      "slot-gate.hdb (1).1",  // a backup
  };
  const std::vector<std::string> others = {"slot-gate.hdb.bak", "slot-(1).hdb",
                                           "quick-x.hdb",       "quick-01.hdb",
                                           "notes (1).txt",     "slot-gate (1).txt"};
  ASSERT_TRUE(saves.save(world.at(1), "gate"));
  save_three(saves, world);
  std::filesystem::rename(folder / "slot-gate.hdb", folder / "slot-gate.hdb.bak");
  std::map<std::string, std::string> content;
  for (std::size_t i = 0; i < renamed.size(); ++i) {
    SaveOptions options;
    options.metadata.sequence = 10 + i;
    ASSERT_TRUE(save(world.at(10 + i), folder / renamed[i], options));
    content[renamed[i]] = get(folder / renamed[i]);
  }
  for (const std::string& name : others) {
    put(folder / name, "mine");
    content[name] = "mine";
  }
  std::vector<std::string> expected;
  for (std::size_t i = renamed.size(); i-- > 0;) expected.push_back("renamed " + renamed[i]);
  expected.insert(expected.end(), {"auto 3", "auto 2", "auto 1"});
  EXPECT_EQ(shown(saves.list()), expected);
  const auto loaded = saves.load_newest(world.db);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->entry.kind, SaveKind::renamed);
  EXPECT_EQ(world.clock->tick, 9 + renamed.size());
  // A player's own name of this kind has another file.
  EXPECT_NE(saves.path_of("gate (1)").value(), folder / "slot-gate (1).hdb");
  // Saves and removals leave them alone; the next saves are newer.
  for (std::uint64_t tick = 20; tick < 25; ++tick)
    ASSERT_TRUE(saves.save(world.at(tick), SaveName::autosave()));
  ASSERT_TRUE(saves.save(world.at(30), "gate"));
  ASSERT_TRUE(saves.load_newest(world.db));
  EXPECT_EQ(world.clock->tick, 30u);
  ASSERT_TRUE(saves.remove("gate").value());
  ASSERT_TRUE(saves.remove(SaveName::autosave()).value());
  for (const auto& [name, bytes] : content) EXPECT_TRUE(get(folder / name) == bytes) << name;
  // The player may remove one, by its entry.
  const auto left = saves.list();
  ASSERT_EQ(left->size(), renamed.size());
  SaveEntry forged = left->front();
  forged.name = forged.path = "slot-gate.hdb.bak";
  EXPECT_EQ(saves.remove(forged).error().code, ErrorCode::not_found);
  for (const SaveEntry& entry : *left) EXPECT_TRUE(saves.remove(entry).value()) << entry.name;
  EXPECT_THAT(shown(saves.list()), IsEmpty());
  EXPECT_EQ(folder.names().size(), others.size());
}

// A search steps back over what no program could load, and over nothing else. A new code must be
// placed in this list by hand.
TEST(SaveSearch, EveryErrorEitherStepsBackOrEndsTheSearch) {
  const std::vector<std::string_view> ends = {
      // Another version of hdb loads it.
      "newer_version", "unknown_feature", "old_draft", "read_only_feature", "unknown_block",
      "archive_not_supported",
      // Other limits do.
      "limit_exceeded", "memory_budget", "table_full", "fork_exhausted", "blob_full",
      "blob_too_large",
      // It cannot be opened or read now.
      "file_not_found", "io_failed", "disk_full", "permission_denied", "read_only", "save_busy",
      "file_changed", "verify_failed", "cancelled", "bad_path", "too_many_files", "superseded",
      "file_in_use", "archive_unreachable", "archive_refused", "archive_read_only",
      // Another program does, or this one after a change.
      "type_mismatch", "layout_mismatch", "storage_mismatch", "unknown_table", "missing_table",
      "foreign_snapshot", "value_out_of_range", "schema_drift", "value_refused", "refused_type",
      "rename_conflict", "migration_conflict", "migration_missing", "migration_failed",
      // The call is wrong.
      "duplicate_name", "bad_name", "bad_options", "fork_under_wrap", "iterating", "not_found",
      "user_code_threw", "not_run", "invalid_value", "not_an_archive", "version_exists",
      "version_not_found", "bad_world_name"};
  const std::vector<std::string_view> steps_back = {
      "bad_signature", "text_mode_damage", "truncated", "header_checksum", "footer_checksum",
      "directory_checksum", "bad_footer", "bad_directory", "bad_geometry", "bad_header",
      "bad_block_head", "block_head_checksum", "foreign_block", "missing_block", "unexpected_block",
      "bad_metadata", "block_checksum", "bad_schema", "copies_differ", "bad_table", "bad_slots",
      "bad_free_list", "bad_dense_order", "state_hash_mismatch", "bad_names", "bad_blobs",
      "dangling_strong", "bad_components", "bad_chunk", "bad_compression", "bad_filter",
      "bad_value", "bad_lengths", "raw_hash_mismatch", "bad_pack", "not_regular",
      // Of other files than saves.
      "bad_exact_dump", "bad_schema_document", "bad_archive", "missing_object", "foreign_archive"};
  for (const ErrorCode code : all_error_codes()) {
    const bool in_ends = std::find(ends.begin(), ends.end(), code_name(code)) != ends.end();
    const bool in_steps_back =
        std::find(steps_back.begin(), steps_back.end(), code_name(code)) != steps_back.end();
    EXPECT_NE(in_ends, in_steps_back) << code_name(code) << ": place it in one of the lists";
    EXPECT_EQ(is_damage(code), in_steps_back) << code_name(code);
  }
  EXPECT_EQ(ends.size() + steps_back.size(), all_error_codes().size());
}

}  // namespace
}  // namespace hdb::test::save_directory_test
