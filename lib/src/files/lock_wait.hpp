// What the locks of save files and of archives share: waiting for another holder, and who may lock.
#pragma once

#include <chrono>
#include <string>

#include "hdb/detail/base/api.hpp"
#include "hdb/file_system.hpp"

namespace hdb {

/// Waits up to a time limit for a lock that another process holds. Other processes give no notice
/// when they unlock, so the caller tries again after each pause.
class HDB_INSPECT_API LockWait {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LockWait(std::chrono::milliseconds timeout);

  [[nodiscard]] Clock::time_point deadline() const noexcept { return deadline_; }
  /// Sleeps, longer each time. False, at once, if the time is over.
  [[nodiscard]] bool pause();
  /// " (waited 1000 ms)" for error texts; empty if there was no time to wait.
  [[nodiscard]] std::string text() const;

 private:
  std::chrono::milliseconds timeout_;
  Clock::time_point deadline_;
  std::chrono::milliseconds next_;
};

/// Whether this errno of try_lock says that the file system has no locks at all.
[[nodiscard]] HDB_INSPECT_API bool lacks_locks(int number) noexcept;

/// Lets everybody lock the new lock file `file` who may write into its folder, which has the mode
/// `folder_mode`. A failure only makes others unable to lock.
HDB_INSPECT_API void allow_other_writers(FileSystem& files, Descriptor file,
                                         std::uint32_t folder_mode) noexcept;

}  // namespace hdb
