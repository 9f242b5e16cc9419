// Backups of a save: name.1 (the youngest) to name.N.
#pragma once

#include <string>

#include "hdb/base/error.hpp"
#include "os_calls.hpp"

namespace hdb {

/// "name.3" for (name, 3).
[[nodiscard]] std::string backup_name(const std::string& name, unsigned number);

/// Makes the old file its own youngest backup and moves the others up by one; the oldest beyond `keep` goes. The
/// target's name keeps leading to the old file. By link; by copy where the file system has no links.
/// Errors: not_regular when something else has a backup's name; whatever a call gives.
[[nodiscard]] Status rotate_backups(FileSystem& files, Descriptor directory,
                                    const std::string& name, const FileStatus& old, unsigned keep,
                                    const std::string& path);

}  // namespace hdb
