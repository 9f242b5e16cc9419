// Texts become values of the kind of a field; LiveTable checks whether they fit.
#include "hdb/detail/imgui/field_edit.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "evolve/dynamic_access.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/migration.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail::imgui {
namespace {

using Kind = ValueStep::Kind;

auto no_value(const Field& field, std::string_view text, const char* wanted) {
  return fail(ErrorCode::invalid_value,
              "'" + escape_text(text) + "' is not a value of " + type_text(field) + ": " + wanted);
}

template <class Number>
std::optional<Number> number_of(std::string_view text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<DynamicValue> whole_number(const Field& field, std::string_view text) {
  if (const auto number = number_of<std::int64_t>(text)) return DynamicValue(*number);
  if (const auto number = number_of<std::uint64_t>(text)) return DynamicValue(*number);
  return no_value(field, text, "enter a whole number");
}

Result<DynamicValue> real_number(const Field& field, std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::string_view word = text.substr(is_negative ? 1 : 0);
  double number = 0;
  if (word == "Infinity" || word == "inf") {
    number = std::numeric_limits<double>::infinity();
  } else if (word == "NaN" || word == "nan") {
    number = std::numeric_limits<double>::quiet_NaN();
  } else {
    const auto [end, error] = parse_double(word, number);
    if (error != std::errc() || end != word.data() + word.size() || word.starts_with('-'))
      return no_value(field, text, "enter a number such as 12.5");
  }
  return DynamicValue(is_negative ? -number : number);
}

// One character is itself; more digits are the number of a code unit.
Result<DynamicValue> character(const Field& field, std::string_view text) {
  std::size_t at = 0;
  std::uint32_t code = 0;
  const bool is_one = !text.empty() && take_code_point(text, at, code) && at == text.size();
  const auto number = is_one ? code : number_of<std::uint32_t>(text);
  if (!number) return no_value(field, text, "enter one character or its number");
  if (field.kind == FieldKind::char32) return DynamicValue(static_cast<char32_t>(*number));
  if (field.kind == FieldKind::char16 && *number <= 0xffff)
    return DynamicValue(static_cast<char16_t>(*number));
  if (field.kind == FieldKind::char8 && *number <= (is_one ? 0x7fu : 0xffu))
    return DynamicValue(static_cast<char8_t>(*number));
  return no_value(field, text, "the character does not fit");
}

Result<DynamicValue> handle_value(const Field& field, std::string_view text,
                                  const std::vector<LiveTable>& tables) {
  if (text == "null" || text.empty()) return DynamicValue(std::uint64_t{0});
  if (text.starts_with("0x")) {
    if (const auto bits = number_of<std::uint64_t>(text.substr(2), 16)) return DynamicValue(*bits);
    return no_value(field, text, "the digits after 0x are not hexadecimal");
  }
  for (const LiveTable& table : tables) {
    const std::uint64_t named = can_name(field, table.descriptor()) ? table.find_named(text) : 0;
    if (named != 0) return DynamicValue(named);
  }
  const Result<Place> place = parse_place(text, tables);
  if (!place) return fail(place.error());
  for (const LiveTable& table : tables) {
    if (table.name() == place->table && can_name(field, table.descriptor()))
      return DynamicValue(place->handle);
  }
  return no_value(field, text, "the field does not name records of this table");
}

// Child `number` of a structure, in its schema.
const Field* child_of(const Field* field, std::uint64_t number) noexcept {
  return field != nullptr && number < field->children.size() ? &field->children[number] : nullptr;
}

const Field* element_field(const Field* field, std::uint64_t number) noexcept {
  if (field == nullptr) return nullptr;
  return child_of(field, field->kind == FieldKind::map ? number % 2 : 0);
}

// The field of what an optional or variant holds.
const Field* held_field(const Field* field, const DynamicValue& value) {
  if (field == nullptr) return nullptr;
  return child_of(field, field->kind == FieldKind::variant ? value.tag() : 0);
}

}  // namespace

DynamicValue& value_at(DynamicValue& record, const Field& root, std::span<const ValueStep> steps) {
  DynamicValue* value = &record;
  const Field* field = &root;
  for (const ValueStep& step : steps) {
    if (step.kind == Kind::field) {
      field = child_of(field, step.number);
      value = field != nullptr ? value->field(field->name) : nullptr;
    } else if (step.kind == Kind::element) {
      field = element_field(field, step.number);
      value = &value->element(static_cast<std::size_t>(step.number));
    } else {
      field = held_field(field, *value);
      value = &value->value();
    }
    if (value == nullptr || field == nullptr)
      throw DynamicError("the record does not have this field any more");
  }
  return *value;
}

std::string path_of(const Value& record, std::span<const ValueStep> steps) {
  std::string path;
  Value value = record;
  for (const ValueStep& step : steps) {
    const Field& field = *value.field;
    if (step.kind == Kind::held) {
      path = field.kind == FieldKind::variant ? variant_path(path, value.bits) : path + "?";
      if (value.children.empty()) break;
      value = Value(value.children.front());
    } else if (step.kind == Kind::field) {
      if (step.number >= value.children.size()) break;
      path = child_path(path, field.children[step.number].name);
      value = Value(value.children[step.number]);
    } else if (field.kind == FieldKind::map) {
      if (step.number >= value.children.size()) break;
      path =
          child_path(element_path(path, step.number / 2), step.number % 2 == 0 ? "key" : "value");
      value = Value(value.children[step.number]);
    } else {
      if (step.number >= value.bits) break;
      path = element_path(path, step.number);
      value = value.element(step.number);
    }
  }
  return path;
}

bool is_edited_as_text(FieldKind kind) noexcept {
  return (kind >= FieldKind::i8 && kind <= FieldKind::char32) || kind == FieldKind::handle ||
         kind == FieldKind::string;
}

std::string edited_text(const Value& value, const HandleNamer& namer) {
  const FieldKind kind = value.field->kind;
  if (kind == FieldKind::string) return std::string(value.text());
  if (kind < FieldKind::char8 || kind > FieldKind::char32) return value_text(value, namer);
  if (value.bits > ' ' && value.bits < 0x7f) return {static_cast<char>(value.bits)};
  return (value.bits < 10 ? "0" : "") + std::to_string(value.bits);
}

Result<DynamicValue> parse_value(const Field& field, std::string_view text,
                                 const std::vector<LiveTable>& tables) {
  switch (field.kind) {
    case FieldKind::f32:
    case FieldKind::f64: return real_number(field, text);
    case FieldKind::char8:
    case FieldKind::char16:
    case FieldKind::char32: return character(field, text);
    case FieldKind::handle: return handle_value(field, text, tables);
    case FieldKind::string: return DynamicValue(text);
    default: return whole_number(field, text);
  }
}

DynamicValue empty_value(const Field& field) {
  switch (field.kind) {
    case FieldKind::boolean: return false;
    case FieldKind::f32:
    case FieldKind::f64: return 0.0;
    case FieldKind::char8: return char8_t{0};
    case FieldKind::char16: return char16_t{0};
    case FieldKind::char32: return char32_t{0};
    case FieldKind::enumeration: {
      const std::vector<Enumerator> names = enumerators_of(field);
      return names.empty() ? DynamicValue(0) : DynamicValue(names.front().name);
    }
    case FieldKind::handle: return std::uint64_t{0};
    case FieldKind::string: return "";
    case FieldKind::structure: {
      DynamicValue made;
      for (const Field& child : field.children) {
        DynamicAccess::children(made).push_back(empty_value(child));
        DynamicAccess::name(DynamicAccess::children(made).back()) = child.name;
      }
      return made;
    }
    case FieldKind::array: {
      std::vector<DynamicValue> elements;
      for (std::uint64_t i = 0; i < field.count; ++i)
        elements.push_back(empty_value(field.children.front()));
      return DynamicValue::list(std::move(elements));
    }
    case FieldKind::list: return DynamicValue::list();
    case FieldKind::optional: return DynamicValue::none();
    case FieldKind::variant:
      return DynamicValue::alternative(0, empty_value(field.children.front()));
    case FieldKind::map: return DynamicValue::map();
    case FieldKind::opaque: return DynamicValue::opaque({});
    default: return 0;
  }
}

void add_pair(DynamicValue& map, const Field& field) {
  std::vector<std::pair<DynamicValue, DynamicValue>> pairs;
  for (std::size_t i = 0; i < map.size(); ++i)
    pairs.emplace_back(map.element(2 * i), map.element(2 * i + 1));
  pairs.emplace_back(empty_value(field.children[0]), empty_value(field.children[1]));
  map = DynamicValue::map(std::move(pairs));
}

Result<Place> parse_place(std::string_view text, const std::vector<LiveTable>& tables) {
  const std::size_t colon = text.rfind(':');
  const std::size_t at = text.rfind('@');
  std::optional<std::uint32_t> slot;
  std::optional<std::uint32_t> generation;
  if (colon != std::string_view::npos && at != std::string_view::npos && colon < at) {
    slot = number_of<std::uint32_t>(text.substr(colon + 1, at - colon - 1));
    generation = number_of<std::uint32_t>(text.substr(at + 1));
  }
  if (!slot || !generation) {
    return fail(ErrorCode::invalid_value, "'" + escape_text(text) +
                                              "' does not name a record; enter it as table:slot@"
                                              "generation, such as monsters:7@1");
  }
  std::vector<std::string> names;
  for (const LiveTable& table : tables) {
    names.push_back(escape_text(table.name()));
    if (names.back() != text.substr(0, colon)) continue;
    const TableDescriptor& descriptor = table.descriptor();
    const std::uint64_t handle =
        pack_handle(descriptor.policy.layout, *slot, *generation, descriptor.type_id);
    if (table.contains(handle)) return Place{table.name(), handle};
    return fail(ErrorCode::not_found, "table '" + names.back() + "' has no record " +
                                          std::string(text.substr(colon + 1)));
  }
  return fail(ErrorCode::not_found, "the database has no table '" +
                                        escape_text(text.substr(0, colon)) + "'" +
                                        did_you_mean(text.substr(0, colon), names));
}

}  // namespace hdb::detail::imgui
