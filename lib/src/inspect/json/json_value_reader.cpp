// JSON into values: one walk over schema and text. The path of a fault is put together on the way
// back.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <locale>
#include <sstream>
#include <version>

#include "hdb/bytes.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/json.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/translate_handle.hpp"
#include "inspect/values/integer_ranges.hpp"

namespace hdb {
namespace {

using detail::low_bits;

// "NaN", "NaN(0x7fc00001)", "Infinity", "-Infinity", "-0": floats that JSON has no number for, or
// that readers of JSON change.
bool read_float_word(std::string_view text, FieldKind kind, std::uint64_t& bits) {
  const bool is_f32 = kind == FieldKind::f32;
  const std::uint64_t infinity = is_f32 ? 0x7f800000 : 0x7ff0000000000000;
  const std::uint64_t sign = is_f32 ? 0x80000000 : 0x8000000000000000;
  if (text == "Infinity" || text == "-Infinity") {
    bits = infinity | (text.front() == '-' ? sign : 0);
    return true;
  }
  if (text == "-0") {
    bits = sign;
    return true;
  }
  if (text == "NaN") {
    bits = infinity | (is_f32 ? 0x400000 : 0x8000000000000);
    return true;
  }
  constexpr std::string_view kBegin = "NaN(0x";
  if (!text.starts_with(kBegin) || !text.ends_with(')')) return false;
  const char* const first = text.data() + kBegin.size();
  const char* const last = text.data() + text.size() - 1;
  const auto [at, error] = std::from_chars(first, last, bits, 16);
  const bool in_range = !is_f32 || bits >> 32 == 0;
  return error == std::errc{} && at == last && in_range && (bits & infinity) == infinity &&
         (bits & (infinity | sign)) != bits;
}

// Rounds a number of JSON once, to the float or double. False if it is out of range.
template <class Float>
bool round_number(std::string_view text, Float& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
#else  // libc++ 14
  const bool is_zero =
      text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == std::string_view::npos;
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  return static_cast<bool>(stream >> value) && (value != 0 || is_zero);
#endif
}

bool read_float(std::string_view text, FieldKind kind, std::uint64_t& bits) {
  if (kind == FieldKind::f32) {
    float value = 0;
    if (!round_number(text, value) || std::isinf(value)) return false;
    bits = std::bit_cast<std::uint32_t>(value);
    return true;
  }
  double value = 0;
  if (!round_number(text, value) || std::isinf(value)) return false;
  bits = std::bit_cast<std::uint64_t>(value);
  return true;
}

// "monsters:7@1" in parts. False if it is something else.
struct HandleText {
  std::string_view table;
  std::uint64_t slot = 0;
  std::uint64_t generation = 0;
};
bool split_handle_text(std::string_view text, HandleText& parts) {
  const std::size_t colon = text.rfind(':');
  const std::size_t at_sign = text.rfind('@');
  if (colon == std::string_view::npos || at_sign == std::string_view::npos || at_sign < colon)
    return false;
  parts.table = text.substr(0, colon);
  const auto number = [&](std::size_t first, std::size_t last, std::uint64_t& value) {
    const char* const end = text.data() + last;
    const auto [at, error] = std::from_chars(text.data() + first, end, value);
    return error == std::errc{} && at == end;
  };
  return number(colon + 1, at_sign, parts.slot) &&
         number(at_sign + 1, text.size(), parts.generation);
}

// The number of the enumerator that a text names.
bool find_enumerator(const Field& field, std::string_view name, std::uint64_t& bits) {
  for (const Enumerator& each : enumerators_of(field)) {
    if (each.name != name) continue;
    bits = each.bits;
    return true;
  }
  return false;
}

}  // namespace

Status JsonValueReader::read(const JsonDocument& json, const JsonNode& node, const Field& field,
                             Value& out, const Value* present) {
  json_ = &json;
  memory_.clear();
  path_.clear();
  if (take(field, node, out, present)) return {};
  const bool is_exact = form_ == Form::exact;
  return fail(is_exact ? ErrorCode::bad_exact_dump : ErrorCode::invalid_value, fault_,
              !path_.empty() ? "field " + path_
              : is_exact     ? "fields"
                             : "");
}

bool JsonValueReader::take(const Field& field, const JsonNode& node, Value& out,
                           const Value* present) {
  out.field = &field;
  out.bits = 0;
  out.bytes = {};
  switch (field.kind) {
    case FieldKind::structure: return take_structure(field, node, out, present);
    case FieldKind::array:
    case FieldKind::list: return take_elements(field, node, out);
    case FieldKind::string:
    case FieldKind::opaque: return take_bytes(field, node, out);
    case FieldKind::optional: return take_optional(field, node, out);
    case FieldKind::variant: return take_variant(field, node, out);
    case FieldKind::map: return take_pairs(field, node, out);
    default: out.children.clear(); return take_scalar(field, node, out.bits);
  }
}

bool JsonValueReader::take_scalar(const Field& field, const JsonNode& node, std::uint64_t& bits) {
  switch (field.kind) {
    case FieldKind::boolean:
      if (node.kind != JsonKind::boolean) return refuse(node, "true or false");
      bits = node.truth ? 1 : 0;
      return true;
    case FieldKind::f32:
    case FieldKind::f64: return take_float(field, node, bits);
    case FieldKind::handle: return take_handle(field, node, bits);
    case FieldKind::enumeration:
      if (form_ != Form::exact && node.kind == JsonKind::text &&
          find_enumerator(field, node.text, bits)) {
        return true;
      }
      return take_integer(field, node, bits);
    default: return take_integer(field, node, bits);
  }
}

bool JsonValueReader::take_float(const Field& field, const JsonNode& node, std::uint64_t& bits) {
  if (node.kind == JsonKind::text && read_float_word(node.text, field.kind, bits)) return true;
  if (node.kind == JsonKind::number && read_float(node.text, field.kind, bits)) return true;
  return refuse(node, "a number of " + std::string(kind_name(field.kind)) +
                          ", or \"-0\", \"NaN\", \"NaN(0x...)\", \"Infinity\", \"-Infinity\",");
}

bool JsonValueReader::take_integer(const Field& field, const JsonNode& node, std::uint64_t& bits) {
  const unsigned width_bits = fixed_width(field) * 8;
  const auto needed = [&] { return detail::integers_text(width_bits, is_signed(field)); };
  if (is_signed(field)) {
    std::int64_t value = 0;
    const auto most = static_cast<std::int64_t>(low_bits(width_bits - 1));
    if (read_number(node, value) && value <= most && value >= -most - 1) {
      bits = static_cast<std::uint64_t>(value) & low_bits(width_bits);
      return true;
    }
  } else if (read_number(node, bits) && bits <= low_bits(width_bits)) {
    return true;
  }
  if (form_ == Form::exact || field.kind != FieldKind::enumeration) return refuse(node, needed());
  std::vector<std::string> names;
  for (const Enumerator& each : enumerators_of(field)) names.push_back(each.name);
  if (node.kind != JsonKind::text || names.empty()) return refuse(node, needed());
  return fault(node, "no enumerator is called '" + escape_text(node.text) + "'" +
                         escape_text(did_you_mean(node.text, names)));
}

bool JsonValueReader::take_handle(const Field& field, const JsonNode& node, std::uint64_t& bits) {
  constexpr std::string_view kNeeded = "null, a handle (table:slot@generation) or \"0x...\"";
  bits = 0;
  if (node.kind == JsonKind::null) return true;
  if (node.kind != JsonKind::text) return refuse(node, kNeeded);
  const std::string_view text = node.text;
  if (text.starts_with("0x") && text.size() > 2) {
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + 2, end, bits, 16);
    if (error == std::errc{} && at == end && bits <= low_bits(field.layout.byte_size() * 8))
      return true;
  }
  HandleText parts;
  if (!split_handle_text(text, parts)) return refuse(node, kNeeded);
  const auto table =
      std::find_if(tables_->begin(), tables_->end(),
                   [&](const TableDescriptor& each) { return each.name == parts.table; });
  const std::string name = escape_text(parts.table);
  if (table == tables_->end()) return fault(node, "no table is called '" + name + "'");
  if (!can_name(field, *table))
    return fault(node, "the field cannot refer to a record of table '" + name + "'");
  const HandleLayout& layout = field.layout;
  if (parts.slot > low_bits(std::min<unsigned>(layout.index_bits, 32)) ||
      parts.generation > low_bits(layout.generation_bits)) {
    return refuse(node, "a handle that its layout can hold");
  }
  bits = pack_handle(layout, static_cast<std::uint32_t>(parts.slot),
                     static_cast<std::uint32_t>(parts.generation), table->type_id);
  return true;
}

bool JsonValueReader::take_structure(const Field& field, const JsonNode& node, Value& out,
                                     const Value* present) {
  if (node.kind != JsonKind::object) return refuse(node, "an object");
  const std::vector<Field>& fields = field.children;
  out.children.resize(fields.size());
  for (Value& child : out.children) child.field = nullptr;
  const JsonNode* member = &node + 1;
  std::size_t expected = 0;  // members mostly come in the order of the schema
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (i != 0) member = &json_->next(*member);
    std::size_t at = expected;
    if (at >= fields.size() || fields[at].name != member->name) {
      at = 0;
      while (at < fields.size() && fields[at].name != member->name) ++at;
    }
    if (at == fields.size()) {
      std::vector<std::string> names;
      for (const Field& each : fields) names.push_back(each.name);
      return fault(*member, "unknown member '" + escape_text(member->name) + "'" +
                                escape_text(did_you_mean(member->name, names)));
    }
    if (out.children[at].field != nullptr)
      return fault(*member, "the member '" + escape_text(member->name) + "' is there twice");
    const Value* const own = present == nullptr ? nullptr : &present->children[at];
    if (!take(fields[at], *member, out.children[at], own))
      return within(escape_text(fields[at].name));
    expected = at + 1;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (out.children[i].field != nullptr) continue;
    if (present == nullptr)
      return fault(node, "the member '" + escape_text(fields[i].name) + "' is missing");
    out.children[i] = present->children[i];
  }
  return true;
}

bool JsonValueReader::take_elements(const Field& field, const JsonNode& node, Value& out) {
  if (node.kind != JsonKind::array) return refuse(node, "an array");
  if (field.kind == FieldKind::array && node.count != field.count) {
    return fault(node, std::to_string(field.count) + " elements are needed, not " +
                           std::to_string(node.count));
  }
  const Field& child = field.children.front();
  const std::size_t width = fixed_width(child);  // 0: the elements are not packed
  const std::span<std::byte> packed = memory(width * node.count);
  out.bits = node.count;
  out.bytes = packed;
  out.children.resize(width == 0 ? node.count : 0);
  const JsonNode* element = &node + 1;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (i != 0) element = &json_->next(*element);
    std::uint64_t bits = 0;
    const bool is_taken =
        width == 0 ? take(child, *element, out.children[i]) : take_scalar(child, *element, bits);
    if (!is_taken) return within('[' + std::to_string(i) + ']');
    std::byte stored[8];
    store_le(stored, bits);
    if (width != 0) std::memcpy(packed.data() + i * width, stored, width);
  }
  return true;
}

bool JsonValueReader::take_pairs(const Field& field, const JsonNode& node, Value& out) {
  if (node.kind != JsonKind::array) return refuse(node, "an array of {\"key\", \"value\"}");
  out.bits = node.count;
  out.children.resize(std::size_t{2} * node.count);
  const JsonNode* pair = &node + 1;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (i != 0) pair = &json_->next(*pair);
    const std::string place = '[' + std::to_string(i) + ']';
    if (pair->kind != JsonKind::object || pair->count != 2 || json_->first(*pair).name != "key" ||
        json_->next(json_->first(*pair)).name != "value") {
      static_cast<void>(refuse(*pair, "{\"key\": ..., \"value\": ...}"));
      return within(place);
    }
    const JsonNode& key = json_->first(*pair);
    if (!take(field.children[0], key, out.children[std::size_t{2} * i]))
      return within("key") || within(place);
    if (!take(field.children[1], json_->next(key), out.children[std::size_t{2} * i + 1]))
      return within("value") || within(place);
  }
  return true;
}

bool JsonValueReader::take_optional(const Field& field, const JsonNode& node, Value& out) {
  const Field& held = field.children.front();
  out.children.resize(node.kind == JsonKind::null ? 0 : 1);
  if (node.kind == JsonKind::null) return true;
  out.bits = 1;
  const bool may_be_null = held.kind == FieldKind::handle || held.kind == FieldKind::optional;
  const bool is_wrapped = form_ == Form::exact || (may_be_null && node.kind == JsonKind::array);
  if (is_wrapped && (node.kind != JsonKind::array || node.count != 1))
    return refuse(node, "null or an array of one value");
  const JsonNode& value = is_wrapped ? json_->first(node) : node;
  return take(held, value, out.children.front()) || within("?");
}

bool JsonValueReader::take_variant(const Field& field, const JsonNode& node, Value& out) {
  const bool is_pair = node.kind == JsonKind::object && node.count == 2 &&
                       json_->first(node).name == "tag" &&
                       json_->next(json_->first(node)).name == "value";
  if (!is_pair) return refuse(node, "{\"tag\": ..., \"value\": ...}");
  const JsonNode& tag = json_->first(node);
  if (!read_number(tag, out.bits) || out.bits >= field.children.size()) {
    return fault(tag,
                 "the tag must be a number from 0 to " + std::to_string(field.children.size() - 1));
  }
  out.children.resize(1);
  return take(field.children[static_cast<std::size_t>(out.bits)], json_->next(tag),
              out.children.front()) ||
         within('<' + std::to_string(out.bits) + '>');
}

bool JsonValueReader::take_bytes(const Field& field, const JsonNode& node, Value& out) {
  const bool is_string = field.kind == FieldKind::string;
  out.children.clear();
  if (node.kind == JsonKind::text && is_string) {
    out.bytes = bytes_of(node.text);
  } else {
    if (!read_hex(*json_, node, scratch_))
      return refuse(node, is_string ? "a text or {\"hex\": \"...\"}" : "{\"hex\": \"...\"}");
    const std::span<std::byte> bytes = memory(scratch_.size());
    if (!scratch_.empty()) std::memcpy(bytes.data(), scratch_.data(), scratch_.size());
    out.bytes = bytes;
    if (field.utf8_checked && !is_utf8(out.text()))
      return fault(node, "the schema requires the text to be UTF-8");
  }
  out.bits = out.bytes.size();
  return true;
}

std::span<std::byte> JsonValueReader::memory(std::size_t size) {
  if (size == 0) return {};
  std::vector<std::uint64_t>& words = memory_.emplace_back((size + 7) / 8);
  return std::as_writable_bytes(std::span(words)).first(size);
}

bool JsonValueReader::fault(const JsonNode& node, std::string what) {
  fault_ = std::move(what);
  // The lines of an exact dump are counted by who reads them.
  if (form_ != Form::exact) fault_ += " (" + json_->place(node.at) + " of the JSON text)";
  return false;
}

bool JsonValueReader::within(std::string_view part) {
  path_ = joined_path(part, path_);
  return false;
}

bool JsonValueReader::refuse(const JsonNode& node, std::string_view needed) {
  constexpr std::size_t kShown = 40;
  std::string given(json_kind_name(node.kind));
  if (node.kind == JsonKind::number || node.kind == JsonKind::text) {
    given = node.text.size() > kShown ? "a longer " + given.substr(2)  // without "a "
                                      : quote_text(node.text);
  }
  return fault(node, std::string(needed) + " is needed, not " + given);
}

}  // namespace hdb
