// The files that a run reads, so that no output of it replaces one of them.
#pragma once

#include <string>

#include "hdb/error.hpp"

namespace hdb::inspect {

/// Notes a file that the run reads: a path, ARCHIVE, ARCHIVE@VERSION or `-`. Any thread.
void note_input(const std::string& input);

/// Refuses an output that is the file `input`, under any name: for ARCHIVE@VERSION the file of the
/// archive and those beside it, for `-` the file that standard input comes from.
/// Errors: bad_path, with what to do.
[[nodiscard]] Status check_is_not(const std::string& input, const std::string& output);

/// Refuses an output that is one of the noted files. Errors: as check_is_not.
[[nodiscard]] Status check_is_not_read(const std::string& output);

}  // namespace hdb::inspect
