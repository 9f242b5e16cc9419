// Words for what a file says: block types, places, dates, sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/format/reader.hpp"
#include "hdb/schema/words.hpp"

namespace hdb::inspect {

/// "metadata", "rows", ...; "unknown 77" for a type that this version does not know.
[[nodiscard]] std::string block_type_text(std::uint8_t type);
/// Whether blocks of this type belong to a table.
[[nodiscard]] bool belongs_to_table(std::uint8_t type) noexcept;
/// The table's name is as in the file, not escaped: "table monsters > group 3 (slots 49152..65535)", "metadata".
[[nodiscard]] std::string block_place(const Reader& reader, const BlockInfo& block);
/// " > column pos.x", " > slot states"; nothing for the entries of a free list.
[[nodiscard]] std::string chunk_place(const Reader& reader, const BlockInfo& block,
                                      const ChunkInfo& chunk);
/// "2026-11-21 05:43:49 UTC".
[[nodiscard]] std::string date_text(std::int64_t unix_ms);
/// "1 h 23 min 45 s".
[[nodiscard]] std::string duration_text(std::uint64_t ms);

/// What a table's blocks hold.
struct TableBytes {
  std::uint64_t raw = 0;
  std::uint64_t stored = 0;
  std::uint64_t blocks = 0;
};
[[nodiscard]] TableBytes bytes_of_table(const Reader& reader, std::size_t table);

}  // namespace hdb::inspect
