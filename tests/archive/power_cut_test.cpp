// Power cuts of archives in files: SQLite's writes and syncs are recorded, and after each of them
// every archive that the disk may have is opened: it has all acknowledged saves, and is sound.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <vector>

#include <sqlite3.h>

#include "archive/game_world.hpp"

namespace hdb::test::power_cut_test {
namespace {

struct Operation {
  enum Kind { write, truncate, sync, remove, acknowledge, forget } kind = write;
  std::string file;
  std::uint64_t at = 0;  // offset, size, number of a save, or whether the folder is synced
  std::string bytes;
};

// The system's VFS, which also records what it does to files of one folder.
class Recorder {
 public:
  explicit Recorder(std::string folder) : folder_(std::move(folder)) {
    active_ = this;
    base_ = sqlite3_vfs_find(nullptr);
    vfs_ = *base_;
    vfs_.zName = "recorder";
    vfs_.xOpen = [](sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
      const int opened = active_->base_->xOpen(active_->base_, name, file, flags, out);
      if (opened == SQLITE_OK && name != nullptr && std::string(name).starts_with(active_->folder_))
        active_->watch(file, std::string(name).substr(active_->folder_.size() + 1));
      return opened;
    };
    vfs_.xDelete = [](sqlite3_vfs*, const char* name, int sync_folder) {
      if (std::string(name).starts_with(active_->folder_)) {
        active_->add({Operation::remove,
                      std::string(name).substr(active_->folder_.size() + 1),
                      static_cast<std::uint64_t>(sync_folder),
                      {}});
      }
      return active_->base_->xDelete(active_->base_, name, sync_folder);
    };
    sqlite3_vfs_register(&vfs_, 1);
  }
  ~Recorder() {
    sqlite3_vfs_unregister(&vfs_);
    sqlite3_vfs_register(base_, 1);
  }

  void add(Operation operation) {
    const std::lock_guard lock(mutex_);
    operations_.push_back(std::move(operation));
  }
  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }

 private:
  void watch(sqlite3_file* file, const std::string& name) {
    const std::lock_guard lock(mutex_);
    names_[file] = name;
    // Databases and logs have tables of their own, which write and sync in the same way.
    original_ = file->pMethods;
    sqlite3_io_methods& methods = methods_.emplace(original_, *original_).first->second;
    methods.xWrite = [](sqlite3_file* to, const void* data, int size, sqlite3_int64 at) {
      active_->add({Operation::write, active_->name_of(to), static_cast<std::uint64_t>(at),
                    std::string(static_cast<const char*>(data), static_cast<std::size_t>(size))});
      return active_->original_->xWrite(to, data, size, at);
    };
    methods.xTruncate = [](sqlite3_file* to, sqlite3_int64 size) {
      active_->add(
          {Operation::truncate, active_->name_of(to), static_cast<std::uint64_t>(size), {}});
      return active_->original_->xTruncate(to, size);
    };
    methods.xSync = [](sqlite3_file* to, int flags) {
      const int synced = active_->original_->xSync(to, flags);
      active_->add({Operation::sync, active_->name_of(to), 0, {}});
      return synced;
    };
    file->pMethods = &methods;
  }
  std::string name_of(sqlite3_file* file) {
    const std::lock_guard lock(mutex_);
    return names_[file];
  }

  static inline Recorder* active_ = nullptr;
  const std::string folder_;
  sqlite3_vfs* base_ = nullptr;
  sqlite3_vfs vfs_{};
  const sqlite3_io_methods* original_ = nullptr;
  std::map<const sqlite3_io_methods*, sqlite3_io_methods> methods_;
  std::mutex mutex_;
  std::map<sqlite3_file*, std::string> names_;  // guarded by mutex_
  std::vector<Operation> operations_;           // guarded by mutex_
};

using Files = std::map<std::string, std::string>;

void apply(const Operation& operation, Files& files) {
  std::string& bytes = files[operation.file];
  if (operation.kind == Operation::write) {
    bytes.resize(std::max(bytes.size(), operation.at + operation.bytes.size()));
    bytes.replace(operation.at, operation.bytes.size(), operation.bytes);
  } else if (operation.kind == Operation::truncate) {
    bytes.resize(operation.at);
  } else if (operation.kind == Operation::remove) {
    files.erase(operation.file);
  }
}

// The disk after a power cut: all that was synced, and of the rest nothing, all, or some.
Files disk_after(std::span<const Operation> operations, int how, Random& random) {
  std::map<std::string, std::size_t> synced;  // by file: the operations before this number
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].kind == Operation::sync) synced[operations[i].file] = i;
  }
  Files files;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    if (operation.kind >= Operation::acknowledge || operation.kind == Operation::sync) continue;
    const auto sure = synced.find(operation.file);
    if ((operation.kind == Operation::remove && operation.at != 0) ||
        (sure != synced.end() && i < sure->second) || how == 1 ||
        (how == 2 && random.below(2) == 0))
      apply(operation, files);
  }
  return files;
}

void expect_whole(const std::string& path, const std::map<std::uint64_t, Hash128>& hashes,
                  std::span<const Operation> operations) {
  std::map<std::uint64_t, bool> acknowledged;  // and not being removed
  for (const Operation& operation : operations) {
    if (operation.kind == Operation::acknowledge) acknowledged[operation.at] = true;
    if (operation.kind == Operation::forget) acknowledged[operation.at] = false;
  }
  const auto archive = Archive::open(path, kPatient);
  ASSERT_TRUE(succeeded(archive));
  const auto saves = (*archive)->list("world");
  ASSERT_TRUE(succeeded(saves));
  for (const ArchivedSave& save : *saves) {
    EXPECT_EQ(save.state_hash, hashes.at(save.version.sequence));
    acknowledged.erase(save.version.sequence);
  }
  for (const auto& [number, is_sure] : acknowledged) EXPECT_FALSE(is_sure) << number;
  const auto check = (*archive)->verify();
  ASSERT_TRUE(succeeded(check));
  EXPECT_TRUE(check->faults.empty()) << check->faults[0].error.message();
}

TEST(ArchivePowerCut, LeavesEveryAcknowledgedSave) {
  const Folder folder(fast_parent());
  const std::string work = folder / "work";
  const std::string after = folder / "after";
  std::filesystem::create_directory(work);
  std::map<std::uint64_t, Hash128> hashes;
  std::size_t made = 0;  // operations before the archive was there
  Recorder recorder(work);
  {
    const auto archive = new_archive(work + "/a.hdba");
    made = recorder.operations().size();
    GameWorld world(2000, 3);
    const auto put = [&] {
      world.step();
      const Snapshot snapshot = world.db.capture();
      hashes[hashes.size() + 1] = snapshot.state_hash();
      const auto done = archive->put(snapshot);
      ASSERT_TRUE(succeeded(done));
      recorder.add({Operation::acknowledge, {}, done->version.sequence, {}});
    };
    const auto remove = [&](std::uint64_t number) {
      recorder.add({Operation::forget, {}, number, {}});
      ASSERT_TRUE(archive->remove({"world", number}));
    };
    for (int i = 0; i < 12; ++i) put();
    for (std::uint64_t number = 1; number <= 8; ++number) remove(number);
    ASSERT_TRUE(succeeded(archive->collect_garbage()));
    for (int i = 0; i < 3; ++i) put();
  }
  const std::vector<Operation> all = recorder.operations();
  Random random(3);
  std::size_t states = 0;
  for (std::size_t cut = made; cut <= all.size() && !HasFailure(); cut += scaled_stride()) {
    for (int how = 0; how < 3; ++how, ++states) {
      SCOPED_TRACE(testing::Message()
                   << "cut after " << cut << " of " << all.size() << ", " << how);
      std::filesystem::remove_all(after);
      std::filesystem::create_directory(after);
      const std::span<const Operation> done = std::span(all).first(cut);
      for (const auto& [name, bytes] : disk_after(done, how, random))
        test::put(after + "/" + name, bytes);
      expect_whole(after + "/a.hdba", hashes, done);
    }
  }
  std::printf("archive power cuts: cases=%zu failures=%d\n", states, HasFailure() ? 1 : 0);
  EXPECT_GT(states, 3u);
}

}  // namespace
}  // namespace hdb::test::power_cut_test
