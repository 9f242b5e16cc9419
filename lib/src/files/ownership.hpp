// Gives the new file what the old one had besides its content: owner, group, mode, access control
// list and other extended attributes.
#pragma once

#include <optional>
#include <string>

#include "files/os_calls.hpp"
#include "hdb/error.hpp"

namespace hdb {

/// What the new file has now.
struct Kept {
  std::uint32_t mode = 0;  ///< To be set last: the mode of the old file where its group was kept.
  Error problem;           ///< Why something could not be kept, if so.
};

/// Gives `file`, which is new, the owner, the group and the attributes of the old file
/// `directory`/`name`, as far as the system permits. Does not set the mode.
///
///   O1  What cannot be kept is reported.
///   O2  Nobody gets rights by it: where the group is not kept, the mode gives the new group at
///       most what it gives all others.
[[nodiscard]] Kept keep_ownership(FileSystem& files, Descriptor directory, const std::string& name,
                                  const FileStatus& old, Descriptor file, const std::string& path);

}  // namespace hdb
