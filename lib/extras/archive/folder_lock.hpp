// The lock of an archive in a folder: many writers, or one collector. Two lock files, so that a
// collector that waits is not passed by new writers for ever.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "files/os_calls.hpp"
#include "hdb/archive_backend.hpp"

namespace hdb::archive {

inline constexpr const char* kLockName = "lock";  ///< Shared by writers, alone for a collector.
inline constexpr const char* kGateName = "gate";  ///< Held while waiting; by a collector all along.

/// The names of the lock files begin with `prefix`.
/// Errors: save_busy; for a collector also archive_not_supported, if the file system has no locks.
[[nodiscard]] Result<std::unique_ptr<ArchiveHold>> lock_folder(FileSystem& files, Descriptor folder,
                                                               HoldKind kind,
                                                               std::chrono::milliseconds timeout,
                                                               const std::string& path,
                                                               const std::string& prefix = {});

}  // namespace hdb::archive
