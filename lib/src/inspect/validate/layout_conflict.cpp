// Compares the layouts of handle fields with those of the tables that they name.
#include "inspect/validate/layout_conflict.hpp"

namespace hdb {

std::string layout_conflict_of(const Field& handle, const std::string& path,
                               const LayoutOfTable& layout_of) {
  if (handle.table.empty()) return {};
  const auto layout = layout_of(handle.table);
  if (!layout || *layout == handle.layout) return {};
  return "the handles of field '" + path + "' are " + layout_text(handle.layout) +
         ", but those of table '" + handle.table + "' are " + layout_text(*layout) +
         ", so they name no record";
}

std::string find_layout_conflict(const Field& root, const LayoutOfTable& layout_of) {
  for (const Column& column : columns_of(root)) {
    if (column.kind != FieldKind::handle) continue;
    std::string conflict = layout_conflict_of(*column.field, column.path, layout_of);
    if (!conflict.empty()) return conflict;
  }
  return {};
}

}  // namespace hdb
