// Flattens structures; writes what has parts as JSON.
#include "dump/csv.hpp"

#include <initializer_list>
#include <utility>

#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect {
namespace {

// What is in an optional, or the field itself.
const Field& content_of(const Field& field) {
  return field.kind == FieldKind::optional ? content_of(field.children.front()) : field;
}

bool is_flattened(const Field& field) { return content_of(field).kind == FieldKind::structure; }

// Drops the fields of flattened structures that have none of the columns asked for; false if
// nothing of the field is left. `next` is the first column of the field, then the one after it.
bool keep_asked(Field& field, const std::vector<bool>& asked, std::uint32_t& next, bool all) {
  const std::uint32_t first = next;
  next += is_flattened(field) ? leading_columns(field)
                              : static_cast<std::uint32_t>(columns_of(field).size());
  for (std::uint32_t column = first; column < next; ++column) all = all || asked[column];
  if (!is_flattened(field)) return all;
  std::vector<Field> kept;
  for (Field& child : field.children) {
    if (keep_asked(child, asked, next, all)) kept.push_back(std::move(child));
  }
  field.children = std::move(kept);
  return all || !field.children.empty();
}

void add_names(const Field& shown, const std::string& path, std::vector<std::string>& names) {
  if (!is_flattened(shown)) return names.push_back(path);
  for (const Field& child : content_of(shown).children)
    add_names(child, child_path(path, child.name), names);
}

void append_inside_quotes(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
}

void append_quoted(std::string_view text, std::string& out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  append_inside_quotes(text, out);
  out += '"';
}

bool removes_one_of(std::initializer_list<std::string_view> starts, std::string_view& text) {
  for (const std::string_view start : starts) {
    if (!text.starts_with(start)) continue;
    text.remove_prefix(start.size());
    return true;
  }
  return false;
}

// Spreadsheets pass over spaces and quotes, and take the wide signs of East Asian texts for the
// ordinary ones.
bool is_formula(std::string_view text) {
  while (removes_one_of({" ", "\u00a0", "\u3000", "\"", "'"}, text)) {
  }
  return removes_one_of({"=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20"},
                        text);
}

}  // namespace

void append_csv_text(std::string_view text, std::string& out) {
  append_quoted((is_formula(text) ? "'" : "") + escape_text(text), out);
}

CsvCells::CsvCells(const Field& root, std::optional<std::span<const std::uint32_t>> columns,
                   const std::vector<TableDescriptor>& tables, std::function<void()> spill)
    : shown_(root),
      namer_(tables),
      json_(namer_, JsonValueWriter::Form::plain, [this] { spill_cell(); }),
      spill_(std::move(spill)) {
  if (!columns) return;
  std::vector<bool> asked(columns_of(root).size());
  for (const std::uint32_t column : *columns) asked[column] = true;
  std::uint32_t next = 0;
  static_cast<void>(keep_asked(shown_, asked, next, false));
}

std::vector<std::string> CsvCells::names() const {
  std::vector<std::string> names;
  add_names(shown_, {}, names);
  return names;
}

// A null value is absent: its cells are empty.
void CsvCells::append(const Field& shown, const Value* value, std::string& out) {
  if (!is_flattened(shown)) {
    out += ',';
    if (value != nullptr) append_cell(*value, out);
    return;
  }
  while (value != nullptr && value->field->kind == FieldKind::optional)
    value = value->children.empty() ? nullptr : &value->children.front();
  const std::vector<Field>& fields = content_of(shown).children;
  for (std::size_t i = 0; i < fields.size(); ++i)
    append(fields[i], value == nullptr ? nullptr : &value->children[i], out);
}

// Numbers as they are; texts escaped; what has parts as JSON.
void CsvCells::append_cell(const Value& value, std::string& out) {
  const FieldKind kind = value.field->kind;
  if (kind == FieldKind::optional) {
    if (!value.children.empty()) append_cell(value.children.front(), out);
    return;
  }
  if (kind == FieldKind::string) {
    return value.bytes.size() > kTextPieceBytes ? append_large_text(value.text(), out)
                                                : append_csv_text(value.text(), out);
  }
  if (kind == FieldKind::handle && value.bits != 0)
    return append_csv_text(namer_.name(*value.field, value.bits), out);
  cell_.clear();
  out_ = &out;
  is_spilled_ = false;
  json_.append(value, cell_);
  if (is_spilled_) {
    append_inside_quotes(cell_, out);
    out += '"';
    return;
  }
  std::string_view cell = cell_;
  if (cell.starts_with('"')) cell = cell.substr(1, cell.size() - 2);  // a number that JSON quotes
  append_quoted(cell, out);
}

// A large part of a cell. It goes into quotes, which never hurt.
void CsvCells::spill_cell() {
  if (!std::exchange(is_spilled_, true)) *out_ += '"';
  append_inside_quotes(cell_, *out_);
  cell_.clear();
  if (spill_) spill_();
}

void CsvCells::append_large_text(std::string_view text, std::string& out) {
  out += is_formula(text) ? "\"'" : "\"";
  for (std::string_view piece; !(piece = take_piece(text)).empty();) {
    append_inside_quotes(escape_text(piece), out);
    if (spill_) spill_();
  }
  out += '"';
}

}  // namespace hdb::inspect
