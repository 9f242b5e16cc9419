// Where a save goes: the folder, the name in it, and the file that has the name now.
#pragma once

#include <optional>
#include <string>

#include "files/os_calls.hpp"
#include "hdb/error.hpp"

namespace hdb {

struct SaveTarget {
  OwnedDescriptor directory;
  std::string name;
  std::optional<FileStatus> existing;  ///< Empty: no file has the name.
};

/// Opens the folder of `path`; a symbolic link at its end is followed once.
/// Errors: bad_path, not_regular, file_not_found (the folder), permission_denied.
[[nodiscard]] Result<SaveTarget> open_save_target(FileSystem& files, const std::string& path);

/// The regular file that has the name, or nothing.
/// Errors: not_regular for anything else; permission_denied when the file is write-protected.
[[nodiscard]] Result<std::optional<FileStatus>> regular_or_absent(FileSystem& files,
                                                                  Descriptor directory,
                                                                  const std::string& name,
                                                                  const std::string& path);

/// Splits a path into the folder ("." when there is none) and the last component.
struct SplitPath {
  std::string folder;
  std::string name;
};
[[nodiscard]] SplitPath split_path(const std::string& path);
/// Whether the path begins at the root of a file system.
[[nodiscard]] bool is_absolute(const std::string& path) noexcept;

}  // namespace hdb
