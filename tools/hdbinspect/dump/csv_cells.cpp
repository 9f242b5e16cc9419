// Rows as cells of CSV (RFC 4180).
#include <string>

#include "dump/row_printer.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::inspect::dumping {
namespace {

// What is one cell, or several: structures are flattened, also behind an optional.
const PrintField& flat(const PrintField& node) {
  return node.kind == FieldKind::optional ? flat(node.children.front()) : node;
}

bool is_flattened(const PrintField& node) { return flat(node).kind == FieldKind::structure; }

void add_names(const PrintField& node, const std::string& path, std::vector<std::string>& names) {
  if (!node.wanted) return;
  if (!is_flattened(node)) return names.push_back(path);
  for (const PrintField& child : flat(node).children)
    add_names(child, child_path(path, child.field->name), names);
}

bool begins_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
}

}  // namespace

void put_csv_cell(TextBuffer& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return out.put(text);
  out.put('"');
  for (const char c : text) {
    if (c == '"') out.put('"');
    out.put(c);
  }
  out.put('"');
}

void put_csv_text(TextBuffer& out, std::string_view text) {
  std::string safe = escape_text(text);
  if (begins_formula(text)) safe.insert(0, 1, '\'');
  put_csv_cell(out, safe);
}

std::vector<std::string> RowPrinter::csv_header() const {
  std::vector<std::string> names;
  add_names(root_, {}, names);
  return names;
}

Status RowPrinter::csv() {
  values_ = 0;
  may_spill_ = false;  // cells are changed where they stand
  cells(root_, false);
  may_spill_ = true;
  return end_row();
}

void RowPrinter::cells(const PrintField& node, bool absent) {
  if (!node.wanted) return;
  if (!is_flattened(node)) {
    out_.put(',');
    if (!absent) cell(node);
    return;
  }
  const PrintField* inner = &node;
  while (inner->kind == FieldKind::optional) {
    absent = absent || !cursors_.take_bit(inner->column);
    inner = &inner->children.front();
  }
  for (const PrintField& child : inner->children) cells(child, absent);
}

// Numbers as they are; texts escaped; what has parts as JSON.
void RowPrinter::cell(const PrintField& node) {
  if (node.kind == FieldKind::optional) {
    if (cursors_.take_bit(node.column)) cell(node.children.front());
    return;
  }
  if (node.kind == FieldKind::string) {
    const std::uint64_t size = cursors_.take_length(node.column);
    return put_csv_text(out_, cursors_.take_text(node.column + 1, size));
  }
  // As JSON into the end of the buffer, then into its place as a cell.
  const std::size_t begin = out_.size();
  value<true>(node);
  std::string_view json = out_.view().substr(begin);
  if (node.kind == FieldKind::handle && json.size() > 1 && json[0] == '"') {
    const std::uint64_t bits = last_bits(node);
    out_.cut(begin);
    return put_csv_text(out_, namer_.name(*node.field, bits));
  }
  const bool has_parts = node.children.size() != 0 || node.kind == FieldKind::opaque;
  if (!has_parts && json.size() > 1 && json[0] == '"') json = json.substr(1, json.size() - 2);
  cell_.clear();
  put_csv_cell(cell_, json);
  out_.cut(begin);
  out_.put(cell_.view());
}

}  // namespace hdb::inspect::dumping
