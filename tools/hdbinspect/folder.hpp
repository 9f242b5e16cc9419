// Folders of saves: their files, and the order of these.
#pragma once

#include <string>
#include <vector>

#include "hdb/error.hpp"

namespace hdb::inspect {

/// Whether `a` comes before `b` when numbers in them are counted as numbers.
[[nodiscard]] bool is_before(const std::string& a, const std::string& b);

/// Whether a name is that of a save or of a backup of one: NAME.hdb, NAME.hdb.1.
[[nodiscard]] bool is_save_name(const std::string& name);

/// The names in a folder, in the order of is_before: regular files, and also dead links, pipes and
/// folders with the name of a save, which callers must report. Leaves out names that begin with a
/// dot: temporary files of saves that are being written.
/// Errors: io_failed; not_found if the folder is missing.
[[nodiscard]] Result<std::vector<std::string>> names_in(const std::string& folder);

/// The path of a file in a folder.
[[nodiscard]] std::string path_in(const std::string& folder, const std::string& name);

/// The error of a folder with this number of files, none of which is a save, and what to do.
[[nodiscard]] Error no_save_in(const std::string& folder, std::size_t files);
inline constexpr const char* kGiveFolder = "give a folder that holds the saves of a world";

}  // namespace hdb::inspect
