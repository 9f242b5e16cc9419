// What the directory and block heads of a save say about a row group, to be compared with the next
// save.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hdb/inspect/reader.hpp"
#include "inspect/diff/file_side.hpp"

namespace hdb::history {

/// The table with this name.
[[nodiscard]] std::optional<std::size_t> index_of(const std::vector<TableDescriptor>& tables,
                                                  std::string_view name);

/// The payload hashes of the blocks of each row group of a table, by the directory alone; none of a
/// table in a pack.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> stored_hashes(const Reader& reader,
                                                                    std::size_t table);

/// Whether columns of equal hashes hold equal values of the same slots.
[[nodiscard]] bool same_shape(const TableDescriptor& a, const Field& root_of_a,
                              const TableDescriptor& b, const Field& root_of_b);

/// The record with number `rank` in a row group, whose columns `decoder` needs. Where all records
/// take equally many bytes, `bytes` receives those of this one, and no other record is decoded.
/// `value` is valid while `group` and `bytes` do not change.
[[nodiscard]] Status decode_row(const Field& root, RowDecoder& decoder, const RowGroup& group,
                                std::size_t rank, std::vector<Bytes>& bytes, Value& value);

}  // namespace hdb::history
