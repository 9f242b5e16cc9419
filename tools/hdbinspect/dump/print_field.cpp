// Prepares schemas for printing.
#include "dump/print_field.hpp"

#include <algorithm>

#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect::dumping {
namespace {

PrintField prepare(const Field& field, std::uint32_t& next_column,
                   const std::vector<TableDescriptor>& tables) {
  PrintField node;
  node.field = &field;
  node.kind = field.kind == FieldKind::enumeration ? field.children.front().kind : field.kind;
  node.width = static_cast<std::uint8_t>(fixed_width(field));
  node.column = next_column;
  node.key = json_text(field.name) + ':';
  if (field.kind == FieldKind::handle && !field.table.empty()) {
    for (const TableDescriptor& table : tables) {
      if (!can_name(field, table)) continue;
      node.handle_prefix = json_text(table.name);
      node.handle_prefix.back() = ':';  // in place of the closing quote
      node.type_id = table.type_id;
    }
  }
  next_column += leading_columns(field);
  if (field.kind == FieldKind::enumeration) return node;
  for (const Field& child : field.children)
    node.children.push_back(prepare(child, next_column, tables));
  return node;
}

bool want(PrintField& node, const std::vector<bool>& asked, bool all) {
  const std::uint32_t own = leading_columns(*node.field);
  for (std::uint32_t i = 0; i < own; ++i) all = all || asked[node.column + i];
  bool any = all;
  for (PrintField& child : node.children) any = want(child, asked, all) || any;
  // Half a pair says nothing: a map is printed with keys and values.
  if (node.kind == FieldKind::map && any && !all) {
    for (PrintField& child : node.children) want(child, asked, true);
  }
  node.wanted = any;
  return any;
}

void collect(const PrintField& node, std::vector<std::uint32_t>& columns) {
  if (!node.wanted) return;
  for (std::uint32_t i = 0; i < leading_columns(*node.field); ++i)
    columns.push_back(node.column + i);
  for (const PrintField& child : node.children) collect(child, columns);
}

}  // namespace

PrintField print_field(const Field& root, std::span<const std::uint32_t> columns, bool all,
                       const std::vector<TableDescriptor>& tables) {
  std::uint32_t count = 0;
  PrintField node = prepare(root, count, tables);
  std::vector<bool> asked(count);
  for (const std::uint32_t column : columns) asked[column] = true;
  want(node, asked, all);
  node.wanted = true;
  return node;
}

std::vector<std::uint32_t> columns_of_print(const PrintField& root) {
  std::vector<std::uint32_t> columns;
  collect(root, columns);
  std::sort(columns.begin(), columns.end());
  return columns;
}

}  // namespace hdb::inspect::dumping
