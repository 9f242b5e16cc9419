// JSON into values: one walk over schema and line; a fault's path is put together on the way back.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "exact/values.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/row_encoder.hpp"
#include "text.hpp"

namespace hdb::inspect {
namespace {

std::uint64_t mask_of(unsigned width_bits) noexcept {
  return width_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_bits) - 1;
}

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

// Reads a number of JSON, rounded once to the float or double.
template <class Float>
bool read_float(const std::string& text, std::uint64_t& bits) {
  errno = 0;
  char* end = nullptr;
  Float value{};
  if constexpr (sizeof(Float) == 4) {
    value = std::strtof(text.c_str(), &end);
    bits = std::bit_cast<std::uint32_t>(value);
  } else {
    value = std::strtod(text.c_str(), &end);
    bits = std::bit_cast<std::uint64_t>(value);
  }
  const bool is_out_of_range = errno == ERANGE && (std::isinf(value) || value == 0);
  return end == text.c_str() + text.size() && !is_out_of_range;
}

}  // namespace

Status ExactValueReader::read(const JsonLine& line, const JsonNode& node, const Field& root,
                              Value& out) {
  line_ = &line;
  memory_.release();
  path_.clear();
  if (take(root, node, out)) return {};
  return fail(ErrorCode::bad_exact_dump, fault_, path_.empty() ? "fields" : "field " + path_);
}

bool ExactValueReader::take(const Field& field, const JsonNode& node, Value& out) {
  out.field = &field;
  out.bits = 0;
  out.bytes = {};
  switch (field.kind) {
    case FieldKind::structure: return take_structure(field, node, out);
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

bool ExactValueReader::take_scalar(const Field& field, const JsonNode& node, std::uint64_t& bits) {
  const std::string_view kind = kind_name(field.kind);
  const unsigned width_bits = fixed_width(field) * 8;
  switch (field.kind) {
    case FieldKind::boolean:
      if (node.kind != JsonKind::boolean) return refuse("true or false", node);
      bits = node.truth ? 1 : 0;
      return true;
    case FieldKind::f32:
    case FieldKind::f64: {
      if (node.kind == JsonKind::text && read_float_word(node.text, field.kind, bits)) return true;
      const bool is_read =
          node.kind == JsonKind::number &&
          (field.kind == FieldKind::f32 ? read_float<float>(std::string(node.text), bits)
                                        : read_float<double>(std::string(node.text), bits));
      return is_read ||
             refuse(fmt::format("a number of {}, or \"-0\", \"NaN\", \"NaN(0x...)\", \"Infinity\", "
                                "\"-Infinity\",",
                                kind),
                    node);
    }
    case FieldKind::handle: return take_handle(field, node, bits);
    default: break;
  }
  if (is_signed(field)) {
    std::int64_t value = 0;
    const std::int64_t most = static_cast<std::int64_t>(mask_of(width_bits - 1));
    if (!read_number(node, value) || value > most || value < -most - 1)
      return refuse(fmt::format("a whole number from {} to {}", -most - 1, most), node);
    bits = static_cast<std::uint64_t>(value) & mask_of(width_bits);
    return true;
  }
  if (read_number(node, bits) && bits <= mask_of(width_bits)) return true;
  return refuse(fmt::format("a whole number from 0 to {}", mask_of(width_bits)), node);
}

bool ExactValueReader::take_handle(const Field& field, const JsonNode& node, std::uint64_t& bits) {
  bits = 0;
  if (node.kind == JsonKind::null) return true;
  if (node.kind != JsonKind::text) return refuse("null, a handle or \"0x...\"", node);
  const std::string_view text = node.text;
  const char* const end = text.data() + text.size();
  const std::size_t colon = text.rfind(':');
  const std::size_t at_sign = text.rfind('@');
  if (colon == std::string_view::npos || at_sign == std::string_view::npos || at_sign < colon) {
    const bool is_hex = text.starts_with("0x") && text.size() > 2;
    const auto [at, error] = is_hex ? std::from_chars(text.data() + 2, end, bits, 16)
                                    : std::from_chars_result{end, std::errc::invalid_argument};
    if (error == std::errc{} && at == end && bits <= mask_of(field.layout.byte_size() * 8))
      return true;
    return refuse("null, a handle (table:slot@generation) or \"0x...\"", node);
  }
  const std::string_view name = text.substr(0, colon);
  const TableDescriptor* table = nullptr;
  for (const TableDescriptor& each : *tables_) {
    if (each.name == name) table = &each;
  }
  if (table == nullptr) return fault(fmt::format("there is no table '{}'", escape_text(name)));
  const HandleLayout& layout = field.layout;
  if (!can_name(field, *table)) {
    return fault(
        fmt::format("the field cannot refer to a record of table '{}'", escape_text(name)));
  }
  std::uint64_t slot = 0;
  std::uint64_t generation = 0;
  const auto slot_end = std::from_chars(text.data() + colon + 1, text.data() + at_sign, slot);
  const auto generation_end = std::from_chars(text.data() + at_sign + 1, end, generation);
  const bool is_read = slot_end.ec == std::errc{} && slot_end.ptr == text.data() + at_sign &&
                       generation_end.ec == std::errc{} && generation_end.ptr == end;
  if (!is_read || slot > mask_of(std::min<unsigned>(layout.index_bits, 32)) ||
      generation > mask_of(layout.generation_bits)) {
    return refuse("a handle that its layout can hold", node);
  }
  bits = pack_handle(layout, static_cast<std::uint32_t>(slot),
                     static_cast<std::uint32_t>(generation), table->type_id);
  return true;
}

bool ExactValueReader::take_structure(const Field& field, const JsonNode& node, Value& out) {
  if (node.kind != JsonKind::object) return refuse("an object", node);
  const std::vector<Field>& fields = field.children;
  out.children.resize(fields.size());
  for (Value& child : out.children) child.field = nullptr;
  const JsonNode* member = &node + 1;
  std::size_t expected = 0;  // members mostly come in the order of the schema
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (i != 0) member = &line_->next(*member);
    std::size_t at = expected;
    if (at >= fields.size() || fields[at].name != member->name) {
      at = 0;
      while (at < fields.size() && fields[at].name != member->name) ++at;
    }
    if (at == fields.size()) {
      std::vector<std::string> names;
      for (const Field& each : fields) names.push_back(each.name);
      return fault(fmt::format("unknown member '{}'{}", escape_text(member->name),
                               escape_text(did_you_mean(member->name, names))));
    }
    if (out.children[at].field != nullptr)
      return fault(fmt::format("the member '{}' is there twice", escape_text(member->name)));
    if (!take(fields[at], *member, out.children[at])) return within(escape_text(fields[at].name));
    expected = at + 1;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (out.children[i].field == nullptr)
      return fault(fmt::format("the member '{}' is missing", escape_text(fields[i].name)));
  }
  return true;
}

bool ExactValueReader::take_elements(const Field& field, const JsonNode& node, Value& out) {
  if (node.kind != JsonKind::array) return refuse("an array", node);
  if (field.kind == FieldKind::array && node.count != field.count)
    return fault(fmt::format("{} elements are needed, not {}", field.count, node.count));
  const Field& child = field.children.front();
  const std::size_t width = fixed_width(child);  // 0: the elements are not packed
  const std::span<std::byte> packed = memory(width * node.count);
  out.bits = node.count;
  out.bytes = packed;
  out.children.resize(width == 0 ? node.count : 0);
  const JsonNode* element = &node + 1;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (i != 0) element = &line_->next(*element);
    std::uint64_t bits = 0;
    const bool is_taken =
        width == 0 ? take(child, *element, out.children[i]) : take_scalar(child, *element, bits);
    if (!is_taken) return within(fmt::format("[{}]", i));
    std::byte stored[8];
    store_le(stored, bits);
    if (width != 0) std::memcpy(packed.data() + i * width, stored, width);
  }
  return true;
}

bool ExactValueReader::take_pairs(const Field& field, const JsonNode& node, Value& out) {
  if (node.kind != JsonKind::array) return refuse("an array of {\"key\", \"value\"}", node);
  out.bits = node.count;
  out.children.resize(std::size_t{2} * node.count);
  const JsonNode* pair = &node + 1;
  for (std::uint32_t i = 0; i < node.count; ++i) {
    if (i != 0) pair = &line_->next(*pair);
    const std::string place = fmt::format("[{}]", i);
    if (pair->kind != JsonKind::object || pair->count != 2 || line_->first(*pair).name != "key" ||
        line_->next(line_->first(*pair)).name != "value") {
      static_cast<void>(refuse("{\"key\": ..., \"value\": ...}", *pair));
      return within(place);
    }
    const JsonNode& key = line_->first(*pair);
    if (!take(field.children[0], key, out.children[std::size_t{2} * i]))
      return within("key") || within(place);
    if (!take(field.children[1], line_->next(key), out.children[std::size_t{2} * i + 1]))
      return within("value") || within(place);
  }
  return true;
}

bool ExactValueReader::take_optional(const Field& field, const JsonNode& node, Value& out) {
  out.children.resize(node.kind == JsonKind::null ? 0 : 1);
  if (node.kind == JsonKind::null) return true;
  if (node.kind != JsonKind::array || node.count != 1)
    return refuse("null or an array of one value", node);
  out.bits = 1;
  return take(field.children.front(), line_->first(node), out.children.front()) || within("?");
}

bool ExactValueReader::take_variant(const Field& field, const JsonNode& node, Value& out) {
  const bool is_pair = node.kind == JsonKind::object && node.count == 2 &&
                       line_->first(node).name == "tag" &&
                       line_->next(line_->first(node)).name == "value";
  if (!is_pair) return refuse("{\"tag\": ..., \"value\": ...}", node);
  const JsonNode& tag = line_->first(node);
  if (!read_number(tag, out.bits) || out.bits >= field.children.size())
    return fault(fmt::format("the tag must be a number from 0 to {}", field.children.size() - 1));
  out.children.resize(1);
  return take(field.children[static_cast<std::size_t>(out.bits)], line_->next(tag),
              out.children.front()) ||
         within(fmt::format("<{}>", out.bits));
}

bool ExactValueReader::take_bytes(const Field& field, const JsonNode& node, Value& out) {
  out.children.clear();
  if (node.kind == JsonKind::text && field.kind == FieldKind::string) {
    // What JSON cannot say otherwise is not UTF-8: "\udc00".
    if (!is_utf8(node.text)) return refuse("a text of UTF-8, or {\"hex\": \"...\"},", node);
    out.bytes = bytes_of(node.text);
  } else {
    if (!read_hex(*line_, node, scratch_)) {
      return refuse(
          field.kind == FieldKind::string ? "a text or {\"hex\": \"...\"}" : "{\"hex\": \"...\"}",
          node);
    }
    const std::span<std::byte> bytes = memory(scratch_.size());
    if (!scratch_.empty()) std::memcpy(bytes.data(), scratch_.data(), scratch_.size());
    out.bytes = bytes;
    if (field.utf8_checked && !is_utf8(out.text()))
      return fault("the schema requires the text to be UTF-8");
  }
  out.bits = out.bytes.size();
  return true;
}

std::span<std::byte> ExactValueReader::memory(std::size_t size) {
  if (size == 0) return {};
  return {static_cast<std::byte*>(memory_.allocate(size, 8)), size};
}

bool ExactValueReader::fault(std::string what) {
  fault_ = std::move(what);
  return false;
}

bool ExactValueReader::within(std::string_view part) {
  path_ = joined_path(part, path_);
  return false;
}

bool ExactValueReader::refuse(std::string_view needed, const JsonNode& node) {
  constexpr std::size_t kShown = 40;
  std::string given(json_kind_name(node.kind));
  if (node.kind == JsonKind::number || node.kind == JsonKind::text)
    given = (node.text.size() > kShown ? "a longer " : "") +
            std::string(node.text.size() > kShown ? json_kind_name(node.kind).substr(2)
                                                  : quote_text(node.text));
  return fault(fmt::format("{} is needed, not {}", needed, given));
}

}  // namespace hdb::inspect
