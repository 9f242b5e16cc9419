// Archives in SQLite files: other files, damage, a full disk, and the tables that other tools read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <thread>

#include <sqlite3.h>

#include "archive/game_world.hpp"
#include "files/small_disk.hpp"

namespace hdb::test::file_test {
namespace {

using testing::HasSubstr;

void run_sql(const std::string& path, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

// The first column of the first row.
std::string text_in(const std::string& path, const char* sql) {
  std::string text;
  sqlite3* database = nullptr;
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW)
    text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return text;
}

std::string error_of(const std::string& path, ErrorCode code, bool create = false) {
  const auto opened = open_archive_file(path, {.create = create});
  EXPECT_FALSE(opened);
  if (opened) return {};
  EXPECT_EQ(code_name(opened.error().code), code_name(code)) << opened.error().message();
  EXPECT_THAT(opened.error().message(), HasSubstr(path));
  return opened.error().message();
}

TEST(ArchiveFile, OtherFilesAreRefusedAndNotChanged) {
  const Folder folder(fast_parent());
  error_of(folder / "none.hdba", ErrorCode::file_not_found);
  EXPECT_TRUE(folder.names().empty());
  for (const bool create : {false, true}) {
    put(folder / "text", std::string(5000, 'x'));
    EXPECT_THAT(error_of(folder / "text", ErrorCode::not_an_archive, create),
                HasSubstr("not an SQLite database"));
    EXPECT_EQ(get(folder / "text"), std::string(5000, 'x'));
  }
  put(folder / "short", "x");
  EXPECT_THAT(error_of(folder / "short", ErrorCode::not_an_archive, true), HasSubstr("too short"));
  EXPECT_EQ(get(folder / "short"), "x");
  put(folder / "empty", "");
  EXPECT_THAT(error_of(folder / "empty", ErrorCode::not_an_archive), HasSubstr("is empty"));
  run_sql(folder / "other.db", "CREATE TABLE scores (points int)");
  const std::string before = get(folder / "other.db");
  for (const bool create : {false, true}) {
    EXPECT_THAT(error_of(folder / "other.db", ErrorCode::not_an_archive, create),
                HasSubstr("of another program"));
  }
  EXPECT_EQ(get(folder / "other.db"), before);
  ASSERT_TRUE(succeeded(open_archive_file(folder / "a.hdba", {.create = true})));
  run_sql(folder / "a.hdba", "UPDATE hdb_archive SET version = 9; PRAGMA user_version = 9");
  EXPECT_THAT(error_of(folder / "a.hdba", ErrorCode::newer_version), HasSubstr("version 9"));
  run_sql(folder / "a.hdba",
          "PRAGMA user_version = 2; DELETE FROM hdb_archive; "
          "INSERT INTO hdb_chunk VALUES (x'00', x'')");
  EXPECT_THAT(error_of(folder / "a.hdba", ErrorCode::bad_archive, true), HasSubstr("is lost"));
}

TEST(ArchiveFile, CommitsAreSyncedToAWriteAheadLog) {
  const Folder folder(fast_parent());
  ASSERT_TRUE(succeeded(open_archive_file(folder / "a.hdba", {.create = true})));
  // Bytes 18 and 19 of the header: 2 is the write-ahead log. Bytes 68 to 71: the program.
  const std::string bytes = get(folder / "a.hdba");
  ASSERT_GT(bytes.size(), 100u);
  EXPECT_EQ(bytes.substr(18, 2), "\2\2");
  EXPECT_EQ(bytes.substr(68, 4), "hdba");
}

TEST(ArchiveFile, ACopyThatSqliteMadeIsSound) {
  const Folder folder(fast_parent());
  GameWorld world(100, 1);
  {
    const auto archive = new_archive(folder / "a.hdba");
    ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
  }
  run_sql(folder / "a.hdba", ("VACUUM INTO '" + (folder / "b.hdba") + "'").c_str());
  const auto copy = Archive::open(folder / "b.hdba", kPatient);
  ASSERT_TRUE(succeeded(copy));
  ASSERT_TRUE(succeeded((*copy)->put(world.db.capture())));
  const auto check = (*copy)->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_EQ(check->saves, 2u);
  EXPECT_TRUE(check->faults.empty()) << check->faults[0].error.message();
  EXPECT_FALSE(std::filesystem::exists(folder / "b.hdba-2"));
}

TEST(ArchiveFile, TestersReadTheColumnsOfSaves) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  const auto archive = new_archive(path);
  GameWorld world(100, 1);
  Metadata metadata = titled("The Gate", 7);
  metadata.date_unix_ms = 1'764'260'703'999;
  ASSERT_TRUE(succeeded(archive->put(world.db.capture(), {.world = "gate"}, metadata)));
  EXPECT_EQ(text_in(path,
                    "SELECT world || '/' || sequence || ' ' || title || ' ' || saved_at || ' ' || "
                    "(length(manifest) > 100) FROM hdb_save"),
            "gate/7 The Gate 2025-11-27 16:25:03 1");
  EXPECT_EQ(text_in(path, "SELECT DISTINCT length(id) FROM hdb_chunk"), "32");
  for (const std::string column : {"title", "saved_at"}) {
    const std::string text = text_in(path, ("SELECT " + column + " FROM hdb_save").c_str());
    run_sql(path, ("UPDATE hdb_save SET " + column + " = 'other'").c_str());
    const auto faults = Archive::open(path, kPatient).value()->verify()->faults;
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_THAT(faults[0].error.message(), HasSubstr("the column " + column + " of"));
    run_sql(path, ("UPDATE hdb_save SET " + column + " = '" + text + "'").c_str());
    EXPECT_TRUE(archive->verify()->faults.empty());
  }
}

TEST(ArchiveFile, ANumberThatNoColumnHoldsIsRefused) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a.hdba");
  GameWorld world(100, 1);
  constexpr std::uint64_t kHighest = 9223372036854775807U;
  const auto put = archive->put(world.db.capture(), {.sequence = kHighest + 1});
  ASSERT_FALSE(put);
  EXPECT_EQ(code_name(put.error().code), code_name(ErrorCode::bad_options));
  EXPECT_THAT(put.error().message(), HasSubstr("use at most 9223372036854775807"));
  EXPECT_TRUE(succeeded(archive->put(world.db.capture(), {.sequence = kHighest})));
  EXPECT_EQ(archive->latest("world")->sequence, kHighest);
}

TEST(ArchiveFile, ASaveOfAnotherArchiveIsNoticed) {
  const Folder folder(fast_parent());
  GameWorld world(100, 1);
  {
    const auto archive = new_archive(folder / "a.hdba");
    ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
    const auto other = new_archive(folder / "b.hdba");
    ASSERT_TRUE(succeeded(other->put(world.db.capture(), {.world = "other"})));
  }
  const std::string copy =
      "ATTACH '" + (folder / "b.hdba") + "' AS b; INSERT INTO hdb_save SELECT * FROM b.hdb_save";
  run_sql(folder / "a.hdba", copy.c_str());
  const auto archive = Archive::open(folder / "a.hdba", kPatient);
  ASSERT_TRUE(succeeded(archive));
  const auto foreign = (*archive)->read({"other", 1});
  ASSERT_FALSE(foreign);
  EXPECT_EQ(code_name(foreign.error().code), code_name(ErrorCode::foreign_archive));
  EXPECT_TRUE(succeeded((*archive)->read({"world", 1})));
  const auto check = (*archive)->verify();
  ASSERT_TRUE(succeeded(check));
  ASSERT_EQ(check->faults.size(), 1u);
  EXPECT_EQ(check->faults[0].saves, std::vector<ArchiveVersion>({{"other", 1}}));
}

TEST(ArchiveFile, AFolderIsRefused) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  std::filesystem::create_directory(path);
  for (const char* const text : {"is a file NAME.hdba", "of an older version; get its saves"}) {
    for (const bool create : {false, true}) {
      const auto opened = Archive::open(path, {.create = create});
      ASSERT_FALSE(opened);
      EXPECT_EQ(code_name(opened.error().code), code_name(ErrorCode::not_an_archive));
      EXPECT_THAT(opened.error().message(), HasSubstr(text));
    }
    put(path + "/hdb-archive", "");
  }
  const auto unnamed = Archive::open(folder / "saves", {.create = true});
  ASSERT_FALSE(unnamed);
  EXPECT_THAT(unnamed.error().message(), HasSubstr("must end in .hdba"));
}

TEST(ArchiveFile, TheLogIsShortAfterALargePut) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  const auto archive = new_archive(path);
  GameWorld world(500'000, 50);
  ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
  for (int i = 0; i < 3; ++i) {
    world.step();
    ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
  }
  EXPECT_LT(get(path + "-wal").size(), std::size_t{1} << 20);
}

TEST(ArchiveFile, TheFileShrinksAfterACollection) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  {
    const auto archive = new_archive(path);
    GameWorld world(20'000, 20);
    for (int i = 0; i < 6; ++i) {
      for (int k = 0; k < 30; ++k) world.step();
      ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
    }
  }
  const std::size_t before = get(path).size();
  {
    const auto archive = new_archive(path);
    for (std::uint64_t i = 1; i <= 6; ++i) ASSERT_TRUE(succeeded(archive->remove({"world", i})));
    ASSERT_TRUE(succeeded(archive->collect_garbage()));
  }
  EXPECT_LT(get(path).size(), before / 4);
}

// The saves that verify reports as lost.
std::set<std::string> lost_saves(Archive& archive) {
  std::set<std::string> lost;
  const auto check = archive.verify();
  EXPECT_TRUE(succeeded(check));
  if (!check) return lost;
  for (const ArchiveFault& fault : check->faults) {
    for (const ArchiveVersion& version : fault.saves) lost.insert(version.text());
  }
  return lost;
}

// Whether the page of this byte has no rows, but leads to them: the schema, an index, or an inner
// page of a table.
bool leads_to_rows(const std::string& file, std::size_t at) {
  const char type = file[at / 4096 * 4096];
  return at < 4096 || type == 0x02 || type == 0x05 || type == 0x0a;
}

// Whatever the bit: a save that is read is the one that was put, verify names each other one, also
// after a put, and puts go on.
TEST(ArchiveFile, AFlippedBitCostsOnlySavesThatVerifyNames) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  std::vector<Hash128> hashes;
  {
    const auto archive = new_archive(path);
    GameWorld world(500, 1);
    for (int i = 0; i < 60; ++i) {
      world.step();
      const auto put = archive->put(world.db.capture());
      ASSERT_TRUE(succeeded(put));
      hashes.push_back(put->state_hash);
    }
  }
  const auto loads = [](Archive& archive, const ArchiveVersion& version, const Hash128& hash) {
    GameWorld other(1, 1);
    auto source = archive.source(version);
    if (!source || !other.db.load(std::move(*source))) return false;
    EXPECT_EQ(other.db.capture().state_hash(), hash) << version.text();
    return true;
  };
  const std::string sound = get(path);
  Random random(9);
  const std::size_t cases = scaled(1200);
  std::size_t trees = 0;
  std::size_t lost = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < cases; ++i) {
    std::string damaged = sound;
    const std::size_t at = random.below(sound.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    SCOPED_TRACE(testing::Message() << "byte " << at);
    for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
    put(path, damaged);
    const auto archive = Archive::open(path, kPatient);
    ASSERT_TRUE(succeeded(archive));
    const auto reported = lost_saves(**archive);
    if (leads_to_rows(sound, at)) {
      EXPECT_TRUE(reported.empty());
      ++trees;
    }
    lost += reported.size();
    most = std::max(most, reported.size());
    std::vector<ArchiveFault> faults;
    const auto listed = (*archive)->list("world", &faults);
    EXPECT_TRUE(listed && (listed->size() == hashes.size() || !faults.empty()));
    const auto check = [&](Archive& from, const std::set<std::string>& names) {
      for (int k = 0; k < 4; ++k) {
        const ArchiveVersion version{"world", 1 + random.below(hashes.size())};
        EXPECT_TRUE(loads(from, version, hashes[version.sequence - 1]) ||
                    names.contains(version.text()))
            << version.text();
      }
    };
    check(**archive, reported);
    GameWorld next(100, 1);
    const auto put = (*archive)->put(next.db.capture(), {.world = "next"});
    ASSERT_TRUE(succeeded(put));
    const auto again = Archive::open(path, kPatient);
    ASSERT_TRUE(succeeded(again));
    check(**again, reported);
    // A put may share a damaged chunk.
    EXPECT_TRUE(loads(**again, put->version, put->state_hash) ||
                lost_saves(**again).contains(put->version.text()));
  }
  std::printf("archive file damage: cases=%zu trees=%zu lost=%zu of %zu most=%zu failures=%d\n",
              cases, trees, lost, cases * hashes.size(), most, HasFailure() ? 1 : 0);
}

// The page has the schema, so SQLite reads nothing of the file.
TEST(ArchiveFile, WithoutItsFirstPageAnArchiveIsReadAndGoesOn) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  std::vector<Hash128> hashes;
  GameWorld world(500, 5);
  {
    const auto archive = new_archive(path);
    for (int i = 0; i < 5; ++i) {
      world.step();
      hashes.push_back(archive->put(world.db.capture())->state_hash);
    }
  }
  std::string bytes = get(path);
  std::fill_n(bytes.begin(), 4096, '\0');
  put(path, bytes);
  for (std::size_t round = 0; round < 2; ++round) {
    const auto archive = Archive::open(path, kPatient);
    ASSERT_TRUE(succeeded(archive));
    world.step();
    const auto put = (*archive)->put(world.db.capture());
    ASSERT_TRUE(succeeded(put));
    hashes.push_back(put->state_hash);
    EXPECT_EQ(put->version.sequence, hashes.size());
    std::vector<ArchiveFault> gaps;
    const auto saves = (*archive)->list({}, &gaps);
    ASSERT_TRUE(succeeded(saves));
    EXPECT_FALSE(gaps.empty()) << "for nothing says how many there were";
    ASSERT_EQ(saves->size(), hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      GameWorld other(1, 1);
      auto source = (*archive)->source((*saves)[i].version);
      ASSERT_TRUE(succeeded(source));
      ASSERT_TRUE(succeeded(other.db.load(std::move(*source))));
      EXPECT_EQ(other.db.capture().state_hash(), hashes[i]);
    }
    const auto check = (*archive)->verify();
    ASSERT_TRUE(succeeded(check));
    ASSERT_EQ(check->faults.size(), 1u);
    EXPECT_TRUE(check->faults[0].saves.empty());
    for (const auto& refused : {(*archive)->remove({"world", 1}),
                                Status((*archive)->collect_garbage().map([](const auto&) {}))}) {
      ASSERT_FALSE(refused);
      EXPECT_EQ(code_name(refused.error().code), code_name(ErrorCode::bad_archive));
    }
  }
  EXPECT_EQ(get(path), bytes) << "a damaged file is not written";
  EXPECT_GT(get(path + "-2").size(), 4096u);
}

TEST(ArchiveFile, ACollectionChecksTheFilesFirst) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  GameWorld world(500, 5);
  {
    const auto archive = new_archive(path);
    for (int i = 0; i < 3; ++i) {
      world.step();
      ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
    }
    ASSERT_TRUE(archive->remove({"world", 2}));
  }
  // The index of the chunks leads to another row.
  run_sql(path,
          "PRAGMA writable_schema = ON; CREATE TABLE copy (id BLOB PRIMARY KEY, bytes BLOB); "
          "INSERT INTO copy SELECT id, bytes FROM hdb_chunk ORDER BY rowid DESC; "
          "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE "
          "name = 'sqlite_autoindex_copy_1') WHERE name = 'sqlite_autoindex_hdb_chunk_1'");
  const auto archive = Archive::open(path, kPatient);
  ASSERT_TRUE(succeeded(archive));
  const auto garbage = (*archive)->collect_garbage();
  ASSERT_FALSE(garbage);
  EXPECT_THAT(garbage.error().message(), HasSubstr("nothing is collected"));
  for (const std::uint64_t number : {1U, 3U}) {
    GameWorld other(1, 1);
    auto source = (*archive)->source({"world", number});
    ASSERT_TRUE(succeeded(source));
    EXPECT_TRUE(succeeded(other.db.load(std::move(*source))));
  }
}

void remove_and_collect_on_a_full_disk(const Folder& folder, const Disk& disk) {
  const std::string path = folder / "a.hdba";
  const auto archive = new_archive(path);
  GameWorld world(4000, 50);
  std::map<std::uint64_t, Hash128> acknowledged;
  std::size_t full = 0;
  for (std::size_t pages = 41; pages-- > 0;) {
    for (int i = 0; i < 20; ++i) world.step();
    disk.fill(folder, pages * SmallDisk::kBlock);
    const auto put = archive->put(world.db.capture());
    if (put) {
      acknowledged[put->version.sequence] = put->state_hash;
    } else {
      ++full;
      EXPECT_EQ(code_name(put.error().code), code_name(ErrorCode::disk_full))
          << put.error().message();
    }
  }
  ASSERT_GT(full, 0u);
  ASSERT_GT(acknowledged.size(), 3u);
  disk.fill(folder, 0);
  while (acknowledged.size() > 2) {
    ASSERT_TRUE(archive->remove({"world", acknowledged.begin()->first}));
    acknowledged.erase(acknowledged.begin());
  }
  const auto garbage = archive->collect_garbage();
  ASSERT_TRUE(succeeded(garbage));
  EXPECT_GT(garbage->objects, 0u);
  EXPECT_GT(disk.free_bytes(), 0u);
  const auto saves = archive->list("world");
  ASSERT_TRUE(succeeded(saves));
  EXPECT_EQ(saves->size(), acknowledged.size());
  for (const ArchivedSave& save : *saves)
    EXPECT_EQ(save.state_hash, acknowledged[save.version.sequence]);
  EXPECT_TRUE(archive->verify()->faults.empty());
  disk.fill(folder, std::size_t{2} << 20);
  EXPECT_TRUE(succeeded(archive->put(world.db.capture())));
}

TEST(ArchiveFile, SavesAreRemovedAndCollectedOnAFullDisk) {
  with_mounted_disk(std::size_t{16} << 20, remove_and_collect_on_a_full_disk);
}

TEST(ArchiveFile, VerifyReportsADamagedIndex) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  {
    const auto archive = new_archive(path);
    GameWorld world(500, 1);
    ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
  }
  std::string bytes = get(path);
  // The index has each world a second time, at the end of its page.
  std::size_t at = bytes.find("world");
  while (at != std::string::npos && (at + 5) % 4096 != 0) at = bytes.find("world", at + 1);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 2] = static_cast<char>(bytes[at + 2] ^ 1);
  put(path, bytes);
  const auto archive = Archive::open(path, kPatient);
  ASSERT_TRUE(succeeded(archive));
  const auto check = (*archive)->verify();
  ASSERT_TRUE(succeeded(check));
  ASSERT_FALSE(check->faults.empty());
  std::string texts;
  for (const ArchiveFault& fault : check->faults) texts += fault.error.message() + "\n";
  EXPECT_THAT(texts, HasSubstr("sqlite_autoindex_hdb_save_1"));
}

TEST(ArchiveFile, VerifyNamesEverySaveThatNeedsALostChunk) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  {
    const auto archive = new_archive(path);
    GameWorld world(500, 3);
    for (int i = 0; i < 20; ++i) {  // of the same state
      ASSERT_TRUE(succeeded(archive->put(world.db.capture())));
    }
  }
  run_sql(path,
          "DELETE FROM hdb_chunk WHERE rowid = "
          "(SELECT rowid FROM hdb_chunk ORDER BY length(bytes) DESC LIMIT 1)");
  const auto archive = Archive::open(path, kPatient);
  ASSERT_TRUE(succeeded(archive));
  const auto check = (*archive)->verify();
  ASSERT_TRUE(succeeded(check));
  std::size_t most = 0;
  for (const ArchiveFault& fault : check->faults) most = std::max(most, fault.saves.size());
  EXPECT_EQ(most, 20u);
}

TEST(ArchiveFile, TwoProgramsMakeOneArchive) {
  const Folder folder(fast_parent());
  std::array<Hash128, 8> ids;
  std::vector<std::thread> makers;
  for (Hash128& id : ids) {
    makers.emplace_back([&folder, &id] {
      const auto opened = open_archive_file(folder / "a.hdba", {.create = true});
      ASSERT_TRUE(succeeded(opened));
      id = (*opened)->archive_id();
    });
  }
  for (std::thread& maker : makers) maker.join();
  EXPECT_EQ(std::set<Hash128>(ids.begin(), ids.end()).size(), 1u);
}

}  // namespace
}  // namespace hdb::test::file_test
