// Row groups as the directory describes them, and single records of row groups.
#include "inspect/history/group_hashes.hpp"

#include <algorithm>

#include "hdb/inspect/constants.hpp"

namespace hdb::history {

std::optional<std::size_t> index_of(const std::vector<TableDescriptor>& tables,
                                    std::string_view name) {
  const auto found = std::lower_bound(
      tables.begin(), tables.end(), name,
      [](const TableDescriptor& table, std::string_view wanted) { return table.name < wanted; });
  if (found == tables.end() || found->name != name) return std::nullopt;
  return static_cast<std::size_t>(found - tables.begin());
}

std::vector<std::vector<std::uint64_t>> stored_hashes(const Reader& reader, std::size_t table) {
  std::vector<std::vector<std::uint64_t>> hashes(
      static_cast<std::size_t>(reader.tables()[table].group_count()));
  for (const BlockInfo& block : reader.blocks()) {
    if (static_cast<format::BlockType>(block.type) == format::BlockType::rows &&
        block.table == table && block.group < hashes.size()) {
      hashes[static_cast<std::size_t>(block.group)].push_back(block.payload_hash);
    }
  }
  return hashes;
}

bool same_shape(const TableDescriptor& a, const Field& root_of_a, const TableDescriptor& b,
                const Field& root_of_b) {
  return a.group_shift == b.group_shift && a.policy.storage == b.policy.storage &&
         root_of_a == root_of_b;
}

Status decode_row(const Field& root, RowDecoder& decoder, const RowGroup& group, std::size_t rank,
                  std::vector<Bytes>& bytes, Value& value) {
  const std::vector<Column> columns = columns_of(root);
  const std::size_t live = group.live_count();
  bool fixed = live != 0;
  for (const std::uint32_t column : decoder.needed_columns()) {
    fixed = fixed && columns[column].role == ColumnRole::values &&
            group.columns[column].size() % live == 0;
  }
  if (fixed) {
    bytes.assign(columns.size(), {});
    for (const std::uint32_t column : decoder.needed_columns()) {
      const Bytes& all = group.columns[column];
      const auto size = static_cast<std::ptrdiff_t>(all.size() / live);
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(rank) * size;
      bytes[column].assign(first, first + size);
    }
    decoder.begin(bytes);
    return decoder.next(value);
  }
  decoder.begin(group.columns);
  for (std::size_t row = 0; row <= rank; ++row) {
    if (Status read = decoder.next(value); !read) return read;
  }
  return {};
}

}  // namespace hdb::history
