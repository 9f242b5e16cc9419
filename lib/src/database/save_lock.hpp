// SaveLock: one saver a target, among processes by flock on the folder and within this one by a registry.
#pragma once

#include <memory>
#include <string>

#include "hdb/base/error.hpp"
#include "os_calls.hpp"

namespace hdb {

/// Holds one target of one folder until destroyed. Savers of different targets of a folder share the folder's
/// descriptor, because flock would set two descriptors of one process against each other.
class SaveLock {
 public:
  struct Folder;

  SaveLock() = default;
  SaveLock(SaveLock&& other) noexcept = default;
  SaveLock& operator=(SaveLock&& other) noexcept;
  ~SaveLock() { release(); }

  /// Errors: save_busy when the target, or from another process the folder, stays locked for `timeout_ms`.
  [[nodiscard]] static Result<SaveLock> acquire(FileSystem& files, OwnedDescriptor directory,
                                                const std::string& name, unsigned timeout_ms,
                                                const std::string& path);
  void release() noexcept;

  [[nodiscard]] Descriptor directory() const noexcept;
  /// Whether other processes see the lock; false on file systems without flock.
  [[nodiscard]] bool excludes_processes() const noexcept;

 private:
  std::shared_ptr<Folder> folder_;
  std::string name_;
};

}  // namespace hdb
