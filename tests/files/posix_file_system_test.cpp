// The calls of the machine's file system keep their promises: exclusive creation, nothing inherited
// by other programs.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/file_system.hpp"

namespace hdb::test::posix_file_system_test {
namespace {

TEST(PosixFileSystem, CreatingAFileNeverTakesOneThatIsThere) {
  const Folder folder;
  FileSystem& files = system_files();
  put(folder / "file", "text");
  std::filesystem::create_symlink("missing", folder / "link");
  const auto directory = files.open_directory(kCurrentDirectory, folder.path());
  ASSERT_TRUE(directory);
  for (const char* name : {"file", "link"}) {
    EXPECT_EQ(files.create_exclusive(*directory, name).error().number, EEXIST) << name;
    EXPECT_EQ(files.open_lock_file(*directory, name, true).error().number, EEXIST) << name;
  }
  EXPECT_EQ(get(folder / "file"), "text");
  EXPECT_EQ(get(folder / "missing"), "(none)");
  EXPECT_TRUE(files.close(*directory));
}

TEST(PosixFileSystem, NoDescriptorIsInheritedByAnotherProgram) {
  const Folder folder;
  FileSystem& files = system_files();
  const auto directory = files.open_directory(kCurrentDirectory, folder.path());
  ASSERT_TRUE(directory);
  const OsResult<Descriptor> all[] = {
      directory,
      files.create_exclusive(*directory, "file"),
      files.open_for_reading(*directory, "file"),
      files.open_lock_file(*directory, "lock", true),
      files.open_lock_file(*directory, "lock", false),
  };
  for (const auto& opened : all) {
    ASSERT_TRUE(opened);
    EXPECT_EQ(::fcntl(*opened, F_GETFD), FD_CLOEXEC) << "call " << &opened - all;
  }
  for (const auto& opened : all) EXPECT_TRUE(files.close(*opened));
}

TEST(PosixFileSystem, ACloseThatFailsFailsTheSave) {
  const Folder folder;
  put(folder / "slot", "old");
  WrappedFileSystem files;
  bool is_synced = false;
  files.before = [&](Call call) -> std::optional<int> {
    if (call == Call::sync_file) is_synced = true;
    return call == Call::close && std::exchange(is_synced, false) ? std::optional(EIO)
                                                                  : std::nullopt;
  };
  const auto report = save_text(folder / "slot", "new", {.file_system = &files});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::io_failed);
  EXPECT_EQ(get(folder / "slot"), "old");
  EXPECT_FALSE(folder.has_temporary());
}

}  // namespace
}  // namespace hdb::test::posix_file_system_test
