// FileSource: reads at offsets, refuses what is no file, notices changes under the reader (G16).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/file_system.hpp"

namespace hdb::test {
namespace {

ErrorCode code_of(const Status& status) { return status ? ErrorCode{} : status.error().code; }

ErrorCode open_code(const std::string& path, FileSystem* files = nullptr) {
  const auto source = FileSource::open(path, files);
  return source ? ErrorCode{} : source.error().code;
}

std::string read_text(ByteSource& source, std::uint64_t offset, std::size_t size) {
  std::string text(size, '?');
  const auto done = source.read_at(offset, std::as_writable_bytes(std::span(text)));
  return done ? text : std::string(code_name(done.error().code));
}

TEST(FileSource, ReadsAtAnyOffset) {
  const Folder folder;
  put(folder / "save", "0123456789");
  const auto source = FileSource::open(folder / "save");
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->size().value(), 10u);
  EXPECT_EQ(read_text(**source, 0, 10), "0123456789");
  EXPECT_EQ(read_text(**source, 7, 3), "789");
  EXPECT_EQ(read_text(**source, 10, 0), "");
  EXPECT_EQ(read_text(**source, 8, 3), "truncated");
  EXPECT_EQ(read_text(**source, ~std::uint64_t{0}, 3), "truncated");
}

TEST(FileSource, ShortAndInterruptedReadsGoOn) {
  const Folder folder;
  put(folder / "save", "0123456789");
  WrappedFileSystem files;
  int calls = 0;
  files.before = [&](Call call) -> std::optional<int> {
    return call == Call::read_at && ++calls < 4 ? std::optional(EINTR) : std::nullopt;
  };
  const auto source = FileSource::open(folder / "save", &files);
  ASSERT_TRUE(source);
  EXPECT_EQ(read_text(**source, 2, 3), "234");
  EXPECT_EQ(calls, 4);
}

TEST(FileSource, RefusesWhatIsNoRegularFile) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(open_code(folder.path()), ErrorCode::not_regular);
  EXPECT_EQ(open_code(folder / "fifo"), ErrorCode::not_regular);  // and does not wait for a writer
  EXPECT_EQ(open_code("/dev/null"), ErrorCode::not_regular);
  EXPECT_EQ(open_code("/dev/zero"), ErrorCode::not_regular);
  EXPECT_EQ(open_code(folder / "missing"), ErrorCode::file_not_found);
  EXPECT_EQ(open_code(""), ErrorCode::bad_path);
  EXPECT_EQ(open_code(std::string("a\0b", 3)), ErrorCode::bad_path);
  EXPECT_EQ(open_code(folder / std::string(300, 'x')), ErrorCode::bad_path);
}

TEST(FileSource, FollowsLinks) {
  const Folder folder;
  put(folder / "save", "text");
  ASSERT_EQ(::symlink("save", (folder / "link").c_str()), 0);
  const auto source = FileSource::open(folder / "link");
  ASSERT_TRUE(source);
  EXPECT_EQ(read_text(**source, 0, 4), "text");
}

TEST(FileSource, FileThatIsCutUnderTheReaderIsAnError) {
  const Folder folder;
  std::size_t cases = 0;
  for (int size = 0; size < 1000; size += 50) {
    put(folder / "save", std::string(1000, 'x'));
    const auto source = FileSource::open(folder / "save");
    ASSERT_TRUE(source);
    ASSERT_EQ(::truncate((folder / "save").c_str(), size), 0);
    EXPECT_EQ(read_text(**source, 0, 1000), "file_changed");
    EXPECT_EQ(read_text(**source, 0, 10), "file_changed");
    ++cases;
  }
  std::printf("G16 cut under the reader: cases=%zu failures=%d\n", cases, HasFailure() ? 1 : 0);
}

TEST(FileSource, FileThatIsWrittenToUnderTheReaderIsAnError) {
  const Folder folder;
  put(folder / "save", "0123456789");
  const auto source = FileSource::open(folder / "save");
  ASSERT_TRUE(source);
  // The clock of the file system moves in steps.
  const auto before = std::filesystem::last_write_time(folder / "save");
  while (std::filesystem::last_write_time(folder / "save") == before)
    put(folder / "save", "9876543210");
  EXPECT_EQ(read_text(**source, 0, 10), "file_changed");
  EXPECT_EQ(code_of((*source)->check_unchanged()), ErrorCode::file_changed);
}

TEST(FileSource, FileThatGrowsUnderTheReaderIsAnError) {
  const Folder folder;
  put(folder / "save", "0123456789");
  const auto source = FileSource::open(folder / "save");
  ASSERT_TRUE(source);
  std::ofstream(folder / "save", std::ios::app) << "more";
  EXPECT_EQ(read_text(**source, 0, 10), "file_changed");
}

TEST(FileSource, ReplacedFileIsReadToItsEndAndNoticed) {
  const Folder folder;
  ASSERT_TRUE(save_text(folder / "save", "old text"));
  const auto source = FileSource::open(folder / "save");
  ASSERT_TRUE(source);
  EXPECT_TRUE((*source)->check_unchanged());
  ASSERT_TRUE(save_text(folder / "save", "new text", {.keep = 1}));
  EXPECT_EQ(read_text(**source, 0, 8), "old text");
  EXPECT_EQ(code_of((*source)->check_unchanged()), ErrorCode::file_changed);
  std::filesystem::remove(folder / "save");
  EXPECT_EQ(code_of((*source)->check_unchanged()), ErrorCode::file_changed);
}

TEST(FileSource, EveryFailingCallIsAnErrorAndLeaksNothing) {
  const Folder folder;
  put(folder / "save", "0123456789");
  const std::size_t descriptors = open_descriptors();
  std::size_t calls = 0;
  for (std::size_t nth = 1; nth <= 6; ++nth) {
    WrappedFileSystem files;
    calls = 0;
    files.before = [&](Call) { return ++calls == nth ? std::optional(EIO) : std::nullopt; };
    const auto source = FileSource::open(folder / "save", &files);
    const bool sound =
        source && read_text(**source, 0, 10) == "0123456789" && (*source)->check_unchanged();
    EXPECT_FALSE(sound) << "call " << nth;
  }
  EXPECT_EQ(open_descriptors(), descriptors);
}

}  // namespace
}  // namespace hdb::test
