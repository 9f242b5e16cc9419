// The kinds of saves that the crash tests kill, and what an observer finds in their folders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/hdb.hpp"

namespace hdb::test {

/// How a save is made.
enum class SaveWay : std::uint8_t {
  plain,    ///< hdb::save without backups.
  backups,  ///< hdb::save with two backups.
  named,    ///< A named save of a SaveDirectory, with one backup.
  ring,     ///< The ring of three quicksaves of a SaveDirectory.
};

/// The way of that name; empty if there is none.
[[nodiscard]] std::optional<SaveWay> parse_save_way(std::string_view name);

/// Saves a database whose every record holds `version`, which is also the sequence number.
[[nodiscard]] Result<SaveReport> save_version(SaveWay way, const std::string& folder,
                                              std::uint64_t version);

/// What one file of a folder holds.
struct FoundFile {
  std::string name;
  std::optional<std::uint64_t> version;  ///< Empty: not a whole save of one version.
};

/// Loads each save and backup in the folder, also a backup that still waits to be moved. Other
/// temporary files and lock files are not among them.
[[nodiscard]] std::vector<FoundFile> find_files(const std::string& folder);

/// The version that a game would continue with: the target's, or that of the newest save of the
/// ring. Empty: none that is whole. Does not fall back on backups.
[[nodiscard]] std::optional<std::uint64_t> current_version(SaveWay way, const std::string& folder);

}  // namespace hdb::test
