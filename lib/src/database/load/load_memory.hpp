// The memory of a load: save refuses what load would refuse.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/using_detail.hpp"
#include "hdb/file_info.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/table_schema.hpp"

namespace hdb {

/// The most memory that a load of a file of this size may take. Records and containers can need far
/// more of it than their decoded bytes.
[[nodiscard]] inline std::uint64_t most_load_memory(std::uint64_t file_bytes,
                                                    const ReadLimits& limits) noexcept {
  const std::uint64_t ratio = std::max<std::uint64_t>(limits.max_content_ratio, 1);
  if (file_bytes > limits.max_memory_bytes / ratio) return limits.max_memory_bytes;
  return std::min(limits.max_memory_bytes, format::kAnyContentBytes + ratio * file_bytes);
}

/// What slots and records of a stored table take in a program that keeps them so, without
/// containers.
[[nodiscard]] inline std::uint64_t table_memory(const TableDescriptor& stored, Storage own,
                                                std::size_t record_bytes) noexcept {
  const std::uint64_t places = own == Storage::dense ? stored.position_count() : stored.slot_count;
  return places * record_bytes + stored.slot_count * 8 + stored.listed_count() * 4 +
         (stored.blobs ? stored.blobs->capacity_bytes : 0);
}

}  // namespace hdb
