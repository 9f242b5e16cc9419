// The columns of a schema: its leaves in pre-order, with their paths.
#include "hdb/inspect/schema.hpp"

namespace hdb {
namespace {

void add_columns(const Field& field, const std::string& path, std::vector<Column>& out) {
  const auto add = [&](ColumnRole role, unsigned width, FieldKind kind) {
    out.push_back({path, role, width, kind, &field});
  };
  switch (field.kind) {
    case FieldKind::structure:
      for (const Field& child : field.children) {
        add_columns(child, path.empty() ? child.name : path + "." + child.name, out);
      }
      return;
    case FieldKind::array:
      for (const Field& child : field.children) add_columns(child, path + "[]", out);
      return;
    case FieldKind::string:
    case FieldKind::opaque:
      add(ColumnRole::lengths, 0, field.kind);
      add(ColumnRole::bytes, 0, field.kind);
      return;
    case FieldKind::list:
      add(ColumnRole::lengths, 0, field.kind);
      for (const Field& child : field.children) add_columns(child, path + "[]", out);
      return;
    case FieldKind::map:
      add(ColumnRole::lengths, 0, field.kind);
      for (std::size_t i = 0; i < field.children.size(); ++i) {
        add_columns(field.children[i], path + (i == 0 ? "[].key" : "[].value"), out);
      }
      return;
    case FieldKind::optional:
      add(ColumnRole::presence, 0, field.kind);
      for (const Field& child : field.children) add_columns(child, path + "?", out);
      return;
    case FieldKind::variant:
      add(ColumnRole::tags, 0, field.kind);
      for (std::size_t i = 0; i < field.children.size(); ++i) {
        add_columns(field.children[i], path + "<" + std::to_string(i) + ">", out);
      }
      return;
    case FieldKind::enumeration:
      add(ColumnRole::values, fixed_width(field),
          field.children.empty() ? FieldKind::u8 : field.children.front().kind);
      return;
    default: add(ColumnRole::values, fixed_width(field), field.kind); return;
  }
}

}  // namespace

std::vector<Column> columns_of(const Field& root) {
  std::vector<Column> columns;
  add_columns(root, {}, columns);
  return columns;
}

}  // namespace hdb
