// What a save file says about itself (Metadata, FileInfo), and the limits of a reader (ReadLimits).
// Games use it for menus, tools for any file.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hdb/detail/base/api.hpp"
#include "hdb/hash.hpp"

namespace hdb {

/// What menus show about a save. The program supplies all of it: hdb never reads a clock, so equal
/// states with equal metadata give equal files. Not part of the state hash. All texts are UTF-8.
///
/// Example:
/// @code
/// hdb::Database db;
/// hdb::SaveOptions options;
/// options.metadata.title = "The Gate";
/// options.metadata.play_time_ms = 3'600'000;
/// options.metadata.values["difficulty"] = "hard";
/// if (!hdb::save(db.capture(), "gate.hdb", options)) return;
/// const auto info = hdb::read_info("gate.hdb");  // reads a few KiB, whatever the size
/// assert(info && info->metadata == options.metadata);
/// @endcode
struct Metadata {
  std::string title;
  std::uint64_t play_time_ms = 0;             ///< Milliseconds of play.
  std::int64_t date_unix_ms = 0;              ///< Milliseconds since 1970 in UTC; 0: not given.
  std::uint64_t sequence = 0;                 ///< Should rise from save to save of one game.
  std::map<std::string, std::string> values;  ///< Any further keys and values.

  friend bool operator==(const Metadata&, const Metadata&) = default;
};

/// The feature masks of a file header (FORMAT.md, "Header").
struct FeatureMasks {
  std::uint64_t incompatible = 0;  ///< A reader refuses the file if it does not know a bit.
  std::uint64_t read_only = 0;     ///< A tool that does not know a bit may read, not rewrite.
  std::uint64_t compatible = 0;    ///< A reader ignores bits that it does not know.
};

/// What read_info returns: the contents of header, metadata and footer.
struct FileInfo {
  std::uint16_t version_major = 0;  ///< The format version: major.minor.
  std::uint16_t version_minor = 0;
  FeatureMasks features;
  std::uint64_t file_bytes = 0;  ///< The size of the file.
  Hash128 file_id;               ///< Equal in header, blocks and footer of one file.
  Hash128 state_hash;            ///< As Snapshot::state_hash of the saved snapshot.
  Metadata metadata;
};

/// The limits of reading a file. A file beyond a limit is refused with an error of the category
/// `limit`. save applies the same limits, so that it never writes a file that load refuses.
struct ReadLimits {
  std::uint64_t max_file_bytes = std::uint64_t{64} << 30;
  std::uint64_t max_slots_per_table = std::uint64_t{1} << 28;
  std::uint64_t max_tables = 4096;         ///< As many as the format allows.
  std::uint64_t max_schema_fields = 4096;  ///< Fields of one schema.
  std::uint64_t max_blocks = std::uint64_t{1} << 22;
  std::uint64_t max_metadata_bytes = std::uint64_t{1} << 20;
  std::uint64_t max_thumbnail_bytes = std::uint64_t{16} << 20;
  std::uint64_t max_directory_bytes = std::uint64_t{512} << 20;
  /// The size of one column of one row group, decoded.
  std::uint64_t max_column_bytes = std::uint64_t{1} << 30;
  /// The memory that a load allocates for decoded data, records and containers included.
  std::uint64_t max_memory_bytes = std::uint64_t{16} << 30;
  /// Decoded bytes for each stored byte: of a file with more than 1 GiB of content, and of a load
  /// (memory_budget) that needs more than 1 GiB of memory for records and containers. What exceeds
  /// it is an attack, not a save: save stores equal bytes as densely as this allows, and no denser.
  std::uint64_t max_content_ratio = 1000;

  /// Every limit as high as the format allows, or without effect: for files that are trusted.
  [[nodiscard]] HDB_INSPECT_API static ReadLimits highest() noexcept;
};

}  // namespace hdb
