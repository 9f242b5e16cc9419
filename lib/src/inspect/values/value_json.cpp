// Values as JSON.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "hdb/bytes.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"
#include "inspect/values/cut_value.hpp"

namespace hdb {
namespace {

// What JSON readers take without rounding.
constexpr std::uint64_t kMaxPlainNumber = std::uint64_t{1} << 53;

template <class Number>
void append_number(Number value, bool quoted, std::string& out) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  if (quoted) out += '"';
  out.append(digits, end);
  if (quoted) out += '"';
}

// Appends a finite number as float_text prints it. Within these bounds the shortest fixed form has
// the same digits: whole numbers are exact, and no number with a fraction is so near to a whole one
// that its shortest form is whole.
template <class Float>
void append_float(Float value, FieldKind kind, std::uint64_t bits, std::string& out) {
  constexpr Float kLeast = static_cast<Float>(1e-4);
  constexpr Float kMost = sizeof(Float) == 4 ? Float{16777216} : Float{4503599627370496};
  const Float size = std::fabs(value);
  if (!(size >= kLeast && size < kMost)) {
    out += float_text(kind, bits);
    return;
  }
  char digits[48];
  out.append(digits,
             std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed).ptr);
}

}  // namespace

std::string value_json(const Value& value, const HandleNamer& namer, std::uint64_t max_bytes) {
  if (is_cut(value, max_bytes))
    return JsonObject().text("cut", value_text(value, namer, max_bytes)).str();
  std::string out;
  JsonValueWriter(namer).append(value, out);
  return out;
}

void JsonValueWriter::append(const Value& value, std::string& out) {
  ++count_;
  switch (value.field->kind) {
    case FieldKind::structure: return append_fields(value, out);
    case FieldKind::array:
    case FieldKind::list: return append_elements(value, out);
    case FieldKind::string:
      append_string(value.text(), out);
      ++count_;  // bytes that are not UTF-8 are an object
      return;
    case FieldKind::opaque:
      append_hex(value.bytes, out);
      ++count_;
      return;
    case FieldKind::optional: return append_optional(value, out);
    case FieldKind::variant:
      out += "{\"tag\":";
      append_number(value.bits, false, out);
      if (!value.children.empty()) {
        out += ",\"value\":";
        append(value.children.front(), out);
      }
      out += '}';
      ++count_;
      return;
    case FieldKind::map:
      out += '[';
      for (std::size_t i = 0; i + 1 < value.children.size(); i += 2) {
        spill_if_large(out);
        out += i == 0 ? "{\"key\":" : ",{\"key\":";
        append(value.children[i], out);
        out += ",\"value\":";
        append(value.children[i + 1], out);
        out += '}';
        ++count_;
      }
      out += ']';
      return;
    default: return append_scalar(*value.field, value.bits, out);
  }
}

void JsonValueWriter::append_optional(const Value& value, std::string& out) {
  if (value.children.empty()) {
    out += "null";
    return;
  }
  const Value& held = value.children.front();
  const bool may_be_null = held.field->kind == FieldKind::optional ||
                           (held.field->kind == FieldKind::handle && held.bits == 0);
  const bool is_wrapped = form_ == Form::exact || (form_ == Form::distinct && may_be_null);
  if (is_wrapped) out += '[';
  append(held, out);
  if (is_wrapped) out += ']';
}

void JsonValueWriter::append_string(std::string_view text, std::string& out) {
  if (!is_utf8(text)) return append_hex(bytes_of(text), out);
  out += '"';
  for (std::string_view piece; !(piece = take_piece(text)).empty(); spill_if_large(out)) {
    const std::string quoted = json_text(piece);
    out.append(quoted, 1, quoted.size() - 2);
  }
  out += '"';
}

void JsonValueWriter::append_hex(std::span<const std::byte> bytes, std::string& out) {
  out += "{\"hex\":\"";
  for (; !bytes.empty(); spill_if_large(out)) {
    const auto piece = bytes.first(std::min(bytes.size(), kTextPieceBytes));
    out += hex_text(piece);
    bytes = bytes.subspan(piece.size());
  }
  out += "\"}";
}

void JsonValueWriter::append_fields(const Value& value, std::string& out) {
  out += '{';
  bool first = true;
  for (const Value& child : value.children) {
    std::string& name = names_[child.field];
    if (name.empty()) name = json_text(child.field->name) + ':';
    if (!first) out += ',';
    first = false;
    out += name;
    append(child, out);
  }
  out += '}';
}

void JsonValueWriter::append_elements(const Value& value, std::string& out) {
  // Elements that were not asked for are not there.
  const std::uint64_t count = value.is_packed()
                                  ? value.bytes.size() / fixed_width(value.field->children.front())
                                  : value.children.size();
  out += '[';
  for (std::uint64_t i = 0; i < count; ++i) {
    spill_if_large(out);
    if (i != 0) out += ',';
    if (value.is_packed()) {
      const Value element = value.element(i);
      append_scalar(*element.field, element.bits, out);
      ++count_;
    } else {
      append(value.children[static_cast<std::size_t>(i)], out);
    }
  }
  out += ']';
}

void JsonValueWriter::append_scalar(const Field& field, std::uint64_t bits, std::string& out) {
  switch (field.kind) {
    case FieldKind::boolean: out += bits != 0 ? "true" : "false"; return;
    case FieldKind::f32:
    case FieldKind::f64: {
      const double number = float_value(field.kind, bits);
      // Scripts read -0 as the integer 0.
      if (!std::isfinite(number) || (number == 0 && std::signbit(number))) {
        out += '"' + float_text(field.kind, bits) + '"';
      } else if (field.kind == FieldKind::f32) {
        append_float(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), field.kind, bits, out);
      } else {
        append_float(number, field.kind, bits, out);
      }
      return;
    }
    case FieldKind::handle: out += bits == 0 ? "null" : json_text(namer_.name(field, bits)); return;
    default: break;
  }
  if (!is_signed(field)) return append_number(bits, bits > kMaxPlainNumber, out);
  const std::int64_t number = signed_bits(field, bits);
  const auto most = static_cast<std::int64_t>(kMaxPlainNumber);
  append_number(number, number > most || number < -most, out);
}

}  // namespace hdb
