// Where a save goes: the folder, the name in it, and the file that has the name now.
#pragma once

#include <optional>
#include <string>

#include "files/os_calls.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"

namespace hdb {

struct TargetPath {
  OwnedDescriptor directory;
  std::string folder;  ///< A path of the directory, for texts.
  std::string name;
  std::optional<FileStatus> existing;  ///< Empty: no file has the name.
};

/// Opens the folder of `path`. Symbolic links at its end are followed, as when it is loaded.
/// Errors: bad_path (also for a cycle of links), not_regular, file_not_found (the folder),
/// permission_denied.
[[nodiscard]] Result<TargetPath> open_save_target(FileSystem& files, const std::string& path);
/// As above, but looks at no file: `existing` is empty.
[[nodiscard]] Result<TargetPath> follow_links(FileSystem& files, const std::string& path);

/// The regular file that has the name, or nothing.
/// Errors: not_regular for anything else; permission_denied when the file is write-protected.
[[nodiscard]] Result<std::optional<FileStatus>> regular_or_absent(FileSystem& files,
                                                                  Descriptor directory,
                                                                  const std::string& name,
                                                                  const std::string& path);

/// Makes a folder if it does not exist; its parent must exist. Returns whether it did not.
[[nodiscard]] HDB_INSPECT_API Result<bool> make_folder(FileSystem& files,
                                                       const std::string& folder);
/// Makes the name of a folder durable in its parent. Errors: I/O; not when the parent may not be
/// read, unless `was_made`.
[[nodiscard]] HDB_INSPECT_API Status sync_name_of_folder(FileSystem& files,
                                                         const std::string& folder, bool was_made);

/// Splits a path into the folder ("." when there is none) and the last component.
struct SplitPath {
  std::string folder;
  std::string name;
};
[[nodiscard]] HDB_INSPECT_API SplitPath split_path(const std::string& path);

/// Whether the path begins at the root of a file system or, on Windows, of a drive.
[[nodiscard]] bool is_absolute(const std::string& path) noexcept;

}  // namespace hdb
