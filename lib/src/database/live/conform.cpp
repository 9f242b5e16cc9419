// One walk over field and value; what needs no other form stays as it is. Another one finds what a
// load refused.
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

// Why the number has no equal one of kind `own`.
std::string range_text(std::uint64_t bits, FieldKind kind, FieldKind own) {
  const std::string number = evolve::number_text(bits, kind);
  if (own == FieldKind::boolean) return "true or false is needed, not " + number;
  if (evolve::is_float(own)) return "no " + std::string(kind_name(own)) + " is equal to " + number;
  return detail::integers_text(evolve::leaf_width(own) * 8, evolve::is_signed_integer(own)) +
         " is needed, not " + number;
}

// The enumeration of this name or number.
Status name_enumerator(const Field& field, DynamicValue& value, const std::string& path) {
  const FieldKind leaf = field.children.front().kind;
  std::uint64_t bits = Inside::bits(value);
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
  } else if (!is_whole_number(value.kind())) {
    return {};
  } else {
    const auto number = evolve::convert_number(bits, Inside::leaf(value), leaf);
    if (!number) {
      return fail(ErrorCode::value_out_of_range, range_text(bits, Inside::leaf(value), leaf),
                  place_of(path));
    }
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

// Takes the value out of an optional.
void unwrap(DynamicValue& value) {
  DynamicValue held = std::move(value.value());
  value = std::move(held);
}

}  // namespace

Status conform(const Field& field, DynamicValue& value, const std::string& path, bool is_whole) {
  if (value.kind() == FieldKind::optional && field.kind != FieldKind::optional) {
    if (!value.has_value()) {
      return fail(ErrorCode::type_mismatch,
                  "the field is " + std::string(kind_name(field.kind)) +
                      ", but the value is an optional without a value",
                  place_of(path));
    }
    unwrap(value);
    return conform(field, value, path, is_whole);
  }
  const FieldKind kind = value.kind();
  switch (field.kind) {
    case FieldKind::structure:
      return kind == FieldKind::structure ? conform_fields(field, value, path, is_whole) : Status();
    case FieldKind::f32: return kind == FieldKind::f64 ? round_to_float(value, path) : Status();
    case FieldKind::enumeration: return name_enumerator(field, value, path);
    case FieldKind::handle:
      if (kind == FieldKind::u64 || kind == FieldKind::u32 || kind == FieldKind::u16)
        make_handle(field, value);
      return {};
    case FieldKind::optional:
      if (kind != FieldKind::optional) value = DynamicValue::some(std::move(value));
      return value.has_value() ? conform(field.children.front(), value.value(), path, true)
                               : Status();
    case FieldKind::variant:
      if (kind != FieldKind::variant || value.tag() >= field.children.size()) return {};
      return conform(field.children[value.tag()], value.value(), path, true);
    case FieldKind::list:
    case FieldKind::array:
      return kind == FieldKind::list ? conform_elements(field, value, path, is_whole) : Status();
    case FieldKind::map:
      for (std::size_t i = 0; kind == FieldKind::map && i < 2 * value.size(); ++i) {
        if (Status fits =
                conform(field.children[i % 2], value.element(i), element_path(path, i / 2), true);
            !fits) {
          return fits;
        }
      }
      return {};
    default: return {};
  }
}

namespace {

std::string with_kind(const DynamicValue& value) {
  switch (value.kind()) {
    case FieldKind::structure: return "a struct";
    case FieldKind::string: return "a string";
    case FieldKind::list: return "a list";
    case FieldKind::map: return "a map";
    case FieldKind::variant: return "a variant";
    case FieldKind::handle: return "a handle";
    case FieldKind::enumeration: return "an enumerator";
    case FieldKind::opaque: return "opaque bytes";
    default: return "a number of " + std::string(kind_name(value.kind()));
  }
}

/// What does not fit, and where.
struct Misfit {
  std::string what;
  std::string path;
};
using MaybeMisfit = std::optional<Misfit>;

MaybeMisfit find_misfit(const Field& field, const DynamicValue& value, const std::string& path);

MaybeMisfit find_in_fields(const Field& field, const DynamicValue& value, const std::string& path) {
  for (const DynamicValue& child : Inside::children(value)) {
    if (Inside::is_removed(child) || Inside::is_unread(child)) continue;
    const std::string name(Inside::name(child));
    const auto own = std::find_if(field.children.begin(), field.children.end(),
                                  [&](const Field& each) { return each.name == name; });
    if (own == field.children.end()) continue;
    if (auto found = find_misfit(*own, child, child_path(path, name))) return found;
  }
  return {};
}

// Of lists and arrays, and of the keys and values of maps.
MaybeMisfit find_in_elements(const Field& field, const DynamicValue& value,
                             const std::string& path) {
  if (Inside::is_packed(value)) return {};
  const std::vector<DynamicValue>& elements = Inside::children(value);
  const std::size_t parts = field.children.size();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    auto found = find_misfit(field.children[i % parts], elements[i], element_path(path, i / parts));
    if (found) return found;
  }
  return {};
}

MaybeMisfit find_in_number(const Field& field, const DynamicValue& value, const std::string& path) {
  const FieldKind own = leaf_of(field);
  const std::uint64_t bits = Inside::bits(value);
  if (!evolve::is_convertible(Inside::leaf(value), own) ||
      evolve::convert_number(bits, Inside::leaf(value), own)) {
    return {};
  }
  return Misfit{range_text(bits, Inside::leaf(value), own), path};
}

MaybeMisfit find_in_handle(const Field& field, const DynamicValue& value, const std::string& path) {
  const HandleLayout& layout = Inside::layout(value);
  if (!(layout == field.layout)) {
    return Misfit{"the field holds handles of " + layout_text(field.layout) +
                      ", but the value is one of " + layout_text(layout),
                  path};
  }
  const std::string& table = Inside::text(value);
  if (table.empty() || field.table.empty() || table == field.table) return {};
  return Misfit{"the field holds handles of table '" + field.table +
                    "', but the value is one of table '" + table + "'",
                path};
}

/// Whether a load converts between the kinds.
bool are_of_one_kind(const Field& field, const DynamicValue& value) {
  const FieldKind kind = value.kind();
  if (field.kind == FieldKind::array) return kind == FieldKind::list;
  if (!evolve::is_number(field.kind) || !evolve::is_number(kind)) return field.kind == kind;
  return evolve::is_convertible(kind, field.kind);
}

MaybeMisfit find_misfit(const Field& field, const DynamicValue& value, const std::string& path) {
  if (value.kind() == FieldKind::optional) {
    const Field& held = field.kind == FieldKind::optional ? field.children[0] : field;
    return value.has_value() ? find_misfit(held, value.value(), path) : MaybeMisfit();
  }
  if (!are_of_one_kind(field, value)) {
    if (field.kind == FieldKind::list && are_of_one_kind(field.children[0], value))
      return find_misfit(field.children[0], value, path);  // it becomes a list of one
    return Misfit{(path.empty() ? "the record is " : "the field is ") +
                      std::string(kind_name(field.kind)) + ", but the value is " + with_kind(value),
                  path};
  }
  switch (field.kind) {
    case FieldKind::structure: return find_in_fields(field, value, path);
    case FieldKind::list:
    case FieldKind::array:
    case FieldKind::map: return find_in_elements(field, value, path);
    case FieldKind::handle: return find_in_handle(field, value, path);
    case FieldKind::opaque: return {};
    case FieldKind::string:
      if (!field.utf8_checked || is_utf8(value.text())) return {};
      return Misfit{"the field holds UTF-8, but the text is not UTF-8", path};
    case FieldKind::variant:
      if (value.tag() < field.children.size())
        return find_misfit(field.children[value.tag()], value.value(), path);
      return Misfit{"the field has " + std::to_string(field.children.size()) +
                        " alternatives, but the value is number " + std::to_string(value.tag()) +
                        ", counted from 0",
                    path};
    default: return find_in_number(field, value, path);
  }
}

}  // namespace

Error as_of_a_call(Error error, const Field& record, const DynamicValue& value) {
  const bool is_of_a_load =
      error.code == ErrorCode::type_mismatch || error.code == ErrorCode::layout_mismatch ||
      error.code == ErrorCode::value_out_of_range || error.code == ErrorCode::value_refused;
  if (!is_of_a_load) return error;
  if (auto found = find_misfit(record, value, {})) {
    error.what = std::move(found->what);
    error.where = place_of(found->path);
  }
  return error;
}

}  // namespace hdb
