// Blocks and chunks named.
#include "hdb/inspect/reader.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "hdb/inspect/constants.hpp"

namespace hdb {
namespace {

// What a column holds where it is not the values themselves.
std::string_view role_text(ColumnRole role) noexcept {
  switch (role) {
    case ColumnRole::lengths: return " (lengths)";
    case ColumnRole::presence: return " (presence)";
    case ColumnRole::tags: return " (tags)";
    case ColumnRole::values:
    case ColumnRole::bytes: return "";
  }
  return "";
}

}  // namespace

std::string block_type_text(std::uint8_t type) {
  switch (static_cast<format::BlockType>(type)) {
    case format::BlockType::metadata: return "metadata";
    case format::BlockType::thumbnail: return "thumbnail";
    case format::BlockType::catalog: return "catalog";
    case format::BlockType::rows: return "rows";
    case format::BlockType::free_list: return "free_list";
    case format::BlockType::pack: return "pack";
  }
  return "unknown " + std::to_string(type);
}

std::string block_place(const Reader& reader, const BlockInfo& block) {
  const std::vector<TableDescriptor>& tables = reader.tables();
  const auto type = static_cast<format::BlockType>(block.type);
  const std::string part = " (part " + std::to_string(block.part) + ")";
  if (type == format::BlockType::rows && block.table < tables.size()) {
    const std::string group = group_place(reader, block.table, block.group);
    return block.part == 0 ? group : group + " > part " + std::to_string(block.part);
  }
  if (type == format::BlockType::free_list && block.table < tables.size())
    return "table " + tables[block.table].name + " > free list" + part;
  if (type == format::BlockType::pack) {
    const auto index = static_cast<std::size_t>(&block - reader.blocks().data());
    const std::vector<std::uint32_t> packed = reader.tables_in(index);
    if (packed.size() == 1) return "pack of table " + tables[packed.front()].name;
    return "pack of " + std::to_string(packed.size()) + " tables (" + tables[packed.front()].name +
           (packed.size() == 2 ? ", " : " ... ") + tables[packed.back()].name + ")";
  }
  return block.part == 0 ? block_type_text(block.type) : block_type_text(block.type) + part;
}

std::string group_place(const Reader& reader, std::size_t table, std::uint64_t group) {
  const TableDescriptor& descriptor = reader.tables()[table];
  const std::uint64_t end = descriptor.group_end(group);
  return "table " + descriptor.name + " > group " + std::to_string(group) + " (slots " +
         std::to_string(descriptor.group_begin(group)) + ".." +
         std::to_string(end == 0 ? 0 : end - 1) + ")";
}

TableBytes bytes_of_table(const Reader& reader, std::size_t table) {
  TableBytes bytes;
  for (std::size_t i = 0; i < reader.blocks().size(); ++i) {
    const BlockInfo& block = reader.blocks()[i];
    const std::vector<std::uint32_t> tables = reader.tables_in(i);
    if (!std::binary_search(tables.begin(), tables.end(), table)) continue;
    bytes.blocks += 1;
    if (static_cast<format::BlockType>(block.type) != format::BlockType::pack) {
      bytes.raw += block.raw_bytes;
      bytes.stored += block.stored_bytes;
      continue;
    }
    const auto chunks = reader.chunks(table, 0);
    if (!chunks) continue;
    bytes.raw += 4 * reader.tables()[table].listed_count();
    for (const ChunkInfo& chunk : *chunks) bytes.raw += chunk.raw_bytes;
    bytes.stored += bytes.raw * block.stored_bytes / block.raw_bytes;
  }
  return bytes;
}

std::string chunk_place(const Reader& reader, const BlockInfo& block, const ChunkInfo& chunk) {
  if (static_cast<format::BlockType>(block.type) != format::BlockType::rows) return {};
  std::string text = " > ";
  if (chunk.column == format::kColumnStates) {
    text += "slot states";
  } else if (chunk.column == format::kColumnGenerations) {
    text += "generations";
  } else if (chunk.column == format::kColumnPositions) {
    text += "dense positions";
  } else {
    const TableDescriptor& table = reader.tables()[block.table];
    const std::vector<Column> columns = columns_of(reader.schemas()[table.schema]);
    const std::size_t index = chunk.column - format::kFirstSchemaColumn;
    text += "column ";
    text += index < columns.size() ? columns[index].path : std::to_string(chunk.column);
    if (index < columns.size()) text += role_text(columns[index].role);
  }
  if (chunk.piece != 0) text += " (piece " + std::to_string(chunk.piece) + ")";
  return text;
}

}  // namespace hdb
