// What a reader accepts by default; lower than the format's hard maxima, and adjustable.
#pragma once

#include <cstdint>

namespace hdb {

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
