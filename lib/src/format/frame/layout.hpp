// Where each row group and free list lies: the directory compared with the one order in which
// blocks may stand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/frame/frame.hpp"

namespace hdb::format {

/// Numbers of the directory's entries. Parts of one group, and blocks of one free list, follow one
/// another.
struct TableLayout {
  std::vector<std::uint32_t> groups;  ///< First entry of each group, and one past the last.
  std::uint32_t free_list = 0;
  std::uint32_t free_list_blocks = 0;
  std::optional<std::uint32_t> pack;  ///< The entry of the pack that holds all of the table.
};

/// The most bytes that the content of a block of this type may have, uncompressed.
[[nodiscard]] std::uint64_t max_raw(std::uint8_t type) noexcept;

/// Blocks fill the file from header to directory without gap or overlap, and no two have the same
/// key. Errors: bad_geometry, bad_directory, limit_exceeded, unknown_block, unexpected_block.
[[nodiscard]] Status check_geometry(const std::vector<BlockInfo>& blocks,
                                    std::uint64_t directory_offset);

/// Indices of the blocks of known types, in file order.
[[nodiscard]] std::vector<std::uint32_t> known_blocks(const std::vector<BlockInfo>& blocks);

/// Compares the known blocks with the order of FORMAT.md: metadata, thumbnail, catalog, tables,
/// catalog. Errors: missing_block, unexpected_block.
[[nodiscard]] Result<std::vector<TableLayout>> lay_out(const std::vector<BlockInfo>& blocks,
                                                       const std::vector<std::uint32_t>& known,
                                                       const std::vector<TableDescriptor>& tables);

}  // namespace hdb::format
