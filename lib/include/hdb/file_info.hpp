// What a file says about itself, and what a reader accepts by default.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "hdb/hash.hpp"

namespace hdb {

/// What a menu shows of a save; given by the caller, deterministic, not part of the state hash.
struct Metadata {
  std::string title;
  std::uint64_t play_time_ms = 0;
  std::int64_t date_unix_ms = 0;  ///< Given by the caller; 0: none. hdb never asks a clock.
  std::uint64_t sequence = 0;     ///< Rises from save to save of one game.
  std::map<std::string, std::string> values;  ///< Free key/values, UTF-8.

  friend bool operator==(const Metadata&, const Metadata&) = default;
};

/// The three feature masks of the header.
struct FeatureMasks {
  std::uint64_t incompatible = 0;  ///< An unknown bit: the file is refused.
  std::uint64_t read_only =
      0;  ///< An unknown bit: the file can be read, but must not be rewritten.
  std::uint64_t compatible = 0;  ///< Unknown bits are ignored.
};

/// What read_info tells: header, metadata and footer only.
struct FileInfo {
  std::uint16_t version_major = 0;
  std::uint16_t version_minor = 0;
  FeatureMasks features;
  std::uint64_t file_bytes = 0;
  Hash128 file_id;
  Hash128 state_hash;
  Metadata metadata;
};

/// Limits of reading a file. The writer refuses what these defaults would refuse at load.
struct ReadLimits {
  std::uint64_t max_file_bytes = std::uint64_t{64} << 30;
  std::uint64_t max_slots_per_table = std::uint64_t{1} << 28;
  std::uint64_t max_tables = 1024;
  std::uint64_t max_schema_fields = 4096;
  std::uint64_t max_blocks = std::uint64_t{1} << 22;
  std::uint64_t max_metadata_bytes = std::uint64_t{1} << 20;
  std::uint64_t max_thumbnail_bytes = std::uint64_t{16} << 20;
  std::uint64_t max_directory_bytes = std::uint64_t{512} << 20;
  /// Raw bytes of one column of one row group.
  std::uint64_t max_column_bytes = std::uint64_t{1} << 30;
  /// Decoded memory of one load, records and containers included.
  std::uint64_t max_memory_bytes = std::uint64_t{16} << 30;
};

}  // namespace hdb
