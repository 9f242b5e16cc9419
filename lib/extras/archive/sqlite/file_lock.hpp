// The lock of an archive file: many writers, or one collector. Two lock files beside it, so that a
// collector that waits is not passed by new writers for ever.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "files/os_calls.hpp"
#include "hdb/archive_backend.hpp"

namespace hdb::archive {

/// Waits for the locks `NAME-lock` and `NAME-gate` in `folder`; `path` is for messages.
/// Errors: save_busy; for a collector also archive_not_supported, if the file system has no locks.
[[nodiscard]] Result<std::unique_ptr<ArchiveHold>> lock_archive_file(
    Descriptor folder, const std::string& name, HoldKind kind, std::chrono::milliseconds timeout,
    const std::string& path);

}  // namespace hdb::archive
