// SaveLock: one saver a target, among processes by a locked file beside the target and within this
// one by a registry.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "files/os_calls.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"

namespace hdb {

/// Holds one target of one folder until destroyed. Savers of other targets are not excluded.
///
/// The lock is an advisory lock (flock) on a hidden file named after the target, which only those
/// may open who may write into the folder. Its holder removes it; one that a killed process left is
/// not locked, so the next saver takes it over.
///
///   L1  Who holds the lock holds it on the file that the name leads to: looked at again after
///       locking, as a former holder may have removed the file that was opened.
///   L2  Only the holder removes a lock file, except one that nobody can hold: the file system has
///       no locks, or the file is another user's, cannot be opened, and is an hour old.
class SaveLock {
 public:
  SaveLock() noexcept;
  SaveLock(SaveLock&& other) noexcept;
  SaveLock& operator=(SaveLock&& other) noexcept;
  HDB_INSPECT_API ~SaveLock();

  /// Waits for other savers of the target; a `timeout` of zero or less does not wait, the longest
  /// one is a year.
  /// Errors: save_busy when the target stays locked; what creating a file in the folder gives.
  [[nodiscard]] HDB_INSPECT_API static Result<SaveLock> acquire(FileSystem& files,
                                                                OwnedDescriptor directory,
                                                                const std::string& name,
                                                                std::chrono::milliseconds timeout,
                                                                const std::string& path);
  /// Allocates nothing.
  void release() noexcept;

  [[nodiscard]] Descriptor directory() const noexcept { return directory_.get(); }
  /// Whether other processes see the lock.
  [[nodiscard]] bool excludes_processes() const noexcept { return file_.get() != kNoDescriptor; }
  /// Why they do not see it; 0: they do.
  [[nodiscard]] OsError problem() const noexcept { return problem_; }

  struct Target;  // what the registry of this process knows
 private:
  enum class Attempt { locked, held, held_by_another_user, changed };
  Result<Attempt> attempt(const std::string& path);
  Attempt go_without(OsError why);
  OsStatus unlink_file() noexcept;
  Attempt pass_by_another_user(OsError why);

  std::unique_ptr<Target> target_;  // null: nothing is held
  OwnedDescriptor directory_;
  OwnedDescriptor file_;
  std::string file_name_;
  OsError problem_;
};

/// ".slot1.hdb.lock" for "slot1"; of long names the hash. A folder that ignores case takes names
/// for one lock that it takes for one target.
[[nodiscard]] std::string lock_file_name(const std::string& target_name);

}  // namespace hdb
