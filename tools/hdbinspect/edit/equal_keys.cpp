// Compares keys by bytes that are equal for equal values.
#include "edit/equal_keys.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>

namespace hdb::inspect {
namespace {

void append_number(std::uint64_t number, std::string& key) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// False: the value is equal to no other, for it has a NaN.
bool append_key(const Value& value, std::string& key) {
  std::uint64_t bits = value.bits;
  if (value.field->kind == FieldKind::f32 || value.field->kind == FieldKind::f64) {
    const double number = value.field->kind == FieldKind::f32
                              ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                              : std::bit_cast<double>(bits);
    if (std::isnan(number)) return false;
    bits = std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number);
  }
  append_number(bits, key);
  if (value.is_packed()) {
    for (std::uint64_t i = 0; i < value.bits; ++i) {
      if (!append_key(value.element(i), key)) return false;
    }
    return true;
  }
  append_number(value.bytes.size(), key);
  key.append(value.text());
  return std::all_of(value.children.begin(), value.children.end(),
                     [&](const Value& child) { return append_key(child, key); });
}

bool has_equal(const Value& value) {
  const bool is_map = value.field->kind == FieldKind::map;
  if (!is_map && value.field->kind != FieldKind::list) return false;
  if (value.field->children.front().kind == FieldKind::boolean && !is_map) return false;
  std::set<std::string> keys;
  for (std::uint64_t i = 0; i < value.bits; ++i) {
    std::string key;
    const bool is_comparable =
        is_map ? append_key(value.children[2 * i], key) : append_key(value.element(i), key);
    if (is_comparable && !keys.insert(std::move(key)).second) return true;
  }
  return false;
}

void add(const Value& value, const std::string& path, EntriesPaths& paths) {
  if (has_equal(value)) paths.insert({path, value.field->kind == FieldKind::map});
  if (value.is_packed()) return;
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const Value& child = value.children[i];
    switch (value.field->kind) {
      case FieldKind::structure:
        add(child, path.empty() ? child.field->name : path + '.' + child.field->name, paths);
        break;
      case FieldKind::map: add(child, path + (i % 2 == 0 ? "[].key" : "[].value"), paths); break;
      case FieldKind::list:
      case FieldKind::array: add(child, path + "[]", paths); break;
      case FieldKind::optional: add(child, path + '?', paths); break;
      case FieldKind::variant:
        add(child, path + '<' + std::to_string(value.bits) + '>', paths);
        break;
      default: break;
    }
  }
}

}  // namespace

void add_equal_keys(const Value& value, EntriesPaths& paths) { add(value, "", paths); }

bool has_entries(const Field& field) {
  return field.kind == FieldKind::map || field.kind == FieldKind::list ||
         std::any_of(field.children.begin(), field.children.end(), has_entries);
}

}  // namespace hdb::inspect
