// Archives with damage: what lists leave out, and the sound copy that repair makes. Copies from
// archive to archive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "archive/archive_parts.hpp"
#include "archive/game_world.hpp"

namespace hdb::test::repair_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct Saves {
  explicit Saves(const std::string& path, std::size_t count) {
    const auto archive = new_archive(path);
    for (std::size_t i = 0; i < count; ++i) {
      world.step();
      const auto put = archive->put(world.db.capture(), {}, titled("save " + std::to_string(i)));
      EXPECT_TRUE(succeeded(put));
      if (put) hashes.push_back(put->state_hash);
    }
    id = archive->backend().archive_id();
  }

  GameWorld world{500, 3};
  std::vector<Hash128> hashes;
  Hash128 id;
};

// The copy has exactly the other saves, and no fault. Returns how many were lost.
std::size_t check_repair(const Saves& saves, const std::string& path, const std::string& copy) {
  const auto damaged = Archive::open(path, kPatient);
  EXPECT_TRUE(succeeded(damaged));
  std::set<std::uint64_t> lost;
  const auto check = (*damaged)->verify();
  EXPECT_TRUE(succeeded(check));
  for (const ArchiveFault& fault : check->faults) {
    for (const ArchiveVersion& version : fault.saves) lost.insert(version.sequence);
  }
  const auto repair = (*damaged)->repair(copy);
  EXPECT_TRUE(succeeded(repair));
  EXPECT_EQ(repair->saves, saves.hashes.size() - lost.size());
  EXPECT_EQ(repair->lost.size(), lost.size());
  for (const ArchiveFault& fault : repair->lost)
    EXPECT_TRUE(lost.contains(fault.saves.at(0).sequence)) << fault.error.message();
  const auto repaired = Archive::open(copy, kPatient);
  EXPECT_TRUE(succeeded(repaired));
  EXPECT_EQ((*repaired)->backend().archive_id(), saves.id);
  EXPECT_TRUE((*repaired)->verify()->faults.empty());
  EXPECT_EQ((*repaired)->collect_garbage()->saves, repair->saves);
  EXPECT_EQ((*repaired)->list()->size(), repair->saves);
  for (std::uint64_t number = 1; number <= saves.hashes.size(); ++number) {
    if (lost.contains(number)) continue;
    GameWorld other(1, 1);
    auto source = (*repaired)->source({"world", number});
    EXPECT_TRUE(succeeded(source));
    EXPECT_TRUE(succeeded(other.db.load(std::move(*source))));
    EXPECT_EQ(other.db.capture().state_hash(), saves.hashes[number - 1]);
  }
  return lost.size();
}

TEST(ArchiveRepair, TheCopyHasAllSavesThatCanBeRead) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  const Saves saves(path, 12);
  const std::string sound = get(path);
  Random random(5);
  std::size_t lost = 0;
  for (std::size_t i = 0; i < 40 + scaled(200); ++i) {
    for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
    std::string damaged = sound;
    const std::size_t at = random.below(sound.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    SCOPED_TRACE(testing::Message() << "byte " << at);
    put(path, damaged);
    lost += check_repair(saves, path, folder / "new.hdba");
  }
  EXPECT_GT(lost, 0u);
}

TEST(ArchiveRepair, AnArchiveWithoutItsFirstPageIsCopied) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  const Saves saves(path, 6);
  std::string bytes = get(path);
  std::fill_n(bytes.begin(), 4096, '\0');
  put(path, bytes);
  EXPECT_EQ(check_repair(saves, path, folder / "new.hdba"), 0u);
}

TEST(ArchiveRepair, AFileThatExistsIsNotReplaced) {
  const Folder folder(fast_parent());
  const Saves saves(folder / "a.hdba", 1);
  put(folder / "new.hdba", "mine");
  const auto archive = Archive::open(folder / "a.hdba", kPatient);
  ASSERT_TRUE(succeeded(archive));
  const auto repair = (*archive)->repair(folder / "new.hdba");
  ASSERT_FALSE(repair);
  EXPECT_EQ(code_name(repair.error().code), code_name(ErrorCode::bad_path));
  EXPECT_EQ(get(folder / "new.hdba"), "mine");
}

// Puts saves, in turn into two worlds.
std::vector<Hash128> put_saves(Archive& archive, std::size_t count, GameWorld& world) {
  std::vector<Hash128> hashes;
  for (std::size_t i = 0; i < count; ++i) {
    world.step();
    const auto put =
        archive.put(world.db.capture(), {.world = i % 2 == 0 ? "cave" : "gate"},
                    titled("save " + std::to_string(i), i + 1), Bytes(20, std::byte{7}));
    EXPECT_TRUE(succeeded(put));
    if (put) hashes.push_back(put->state_hash);
  }
  return hashes;
}

TEST(ArchiveCopy, GoesOnWhereItEnded) {
  const Folder folder(fast_parent());
  GameWorld world(2000, 3);
  const auto archive = new_archive(folder / "a.hdba");
  const auto other = new_archive(folder / "b.hdba");
  const auto hashes = put_saves(*archive, 20, world);
  const auto first =
      archive->copy_to(*other, [](const ArchiveVersion& save) { return save.sequence <= 7; });
  ASSERT_TRUE(succeeded(first));
  EXPECT_EQ(first->saves, 7u);
  const auto rest = archive->copy_to(*other);
  ASSERT_TRUE(succeeded(rest));
  EXPECT_EQ(rest->saves, 13u);
  EXPECT_EQ(rest->already_stored, 7u);
  EXPECT_TRUE(rest->lost.empty());
  EXPECT_EQ(first->objects + rest->objects, archive->verify()->objects) << "none twice";
  EXPECT_TRUE(other->verify()->faults.empty());
  const auto ours = archive->list();
  const auto theirs = other->list();
  ASSERT_EQ(theirs->size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ((*theirs)[i].version, (*ours)[i].version);
    EXPECT_EQ((*theirs)[i].metadata.title, (*ours)[i].metadata.title);
    EXPECT_EQ((*theirs)[i].state_hash, hashes[(*ours)[i].version.sequence - 1]);
    EXPECT_EQ(all_bytes(**other->source((*ours)[i].version)),
              all_bytes(**archive->source((*ours)[i].version)));
  }
  EXPECT_EQ(archive->copy_to(*other)->already_stored, 20u);
  EXPECT_FALSE(archive->copy_to(*archive));
}

TEST(ArchiveCopy, ASaveWithATakenNumberIsNamedAndNothingIsReplaced) {
  const Folder folder(fast_parent());
  GameWorld world(500, 3);
  GameWorld foreign(400, 3);
  const auto archive = new_archive(folder / "a.hdba");
  const auto other = new_archive(folder / "b.hdba");
  put_saves(*archive, 4, world);
  const auto kept = put_saves(*other, 1, foreign);
  const auto copied = archive->copy_to(*other);
  ASSERT_TRUE(succeeded(copied));
  EXPECT_EQ(copied->saves, 3u);
  ASSERT_EQ(copied->lost.size(), 1u);
  EXPECT_EQ(code_name(copied->lost[0].error.code), code_name(ErrorCode::version_exists));
  EXPECT_EQ(copied->lost[0].saves, std::vector<ArchiveVersion>({{"cave", 1}}));
  EXPECT_EQ((*other->list("cave"))[0].state_hash, kept[0]);
}

// A store over an archive, which must outlive it.
std::unique_ptr<archive::ObjectStore> store_of(Archive& archive) {
  return std::make_unique<archive::ObjectStore>(
      std::shared_ptr<ArchiveBackend>(&archive.backend(), [](ArchiveBackend*) {}), 0);
}

// Puts `content` as a whole object.
archive::ObjectId put_object(ArchiveBackend& backend, std::span<const std::byte> content) {
  const archive::ObjectId id = detail::blake2b_256(content);
  Bytes stored;
  archive::ObjectEncoder(1).encode_whole(content, 1, stored);
  const ArchiveObject object{archive::key_of(id), stored};
  EXPECT_TRUE(succeeded(backend.put_if_absent({&object, 1})));
  return id;
}

// Versions of hdb may divide blocks into objects in different ways.
TEST(ArchiveCopy, TheSameSaveKeptInOtherObjectsIsKnown) {
  const Folder folder(fast_parent());
  GameWorld world(500, 3);
  const auto archive = new_archive(folder / "a.hdba");
  const auto other = new_archive(folder / "b.hdba");
  put_saves(*archive, 1, world);
  const ArchiveVersion version = archive->versions().value().front();
  const ObjectKey key = archive::save_key(version.world, version.sequence);
  const auto found = archive->backend().get({&key, 1});
  ASSERT_TRUE(succeeded(found));
  archive::Manifest manifest = archive::decode_manifest(*found->front()).value();
  const auto store = store_of(*archive);
  auto entries = archive::decode_root(**store->read(manifest.root, manifest.root_bytes, true));
  ASSERT_TRUE(succeeded(entries));
  const Bytes file = all_bytes(**archive->source(version));
  for (archive::RootEntry& entry : *entries) {
    if (entry.kind == archive::BlockKind::metadata) continue;
    const auto payload = std::span(file).subspan(
        static_cast<std::size_t>(entry.block.offset) + format::kBlockHeadBytes,
        static_cast<std::size_t>(entry.block.stored_bytes));
    entry.kind = archive::BlockKind::bytes;
    entry.id = put_object(other->backend(), payload);
  }
  const auto root = manifest.root;
  manifest.root = put_object(other->backend(), archive::encode_root(*entries));
  ASSERT_NE(manifest.root, root);
  manifest.archive_id = other->backend().archive_id();
  const Bytes bytes = archive::encode_manifest(manifest);
  const ArchiveObject save{key, bytes};
  ASSERT_TRUE(succeeded(other->backend().put_if_absent({&save, 1})));
  ASSERT_EQ(all_bytes(**other->source(version)), file);
  const auto copied = archive->copy_to(*other);
  ASSERT_TRUE(succeeded(copied));
  EXPECT_EQ(copied->already_stored, 1u);
  EXPECT_TRUE(copied->lost.empty());
}

// How many differences lie between an object and a whole one.
std::size_t steps_of(archive::ObjectStore& store, archive::ObjectId id) {
  for (std::size_t steps = 0;; ++steps) {
    const auto stored = store.stored(id).value();
    const auto parsed = archive::parse_object(*stored).value();
    if (!parsed.is_difference) return steps;
    id = parsed.base;
  }
}

std::set<ObjectKey> keys_of(Archive& archive) {
  const auto listed = archive.backend().list(kChunkKeys).value();
  std::set<ObjectKey> keys;
  for (const ListedObject& object : listed) keys.insert(object.key);
  return keys;
}

// The target has objects of the source, as other differences or whole, in any mixture; and bases
// that no save of the source has any more.
TEST(ArchiveCopy, ChainsStayBounded) {  // AR4
  const Folder folder(fast_parent());
  GameWorld world(2000, 3);
  const auto archive = new_archive(folder / "a.hdba");
  const auto hashes = put_saves(*archive, 150, world);
  Random random(3);
  for (std::size_t round = 0; round < 4 + scaled(20); ++round) {
    const auto other = new_archive(folder / ("b" + std::to_string(round) + ".hdba"));
    for (std::uint64_t i = 1 + random.below(20); i <= hashes.size(); i += 1 + random.below(40)) {
      const ArchiveVersion version{i % 2 == 1 ? "cave" : "gate", i};
      auto save = archive->read(version);
      ASSERT_TRUE(succeeded(save));
      const auto image = image_of(std::shared_ptr<const Reader>(std::move(*save)));
      ASSERT_TRUE(succeeded(other->put(*image, {.world = "mixed"})));
    }
    const std::uint64_t from = random.below(100);
    const std::set<ObjectKey> before = keys_of(*other);
    const auto copied =
        archive->copy_to(*other, [&](const ArchiveVersion& save) { return save.sequence > from; });
    ASSERT_TRUE(succeeded(copied));
    EXPECT_EQ(copied->saves, hashes.size() - from);
    EXPECT_TRUE(other->verify()->faults.empty());
    const auto ours = store_of(*archive);
    const auto theirs = store_of(*other);
    for (const ObjectKey& key : keys_of(*other)) {
      const archive::ObjectId id = *archive::id_of(key);
      if (before.contains(key)) continue;
      EXPECT_LE(steps_of(*theirs, id), steps_of(*ours, id)) << key;
    }
    world.step();
    EXPECT_TRUE(succeeded(other->put(world.db.capture(), {.world = "cave"})));
    EXPECT_TRUE(other->verify()->faults.empty());
  }
}

TEST(ArchiveGarbage, TheBytesThatASaveAddsAreWhatACollectionFrees) {
  const Folder folder(fast_parent());
  GameWorld world(2000, 3);
  const auto archive = new_archive(folder / "a.hdba");
  put_saves(*archive, 12, world);
  auto versions = *archive->versions();
  Random random(9);
  for (std::size_t i = versions.size(); i > 1; --i)
    std::swap(versions[i - 1], versions[static_cast<std::size_t>(random.below(i))]);
  const auto added = archive->added_bytes(versions);
  ASSERT_TRUE(succeeded(added));
  for (std::size_t i = versions.size(); i-- > 1;) {
    ASSERT_TRUE(archive->remove(std::span(versions).subspan(i, 1)));
    EXPECT_EQ(archive->collect_garbage()->bytes, (*added)[i]);
  }
  EXPECT_EQ(archive->collect_garbage()->kept_bytes, (*added)[0]);
}

TEST(ArchiveList, ASaveThatCannotBeReadIsLeftOutAndNamed) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  const Saves saves(path, 3);
  std::string bytes = get(path);
  const std::size_t at = bytes.find("save 1");
  ASSERT_NE(at, std::string::npos);
  // The title is in a column, and after it in the manifest.
  const std::size_t manifest = bytes.find("save 1", at + 1);
  ASSERT_NE(manifest, std::string::npos);
  bytes[manifest] = 'S';
  put(path, bytes);
  const auto archive = Archive::open(path, kPatient);
  ASSERT_TRUE(succeeded(archive));
  EXPECT_FALSE((*archive)->list());
  std::vector<ArchiveFault> faults;
  const auto listed = (*archive)->list("world", &faults);
  ASSERT_TRUE(succeeded(listed));
  ASSERT_EQ(listed->size(), 2u);
  EXPECT_EQ((*listed)[0].metadata.title, "save 0");
  EXPECT_EQ((*listed)[1].metadata.title, "save 2");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].saves, std::vector<ArchiveVersion>({{"world", 2}}));
  EXPECT_EQ(code_name(faults[0].error.code), code_name(ErrorCode::bad_archive));
  EXPECT_THAT(faults[0].error.message(), HasSubstr("save world/2"));
}

constexpr std::size_t kPage = 4096;

// Zeroes the pages of one kind that have a text.
void wipe(std::string& bytes, char kind, const std::string& text) {
  for (std::size_t page = kPage; page + kPage <= bytes.size(); page += kPage) {
    if (bytes[page] == kind && std::string_view(bytes).substr(page, kPage).find(text) != bytes.npos)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page), kPage, '\0');
  }
}

void wipe_index(std::string& bytes) { wipe(bytes, '\x0a', "world"); }

// What list, copy and repair say of an archive of which these bytes are left.
void expect_unlisted(const std::string& path, const std::string& bytes, bool is_whole,
                     std::size_t saves) {
  put(path, bytes);
  const auto archive = Archive::open(path, kPatient);
  ASSERT_TRUE(succeeded(archive));
  std::vector<ArchiveFault> faults;
  const auto listed = (*archive)->list({}, &faults);
  ASSERT_TRUE(succeeded(listed));
  std::filesystem::remove(path + ".hdba");
  const auto repair = (*archive)->repair(path + ".hdba");
  ASSERT_TRUE(succeeded(repair));
  EXPECT_EQ(listed->size() == saves, is_whole) << listed->size();
  EXPECT_EQ(repair->saves, listed->size());
  EXPECT_EQ(faults.empty(), is_whole);
  EXPECT_EQ(repair->unlisted.empty(), is_whole);
  for (const ArchiveFault& fault : faults) {
    EXPECT_TRUE(fault.saves.empty());
    EXPECT_EQ(code_name(fault.error.code), code_name(ErrorCode::bad_archive));
    EXPECT_THAT(fault.error.message(), HasSubstr("unknown number of saves may be lost"));
  }
  const auto sharing = (*archive)->sharing();
  EXPECT_EQ(sharing.has_value(), is_whole) << "of a part of the saves";
  EXPECT_EQ((*archive)->list().has_value(), is_whole);
  const auto latest = (*archive)->latest("world");
  EXPECT_EQ(latest.has_value(), is_whole) << "which may be an older one";
  if (!latest) {
    EXPECT_EQ(code_name(latest.error().code), code_name(ErrorCode::bad_archive));
    if (!listed->empty()) {
      EXPECT_THAT(latest.error().what, EndsWith(listed->back().version.text()));
    }
  }
  faults.clear();
  const auto last = (*archive)->latest("world", &faults);
  EXPECT_EQ(faults.empty(), is_whole);
  ASSERT_EQ(last.has_value(), !listed->empty());
  if (last) {
    EXPECT_EQ(*last, listed->back().version);
  }
}

TEST(ArchiveList, AListThatCannotBeReadWhollyIsReported) {  // FA4
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  constexpr std::size_t kSaves = 50;
  { const Saves saves(path, kSaves); }
  const std::string sound = get(path);
  std::string bytes = sound;
  wipe_index(bytes);
  ASSERT_NE(bytes, sound);
  expect_unlisted(path, bytes, true, kSaves);  // the rows have the names, too
  std::string without_page = bytes;
  wipe(without_page, '\x0d', "save 17");
  ASSERT_NE(without_page, bytes);
  expect_unlisted(path, without_page, false, kSaves);
  expect_unlisted(path, sound.substr(0, 3 * kPage + 1000), false, kSaves);
}

// SQLite searches an index by halves: one key out of order leads past all keys on one side of it.
TEST(ArchiveList, AKeyOutOfOrderHidesNoSave) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a.hdba";
  constexpr std::size_t kSaves = 50;
  const Saves saves(path, kSaves);
  std::string bytes = get(path);
  const std::size_t key = bytes.find("world\x19\x19");  // of save 25: number and row
  ASSERT_NE(key, std::string::npos);
  ASSERT_EQ(bytes[key / kPage * kPage], '\x0a');
  bytes[key + 2] = 'b';
  put(path, bytes);
  const auto archive = Archive::open(path, kPatient);
  ASSERT_TRUE(succeeded(archive));
  const auto listed = (*archive)->list("world");
  ASSERT_TRUE(succeeded(listed));
  EXPECT_EQ(listed->size(), kSaves);
  const auto latest = (*archive)->latest("world");
  ASSERT_TRUE(succeeded(latest));
  EXPECT_EQ(latest->sequence, kSaves);
  for (std::size_t i = 0; i < kSaves; ++i) {
    auto source = (*archive)->source({"world", i + 1});
    ASSERT_TRUE(succeeded(source));
    GameWorld other(1, 3);
    ASSERT_TRUE(succeeded(other.db.load(std::move(*source))));
    EXPECT_EQ(other.db.capture().state_hash(), saves.hashes[i]);
  }
  const auto next = (*archive)->put(GameWorld(10, 3).db.capture());
  ASSERT_TRUE(succeeded(next));
  EXPECT_EQ(next->version.sequence, kSaves + 1);
}

}  // namespace
}  // namespace hdb::test::repair_test
