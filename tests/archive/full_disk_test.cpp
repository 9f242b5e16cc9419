// A full disk under an archive, with less and less room.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "archive/game_world.hpp"
#include "files/small_disk.hpp"

namespace hdb::test::archive_full_disk_test {
namespace {

constexpr std::size_t kPage = SmallDisk::kBlock;

// The saves that are there are exactly those that were acknowledged, and all of them are whole.
void expect_exactly(Archive& archive, const std::map<std::uint64_t, Hash128>& acknowledged) {
  const auto saves = archive.list("world");
  ASSERT_TRUE(succeeded(saves));
  ASSERT_EQ(saves->size(), acknowledged.size());
  for (const ArchivedSave& save : *saves)
    EXPECT_EQ(save.state_hash, acknowledged.at(save.version.sequence));
}

void put_with_less_and_less_room(const Folder& folder, const Disk& disk) {
  const ArchiveOptions options{.lock_timeout = kPatience, .file_system = disk.files};
  GameWorld game(4000, 50);
  const std::string place = folder / "archive";
  auto archive = new_archive(place, options);
  ASSERT_NE(archive, nullptr);
  std::map<std::uint64_t, Hash128> acknowledged;
  const auto put = [&] {
    const auto done = archive->put(game.db.capture());
    if (done) acknowledged[done->version.sequence] = done->state_hash;
    return done;
  };
  ASSERT_TRUE(succeeded(put()));
  std::size_t cases = 0;
  std::size_t full = 0;
  for (std::size_t room = 0; room <= 24 * kPage; room += kPage) {
    SCOPED_TRACE(testing::Message() << room << " bytes free");
    // Another object finds everything new, as the first put of a program does.
    if (cases % 2 != 0) archive = new_archive(place, options);
    for (int i = 0; i < 20; ++i) game.step();
    disk.fill(folder, room);
    const std::size_t left = disk.free_bytes();
    const auto done = put();
    ++cases;
    if (!done) {
      ++full;
      EXPECT_EQ(done.error().code, ErrorCode::disk_full) << done.error().message();
      EXPECT_EQ(disk.free_bytes(), left) << "something is left";
    }
    expect_exactly(*archive, acknowledged);
  }
  EXPECT_GT(full, 2u);
  EXPECT_LT(full, cases);
  // A collection needs room for what it keeps; without room, nothing changes either.
  for (std::uint64_t sequence = 1; acknowledged.size() > 2; ++sequence) {
    if (acknowledged.erase(sequence) != 0) {
      ASSERT_TRUE(succeeded(archive->remove({"world", sequence})));
    }
  }
  for (std::size_t room = 0; room <= 2 * kPage; room += kPage) {
    disk.fill(folder, room);
    const auto collected = archive->collect_garbage();
    if (!collected) {
      EXPECT_EQ(collected.error().code, ErrorCode::disk_full);
    }
    expect_exactly(*archive, acknowledged);
    expect_exactly(*new_archive(place, options), acknowledged);
    ++cases;
  }
  disk.fill(folder, std::size_t{4} << 20);
  ASSERT_TRUE(succeeded(archive->collect_garbage()));
  ASSERT_TRUE(succeeded(put()));
  const auto check = archive->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_TRUE(check->faults.empty()) << check->faults.front().error.message();
  expect_exactly(*archive, acknowledged);
  std::printf("G5 archives: cases=%zu failures=%d\n", cases, testing::Test::HasFailure() ? 1 : 0);
}

TEST(ArchiveFullDisk, APutThatFailsLeavesTheArchiveAsItWas) {  // AR1, G5
  with_small_disk(std::size_t{8} << 20, put_with_less_and_less_room);
}

TEST(ArchiveFullDisk, APutThatFailsLeavesTheArchiveAsItWasOnARealFileSystem) {  // AR1, G5
  with_mounted_disk(std::size_t{8} << 20, put_with_less_and_less_room);
}

}  // namespace
}  // namespace hdb::test::archive_full_disk_test
