// Words for places in a file: blocks, and the column chunks in them.
#pragma once

#include <cstdint>
#include <string>

#include "hdb/inspect/reader.hpp"

namespace hdb {

/// "metadata", "rows", ...; "unknown 77" for a type that this version does not know.
[[nodiscard]] std::string block_type_text(std::uint8_t type);
/// Whether blocks of this type belong to a table.
[[nodiscard]] bool belongs_to_table(std::uint8_t type) noexcept;
/// The table's name is as in the file, not escaped: "table monsters > group 3 (slots 49152..65535)", "metadata".
[[nodiscard]] std::string block_place(const Reader& reader, const BlockInfo& block);
/// " > column pos.x", " > slot states"; nothing for the entries of a free list.
[[nodiscard]] std::string chunk_place(const Reader& reader, const BlockInfo& block,
                                      const ChunkInfo& chunk);

}  // namespace hdb
