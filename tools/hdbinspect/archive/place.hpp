// ARCHIVE and ARCHIVE@VERSION on the command line: what commands take where they take a file.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/archive.hpp"

namespace hdb::inspect {

/// `saves.hdba@gate/7` in two parts.
struct ArchivePlace {
  std::string archive;
  std::string version;  ///< After the @; empty: there is none.
};

/// Takes a text apart at its last @. The text may be an archive alone.
[[nodiscard]] ArchivePlace split_archive_place(const std::string& text);

/// The two parts, if the text names a save of an archive and is not the path of a file: what is
/// before the @ is an archive.
[[nodiscard]] std::optional<ArchivePlace> archive_place(const std::string& text);

/// Whether the text is the path of a file NAME.hdba, or the URL of an archive.
[[nodiscard]] bool is_archive(const std::string& path);

/// Opens an archive. Errors: those of Archive::open, with the place.
[[nodiscard]] Result<std::unique_ptr<Archive>> open_archive(const std::string& place,
                                                            bool create = false);

/// The save that a text names: WORLD/NUMBER, WORLD (its last save), WORLD/latest; in an archive of
/// one world also NUMBER and latest.
/// Errors: version_not_found, with what there is.
[[nodiscard]] Result<ArchiveVersion> find_version(Archive& archive, const std::string& text);

/// The saves that a text names: as find_version, or a range WORLD/3..9, WORLD/..9, WORLD/3.., which
/// may have no save. Errors: as find_version; bad_name for a range that is none.
[[nodiscard]] Result<std::vector<ArchiveVersion>> find_versions(Archive& archive,
                                                                const std::string& text);

/// Whether a world fits a glob. Without a glob, every world fits.
using WorldFilter = std::function<bool(const std::string& world)>;
/// Errors: bad_name; version_not_found if no world of the archive fits.
[[nodiscard]] Result<WorldFilter> worlds_that_fit(Archive& archive, const std::string& glob);

/// The source of ARCHIVE@VERSION. Errors: those of the functions above and of Archive::source.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_archived(const ArchivePlace& place,
                                                                const ReadLimits& limits);

}  // namespace hdb::inspect
