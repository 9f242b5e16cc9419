// Archives in folders: what is refused, what damage does, and what a collection of garbage leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "archive/archive_parts.hpp"
#include "archive/folder_index.hpp"
#include "archive/game_world.hpp"
#include "files/model_file_system.hpp"

namespace hdb::test::folder_test {
namespace {

using testing::HasSubstr;

// The hash of each save, loaded.
std::vector<Hash128> loaded_hashes(Archive& archive) {
  std::vector<Hash128> hashes;
  const auto versions = archive.versions();
  EXPECT_TRUE(succeeded(versions));
  for (const ArchiveVersion& version : *versions) {
    GameWorld world(1, 1);
    auto source = archive.source(version);
    EXPECT_TRUE(succeeded(source)) << version.text();
    if (!source) continue;
    const auto loaded = world.db.load(std::move(*source));
    EXPECT_TRUE(succeeded(loaded)) << version.text();
    hashes.push_back(world.db.capture().state_hash());
  }
  return hashes;
}

std::vector<Hash128> put_saves(Archive& archive, GameWorld& world, int count,
                               const std::string& name = "world") {
  std::vector<Hash128> hashes;
  for (int i = 0; i < count; ++i) {
    world.step();
    const auto put = archive.put(world.db.capture(), {.world = name});
    EXPECT_TRUE(succeeded(put));
    if (put) hashes.push_back(put->state_hash);
  }
  return hashes;
}

// As on Android (no links), on NFS without its lock service, and on both.
TEST(ArchiveFolder, SavesAreKeptWhereThereAreNoLinksOrNoLocks) {
  for (const Lacks& lacks : {Lacks{.links = EPERM}, Lacks{.links = EACCES}, Lacks{.locks = ENOLCK},
                             Lacks{.locks = EBADF, .links = ENOSYS}}) {
    SCOPED_TRACE(testing::Message() << "locks " << lacks.locks << ", links " << lacks.links);
    ModelFileSystem files;
    files.lacks = lacks;
    auto archive = Archive::open("a", {.create = true, .file_system = &files});
    ASSERT_TRUE(succeeded(archive));
    GameWorld world(50, 5);
    const auto hashes = put_saves(**archive, world, 3);
    EXPECT_EQ(loaded_hashes(**archive), hashes);
    world.step();
    const auto taken = (*archive)->put(world.db.capture(), {.sequence = 2});
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::version_exists);
    EXPECT_EQ(loaded_hashes(**archive), hashes);
    const auto garbage = (*archive)->collect_garbage();
    EXPECT_EQ(garbage.has_value(), lacks.locks == 0);
    for (const auto& [name, file] : files.state.names)
      EXPECT_EQ(name.find(".hdb."), name.npos) << name;
  }
}

TEST(ArchiveFolder, OnlyAnArchiveOrAnEmptyFolderIsOpened) {
  const Folder folder(fast_parent());
  EXPECT_EQ(Archive::open(folder / "none").error().code, ErrorCode::file_not_found);
  std::filesystem::create_directory(folder / "empty");
  EXPECT_EQ(Archive::open(folder / "empty").error().code, ErrorCode::not_an_archive);
  EXPECT_TRUE(succeeded(Archive::open(folder / "empty", {.create = true})));
  EXPECT_TRUE(succeeded(Archive::open(folder / "empty")));
  std::filesystem::create_directory(folder / "photos");
  put(folder / "photos/cat.jpg", "meow");
  const auto foreign = Archive::open(folder / "photos", {.create = true});
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, ErrorCode::not_an_archive);
  EXPECT_THAT(foreign.error().message(), HasSubstr("photos"));
  EXPECT_EQ(get(folder / "photos/cat.jpg"), "meow");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "photos"), {}), 1);
  put(folder / "file", "x");
  EXPECT_EQ(Archive::open(folder / "file", {.create = true}).error().code,
            ErrorCode::not_an_archive);
  EXPECT_THAT(Archive::open("postgresql://nowhere.invalid/x").error().code,
              testing::AnyOf(ErrorCode::archive_unreachable, ErrorCode::archive_not_supported));
  EXPECT_EQ(Archive::open("").error().code, ErrorCode::bad_path);
  put(folder / "empty/hdb-archive", "hdb archive 2\n");
  EXPECT_EQ(Archive::open(folder / "empty").error().code, ErrorCode::newer_version);
  put(folder / "empty/hdb-archive", "hdb archive 1\nid 0123\n");
  EXPECT_EQ(Archive::open(folder / "empty").error().code, ErrorCode::bad_archive);
}

TEST(ArchiveFolder, AnotherProcessSeesEachSaveAtOnce) {
  const Folder folder(fast_parent());
  const auto one = new_archive(folder / "a");
  const auto two = new_archive(folder / "a");
  GameWorld world(3000, 10);
  for (int i = 0; i < 4; ++i) {
    const auto hashes = put_saves(*one, world, 2);
    ASSERT_EQ(two->versions()->size(), static_cast<std::size_t>(3 * i + 2));
    EXPECT_EQ(two->read(two->latest("world").value()).value()->info().state_hash, hashes.back());
    // Both write one world in turn.
    ASSERT_EQ(put_saves(*two, world, 1, "other").size(), 1u);
  }
  EXPECT_EQ(loaded_hashes(*one), loaded_hashes(*two));
}

TEST(ArchiveFolder, RemovedSavesLeaveTheOthersWhole) {  // AR5
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a");
  GameWorld world(5000, 30);
  const std::vector<Hash128> hashes = put_saves(*archive, world, 80);
  const auto whole = archive->collect_garbage(true);
  ASSERT_TRUE(succeeded(whole));
  EXPECT_EQ(whole->objects, 0u);
  EXPECT_EQ(whole->saves, 80u);
  std::vector<Hash128> kept;
  for (std::uint64_t i = 1; i <= 80; ++i) {
    if (i % 10 == 0) {
      kept.push_back(hashes[i - 1]);
    } else {
      ASSERT_TRUE(succeeded(archive->remove({"world", i})));
    }
  }
  EXPECT_EQ(archive->remove({"world", 1}).error().code, ErrorCode::version_not_found);
  EXPECT_EQ(loaded_hashes(*archive), kept);
  const auto other = new_archive(folder / "a");
  EXPECT_EQ(loaded_hashes(*other), kept);  // knows where the files are
  const auto garbage = archive->collect_garbage();
  ASSERT_TRUE(succeeded(garbage));
  EXPECT_GT(garbage->objects, 100u);
  EXPECT_EQ(loaded_hashes(*archive), kept);
  EXPECT_EQ(loaded_hashes(*other), kept);  // learns that they moved
  EXPECT_EQ(archive->collect_garbage(true)->objects, 0u);
  const auto checked = archive->verify();
  ASSERT_TRUE(succeeded(checked));
  EXPECT_EQ(checked->faults.size(), 0u);
  EXPECT_LE(checked->objects, garbage->kept_objects);  // some are only the bases of differences
  // And puts go on, from both.
  const auto of_other = put_saves(*other, world, 2);
  EXPECT_EQ(loaded_hashes(*archive).back(), of_other.back());
  const auto of_first = put_saves(*archive, world, 2);
  EXPECT_EQ(loaded_hashes(*other).back(), of_first.back());
}

TEST(ArchiveFolder, ASaveUnderTheNumberOfARemovedOneIsNotTakenForIt) {  // AR5
  const Folder folder;
  const std::string path = folder / "a";
  const auto one = new_archive(path);
  const auto other = new_archive(path);  // as in another process
  GameWorld world(300, 3);
  Hash128 last;
  // The files have equal sizes then.
  const auto step = [&] { ++world.clock.edit().tick; };
  for (int i = 0; i < 6; ++i) {
    step();
    const auto put = one->put(world.db.capture());
    ASSERT_TRUE(succeeded(put));
    EXPECT_EQ(put->version.sequence, 1u);
    last = put->state_hash;
    const auto listed = other->list();
    ASSERT_TRUE(succeeded(listed));
    EXPECT_EQ(listed->front().state_hash, last);
    const auto read = other->read(put->version);
    ASSERT_TRUE(succeeded(read)) << i;
    EXPECT_EQ((*read)->info().state_hash, last);
    ASSERT_TRUE(succeeded(one->remove(put->version)));
  }
  // The other one does not know of this save.
  step();
  const auto put = one->put(world.db.capture());
  ASSERT_TRUE(succeeded(put));
  last = put->state_hash;
  ASSERT_TRUE(succeeded(other->collect_garbage()));
  const auto check = new_archive(path)->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_TRUE(check->faults.empty()) << check->faults.front().error.message();
  EXPECT_EQ(one->read({"world", 1}).value()->info().state_hash, last);
}

TEST(ArchiveFolder, WhatAnotherProcessCollectedIsStoredAgain) {  // AB3
  const Folder folder(fast_parent());
  const std::string path = folder / "a";
  const auto writer = new_archive(path);
  const auto collector = new_archive(path);  // as in another process
  GameWorld world(2000, 3);
  ASSERT_TRUE(succeeded(writer->put(world.db.capture(), {.world = "two"})));
  world.step();
  const Snapshot snapshot = world.db.capture();
  const auto gone = writer->put(snapshot, {.world = "one"});
  ASSERT_TRUE(succeeded(gone));
  ASSERT_TRUE(succeeded(writer->remove(gone->version)));
  const auto collected = collector->collect_garbage();
  ASSERT_TRUE(succeeded(collected));
  EXPECT_GT(collected->objects, 2u);
  const auto put = writer->put(snapshot, {.world = "two"});
  ASSERT_TRUE(succeeded(put));
  EXPECT_GT(put->new_objects, 2u);
  const auto check = new_archive(path)->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_TRUE(check->faults.empty()) << check->faults.front().error.message();
}

TEST(ArchiveFolder, ManySmallFilesBecomePacks) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a");
  GameWorld world(2000, 5);
  const std::vector<Hash128> hashes = put_saves(*archive, world, 100);
  const auto bytes_of_saves = [&] {
    std::uintmax_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder / "a")) {
      if (file.path().extension() == ".save") bytes += file.file_size();
    }
    return bytes;
  };
  const auto before = bytes_of_saves();
  ASSERT_TRUE(succeeded(archive->collect_garbage()));
  EXPECT_LT(bytes_of_saves() * 2, before);
  EXPECT_EQ(loaded_hashes(*archive), hashes);
  EXPECT_EQ(loaded_hashes(*new_archive(folder / "a")), hashes);
}

TEST(ArchiveFolder, NothingIsCollectedWhileAManifestIsDamaged) {
  const Folder folder(fast_parent());
  GameWorld world(2000, 5);
  std::string name;
  {
    const auto archive = new_archive(folder / "a");
    ASSERT_EQ(put_saves(*archive, world, 3).size(), 3u);
    ASSERT_TRUE(succeeded(archive->remove({"world", 1})));
    name = folder / ("a/" + archive::file_name_of({"world", 2}));
  }
  std::string text = get(name);
  text[text.size() - 70] ^= 1;
  put(name, text);
  const auto archive = Archive::open(folder / "a");
  ASSERT_TRUE(succeeded(archive));
  const auto names = std::distance(std::filesystem::directory_iterator(folder / "a"), {});
  const auto garbage = (*archive)->collect_garbage();
  ASSERT_FALSE(garbage);
  EXPECT_EQ(garbage.error().code, ErrorCode::bad_archive);
  EXPECT_THAT(garbage.error().message(), HasSubstr(name));
  // Lock files may be new; no pack is gone.
  EXPECT_GE(std::distance(std::filesystem::directory_iterator(folder / "a"), {}), names);
}

TEST(ArchiveFolder, VerifyFindsEveryFlippedBit) {
  const Folder folder(fast_parent());
  GameWorld world(300, 70);
  std::vector<std::string> files;
  {
    const auto archive = new_archive(folder / "a");
    ASSERT_EQ(put_saves(*archive, world, 4).size(), 4u);
    ASSERT_EQ(archive->verify()->faults.size(), 0u);
  }
  for (const auto& file : std::filesystem::directory_iterator(folder / "a")) {
    if (file.path().extension() == ".save")
      files.push_back(folder / ("a/" + file.path().filename().string()));
  }
  ASSERT_EQ(files.size(), 4u);
  std::size_t cases = 0;
  Random random(1);
  for (const std::string& file : files) {
    const std::string text = get(file);
    for (std::size_t i = 0; i < 150; ++i) {
      // All of header and end, and some of the rest.
      const std::size_t at = i < 20   ? i * 3
                             : i < 60 ? text.size() - 1 - (i - 20) * 5
                                      : random.below(text.size());
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
      put(file, damaged);
      const auto archive = Archive::open(folder / "a");
      ASSERT_TRUE(succeeded(archive));
      const auto check = (*archive)->verify();
      ++cases;
      if (check) {
        ASSERT_FALSE(check->faults.empty()) << file << " byte " << at << " of " << text.size();
        EXPECT_THAT(check->faults.front().error.message(), HasSubstr(folder.path()));
      } else {  // the end of a file says what it has: without it nothing is known
        EXPECT_EQ(check.error().code, ErrorCode::bad_archive);
        EXPECT_THAT(check.error().message(), HasSubstr(file));
      }
      EXPECT_EQ(get(file), damaged);  // nothing stored is changed
    }
    put(file, text);
  }
  EXPECT_EQ(Archive::open(folder / "a").value()->verify()->faults.size(), 0u);
  std::printf("archive verify: cases=%zu failures=%d\n", cases, testing::Test::HasFailure());
}

TEST(ArchiveFolder, DamageNamesTheFieldAndTheSaves) {
  const Folder folder(fast_parent());
  GameWorld world(300, 70);
  const auto archive = new_archive(folder / "a");
  ASSERT_EQ(put_saves(*archive, world, 3).size(), 3u);
  // In a chunk of `units`, which come first.
  const auto reader = archive->read({"world", 1});
  ASSERT_TRUE(succeeded(reader));
  const std::string name = folder / ("a/" + archive::file_name_of({"world", 1}));
  std::string text = get(name);
  text[64 + 500] ^= 4;
  put(name, text);
  const auto again = Archive::open(folder / "a");
  ASSERT_TRUE(succeeded(again));
  const auto check = (*again)->verify();
  ASSERT_TRUE(succeeded(check));
  ASSERT_EQ(check->faults.size(), 1u);
  const ArchiveFault& fault = check->faults.front();
  EXPECT_THAT(fault.error.message(), HasSubstr(name));
  EXPECT_THAT(fault.error.message(), HasSubstr("chunk/"));
  EXPECT_THAT(fault.error.message(), HasSubstr("table "));
  EXPECT_THAT(fault.error.message(), HasSubstr("of save world/1"));
  EXPECT_GE(fault.saves.size(), 1u);
  // Reading says so too, and what is not touched can still be read.
  GameWorld other(1, 1);
  auto source = (*again)->source({"world", 1});
  ASSERT_TRUE(succeeded(source));
  const auto loaded = other.db.load(std::move(*source));
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, ErrorCode::bad_archive);
  EXPECT_THAT(loaded.error().message(), HasSubstr(name));
}

TEST(ArchiveFolder, AMissingFileIsAMissingObject) {
  const Folder folder(fast_parent());
  GameWorld world(300, 70);
  {
    const auto archive = new_archive(folder / "a");
    ASSERT_EQ(put_saves(*archive, world, 3).size(), 3u);
  }
  std::filesystem::remove(folder / ("a/" + archive::file_name_of({"world", 1})));
  const auto archive = Archive::open(folder / "a");
  ASSERT_TRUE(succeeded(archive));
  EXPECT_EQ((*archive)->versions()->size(), 2u);
  const auto check = (*archive)->verify();
  ASSERT_TRUE(succeeded(check));
  ASSERT_FALSE(check->faults.empty());
  EXPECT_EQ(check->faults.front().error.code, ErrorCode::missing_object);
  // Nothing is collected, as nobody knows what the missing objects are the differences from.
  EXPECT_EQ((*archive)->collect_garbage().error().code, ErrorCode::missing_object);
  // A put of the whole state brings what is missing of it.
  const auto put = (*archive)->put(world.db.capture(), {.world = "new"});
  ASSERT_TRUE(succeeded(put));
}

TEST(ArchiveFolder, ASaveOfAnotherArchiveIsNoticed) {
  const Folder folder(fast_parent());
  GameWorld world(300, 5);
  const auto a = new_archive(folder / "a");
  const auto b = new_archive(folder / "b");
  ASSERT_EQ(put_saves(*a, world, 2).size(), 2u);
  ASSERT_EQ(put_saves(*b, world, 1).size(), 1u);
  const std::string name = archive::file_name_of({"world", 2});
  std::filesystem::copy_file(folder / ("a/" + name), folder / ("b/" + name));
  const auto read = b->read({"world", 2});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::foreign_archive);
  EXPECT_THAT(read.error().message(), HasSubstr("world/2"));
  EXPECT_FALSE(b->verify()->faults.empty());
  EXPECT_EQ(b->collect_garbage().error().code, ErrorCode::foreign_archive);
  // Of this archive, but under another name.
  std::filesystem::rename(folder / ("b/" + archive::file_name_of({"world", 1})),
                          folder / ("b/" + archive::file_name_of({"other", 1})));
  EXPECT_EQ(b->read({"other", 1}).error().code, ErrorCode::bad_archive);
}

TEST(ArchiveFolder, SharingSaysWhatIsBig) {
  const Folder folder(fast_parent());
  const auto archive = new_archive(folder / "a");
  GameWorld world;
  ASSERT_EQ(put_saves(*archive, world, 10).size(), 10u);
  const auto sharing = archive->sharing();
  ASSERT_TRUE(succeeded(sharing));
  EXPECT_EQ(sharing->saves, 10u);
  EXPECT_GT(sharing->raw_bytes, 8 * sharing->stored_bytes);
  ASSERT_FALSE(sharing->shares.empty());
  EXPECT_EQ(sharing->shares.front().table, "units");
  EXPECT_EQ(sharing->shares.front().field, "x");
  std::uint64_t listed = 0;
  const auto objects = archive->backend().list(kChunkKeys);
  ASSERT_TRUE(succeeded(objects));
  for (const ListedObject& object : *objects) listed += object.bytes;
  std::uint64_t counted = 0;
  for (const ArchiveShare& share : sharing->shares) {
    EXPECT_GE(share.references, share.objects) << share.table << " " << share.field;
    if (share.field != "(manifests)") counted += share.stored_bytes;
  }
  EXPECT_EQ(counted, listed);
}

}  // namespace
}  // namespace hdb::test::folder_test
