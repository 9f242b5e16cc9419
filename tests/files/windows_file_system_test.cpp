// The calls of Windows behind FileSystem, and saves where Windows differs: names in UTF-8, long
// paths, names that Windows refuses, files that another program has open, write protection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <chrono>
#include <thread>

#include "files/folder.hpp"
#include "files/save_target.hpp"
#include "files/windows/calls.hpp"
#include "hdb/file_system.hpp"

namespace hdb::test::windows_file_system_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string read_whole(const std::string& path) {
  auto file = FileSource::open(path);
  if (!file) return "(" + file.error().message() + ")";
  Bytes bytes(static_cast<std::size_t>((*file)->size().value()));
  if (!(*file)->read_at(0, bytes)) return "(unreadable)";
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::string> names_in(const std::string& folder) {
  FileSystem& files = system_files();
  const auto opened = files.open_directory(kCurrentDirectory, folder);
  if (!opened) return {"(cannot be opened)"};
  auto names = files.list(*opened).value_or(std::vector<std::string>{"(cannot be listed)"});
  EXPECT_TRUE(files.close(*opened));
  std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
  std::sort(names.begin(), names.end());
  return names;
}

// Another program that has a file open.
class OtherProgram {
 public:
  OtherProgram(const std::string& path, DWORD share)
      : file_(open_path(*windows_path(path), {.access = GENERIC_READ, .share = share})) {
    EXPECT_TRUE(file_);
  }
  void close() { file_ = tl::unexpected<OsError>(OsError{}); }

 private:
  OsResult<WindowsHandle> file_;
};

TEST(WindowsFiles, NamesAreUtf8) {
  const Folder parent;
  const std::string folder = parent / "Spiele \xc3\xa4\xc3\xb6 \xe4\xbf\x9d\xe5\xad\x98";
  ASSERT_TRUE(system_files().make_directory(folder));
  const std::string name = "\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 \xf0\x9f\x8e\xae.hdb";
  const auto saved = save_text(folder + "/" + name, "first", {.keep = 1});
  ASSERT_TRUE(saved) << saved.error().message();
  EXPECT_EQ(saved->outcome, SaveOutcome::durable) << saved->problem.message();
  ASSERT_TRUE(save_text(folder + "\\" + name, "second", {.keep = 1}));
  EXPECT_EQ(read_whole(folder + "/" + name), "second");
  EXPECT_EQ(read_whole(folder + "/" + name + ".1"), "first");
  EXPECT_THAT(names_in(folder), ElementsAre(name, name + ".1"));
  const auto not_utf8 = save_text(folder + "/\xff.hdb", "text");
  ASSERT_FALSE(not_utf8);
  EXPECT_EQ(not_utf8.error().code, ErrorCode::bad_path);
}

TEST(WindowsFiles, PathsMayBeLongerThan260Characters) {
  const Folder parent;
  std::string folder = parent.path();
  for (int i = 0; i < 8; ++i) {
    folder += "/" + std::string(60, static_cast<char>('a' + i));
    ASSERT_TRUE(system_files().make_directory(folder));
  }
  ASSERT_GT(folder.size(), 480u);
  const std::string path = folder + "/" + std::string(200, 'x');
  for (const char* const text : {"first", "second"}) {
    const auto saved = save_text(path, text, {.keep = 2});
    ASSERT_TRUE(saved) << saved.error().message();
    EXPECT_EQ(saved->outcome, SaveOutcome::durable);
    EXPECT_EQ(read_whole(path), text);
  }
  EXPECT_EQ(read_whole(path + ".1"), "first");
  // A name, however, has at most 255 characters.
  const auto too_long = save_text(folder + "/" + std::string(256, 'x'), "text");
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, ErrorCode::bad_path);
}

TEST(WindowsFiles, NamesThatMeanSomethingElseAreRefused) {
  const Folder folder;
  for (const char* const name : {"NUL", "nul.hdb", "com1.hdb", "CON .hdb", "slot.", "slot ",
                                 "slot:stream", "a*b", "a?b", "a<b", "a|b", "a\"b", "a\nb"}) {
    const auto saved = save_text(folder / name, "text");
    ASSERT_FALSE(saved) << name;
    EXPECT_EQ(saved.error().code, ErrorCode::bad_path) << name << ": " << saved.error().message();
  }
  EXPECT_THAT(names_in(folder.path()), ElementsAre());
  for (const char* const name : {"nullity.hdb", "com.hdb", "com10.hdb", ".hidden", "a..b"}) {
    EXPECT_TRUE(save_text(folder / name, "text")) << name;
  }
}

TEST(WindowsFiles, PathsAreSplitAtBothSeparatorsAndKeepTheRoot) {
  const auto parts = [](const std::string& path) {
    const SplitPath split = split_path(path);
    return split.folder + "|" + split.name;
  };
  EXPECT_EQ(parts("slot"), ".|slot");
  EXPECT_EQ(parts("a/b\\slot"), "a/b|slot");
  EXPECT_EQ(parts("a\\b/slot"), "a\\b|slot");
  EXPECT_EQ(parts("C:\\slot"), "C:\\|slot");
  EXPECT_EQ(parts("C:/saves/slot"), "C:/saves|slot");
  EXPECT_EQ(parts("/slot"), "/|slot");
  EXPECT_TRUE(is_absolute("C:\\slot"));
  EXPECT_TRUE(is_absolute("\\\\server\\share\\slot"));
  EXPECT_FALSE(is_absolute("saves\\slot"));
}

TEST(WindowsFiles, ATargetThatAnotherProgramHasOpenIsFileInUseAndStays) {
  const Folder folder;
  ASSERT_TRUE(save_text(folder / "slot", "old"));
  OtherProgram other(folder / "slot", FILE_SHARE_READ);
  const auto saved = save_text(folder / "slot", "new", {.keep = 1});
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::file_in_use) << saved.error().message();
  EXPECT_THAT(saved.error().message(), HasSubstr("another program"));
  EXPECT_EQ(read_whole(folder / "slot"), "old");
  // The second name of the open file can be removed only by the next save.
  EXPECT_LE(names_in(folder.path()).size(), 2u);
  other.close();
  EXPECT_TRUE(save_text(folder / "slot", "new", {.keep = 1}));
  EXPECT_EQ(read_whole(folder / "slot"), "new");
  EXPECT_EQ(read_whole(folder / "slot.1"), "old");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("slot", "slot.1"));
}

// Virus scanners and indexers.
TEST(WindowsFiles, ATargetThatIsOpenForAMomentIsReplaced) {
  const Folder folder;
  ASSERT_TRUE(save_text(folder / "slot", "old"));
  OtherProgram other(folder / "slot", FILE_SHARE_READ);
  std::thread scanner([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    other.close();
  });
  const auto saved = save_text(folder / "slot", "new");
  scanner.join();
  ASSERT_TRUE(saved) << saved.error().message();
  EXPECT_EQ(read_whole(folder / "slot"), "new");
}

TEST(WindowsFiles, ASaveThatAnotherProcessHoldsIsBusy) {
  const Folder folder;
  ASSERT_TRUE(save_text(folder / "slot", "old"));
  FileSystem& files = system_files();
  const auto directory = files.open_directory(kCurrentDirectory, folder.path());
  ASSERT_TRUE(directory);
  const auto lock = files.open_lock_file(*directory, ".slot.hdb.lock", true);
  ASSERT_TRUE(lock);
  ASSERT_TRUE(files.try_lock(*lock));
  const auto again = files.open_lock_file(*directory, ".slot.hdb.lock", false);
  ASSERT_TRUE(again);
  const auto second = files.try_lock(*again);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().number, EWOULDBLOCK);
  EXPECT_TRUE(files.close(*again));

  const auto saved =
      save_text(folder / "slot", "new", {.lock_timeout = std::chrono::milliseconds(30)});
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::save_busy);
  EXPECT_EQ(read_whole(folder / "slot"), "old");
  EXPECT_TRUE(files.close(*lock));  // as when the process ends
  EXPECT_TRUE(files.close(*directory));
  EXPECT_TRUE(save_text(folder / "slot", "new"));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("slot"));
}

TEST(WindowsFiles, AWriteProtectedTargetStaysAndAFolderIsNotRegular) {
  const Folder folder;
  ASSERT_TRUE(save_text(folder / "slot", "old"));
  const std::wstring path = *windows_path(folder / "slot");
  ASSERT_NE(::SetFileAttributesW(path.c_str(), FILE_ATTRIBUTE_READONLY), 0);
  const auto saved = save_text(folder / "slot", "new");
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::permission_denied);
  EXPECT_EQ(read_whole(folder / "slot"), "old");
  ASSERT_NE(::SetFileAttributesW(path.c_str(), FILE_ATTRIBUTE_NORMAL), 0);
  ASSERT_TRUE(system_files().make_directory(folder / "sub"));
  EXPECT_EQ(save_text(folder / "sub", "new").error().code, ErrorCode::not_regular);
  EXPECT_EQ(FileSource::open(folder / "sub").error().code, ErrorCode::not_regular);
  EXPECT_EQ(FileSource::open(folder / "none").error().code, ErrorCode::file_not_found);
  EXPECT_EQ(save_text(folder / "no/slot", "new").error().code, ErrorCode::file_not_found);
}

TEST(WindowsFiles, AFileThatIsReadCanBeReplacedAndTheReaderNoticesIt) {
  const Folder folder;
  ASSERT_TRUE(save_text(folder / "slot", "old"));
  const auto reader = FileSource::open(folder / "slot");
  ASSERT_TRUE(reader);
  const auto saved = save_text(folder / "slot", "another");
  if (!saved) {  // Windows before 10, and file systems that cannot replace an open file
    EXPECT_EQ(saved.error().code, ErrorCode::file_in_use) << saved.error().message();
    EXPECT_EQ(read_whole(folder / "slot"), "old");
    return;
  }
  EXPECT_EQ(read_whole(folder / "slot"), "another");
  EXPECT_EQ((*reader)->check_unchanged().error().code, ErrorCode::file_changed);
}

TEST(WindowsFiles, DescriptorsWriteAtTheirPositionAndReadAnywhere) {
  const Folder folder;
  FileSystem& files = system_files();
  const auto directory = files.open_directory(kCurrentDirectory, folder.path());
  ASSERT_TRUE(directory);
  const auto file = files.create_exclusive(*directory, "file");
  ASSERT_TRUE(file);
  EXPECT_EQ(files.create_exclusive(*directory, "file").error().number, EEXIST);
  EXPECT_EQ(files.write(*file, bytes_of("hello ")), std::size_t{6});
  Bytes some(3);
  EXPECT_EQ(files.read_at(*file, 1, some), std::size_t{3});
  EXPECT_TRUE(some == Bytes(bytes_of("ell").begin(), bytes_of("ell").end()));
  EXPECT_EQ(files.write(*file, bytes_of("world")), std::size_t{5});
  EXPECT_EQ(files.status(*file)->size_bytes, 11u);
  EXPECT_EQ(files.read_at(*file, 11, some), std::size_t{0});
  EXPECT_TRUE(files.truncate(*file, 4));
  EXPECT_EQ(files.status(*file)->size_bytes, 4u);
  EXPECT_TRUE(files.sync_file(*file));
  EXPECT_TRUE(files.sync_directory(*directory));
  const FileStatus opened = *files.status(*file);
  EXPECT_TRUE(files.close(*file));
  EXPECT_FALSE(files.close(*file));
  EXPECT_TRUE(files.link(*directory, "file", "second"));
  EXPECT_EQ(files.link(*directory, "file", "second").error().number, EEXIST);
  EXPECT_TRUE(files.status_at(*directory, "second")->same_file(opened));
  EXPECT_TRUE(files.rename(*directory, "second", "third"));
  EXPECT_EQ(files.status_at(*directory, "second").error().number, ENOENT);
  EXPECT_TRUE(files.unlink(*directory, "file"));
  EXPECT_EQ(files.unlink(*directory, "file").error().number, ENOENT);
  const auto parent = files.open_directory(*directory, "..");
  ASSERT_TRUE(parent);
  EXPECT_TRUE(files.close(*parent));
  EXPECT_TRUE(files.close(*directory));
  EXPECT_THAT(names_in(folder.path()), ElementsAre("third"));
}

}  // namespace
}  // namespace hdb::test::windows_file_system_test
