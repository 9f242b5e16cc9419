// The file system for what the tool writes: knows its temporary files and locks, so that even a run
// that is ended by force removes them.
#pragma once

#include "hdb/file_system.hpp"

namespace hdb::inspect {

/// For AtomicFileOptions::files of every output. One thread; two outputs at a time.
[[nodiscard]] FileSystem& output_files();

}  // namespace hdb::inspect
