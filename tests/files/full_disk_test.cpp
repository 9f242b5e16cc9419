// G5: a really full disk: a small file system in memory, with less and less room.
#include <gtest/gtest.h>

#include <cstdio>

#include "files/child_process.hpp"
#include "files/folder.hpp"

namespace hdb::test::full_disk_test {
namespace {

constexpr std::size_t kStep = 4096;
constexpr std::size_t kSaveBytes = 40 * kStep;

// Saves with `room` bytes left on the disk; returns whether the save succeeded.
bool save_with_room(const Folder& folder, std::size_t room, unsigned keep) {
  const std::string old = sample_text(5 * kStep, 1);
  put(folder / "slot", old);
  const std::size_t all = free_bytes(folder.path());
  put(folder / "ballast", std::string(all - room, 'x'));
  EXPECT_EQ(free_bytes(folder.path()), room);
  const std::size_t descriptors = open_descriptors();
  const std::string text = sample_text(kSaveBytes, 2);
  const auto report = save_text(folder / "slot", text, {.keep = keep});
  EXPECT_EQ(get(folder / "slot"), report ? text : old);
  if (!report) {
    EXPECT_EQ(report.error().code, ErrorCode::disk_full);
    EXPECT_EQ(free_bytes(folder.path()), room);
  }
  EXPECT_FALSE(folder.has_temporary());
  EXPECT_EQ(open_descriptors(), descriptors);
  for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
  return report.has_value();
}

TEST(FullDisk, OldSaveSurvivesAndNothingIsLeft) {
  const Folder folder;
  in_child([&] {
    if (!own_mounts(folder.path()) || !mount_tmpfs(folder.path(), 128 * kStep)) {
      std::printf("G5: not run, mounting is not permitted here (the fault tests inject ENOSPC)\n");
      return;
    }
    std::size_t cases = 0;
    std::size_t saved = 0;
    for (const unsigned keep : {0u, 2u}) {
      for (std::size_t room = 0; room <= kSaveBytes + 4 * kStep; room += kStep) {
        SCOPED_TRACE(testing::Message() << room << " bytes free, keep " << keep);
        saved += save_with_room(folder, room, keep) ? 1 : 0;
        ++cases;
      }
    }
    EXPECT_GT(saved, 0u);
    EXPECT_LT(saved, cases / 4);
    std::printf("G5: cases=%zu failures=%d\n", cases, HasFailure() ? 1 : 0);
  });
}

}  // namespace
}  // namespace hdb::test::full_disk_test
