// Columns counted as columns_of lists them.
#include "hdb/detail/format/columns/row_node.hpp"

namespace hdb::detail {

RowNode make_row_node(const Field& field, std::uint32_t& next_column) {
  RowNode node;
  node.field = &field;
  node.column = next_column;
  switch (field.kind) {
    case FieldKind::structure: break;
    case FieldKind::array: node.packed = fixed_width(field.children.front()) != 0; break;
    case FieldKind::list:
      node.packed = fixed_width(field.children.front()) != 0;
      ++next_column;
      break;
    case FieldKind::map:
    case FieldKind::optional:
    case FieldKind::variant: ++next_column; break;
    case FieldKind::string:
    case FieldKind::opaque: next_column += 2; return node;
    default:  // one column of values; an enumeration's integer has none of its own
      node.width = fixed_width(field);
      ++next_column;
      return node;
  }
  node.children.reserve(field.children.size());
  for (const Field& child : field.children)
    node.children.push_back(make_row_node(child, next_column));
  return node;
}

}  // namespace hdb::detail
