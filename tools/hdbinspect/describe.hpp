// Words for what a file says: storage, policies, block types, codecs, places.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/format/reader.hpp"

namespace hdb::inspect {

[[nodiscard]] std::string_view storage_name(Storage storage) noexcept;
[[nodiscard]] std::string_view free_list_name(FreeList free_list) noexcept;
[[nodiscard]] std::string_view generations_name(Generations generations) noexcept;
[[nodiscard]] std::string_view overflow_name(Overflow overflow) noexcept;
[[nodiscard]] std::string_view names_name(Names names) noexcept;
[[nodiscard]] std::string_view compaction_name(Compaction compaction) noexcept;
/// "65536 bytes aligned to 16, compacted at_release", or "none".
[[nodiscard]] std::string blobs_text(const std::optional<BlobPolicy>& blobs);
/// The numbers, or "none".
[[nodiscard]] std::string sort_text(const std::vector<std::uint64_t>& sort_work);
[[nodiscard]] std::string_view state_name(SlotState state) noexcept;
/// "<32,31>", or "<32,16,15>" with a type id.
[[nodiscard]] std::string layout_text(const HandleLayout& layout);
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
