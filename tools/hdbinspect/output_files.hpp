// The file system for what the tool writes: knows its temporary file, so that even a run that is ended by force removes it.
#pragma once

#include "hdb/database/file_system.hpp"

namespace hdb::inspect {

/// For AtomicFileOptions::files of every output. One output at a time.
[[nodiscard]] FileSystem& output_files();

}  // namespace hdb::inspect
