// Archives with damage: what lists leave out, and the sound copy that repair makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "archive/game_world.hpp"

namespace hdb::test::repair_test {
namespace {

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

}  // namespace
}  // namespace hdb::test::repair_test
