// Blocks and chunks named.
#include "hdb/inspect/reader.hpp"

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
  }
  return "unknown " + std::to_string(type);
}

bool belongs_to_table(std::uint8_t type) noexcept {
  return static_cast<format::BlockType>(type) == format::BlockType::rows ||
         static_cast<format::BlockType>(type) == format::BlockType::free_list;
}

std::string block_place(const Reader& reader, const BlockInfo& block) {
  if (!belongs_to_table(block.type) || block.table >= reader.tables().size()) {
    return block.part == 0
               ? block_type_text(block.type)
               : block_type_text(block.type) + " (part " + std::to_string(block.part) + ")";
  }
  const TableDescriptor& table = reader.tables()[block.table];
  std::string text = "table " + table.name + " > ";
  if (static_cast<format::BlockType>(block.type) == format::BlockType::free_list) {
    return text + "free list (part " + std::to_string(block.part) + ")";
  }
  const std::uint64_t end = table.group_end(block.group);
  text += "group " + std::to_string(block.group) + " (slots " +
          std::to_string(table.group_begin(block.group)) + ".." +
          std::to_string(end == 0 ? 0 : end - 1) + ")";
  if (block.part != 0) text += " > part " + std::to_string(block.part);
  return text;
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
