// Words for what a file says.
#include "describe.hpp"

#include <fmt/format.h>

#include "hdb/schema/constants.hpp"
#include "text.hpp"

namespace hdb::inspect {
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
  return fmt::format("unknown {}", type);
}

bool belongs_to_table(std::uint8_t type) noexcept {
  return static_cast<format::BlockType>(type) == format::BlockType::rows ||
         static_cast<format::BlockType>(type) == format::BlockType::free_list;
}

std::string block_place(const Reader& reader, const BlockInfo& block) {
  if (!belongs_to_table(block.type) || block.table >= reader.tables().size()) {
    return block.part == 0 ? block_type_text(block.type)
                           : fmt::format("{} (part {})", block_type_text(block.type), block.part);
  }
  const TableDescriptor& table = reader.tables()[block.table];
  std::string text = fmt::format("table {} > ", table.name);
  if (static_cast<format::BlockType>(block.type) == format::BlockType::free_list) {
    return text + fmt::format("free list (part {})", block.part);
  }
  const std::uint64_t end = table.group_end(block.group);
  text += fmt::format("group {} (slots {}..{})", block.group, table.group_begin(block.group),
                      end == 0 ? 0 : end - 1);
  if (block.part != 0) text += fmt::format(" > part {}", block.part);
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
    text += index < columns.size() ? columns[index].path : fmt::format("{}", chunk.column);
    if (index < columns.size()) text += role_text(columns[index].role);
  }
  if (chunk.piece != 0) text += fmt::format(" (piece {})", chunk.piece);
  return text;
}

std::string date_text(std::int64_t unix_ms) {
  // Days since 1970 to a date of the Gregorian calendar, counted in years that begin in March.
  std::int64_t seconds = unix_ms / 1000 - (unix_ms % 1000 < 0 ? 1 : 0);
  std::int64_t days = seconds / 86400 - (seconds % 86400 < 0 ? 1 : 0);
  seconds -= days * 86400;
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * march_month + 2) / 5 + 1;
  const std::int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", year, month, day, seconds / 3600,
                     seconds / 60 % 60, seconds % 60);
}

std::string duration_text(std::uint64_t ms) {
  const std::uint64_t seconds = ms / 1000;
  if (seconds < 60) return fmt::format("{}.{:03} s", seconds, ms % 1000);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min {} s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

TableBytes bytes_of_table(const Reader& reader, std::size_t table) {
  TableBytes bytes;
  for (const BlockInfo& block : reader.blocks()) {
    if (!belongs_to_table(block.type) || block.table != table) continue;
    bytes.raw += block.raw_bytes;
    bytes.stored += block.stored_bytes;
    bytes.blocks += 1;
  }
  return bytes;
}

}  // namespace hdb::inspect
