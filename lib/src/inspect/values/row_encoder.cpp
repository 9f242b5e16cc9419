// One walk over schema and value; a fault's path is put together on the way back.
#include "hdb/inspect/row_encoder.hpp"

#include <algorithm>
#include <utility>

#include "hdb/assert.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb {

std::string joined_path(std::string_view part, std::string_view rest) {
  std::string path(part);
  const bool is_step =
      !rest.empty() && (rest.front() == '[' || rest.front() == '<' || rest.front() == '?');
  if (!path.empty() && !rest.empty() && !is_step) path += '.';
  path += rest;
  return path;
}

RowEncoder::RowEncoder(const Field& root) { root_ = detail::make_row_node(root, column_count_); }

void RowEncoder::begin(std::vector<Bytes>& columns) {
  columns_ = &columns;
  columns.resize(column_count_);
  for (Bytes& column : columns) column.clear();
  bits_.assign(column_count_, 0);
}

Status RowEncoder::append(const Value& row) {
  HDB_REQUIRE(columns_ != nullptr, "RowEncoder: call begin before append");
  if (put(root_, row)) return {};
  if (!error_.where.empty()) error_.where = "field " + error_.where;
  return fail(std::exchange(error_, {}));
}

bool RowEncoder::put(const Node& node, const Value& value) {
  const Field& field = *node.field;
  if (value.field == nullptr || value.field->kind != field.kind) {
    return fault(std::string(kind_name(field.kind)) + " is needed here, not " +
                 std::string(value.field == nullptr ? "nothing" : kind_name(value.field->kind)));
  }
  switch (field.kind) {
    case FieldKind::structure: return put_structure(node, value);
    case FieldKind::array:
      if (value.bits != field.count) {
        return fault(std::to_string(value.bits) + " elements were given for an array of " +
                     std::to_string(field.count));
      }
      return node.packed ? put_packed(node, value) : put_elements(node, value);
    case FieldKind::list:
    case FieldKind::map:
      put_length(node.column, value.bits);
      return node.packed ? put_packed(node, value) : put_elements(node, value);
    case FieldKind::string:
      if (field.utf8_checked && !is_utf8(value.text())) return fault("the text is not UTF-8");
      [[fallthrough]];
    case FieldKind::opaque:
      put_length(node.column, value.bytes.size());
      put_bytes(node.column + 1, value.bytes);
      return true;
    case FieldKind::optional:
      if (value.bits > 1 || value.children.size() != value.bits)
        return fault("an optional must hold no value or one value");
      put_bit(node.column, value.bits != 0);
      return value.bits == 0 || put(node.children.front(), value.children.front()) || within("?");
    case FieldKind::variant: return put_variant(node, value);
    default: return put_scalar(node, value.bits);
  }
}

bool RowEncoder::put_scalar(const Node& node, std::uint64_t bits) {
  const bool is_bool = node.field->kind == FieldKind::boolean;
  if ((node.width < 8 && bits >> (8 * node.width) != 0) || (is_bool && bits > 1)) {
    return fault("the bits 0x" + hex_number(bits) + " are not a valid " +
                 std::string(kind_name(node.field->kind)));
  }
  std::byte bytes[8];
  store_le(bytes, bits);
  put_bytes(node.column, std::span(bytes).first(node.width));
  return true;
}

bool RowEncoder::put_structure(const Node& node, const Value& value) {
  if (value.children.size() != node.children.size()) {
    return fault(std::to_string(value.children.size()) + " fields were given for a struct of " +
                 std::to_string(node.children.size()));
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    if (!put(node.children[i], value.children[i]))
      return within(escape_text(node.children[i].field->name));
  }
  return true;
}

bool RowEncoder::put_elements(const Node& node, const Value& value) {
  const std::size_t parts = node.children.size();  // a map's element is a key and a value
  if (value.children.size() / parts != value.bits || value.children.size() % parts != 0) {
    return fault(std::to_string(value.children.size()) + " values for " +
                 std::to_string(value.bits) + " elements");
  }
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    if (put(node.children[i % parts], value.children[i])) continue;
    if (parts == 2) static_cast<void>(within(i % parts == 0 ? "key" : "value"));
    return within("[" + std::to_string(i / parts) + "]");
  }
  return true;
}

bool RowEncoder::put_packed(const Node& node, const Value& value) {
  const Node& element = node.children.front();
  if (value.bytes.size() % element.width != 0 || value.bytes.size() / element.width != value.bits) {
    return fault(std::to_string(value.bytes.size()) + " bytes for " + std::to_string(value.bits) +
                 " elements");
  }
  if (element.field->kind == FieldKind::boolean) {
    const auto wrong = std::find_if(value.bytes.begin(), value.bytes.end(),
                                    [](std::byte byte) { return byte > std::byte{1}; });
    if (wrong != value.bytes.end()) {
      static_cast<void>(fault("a bool is neither 0 nor 1"));
      return within("[" + std::to_string(wrong - value.bytes.begin()) + "]");
    }
  }
  put_bytes(element.column, value.bytes);
  return true;
}

bool RowEncoder::put_variant(const Node& node, const Value& value) {
  if (value.bits >= node.children.size()) {
    return fault("alternative " + std::to_string(value.bits) + " of " +
                 std::to_string(node.children.size()));
  }
  if (value.children.size() != 1) return fault("a variant must hold exactly one value");
  const std::byte tag{static_cast<unsigned char>(value.bits)};
  put_bytes(node.column, {&tag, 1});
  return put(node.children[static_cast<std::size_t>(value.bits)], value.children.front()) ||
         within("<" + std::to_string(value.bits) + ">");
}

void RowEncoder::put_length(std::uint32_t column, std::uint64_t length) {
  std::byte buffer[kMaxVarintBytes];
  put_bytes(column, std::span(buffer).first(store_varint(buffer, length)));
}

void RowEncoder::put_bit(std::uint32_t column, bool bit) {
  const std::uint64_t at = bits_[column]++;
  Bytes& bytes = (*columns_)[column];
  if (at % 8 == 0) bytes.push_back(std::byte{0});
  if (bit) bytes.back() |= static_cast<std::byte>(1U << (at % 8));
}

void RowEncoder::put_bytes(std::uint32_t column, std::span<const std::byte> bytes) {
  Bytes& to = (*columns_)[column];
  to.insert(to.end(), bytes.begin(), bytes.end());
}

bool RowEncoder::fault(std::string what) {
  error_.code = ErrorCode::invalid_value;
  error_.what = std::move(what);
  return false;
}

bool RowEncoder::within(std::string_view part) {
  error_.where = joined_path(part, error_.where);
  return false;
}

}  // namespace hdb
