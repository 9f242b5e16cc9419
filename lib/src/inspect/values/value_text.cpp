// Values as text.
#include "hdb/inspect/values.hpp"

#include <bit>
#include <charconv>
#include <cmath>

#include "base/float_bits.hpp"
#include "hdb/inspect/text.hpp"
#include "inspect/values/cut_value.hpp"

namespace hdb {
namespace {

FieldKind scalar_kind(const Field& field) noexcept {
  return field.kind == FieldKind::enumeration ? field.children.front().kind : field.kind;
}

std::string char_text(std::uint64_t code) {
  if (code > 0x20 && code < 0x7f && code != '\'' && code != '\\') {
    return std::to_string(code) + " '" + static_cast<char>(code) + "'";
  }
  return std::to_string(code);
}

std::string scalar_text(const Value& value, const HandleNamer& namer) {
  const Field& field = *value.field;
  switch (scalar_kind(field)) {
    case FieldKind::boolean: return value.bits != 0 ? "true" : "false";
    case FieldKind::f32:
    case FieldKind::f64: return float_text(field.kind, value.bits);
    case FieldKind::char8:
    case FieldKind::char16:
    case FieldKind::char32: return char_text(value.bits);
    case FieldKind::handle: return escape_text(namer.name(field, value.bits));
    default: break;
  }
  std::string number = is_signed(field) ? std::to_string(signed_bits(field, value.bits))
                                        : std::to_string(value.bits);
  const std::string_view name = enumerator_name(field, value.bits);
  return name.empty() ? number : escape_text(name) + " (" + number + ")";
}

// The elements of a list or array that were read (their count alone may have been asked for).
std::uint64_t read_elements(const Value& value) {
  if (!value.is_packed()) return value.children.size();
  return value.bytes.size() / fixed_width(value.field->children.front());
}

bool is_shown_whole(const Value& value) {
  const FieldKind kind = value.field->kind;
  if (kind == FieldKind::structure) return value.children.empty();
  if (kind == FieldKind::optional || kind == FieldKind::variant) {
    return value.children.empty() || is_shown_whole(value.children.front());
  }
  if (kind == FieldKind::list || kind == FieldKind::array) {
    return value.is_packed() || value.children.empty() || is_shown_whole(value.children.front());
  }
  if (kind == FieldKind::map) {
    return value.children.size() < 2 ||
           (is_shown_whole(value.children[0]) && is_shown_whole(value.children[1]));
  }
  return true;
}

// The fewest digits that read back the same, plain while that is readable: 0.0001, 128.5, 1e+20.
template <class Float>
std::string shortest_text(Float value) {
  char buffer[64];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t mark = text.find('e');
  int exponent = 0;
  const std::size_t digits_at = mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(text.data() + digits_at, end, exponent);
  if (exponent < -4 || exponent >= 16) return std::string(text);
  std::string sign;
  std::string digits;
  for (const char c : text.substr(0, mark)) {
    if (c == '-') sign = "-";
    if (c >= '0' && c <= '9') digits += c;
  }
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0');
  return sign + digits.substr(0, whole) + '.' + digits.substr(whole);
}

}  // namespace

double float_value(FieldKind kind, std::uint64_t bits) noexcept {
  const auto narrow = static_cast<std::uint32_t>(bits);
  return std::bit_cast<double>(kind == FieldKind::f32 ? widened(narrow) : bits);
}

std::string float_text(FieldKind kind, std::uint64_t bits) {
  const DenormalNumbers denormal;
  const double value = float_value(kind, bits);
  if (std::isnan(value)) {
    const bool plain = kind == FieldKind::f32 ? bits == 0x7fc00000 : bits == 0x7ff8000000000000;
    return plain ? "NaN" : "NaN(0x" + hex_number(bits) + ")";
  }
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (kind == FieldKind::f32)
    return shortest_text(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return shortest_text(value);
}

std::string value_text(const Value& value, const HandleNamer& namer, std::uint64_t max_bytes) {
  if (is_cut(value, max_bytes))
    return value_text(begin_of(value, max_bytes), namer) + cut_note(value);
  std::string out;
  switch (value.field->kind) {
    case FieldKind::string: return quote_text(value.text());
    case FieldKind::opaque:
      return std::to_string(value.bytes.size()) + " opaque bytes" +
             (value.bytes.empty() ? "" : " ") + hex_text(value.bytes);
    case FieldKind::structure:
      for (const Value& child : value.children) {
        if (!out.empty()) out += ", ";
        out += escape_text(child.field->name) + ": " + value_text(child, namer);
      }
      return '{' + out + '}';
    case FieldKind::list:
    case FieldKind::array: {
      const std::uint64_t count = read_elements(value);
      for (std::uint64_t i = 0; i < count; ++i) {
        if (i != 0) out += ", ";
        out += value.is_packed() ? scalar_text(value.element(i), namer)
                                 : value_text(value.children[static_cast<std::size_t>(i)], namer);
      }
      return '[' + out + ']';
    }
    case FieldKind::map:
      for (std::size_t i = 0; i + 1 < value.children.size(); i += 2) {
        if (i != 0) out += ", ";
        out +=
            value_text(value.children[i], namer) + ": " + value_text(value.children[i + 1], namer);
      }
      return '{' + out + '}';
    case FieldKind::optional:
      if (value.bits == 0) return "none";
      return value.children.empty() ? "?" : value_text(value.children.front(), namer);
    case FieldKind::variant:
      return '<' + std::to_string(value.bits) + "> " +
             (value.children.empty() ? "?" : value_text(value.children.front(), namer));
    default: return scalar_text(value, namer);
  }
}

std::string child_path(const std::string& path, std::string_view name) {
  return path.empty() ? escape_text(name) : path + '.' + escape_text(name);
}

std::string element_path(const std::string& path, std::uint64_t index) {
  return path + '[' + std::to_string(index) + ']';
}

std::string variant_path(const std::string& path, std::uint64_t tag) {
  return path + '<' + std::to_string(tag) + '>';
}

std::string part_path(const Field& field, const std::string& path, std::size_t i) {
  switch (field.kind) {
    case FieldKind::structure: return child_path(path, field.children[i].name);
    case FieldKind::variant: return variant_path(path, i);
    case FieldKind::map: return path + (i == 0 ? "[].key" : "[].value");
    case FieldKind::optional: return path + '?';
    case FieldKind::enumeration: return path;
    default: return path + "[]";
  }
}

void for_each_leaf(const Value& value, const std::string& path,
                   const std::function<void(const std::string&, const Value&)>& leaf) {
  if (is_shown_whole(value)) return leaf(path, value);
  switch (value.field->kind) {
    case FieldKind::structure:
      for (const Value& child : value.children)
        for_each_leaf(child, child_path(path, child.field->name), leaf);
      return;
    case FieldKind::optional: return for_each_leaf(value.children.front(), path, leaf);
    case FieldKind::variant:
      return for_each_leaf(value.children.front(), variant_path(path, value.bits), leaf);
    case FieldKind::map:
      for (std::size_t i = 0; i + 1 < value.children.size(); i += 2) {
        for_each_leaf(value.children[i], element_path(path, i / 2) + ".key", leaf);
        for_each_leaf(value.children[i + 1], element_path(path, i / 2) + ".value", leaf);
      }
      return;
    default:
      for (std::size_t i = 0; i < value.children.size(); ++i) {
        for_each_leaf(value.children[i], element_path(path, i), leaf);
      }
      return;
  }
}

}  // namespace hdb
