// G4 for files: every allocation of a save, a listing or a removal fails once; then no file has
// changed and nothing is left behind: no temporary, no lock, no descriptor.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <map>
#include <new>
#include <string>

#include "files/folder.hpp"
#include "files/wrapped_file_system.hpp"
#include "hdb/hdb.hpp"
#include "hdb/save_directory.hpp"
#include "support/allocation_watch.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::files_out_of_memory_test {
namespace {

using Contents = std::map<std::string, std::string>;

Contents contents_of(const Folder& folder) {
  Contents contents;
  for (const std::string& name : folder.names()) contents[name] = get(folder / name);
  return contents;
}

// Fails the n-th allocation of `call`, for each n; `call` returns whether it succeeded. Some
// allocations a call can do without, so the end is where many in a row make no difference.
void sweep(const Folder& folder, const std::function<void()>& prepare,
           const std::function<bool()>& call, const char* name) {
  constexpr int kEnough = 40;
  std::size_t cases = 0;
  for (int successes = 0; successes < kEnough;) {
    ASSERT_LT(++cases, 5000u);
    prepare();
    const Contents before = contents_of(folder);
    const std::size_t descriptors = open_descriptors();
    bool done = false;
    fail_allocation(cases);
    try {
      done = call();
    } catch (const std::bad_alloc&) {
    }
    fail_allocation(0);
    successes = done ? successes + 1 : 0;
    ASSERT_EQ(open_descriptors(), descriptors) << "allocation " << cases;
    ASSERT_FALSE(folder.has_temporary()) << "allocation " << cases;
    if (!done) {
      ASSERT_EQ(contents_of(folder), before) << "allocation " << cases;
    }
  }
  EXPECT_GT(cases, static_cast<std::size_t>(kEnough) + 5);
  std::printf("G4 %s: cases=%zu failures=%d\n", name, cases, testing::Test::HasFailure() ? 1 : 0);
}

Snapshot world_at(std::uint64_t tick) {
  Database db;
  db.singleton<Clock>("clock").edit().tick = tick;
  return db.capture();
}

// Each file has an attribute that is to be kept, and whose name takes memory.
class FilesWithAttributes : public WrappedFileSystem {
 public:
  OsResult<std::vector<FileAttribute>> attributes(Descriptor) override {
    std::vector<FileAttribute> all;
    all.push_back(
        {"user.a name that is longer than a string holds within itself", std::to_string(++calls_)});
    return all;
  }
  OsStatus set_attribute(Descriptor, const std::string&, const std::string*) override { return {}; }

 private:
  int calls_ = 0;
};

TEST(FilesOutOfMemory, ASaveWithBackupsLeavesFilesAsTheyWereOrSaves) {
  for (const bool has_links : {true, false}) {
    const Folder folder(fast_parent());
    const std::string path = folder / "a name that is longer than a string holds within itself.hdb";
    FilesWithAttributes files;
    files.before = [&](Call call) -> std::optional<int> {
      return call == Call::link && !has_links ? std::optional(EPERM) : std::nullopt;
    };
    const Snapshot snapshot = world_at(2);
    SaveOptions options;
    options.file.keep = 2;
    options.file.file_system = &files;
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(save(snapshot, path, options));
    sweep(
        folder,
        [&] {
          for (const char* end : {"", ".1", ".2"}) put(path + end, std::string("old") + end);
        },
        [&] { return save(snapshot, path, options).has_value(); },
        has_links ? "save with backups" : "save with copied backups");
  }
}

// The copy fails for want of room, and its error for want of memory.
TEST(FilesOutOfMemory, ACopiedBackupThatFailsIsRemoved) {
  const Folder folder(fast_parent());
  const std::string path = folder / "a name that is longer than a string holds within itself.hdb";
  WrappedFileSystem files;
  bool is_copying = false;
  files.before = [&](Call call) -> std::optional<int> {
    if (call == Call::link) is_copying = true;
    if (call == Call::link) return EPERM;
    return is_copying && call == Call::write ? std::optional(ENOSPC) : std::nullopt;
  };
  const Snapshot snapshot = world_at(2);
  SaveOptions options;
  options.file.keep = 2;
  options.file.file_system = &files;
  put(path, "old");
  sweep(
      folder, [&] { is_copying = false; },
      [&] {
        const auto saved = save(snapshot, path, options);
        fail_allocation(0);
        EXPECT_EQ(get(path), "old");
        return !saved && saved.error().code == ErrorCode::disk_full;
      },
      "save whose copied backup fails");
}

TEST(FilesOutOfMemory, AFolderOfSavesIsListedAndItsSavesRemovedOrNot) {
  const Folder folder(fast_parent());
  const Snapshot snapshot = world_at(1);
  auto saves = SaveDirectory::open(folder.path());
  ASSERT_TRUE(saves);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(saves->save(snapshot, SaveName::quick()));
  sweep(
      folder, [] {}, [&] { return saves->list().has_value(); }, "list");
  const auto make = [&] { ASSERT_TRUE(saves->save(snapshot, "hero")); };
  sweep(
      folder, make, [&] { return saves->save(snapshot, "hero").has_value(); },
      "save into the folder");
  std::filesystem::remove(folder / "slot-hero.hdb.1");
  sweep(
      folder,
      [&] {
        make();
        std::filesystem::remove(folder / "slot-hero.hdb.1");
      },
      [&] { return saves->remove("hero").has_value(); }, "remove");
}

}  // namespace
}  // namespace hdb::test::files_out_of_memory_test
