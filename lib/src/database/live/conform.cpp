// One walk over field and value. It refuses what a load would refuse, in the words of a call; what
// needs no other form stays as it is.
#include "database/live/conform.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "evolve/dynamic_access.hpp"
#include "evolve/numbers.hpp"
#include "evolve/record_loader.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"
#include "inspect/values/integer_ranges.hpp"

namespace hdb {
namespace {

using Inside = DynamicAccess;

std::string place_of(const std::string& path) {
  return path.empty() ? "the record" : "field '" + path + "'";
}

bool is_whole_number(FieldKind kind) noexcept {
  return kind >= FieldKind::i8 && kind <= FieldKind::u64;
}

std::string with_kind(const DynamicValue& value) {
  switch (value.kind()) {
    case FieldKind::structure: return "a struct";
    case FieldKind::string: return "a string";
    case FieldKind::list: return "a list";
    case FieldKind::map: return "a map";
    case FieldKind::variant: return "a variant";
    case FieldKind::optional: return "an optional without a value";
    case FieldKind::handle: return "a handle";
    case FieldKind::enumeration: return "an enumerator";
    case FieldKind::opaque: return "opaque bytes";
    default: return "a number of " + std::string(kind_name(value.kind()));
  }
}

Status wrong_kind(const Field& field, const DynamicValue& value, const std::string& path) {
  return fail(ErrorCode::type_mismatch,
              (path.empty() ? "the record is " : "the field is ") +
                  std::string(kind_name(field.kind)) + ", but the value is " + with_kind(value),
              place_of(path));
}

/// Whether a load converts between the kinds.
bool are_of_one_kind(const Field& field, const DynamicValue& value) {
  const FieldKind kind = value.kind();
  if (field.kind == FieldKind::array) return kind == FieldKind::list;
  if (!evolve::is_number(field.kind) || !evolve::is_number(kind)) return field.kind == kind;
  return evolve::is_convertible(kind, field.kind);
}

// Why the number has no equal one of kind `own`.
std::string range_text(std::uint64_t bits, FieldKind kind, FieldKind own) {
  const std::string number = evolve::number_text(bits, kind);
  if (own == FieldKind::boolean) return "true or false is needed, not " + number;
  if (evolve::is_float(own)) return "no " + std::string(kind_name(own)) + " is equal to " + number;
  return detail::integers_text(evolve::leaf_width(own) * 8, evolve::is_signed_integer(own)) +
         " is needed, not " + number;
}

Result<std::uint64_t> convert(const DynamicValue& number, FieldKind own, const std::string& path) {
  const std::uint64_t bits = Inside::bits(number);
  const FieldKind leaf = Inside::leaf(number);
  if (const auto converted = evolve::convert_number(bits, leaf, own)) return *converted;
  return fail(ErrorCode::value_out_of_range, range_text(bits, leaf, own), place_of(path));
}

// The enumeration of this name or number.
Status name_enumerator(const Field& field, DynamicValue& value, const std::string& path) {
  const FieldKind leaf = field.children.front().kind;
  std::uint64_t bits = 0;
  if (value.kind() == FieldKind::string) {
    std::vector<std::string> names;
    const std::vector<Enumerator> enumerators = enumerators_of(field);
    for (const Enumerator& each : enumerators) names.push_back(each.name);
    const auto found = std::find(names.begin(), names.end(), value.text());
    if (found == names.end()) {
      return fail(ErrorCode::invalid_value,
                  "no enumerator is called '" + escape_text(value.text()) + "'" +
                      did_you_mean(value.text(), names),
                  place_of(path));
    }
    bits = enumerators[static_cast<std::size_t>(found - names.begin())].bits;
  } else if (value.kind() != FieldKind::enumeration && !is_whole_number(value.kind())) {
    return wrong_kind(field, value, path);
  } else {
    const auto number = convert(value, leaf, path);
    if (!number) return fail(number.error());
    if (value.kind() == FieldKind::enumeration) return {};
    bits = *number;
  }
  value = DynamicValue(std::uint8_t{0});
  Inside::kind(value) = FieldKind::enumeration;
  Inside::leaf(value) = leaf;
  Inside::bits(value) = bits;
  return {};
}

Status round_to_float(DynamicValue& value, const std::string& path) {
  const auto wide = value.as<double>();
  const auto narrow = static_cast<float>(wide);
  if (std::isfinite(wide) && !std::isfinite(narrow))
    return fail(ErrorCode::value_out_of_range, "the number is too large for f32", place_of(path));
  value = DynamicValue(narrow);
  return {};
}

void make_handle(const Field& field, DynamicValue& value) {
  const std::uint64_t bits = Inside::bits(value);
  value = DynamicValue(std::uint64_t{0});
  Inside::kind(value) = FieldKind::handle;
  Inside::layout(value) = field.layout;
  Inside::text(value) = field.table;
  Inside::bits(value) = bits;
}

Status check_whole(const Field& field, const DynamicValue& value, const std::string& path) {
  const auto& children = Inside::children(value);
  for (const Field& own : field.children) {
    const bool is_there = std::any_of(children.begin(), children.end(), [&](const auto& child) {
      return !Inside::is_removed(child) &&
             (Inside::is_unread(child) || Inside::name(child) == own.name);
    });
    if (!is_there)
      return fail(ErrorCode::invalid_value, "field '" + escape_text(own.name) + "' is missing",
                  place_of(path));
  }
  return {};
}

Status conform_fields(const Field& field, DynamicValue& value, const std::string& path,
                      bool is_whole) {
  for (DynamicValue& child : Inside::children(value)) {
    if (Inside::is_removed(child) || Inside::is_unread(child)) continue;
    const std::string name(Inside::name(std::as_const(child)));
    const auto own = std::find_if(field.children.begin(), field.children.end(),
                                  [&](const Field& each) { return each.name == name; });
    if (own == field.children.end()) {
      std::vector<std::string> names;
      for (const Field& each : field.children) names.push_back(each.name);
      return fail(ErrorCode::not_found, place_of(path) + " has no field '" + escape_text(name) +
                                            "'" + did_you_mean(name, names));
    }
    if (Status fits = conform(*own, child, child_path(path, name), is_whole); !fits) return fits;
  }
  return is_whole ? check_whole(field, value, path) : Status();
}

// Of lists and arrays.
Status conform_elements(const Field& field, DynamicValue& value, const std::string& path,
                        bool is_whole) {
  if (field.kind == FieldKind::array && value.size() != field.count) {
    return fail(
        ErrorCode::invalid_value,
        std::to_string(field.count) + " elements are needed, not " + std::to_string(value.size()),
        place_of(path));
  }
  if (Inside::is_packed(value)) return {};
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (Status fits = conform(field.children.front(), value.element(i), element_path(path, i),
                              is_whole || field.kind == FieldKind::list);
        !fits) {
      return fits;
    }
  }
  return {};
}

Status check_handle(const Field& field, const DynamicValue& value, const std::string& path) {
  const HandleLayout& layout = Inside::layout(value);
  if (!(layout == field.layout)) {
    return fail(ErrorCode::layout_mismatch,
                "the field holds handles of " + layout_text(field.layout) +
                    ", but the value is one of " + layout_text(layout),
                place_of(path));
  }
  const std::string& table = Inside::text(value);
  if (table.empty() || field.table.empty() || table == field.table) return {};
  return fail(ErrorCode::type_mismatch,
              "the field holds handles of table '" + field.table +
                  "', but the value is one of table '" + table + "'",
              place_of(path));
}

Status conform_alternative(const Field& field, DynamicValue& value, const std::string& path) {
  if (value.tag() < field.children.size())
    return conform(field.children[value.tag()], value.value(), path, true);
  return fail(ErrorCode::value_out_of_range,
              "the field has " + std::to_string(field.children.size()) +
                  " alternatives, but the value is number " + std::to_string(value.tag()) +
                  ", counted from 0",
              place_of(path));
}

Status conform_entries(const Field& field, DynamicValue& value, const std::string& path) {
  for (std::size_t i = 0; i < 2 * value.size(); ++i) {
    Status fits = conform(field.children[i % 2], value.element(i), element_path(path, i / 2), true);
    if (!fits) return fits;
  }
  return {};
}

// Takes the value out of an optional.
void unwrap(DynamicValue& value) {
  DynamicValue held = std::move(value.value());
  value = std::move(held);
}

// Whether a load makes a list of one of the value.
bool is_only_element(const Field& field, const DynamicValue& value) {
  if (field.kind != FieldKind::list || value.kind() == FieldKind::list) return false;
  const Field& element = field.children.front();
  return element.kind == FieldKind::optional || are_of_one_kind(element, value) ||
         is_only_element(element, value);
}

}  // namespace

Status conform(const Field& field, DynamicValue& value, const std::string& path, bool is_whole) {
  const FieldKind kind = value.kind();
  if (field.kind == FieldKind::optional) {
    if (kind != FieldKind::optional) value = DynamicValue::some(std::move(value));
    return value.has_value() ? conform(field.children.front(), value.value(), path, true)
                             : Status();
  }
  if (kind == FieldKind::optional) {
    if (!value.has_value()) return wrong_kind(field, value, path);
    unwrap(value);
    return conform(field, value, path, is_whole);
  }
  if (field.kind == FieldKind::enumeration) return name_enumerator(field, value, path);
  if (field.kind == FieldKind::f32 && kind == FieldKind::f64) return round_to_float(value, path);
  if (field.kind == FieldKind::handle &&
      (kind == FieldKind::u64 || kind == FieldKind::u32 || kind == FieldKind::u16)) {
    make_handle(field, value);
    return {};
  }
  if (!are_of_one_kind(field, value)) {
    return is_only_element(field, value) ? conform(field.children.front(), value, path, true)
                                         : wrong_kind(field, value, path);
  }
  switch (field.kind) {
    case FieldKind::structure: return conform_fields(field, value, path, is_whole);
    case FieldKind::handle: return check_handle(field, value, path);
    case FieldKind::variant: return conform_alternative(field, value, path);
    case FieldKind::list:
    case FieldKind::array: return conform_elements(field, value, path, is_whole);
    case FieldKind::map: return conform_entries(field, value, path);
    case FieldKind::opaque: return {};
    case FieldKind::string:
      if (!field.utf8_checked || is_utf8(value.text())) return {};
      return fail(ErrorCode::value_refused, "the field holds UTF-8, but the text is not UTF-8",
                  place_of(path));
    default:  // a character has no other form
      return evolve::is_number(field.kind)
                 ? convert(value, field.kind, path).map([](std::uint64_t) {})
                 : Status();
  }
}

}  // namespace hdb
