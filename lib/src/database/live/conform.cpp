// One walk over field and value; what needs no other form stays as it is.
#include "database/live/conform.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "evolve/dynamic_access.hpp"
#include "evolve/numbers.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {
namespace {

using Inside = DynamicAccess;

std::string place_of(const std::string& path) {
  return path.empty() ? "the record" : "field '" + path + "'";
}

bool is_whole_number(FieldKind kind) noexcept {
  return kind >= FieldKind::i8 && kind <= FieldKind::u64;
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
      return fail(ErrorCode::value_out_of_range, "the enumeration has no such number",
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

Status conform_fields(const Field& field, DynamicValue& value, const std::string& path) {
  for (DynamicValue& child : Inside::children(value)) {
    if (Inside::is_removed(child) || Inside::is_unread(child)) continue;
    const std::string& name = Inside::name(child);
    const auto own = std::find_if(field.children.begin(), field.children.end(),
                                  [&](const Field& each) { return each.name == name; });
    if (own == field.children.end()) {
      std::vector<std::string> names;
      for (const Field& each : field.children) names.push_back(each.name);
      return fail(ErrorCode::not_found, place_of(path) + " has no field '" + escape_text(name) +
                                            "'" + did_you_mean(name, names));
    }
    if (Status fits = conform(*own, child, child_path(path, name)); !fits) return fits;
  }
  return {};
}

}  // namespace

Status conform(const Field& field, DynamicValue& value, const std::string& path) {
  const FieldKind kind = value.kind();
  switch (field.kind) {
    case FieldKind::structure:
      return kind == FieldKind::structure ? conform_fields(field, value, path) : Status();
    case FieldKind::f32: return kind == FieldKind::f64 ? round_to_float(value, path) : Status();
    case FieldKind::enumeration: return name_enumerator(field, value, path);
    case FieldKind::handle:
      if (kind == FieldKind::u64 || kind == FieldKind::u32 || kind == FieldKind::u16)
        make_handle(field, value);
      return {};
    case FieldKind::optional:
      if (kind != FieldKind::optional) {
        std::string name = Inside::name(value);
        value = DynamicValue::some(std::move(value));
        Inside::name(value) = std::move(name);
      }
      return value.has_value() ? conform(field.children.front(), value.value(), path) : Status();
    case FieldKind::list:
    case FieldKind::array:
      if (kind != FieldKind::list || Inside::is_packed(value)) return {};
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (Status fits = conform(field.children.front(), value.element(i), element_path(path, i));
            !fits) {
          return fits;
        }
      }
      return {};
    case FieldKind::map:
      for (std::size_t i = 0; kind == FieldKind::map && i < 2 * value.size(); ++i) {
        if (Status fits =
                conform(field.children[i % 2], value.element(i), element_path(path, i / 2));
            !fits) {
          return fits;
        }
      }
      return {};
    default: return {};
  }
}

}  // namespace hdb
