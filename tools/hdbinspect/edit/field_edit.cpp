// Takes an edit apart: the records before the path, the path before the value.
#include "edit/field_edit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "dump/selection.hpp"
#include "hdb/inspect/paths.hpp"
#include "names.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

tl::unexpected<Error> no_edit(std::string_view text) {
  return fail(ErrorCode::bad_name,
              fmt::format("'{}' is not an edit; edits look like monsters:42@1.gold=481 or "
                          "'monsters[hp < 0].hp=0'",
                          escape_text(text)));
}

// Where the bracket at `begin` is closed; npos if it is not. Filters have brackets and texts.
std::size_t closing_bracket(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[') ++depth;
    if (c == ']' && --depth == 0) return i;
    if (c != '\'' && c != '"' && c != '`') continue;
    for (++i; i < text.size() && text[i] != c; ++i) {
      if (text[i] == '\\') ++i;
    }
  }
  return std::string_view::npos;
}

// The table whose name is before a `[`; the longest name that fits.
std::optional<std::size_t> table_before_filter(const Reader& reader, std::string_view text) {
  const auto& tables = reader.tables();
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string& name = tables[i].name;
    if (!text.starts_with(name) || !text.substr(name.size()).starts_with('[')) continue;
    if (!found || tables[*found].name.size() < name.size()) found = i;
  }
  return found;
}

bool is_field(const Reader& reader, std::size_t table, std::string_view path) {
  return find_field(reader.schemas()[reader.tables()[table].schema], path).has_value();
}

// TABLE[FILTER].PATH=; returns what is after it.
Result<std::string_view> take_filtered(const Reader& reader, std::string_view text,
                                       FieldEdit& edit) {
  const TableDescriptor& table = reader.tables()[edit.table];
  const std::size_t begin = table.name.size();
  const std::size_t end = closing_bracket(text, begin);
  if (end == std::string_view::npos) return no_edit(text);
  const std::string_view filter = text.substr(begin + 1, end - begin - 1);
  const std::string_view rest = text.substr(end + 1);
  std::size_t equals = rest.find('=');
  for (std::size_t at = equals; at != std::string_view::npos; at = rest.find('=', at + 1)) {
    if (!rest.starts_with('.') || !is_field(reader, edit.table, rest.substr(1, at - 1))) continue;
    equals = at;
    break;
  }
  if (equals == std::string_view::npos || (equals != 0 && (rest[0] != '.' || equals == 1)))
    return no_edit(text);
  if (equals != 0) edit.path = rest.substr(1, equals - 1);
  if (filter != "*") {
    edit.filter_text = filter;
    const auto expression = FilterExpression::parse(filter);
    if (!expression) return fail(expression.error());
    auto bound = dumping::bind_filter(*expression, reader, edit.table);
    if (!bound) return fail(std::move(bound.error()));
    edit.filter = *std::move(bound);
  }
  return rest.substr(equals + 1);
}

// HANDLE.PATH=; names and keys may hold a `=`, so the first one that ends the path of a field is
// meant, else the first one that ends a name.
Result<std::string_view> take_handle(const Reader& reader, std::string_view text, FieldEdit& edit) {
  std::optional<Error> first;
  std::optional<std::string_view> value;
  for (std::size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1)) {
    const std::string_view name = text.substr(0, at);
    auto target = parse_target(reader, name, std::nullopt);
    if (!target) {
      if (!first) first = std::move(target.error());
      const auto slot = parse_slot(reader, name);
      if (!slot) continue;
      target = *slot;
    }
    const bool fits = is_field(reader, target->table, target->path);
    if (value && !fits) continue;
    value = text.substr(at + 1);
    edit.table = target->table;
    edit.is_of_record = true;
    edit.slot = target->slot;
    edit.generation = target->generation;
    edit.path = target->path;
    if (fits) break;
  }
  if (value) return *value;
  if (first) return fail(*std::move(first));
  return no_edit(text);
}

// Whether each record has the field once: there are only structures around it.
bool is_once_in(const Field& field, const Field& wanted) {
  if (&field == &wanted) return true;
  return field.kind == FieldKind::structure &&
         std::any_of(field.children.begin(), field.children.end(),
                     [&](const Field& child) { return is_once_in(child, wanted); });
}

// The field of the record that has these columns, as a record of its own.
void find_part(const Field& root, const FieldPlace& place, FieldEdit& edit) {
  edit.part = root;
  if (edit.path.empty()) return;
  std::uint32_t column = 0;
  for (const Field& child : root.children) {
    const std::uint32_t count = count_columns(child);
    if (place.first_column < column + count) {
      edit.part.children = {child};
      edit.first_column = column;
      return;
    }
    column += count;
  }
}

}  // namespace

Status parse_edit(const Reader& reader, std::string_view text, FieldEdit& edit) {
  edit.text = text;
  const auto filtered = table_before_filter(reader, text);
  if (const std::size_t bracket = text.find('['); !filtered && bracket < text.find_first_of(":=")) {
    const auto table = find_table(reader.tables(), text.substr(0, bracket));
    return table ? Status(no_edit(text)) : fail(table.error());
  }
  if (filtered) edit.table = *filtered;
  const auto value = filtered ? take_filtered(reader, text, edit) : take_handle(reader, text, edit);
  if (!value) return fail(value.error());
  const TableDescriptor& table = reader.tables()[edit.table];
  const Field& root = reader.schemas()[table.schema];
  const auto place = find_named_field(reader, edit.table, edit.path);
  if (!place) return fail(place.error());
  if (place->column_count == 0) {
    return fail(ErrorCode::not_found, fmt::format("field '{}' of table '{}' has no values",
                                                  escape_text(edit.path), escape_text(table.name)));
  }
  auto typed = TypedValue::read(*value, *place->field, reader.tables());
  if (!typed) return fail(std::move(typed.error()));
  edit.value = *std::move(typed);
  find_part(root, *place, edit);
  edit.column = place->first_column;
  if (is_once_in(root, *place->field)) edit.width = fixed_width(*place->field);
  return {};
}

Status check_records(const Reader& reader, const FieldEdit& edit) {
  if (edit.is_of_record) {
    SlotLookup slots(reader);
    const auto facts = slots.find(edit.table, edit.slot);
    if (!facts) return fail(facts.error());
    if (Status live = check_live(reader.tables()[edit.table], *facts, edit.slot, edit.generation);
        !live)
      return live;
  }
  return check_handles(reader, edit.value->value());
}

}  // namespace hdb::inspect
