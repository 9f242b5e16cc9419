// G5: a full disk, with less and less room.
#include <gtest/gtest.h>

#include <cstdio>

#include "files/small_disk.hpp"

namespace hdb::test::full_disk_test {
namespace {

constexpr std::size_t kStep = SmallDisk::kBlock;
constexpr std::size_t kSaveBytes = 40 * kStep;

// Saves with `room` bytes left on the disk; returns whether the save succeeded.
bool save_with_room(const Folder& folder, const Disk& disk, std::size_t room, unsigned keep) {
  const std::string old = sample_text(5 * kStep, 1);
  put(folder / "slot", old);
  disk.fill(folder, room);
  EXPECT_EQ(disk.free_bytes(), room);
  const std::size_t descriptors = open_descriptors();
  const std::string text = sample_text(kSaveBytes, 2);
  const auto report = save_text(folder / "slot", text, {.keep = keep, .file_system = disk.files});
  EXPECT_EQ(get(folder / "slot"), report ? text : old);
  if (!report) {
    EXPECT_EQ(report.error().code, ErrorCode::disk_full);
    EXPECT_EQ(disk.free_bytes(), room);
  }
  EXPECT_FALSE(folder.has_temporary());
  EXPECT_EQ(open_descriptors(), descriptors);
  for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
  return report.has_value();
}

void save_with_less_and_less_room(const Folder& folder, const Disk& disk) {
  std::size_t cases = 0;
  std::size_t saved = 0;
  for (const unsigned keep : {0u, 2u}) {
    for (std::size_t room = 0; room <= kSaveBytes + 4 * kStep; room += kStep) {
      SCOPED_TRACE(testing::Message() << room << " bytes free, keep " << keep);
      saved += save_with_room(folder, disk, room, keep) ? 1 : 0;
      ++cases;
    }
  }
  EXPECT_GT(saved, 0u);
  EXPECT_LT(saved, cases / 4);
  std::printf("G5: cases=%zu failures=%d\n", cases, testing::Test::HasFailure() ? 1 : 0);
}

TEST(FullDisk, OldSaveSurvivesAndNothingIsLeft) {
  with_small_disk(128 * kStep, save_with_less_and_less_room);
}

TEST(FullDisk, OldSaveSurvivesAndNothingIsLeftOnARealFileSystem) {
  with_mounted_disk(128 * kStep, save_with_less_and_less_room);
}

}  // namespace
}  // namespace hdb::test::full_disk_test
