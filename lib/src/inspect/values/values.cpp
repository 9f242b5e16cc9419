// Reads rows from columns: every cursor is checked against the end of its column.
#include "hdb/inspect/values.hpp"

#include <algorithm>

namespace hdb {
namespace {

bool repeats(FieldKind kind) noexcept {
  return kind == FieldKind::list || kind == FieldKind::array;
}

std::uint64_t load_bits(std::span<const std::byte> bytes) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    bits = bits << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return bits;
}

}  // namespace

bool Value::is_packed() const noexcept {
  return field != nullptr && repeats(field->kind) && fixed_width(field->children.front()) != 0;
}

Value Value::element(std::uint64_t index) const {
  if (!is_packed()) return children[static_cast<std::size_t>(index)];
  Value value;
  value.field = &field->children.front();
  const std::size_t width = fixed_width(*value.field);
  value.bits = load_bits(bytes.subspan(static_cast<std::size_t>(index) * width, width));
  return value;
}

const Value* Value::child(std::string_view name) const noexcept {
  for (const Value& value : children) {
    if (value.field->name == name) return &value;
  }
  return nullptr;
}

bool is_signed(const Field& field) noexcept {
  if (field.kind == FieldKind::enumeration) return is_signed(field.children.front());
  return field.kind >= FieldKind::i8 && field.kind <= FieldKind::i64;
}

std::int64_t signed_bits(const Field& field, std::uint64_t bits) noexcept {
  const unsigned width = fixed_width(field) * 8;
  if (width == 0 || width >= 64 || !is_signed(field)) return static_cast<std::int64_t>(bits);
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  return static_cast<std::int64_t>((bits ^ sign) - sign);
}

RowDecoder::RowDecoder(const Field& root, std::uint64_t max_values)
    : columns_(columns_of(root)), max_values_(max_values) {
  std::uint32_t next_column = 0;
  root_ = detail::make_row_node(root, next_column);
  want(root_, {}, true);
  collect_needed(root_);
  std::sort(needed_.begin(), needed_.end());
}

RowDecoder::RowDecoder(const Field& root, std::span<const std::uint32_t> columns,
                       std::uint64_t max_values)
    : columns_(columns_of(root)), max_values_(max_values) {
  std::uint32_t next_column = 0;
  root_ = detail::make_row_node(root, next_column);
  std::vector<bool> asked(columns_.size());
  for (const std::uint32_t column : columns) {
    if (column < asked.size()) asked[column] = true;
  }
  want(root_, asked, false);
  root_.wanted = true;
  collect_needed(root_);
  std::sort(needed_.begin(), needed_.end());
}

// Marks the nodes with a column that was asked for, all that is below them, and all that leads to
// them.
bool RowDecoder::want(Node& node, const std::vector<bool>& asked, bool all) {
  const FieldKind kind = node.field->kind;
  if (kind != FieldKind::structure && kind != FieldKind::array && !all) {
    all = asked[node.column];
    if (kind == FieldKind::string || kind == FieldKind::opaque) all = all || asked[node.column + 1];
  }
  bool any = all;
  for (Node& child : node.children) any = want(child, asked, all) || any;
  // Half a pair says nothing: a map is read with keys and values.
  if (kind == FieldKind::map && any && !all) {
    for (Node& child : node.children) want(child, asked, true);
  }
  node.wanted = any;
  return any;
}

void RowDecoder::collect_needed(const Node& node) {
  if (!node.wanted) return;
  const FieldKind kind = node.field->kind;
  if (kind != FieldKind::structure && kind != FieldKind::array) needed_.push_back(node.column);
  if (kind == FieldKind::string || kind == FieldKind::opaque) needed_.push_back(node.column + 1);
  for (const Node& child : node.children) collect_needed(child);
}

void RowDecoder::begin(std::span<const Bytes> columns) {
  cursors_.assign(columns_.size(), Cursor{});
  for (std::size_t i = 0; i < cursors_.size() && i < columns.size(); ++i)
    cursors_[i].bytes = columns[i];
  failed_ = false;
  error_ = {};
}

Status RowDecoder::next(Value& row) {
  values_ = 0;
  if (!failed_) read(root_, row);
  if (failed_) return fail(error_);
  return {};
}

Status RowDecoder::finish() {
  for (const std::uint32_t column : needed_) {
    const Cursor& cursor = cursors_[column];
    const bool bits = columns_[column].role == ColumnRole::presence;
    const std::size_t used = bits ? (cursor.position + 7) / 8 : cursor.position;
    if (used != cursor.bytes.size()) {
      fault(ErrorCode::bad_lengths, column,
            std::to_string(cursor.bytes.size() - used) + " bytes are left over");
    }
  }
  if (failed_) return fail(error_);
  return {};
}

void RowDecoder::read(const Node& node, Value& out) {
  out.field = node.field;
  out.bits = 0;
  out.bytes = {};
  if (!charge(1)) return;
  switch (node.field->kind) {
    case FieldKind::structure: {
      std::size_t count = 0;
      for (const Node& child : node.children) {
        if (!child.wanted) continue;
        if (count == out.children.size()) out.children.emplace_back();
        read(child, out.children[count++]);
        if (failed_) return;
      }
      out.children.resize(count);
      return;
    }
    case FieldKind::array: return read_elements(node, node.field->count, out);
    case FieldKind::list: return read_elements(node, take_length(node.column), out);
    case FieldKind::string:
    case FieldKind::opaque:
      out.children.clear();
      out.bytes = take(node.column + 1, take_length(node.column));
      out.bits = out.bytes.size();
      return;
    case FieldKind::map: return read_elements(node, take_length(node.column), out);
    case FieldKind::optional:
      out.bits = take_bit(node.column) ? 1 : 0;
      out.children.resize(out.bits != 0 && node.children[0].wanted ? 1 : 0);
      if (!out.children.empty()) read(node.children[0], out.children[0]);
      return;
    case FieldKind::variant: {
      const auto tag = take(node.column, 1);
      if (tag.empty()) return;
      out.bits = std::to_integer<std::uint64_t>(tag[0]);
      if (out.bits >= node.children.size()) {
        return fault(ErrorCode::bad_value, node.column,
                     "alternative " + std::to_string(out.bits) + " of " +
                         std::to_string(node.children.size()));
      }
      const Node& held = node.children[static_cast<std::size_t>(out.bits)];
      out.children.resize(held.wanted ? 1 : 0);
      if (held.wanted) read(held, out.children[0]);
      return;
    }
    default:
      out.children.clear();
      out.bits = load_bits(take(node.column, fixed_width(*node.field)));
      return;
  }
}

void RowDecoder::read_elements(const Node& node, std::uint64_t count, Value& out) {
  out.bits = count;
  if (node.packed) {
    out.children.clear();
    if (!node.children[0].wanted) return;
    const std::uint64_t width = fixed_width(node.field->children.front());
    const Cursor& cursor = cursors_[node.children[0].column];
    if (count > (cursor.bytes.size() - cursor.position) / width) {
      return fault(ErrorCode::bad_lengths, node.children[0].column,
                   std::to_string(count) + " elements are needed, fewer are left");
    }
    out.bytes = take(node.children[0].column, count * width);
    return;
  }
  std::size_t filled = 0;
  for (std::uint64_t i = 0; i < count && !failed_; ++i) {
    for (const Node& child : node.children) {
      if (!child.wanted) continue;
      if (filled == out.children.size()) out.children.emplace_back();
      read(child, out.children[filled++]);
      if (failed_) return;
    }
    if (filled == 0) break;  // only the count was asked for
  }
  out.children.resize(filled);
}

std::span<const std::byte> RowDecoder::take(std::uint32_t column, std::uint64_t size) {
  if (failed_) return {};
  Cursor& cursor = cursors_[column];
  if (size > cursor.bytes.size() - cursor.position) {
    fault(ErrorCode::bad_lengths, column,
          std::to_string(size) + " bytes are needed, " +
              std::to_string(cursor.bytes.size() - cursor.position) + " are left");
    return {};
  }
  const auto bytes = cursor.bytes.subspan(cursor.position, static_cast<std::size_t>(size));
  cursor.position += static_cast<std::size_t>(size);
  return bytes;
}

std::uint64_t RowDecoder::take_length(std::uint32_t column) {
  if (failed_) return 0;
  Cursor& cursor = cursors_[column];
  std::uint64_t length = 0;
  const std::byte* const at = cursor.bytes.data() + cursor.position;
  const std::byte* const next = load_varint(at, cursor.bytes.data() + cursor.bytes.size(), length);
  if (next == nullptr) {
    fault(ErrorCode::bad_lengths, column, "a length is cut off or not in its shortest form");
    return 0;
  }
  cursor.position += static_cast<std::size_t>(next - at);
  return length;
}

bool RowDecoder::take_bit(std::uint32_t column) {
  if (failed_) return false;
  Cursor& cursor = cursors_[column];
  if (cursor.position / 8 >= cursor.bytes.size()) {
    fault(ErrorCode::bad_lengths, column, "the presence bitmap ends too early");
    return false;
  }
  const auto byte = std::to_integer<unsigned>(cursor.bytes[cursor.position / 8]);
  return (byte >> (cursor.position++ % 8) & 1) != 0;
}

bool RowDecoder::charge(std::uint64_t values) {
  values_ += values;
  if (values_ <= max_values_) return true;
  if (!failed_) {
    failed_ = true;
    error_ = {ErrorCode::memory_budget,
              "a record has more than " + std::to_string(max_values_) + " values",
              kNoOffset,
              {},
              {}};
  }
  return false;
}

void RowDecoder::fault(ErrorCode code, std::uint32_t column, std::string what) {
  if (failed_) return;
  failed_ = true;
  error_ = {code, std::move(what), kNoOffset, "column " + columns_[column].path, {}};
}

}  // namespace hdb
