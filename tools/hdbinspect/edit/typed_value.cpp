// Bare words become JSON by the kind of the field; the reader of exact dumps does the rest.
#include "edit/typed_value.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hdb/inspect/handle_names.hpp"
#include "hdb/translate_handle.hpp"
#include "output.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

bool is_quoted(std::string_view text) { return text.size() >= 2 && text.front() == '"'; }

// The number of an enumerator, or the text itself.
std::string enumerator_json(std::string_view text, const Field& field) {
  const std::string_view name =
      is_quoted(text) && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
  for (const Enumerator& each : enumerators_of(field)) {
    if (each.name == name) return enumerator_number(each.bits, field.children.front().kind);
  }
  return json_text(name);
}

// What begins with a bracket is then the value that an optional holds.
bool is_json_array(const Field& field) {
  return field.kind == FieldKind::array || field.kind == FieldKind::list ||
         field.kind == FieldKind::map;
}

// Numbers and words that JSON does not have are texts for the reader.
std::string json_of(std::string_view text, const Field& field) {
  if (field.kind == FieldKind::optional) {
    const Field& held = field.children.front();
    if (text == "null" || (text.starts_with('[') && !is_json_array(held))) return std::string(text);
    return '[' + json_of(text, held) + ']';
  }
  if (is_quoted(text) && field.kind != FieldKind::enumeration) return std::string(text);
  switch (field.kind) {
    case FieldKind::structure:
    case FieldKind::array:
    case FieldKind::list:
    case FieldKind::map:
    case FieldKind::variant:
    case FieldKind::opaque: return std::string(text);
    case FieldKind::string:
      return text.starts_with("{\"hex\"") ? std::string(text) : json_text(text);
    case FieldKind::boolean:
      return text == "true" || text == "false" ? std::string(text) : json_text(text);
    case FieldKind::handle: return text == "null" ? std::string(text) : json_text(text);
    case FieldKind::enumeration: return enumerator_json(text, field);
    case FieldKind::f32:
    case FieldKind::f64: {
      const bool is_number = text != "-0" && !text.empty() &&
                             text.find_first_not_of("-+.0123456789eE") == std::string_view::npos;
      return is_number ? std::string(text) : json_text(text);
    }
    default: return json_text(text);  // integers are read from texts too
  }
}

std::string fault_of(std::string_view text, const Field& field, const Error& error) {
  const std::string names = field.kind == FieldKind::enumeration ? enumerators_text(field) : "";
  const std::string where =
      error.where.empty() || error.where == "fields" ? "" : error.where + ": ";
  return fmt::format("'{}' is not a value of type {}: {}{}{}", escape_text(text),
                     escape_text(type_text(field)), where, error.what,
                     names.empty() ? "" : "; or one of " + escape_text(names));
}

}  // namespace

Result<std::unique_ptr<const TypedValue>> TypedValue::read(
    std::string_view text, const Field& field, const std::vector<TableDescriptor>& tables) {
  std::unique_ptr<TypedValue> typed(new TypedValue(json_of(text, field), tables));
  Status read = typed->line_.parse(typed->json_.data(), typed->json_.size(), "value");
  if (read) read = typed->reader_.read(typed->line_, typed->line_.root(), field, typed->value_);
  if (!read) return fail(ErrorCode::bad_name, fault_of(text, field, read.error()));
  return std::unique_ptr<const TypedValue>(std::move(typed));
}

Status check_handles(const Reader& reader, const Value& value) {
  if (value.is_packed() && value.field->children.front().kind == FieldKind::handle) {
    for (std::uint64_t i = 0; i < value.bits; ++i) {
      if (Status checked = check_handles(reader, value.element(i)); !checked) return checked;
    }
  }
  for (const Value& child : value.children) {
    if (Status checked = check_handles(reader, child); !checked) return checked;
  }
  if (value.field->kind != FieldKind::handle || value.bits == 0) return {};
  const HandleNamer namer(reader.tables());
  const std::string name = namer.name(*value.field, value.bits);
  const auto table = namer.table_of(*value.field, value.bits);
  const auto parts = split_handle(value.field->layout, value.bits);
  if (!table || !parts) return fail(ErrorCode::not_found, name + " names no record of the file");
  SlotLookup slots(reader);
  const auto facts = slots.find(*table, parts->index);
  if (!facts) return fail(facts.error());
  if (*facts && (*facts)->state == SlotState::live && (*facts)->generation == parts->generation)
    return {};
  std::string why = "the record does not exist";
  if (*facts && (*facts)->state == SlotState::live) {
    why = "its slot holds another record now, " +
          handle_name(reader.tables()[*table], parts->index, (*facts)->generation);
  }
  return fail(ErrorCode::not_found, fmt::format("{} is stale: {}", name, why));
}

}  // namespace hdb::inspect
