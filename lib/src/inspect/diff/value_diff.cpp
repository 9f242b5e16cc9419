// Compares dynamic values part by part.
#include "inspect/diff/value_diff.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>

#include "hdb/inspect/values.hpp"
#include "inspect/query/scalar.hpp"

namespace hdb::diffing {
namespace {

FieldKind underlying_kind(const Field& field) noexcept {
  return field.kind == FieldKind::enumeration ? field.children.front().kind : field.kind;
}

bool is_integer(const Field& field) noexcept {
  const FieldKind kind = underlying_kind(field);
  return kind >= FieldKind::i8 && kind <= FieldKind::u64;
}

bool is_float(const Field& field) noexcept {
  return field.kind == FieldKind::f32 || field.kind == FieldKind::f64;
}

bool equal_numbers(const Value& a, const Value& b) noexcept {
  if (is_float(*a.field) && is_float(*b.field)) {
    const double x = float_value(a.field->kind, a.bits);
    const double y = float_value(b.field->kind, b.bits);
    const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
    return bits(x) == bits(y) || (std::isnan(x) && std::isnan(y));
  }
  if (!is_integer(*a.field) || !is_integer(*b.field)) return false;
  return query::order(query::scalar_of(a), query::scalar_of(b)) == 0;
}

// "+2.75", in at most six digits.
std::string signed_text(double value) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6).ptr;
  return (value < 0 ? "" : "+") + std::string(buffer, end);
}

const Value* same_child(const Value& a, std::size_t index, const Value& b) noexcept {
  const std::string& name = a.children[index].field->name;
  if (index < b.children.size() && b.children[index].field->name == name) return &b.children[index];
  return b.child(name);
}

// The number of a child among those of its field.
std::size_t child_number(const Value& parent, const Value& child) noexcept {
  return static_cast<std::size_t>(child.field - parent.field->children.data());
}

bool equal_lists(const Value& a, const Value& b, const CompareRules& rules) {
  if (a.bits != b.bits) return false;
  const Field& of_a = a.field->children.front();
  const Field& of_b = b.field->children.front();
  if (a.is_packed() && b.is_packed() && of_a.kind == of_b.kind &&
      underlying_kind(of_a) == underlying_kind(of_b) && rules.are_exact()) {
    return std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
  }
  for (std::uint64_t i = 0; i < a.bits; ++i) {
    if (!equal_values(a.element(i), b.element(i), rules.below(i, 0))) return false;
  }
  return true;
}

// Whether few enough elements differ that each is reported by itself.
bool are_elements_listed(const Value& a, const Value& b, const CompareRules& rules) {
  std::uint64_t differing = std::max(a.bits, b.bits) - std::min(a.bits, b.bits);
  for (std::uint64_t i = 0; i < std::min(a.bits, b.bits) && differing <= kMaxListedElements; ++i) {
    if (!equal_values(a.element(i), b.element(i), rules.below(i, 0))) ++differing;
  }
  return differing <= kMaxListedElements;
}

bool is_list(FieldKind kind) noexcept {
  return kind == FieldKind::list || kind == FieldKind::array;
}

// Values of a map by the text of their key; equal keys (multimaps) get a number.
std::map<std::string, std::size_t> keys_of(const Value& map) {
  static const std::vector<TableDescriptor> kNoTables;
  const HandleNamer namer(kNoTables);
  std::map<std::string, std::size_t> keys;
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
    const std::string key = value_text(map.children[i], namer);
    std::string name = key;
    for (std::size_t twin = 2; !keys.emplace(name, i + 1).second; ++twin)
      name = key + '#' + std::to_string(twin);
  }
  return keys;
}

// The path of the value of a key as find_value reads it: by_name["imp"], by_id['7']. `name` is the
// one of keys_of; keys of other types, and equal keys, keep it.
std::string key_path(const std::string& path, const Value& key, const std::string& name) {
  const FieldKind kind = underlying_kind(*key.field);
  if ((kind != FieldKind::boolean && !is_integer(*key.field)) ||
      name.find('#') != std::string::npos)
    return path + '[' + name + ']';
  const std::string_view enumerator = enumerator_name(*key.field, key.bits);
  return path + print_field_path(
                    {{FieldStep::Kind::key, enumerator.empty() ? name : std::string(enumerator)}});
}

void compare_maps(const Value& a, const Value& b, const std::string& path,
                  const PartListener& listener, const CompareRules& rules) {
  const auto keys_of_a = keys_of(a);
  const auto keys_of_b = keys_of(b);
  bool found = false;
  for (const auto& [key, at] : keys_of_a) {
    const auto other = keys_of_b.find(key);
    if (other == keys_of_b.end()) {
      listener(key_path(path, a.children[at - 1], key), &a.children[at], nullptr);
      found = true;
    } else if (const CompareRules below = rules.below(at / 2, 1);
               !equal_values(a.children[at], b.children[other->second], below)) {
      for_each_difference(a.children[at], b.children[other->second],
                          key_path(path, a.children[at - 1], key), listener, below);
      found = true;
    }
  }
  for (const auto& [key, at] : keys_of_b) {
    if (keys_of_a.contains(key)) continue;
    listener(key_path(path, b.children[at - 1], key), nullptr, &b.children[at]);
    found = true;
  }
  if (!found) listener(path, &a, &b);  // only the order of the pairs differs
}

}  // namespace

bool are_comparable(const Field& a, const Field& b) noexcept {
  return a.kind == b.kind || (is_list(a.kind) && is_list(b.kind)) ||
         (is_integer(a) && is_integer(b)) || (is_float(a) && is_float(b));
}

bool equal_values(const Value& a, const Value& b, const CompareRules& rules) {
  const FieldKind kind = a.field->kind;
  if (rules.are_ignored()) return true;
  if (!are_comparable(*a.field, *b.field)) return true;  // the schema diff reports it
  if (kind != b.field->kind) {
    if (is_list(kind) && is_list(b.field->kind)) return equal_lists(a, b, rules);
    return equal_numbers(a, b) || are_within(rules, a, b);
  }
  switch (kind) {
    case FieldKind::string:
    case FieldKind::opaque:
      return std::equal(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
    case FieldKind::list:
    case FieldKind::array: return equal_lists(a, b, rules);
    case FieldKind::structure:
      for (std::size_t i = 0; i < a.children.size(); ++i) {
        const Value* const other = same_child(a, i, b);
        if (other == nullptr) continue;
        const CompareRules below = rules.below(0, child_number(a, a.children[i]));
        if (!equal_values(a.children[i], *other, below)) return false;
      }
      return true;
    case FieldKind::map:
    case FieldKind::optional:
    case FieldKind::variant:
      if (a.bits != b.bits || a.children.size() != b.children.size()) return false;
      for (std::size_t i = 0; i < a.children.size(); ++i) {
        const std::uint64_t number = kind == FieldKind::map ? i / 2 : 0;
        const CompareRules below = rules.below(number, child_number(a, a.children[i]));
        if (!equal_values(a.children[i], b.children[i], below)) return false;
      }
      return true;
    case FieldKind::enumeration: return equal_numbers(a, b);
    default:
      if (a.bits == b.bits) return true;
      return (is_float(*a.field) || is_integer(*a.field)) && are_within(rules, a, b);
  }
}

void for_each_difference(const Value& a, const Value& b, const std::string& path,
                         const PartListener& listener, const CompareRules& rules) {
  if (equal_values(a, b, rules)) return;
  const FieldKind kind = a.field->kind;
  const FieldKind other_kind = b.field->kind;
  if (is_list(kind) && is_list(other_kind)) {
    if (!are_elements_listed(a, b, rules)) return listener(path, &a, &b);
    const std::uint64_t common = std::min(a.bits, b.bits);
    for (std::uint64_t i = 0; i < std::max(a.bits, b.bits); ++i) {
      const std::string element = element_path(path, i);
      const Value of_a = i < a.bits ? a.element(i) : Value();
      const Value of_b = i < b.bits ? b.element(i) : Value();
      if (i < common) {
        for_each_difference(of_a, of_b, element, listener, rules.below(i, 0));
      } else {
        listener(element, i < a.bits ? &of_a : nullptr, i < b.bits ? &of_b : nullptr);
      }
    }
    return;
  }
  if (kind != other_kind) return listener(path, &a, &b);
  switch (kind) {
    case FieldKind::structure:
      for (std::size_t i = 0; i < a.children.size(); ++i) {
        const Value* const other = same_child(a, i, b);
        if (other == nullptr) continue;
        for_each_difference(a.children[i], *other, child_path(path, other->field->name), listener,
                            rules.below(0, child_number(a, a.children[i])));
      }
      return;
    case FieldKind::optional:
      if (a.children.empty() || b.children.empty()) break;
      return for_each_difference(a.children[0], b.children[0], path, listener, rules.below(0, 0));
    case FieldKind::variant:
      if (a.bits != b.bits || a.children.empty() || b.children.empty()) break;
      return for_each_difference(a.children[0], b.children[0], variant_path(path, a.bits), listener,
                                 rules.below(0, static_cast<std::size_t>(a.bits)));
    case FieldKind::map: return compare_maps(a, b, path, listener, rules);
    default: break;
  }
  listener(path, &a, &b);
}

std::string difference_text(const Value& a, const Value& b) {
  if (is_float(*a.field) && is_float(*b.field)) {
    const double change = float_value(b.field->kind, b.bits) - float_value(a.field->kind, a.bits);
    return std::isfinite(change) && change != 0 ? signed_text(change) : std::string();
  }
  if (!is_integer(*a.field) || !is_integer(*b.field)) return {};
  if (a.field->kind == FieldKind::enumeration || b.field->kind == FieldKind::enumeration) return {};
  const auto old_value = signed_bits(*a.field, a.bits);
  const auto new_value = signed_bits(*b.field, b.bits);
  if (is_signed(*a.field) != is_signed(*b.field)) return {};
  const auto change = static_cast<std::int64_t>(static_cast<std::uint64_t>(new_value) -
                                                static_cast<std::uint64_t>(old_value));
  if ((change < 0) != (new_value < old_value)) return {};  // it does not fit
  // Unsigned values beyond 2^63 would be mistaken for negative ones.
  if (!is_signed(*a.field) && (old_value < 0 || new_value < 0)) return {};
  return (change > 0 ? "+" : "") + std::to_string(change);
}

}  // namespace hdb::diffing
