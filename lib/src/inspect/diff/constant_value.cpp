// Finds the value of a field that is equal in all records, without reading other columns.
#include "inspect/diff/constant_value.hpp"

#include <optional>

#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::diffing {

Result<std::string> constant_value(const Reader& reader, std::size_t table_number,
                                   const std::string& path) {
  const TableDescriptor& table = reader.tables()[table_number];
  const Field& root = reader.schemas()[table.schema];
  const auto place = find_field(root, path);
  if (!place || place->column_count != 1 || fixed_width(*place->field) == 0) return std::string();
  const std::uint32_t column = place->first_column;
  std::optional<Value> value;
  RowDecoder decoder(root, {&column, 1});
  if (decoder.needed_columns().size() != 1)
    return std::string();  // in a list: how many there are would be needed too
  RowGroup group;
  Value row;
  for (std::uint64_t number = 0; number < table.group_count(); ++number) {
    const auto chunks = reader.chunks(table_number, number);
    if (!chunks) return fail(chunks.error());
    bool constant = false;
    bool empty = true;
    for (const ChunkInfo& chunk : *chunks) {
      if (chunk.column != format::kFirstSchemaColumn + column) continue;
      empty = empty && chunk.raw_bytes == 0;
      constant =
          chunk.piece == 0 && chunk.filter == static_cast<std::uint8_t>(format::Filter::constant);
    }
    if (empty) continue;
    if (!constant) return std::string();
    if (auto read = reader.read_columns(table_number, number, decoder.needed_columns(), group);
        !read) {
      return fail(std::move(read.error()));
    }
    decoder.begin(group.columns);
    if (group.live_count() == 0 || !decoder.next(row)) continue;
    const auto first = find_value(row, path);
    if (!first || (value && value->bits != first->bits)) return std::string();
    value = *first;
  }
  return value ? value_text(*value, HandleNamer(reader.tables())) : std::string();
}

}  // namespace hdb::diffing
