// Rows as JSON: one pass over the columns, nothing made of a row before it is printed.
#include "dump/row_printer.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::inspect::dumping {
namespace {

constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53;
constexpr std::size_t kSpillBytes = std::size_t{8} << 20;

std::uint64_t load_value(const std::byte* at, unsigned width) {
  if (at == nullptr) return 0;
  switch (width) {
    case 1: return load_le<std::uint8_t>(at);
    case 2: return load_le<std::uint16_t>(at);
    case 4: return load_le<std::uint32_t>(at);
    default: return load_le<std::uint64_t>(at);
  }
}

}  // namespace

RowPrinter::RowPrinter(const PrintField& root, const std::vector<TableDescriptor>& tables,
                       TextBuffer& out, std::function<void()> spill)
    : root_(root),
      namer_(tables),
      columns_(columns_of(*root.field)),
      out_(out),
      spill_(std::move(spill)) {}

Status RowPrinter::json() {
  values_ = 0;
  value<true>(root_);
  return end_row();
}

Status RowPrinter::skip() {
  values_ = 0;
  value<false>(root_);
  return end_row();
}

Status RowPrinter::end_row() {
  if (too_many_) {
    return fail(ErrorCode::limit_exceeded,
                "a record has more than " + std::to_string(RowDecoder::kMaxValues) + " values");
  }
  if (!cursors_.failed()) return {};
  return fail(ErrorCode::bad_lengths,
              "the column ends too early, or one of its lengths is malformed",
              "column " + columns_[cursors_.failed_column()].path);
}

// Elements without bytes of their own must not go on for ever.
bool RowPrinter::charge() {
  if (++values_ <= RowDecoder::kMaxValues) return !cursors_.failed();
  too_many_ = true;
  return false;
}

std::uint64_t RowPrinter::take_bits(const PrintField& node) {
  return load_value(cursors_.take(node.column, node.width), node.width);
}

std::uint64_t RowPrinter::last_bits(const PrintField& node) const {
  return load_value(cursors_.last_taken(), node.width);
}

void RowPrinter::spill_if_large() {
  if (may_spill_ && out_.size() > kSpillBytes) spill_();
}

template <bool kPrint>
void RowPrinter::value(const PrintField& node) {
  if constexpr (!kPrint) {
    if (node.children.empty() && node.width != 0) {
      static_cast<void>(cursors_.take(node.column, node.width));
      return;
    }
  }
  switch (node.kind) {
    case FieldKind::structure: return structure<kPrint>(node);
    case FieldKind::array: return elements<kPrint>(node, node.field->count);
    case FieldKind::list: return elements<kPrint>(node, cursors_.take_length(node.column));
    case FieldKind::map: return pairs<kPrint>(node);
    case FieldKind::optional: return held_or_null<kPrint>(node);
    case FieldKind::variant: return alternative<kPrint>(node);
    case FieldKind::opaque: return opaque<kPrint>(node);
    case FieldKind::string: {
      const std::uint64_t size = cursors_.take_length(node.column);
      const std::string_view text = cursors_.take_text(node.column + 1, size);
      if constexpr (kPrint) put_json_text(out_, text);
      return;
    }
    default: break;
  }
  if constexpr (kPrint) {
    const std::uint64_t bits = take_bits(node);
    switch (node.kind) {
      case FieldKind::boolean: return out_.put(bits != 0 ? "true" : "false");
      case FieldKind::i8: return out_.put_number(int{static_cast<std::int8_t>(bits)});
      case FieldKind::i16: return out_.put_number(static_cast<std::int16_t>(bits));
      case FieldKind::i32: return out_.put_number(static_cast<std::int32_t>(bits));
      case FieldKind::i64: return big_number(bits, true);
      case FieldKind::u64: return big_number(bits, false);
      case FieldKind::f32: {
        const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        return std::isfinite(number) ? put_float(out_, number) : not_finite(number, node);
      }
      case FieldKind::f64: {
        const auto number = std::bit_cast<double>(bits);
        return std::isfinite(number) ? put_float(out_, number) : not_finite(number, node);
      }
      case FieldKind::handle: return handle(node, bits);
      default: return out_.put_number(bits);  // unsigned, characters
    }
  }
}

// JSON readers would round beyond 2^53: a string.
void RowPrinter::big_number(std::uint64_t bits, bool is_signed) {
  const auto number = static_cast<std::int64_t>(bits);
  const bool negative = is_signed && number < 0;
  const bool quoted = (negative ? 0 - bits : bits) > kMostExact;
  if (quoted) out_.put('"');
  if (is_signed) {
    out_.put_number(number);
  } else {
    out_.put_number(bits);
  }
  if (quoted) out_.put('"');
}

// NaN may have a payload: its bits are in the text.
void RowPrinter::not_finite(double value, const PrintField& node) {
  if (std::isinf(value)) return out_.put(value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  out_.put('"');
  out_.put(float_text(node.kind, last_bits(node)));
  out_.put('"');
}

void RowPrinter::handle(const PrintField& node, std::uint64_t bits) {
  if (bits == 0) return out_.put("null");
  const auto parts = split_handle(node.field->layout, bits);
  const bool known = !node.handle_prefix.empty() && parts && parts->type_id == node.type_id;
  if (!known) return put_json_text(out_, namer_.name(*node.field, bits));
  out_.put(node.handle_prefix);
  out_.put_number(parts->index);
  out_.put('@');
  out_.put_number(parts->generation);
  out_.put('"');
}

template <bool kPrint>
void RowPrinter::structure(const PrintField& node) {
  if (!charge()) return;
  if constexpr (kPrint) out_.put('{');
  bool first = true;
  for (const PrintField& child : node.children) {
    if (!child.wanted) continue;
    if constexpr (kPrint) {
      if (!first) out_.put(',');
      out_.put(child.key);
    }
    first = false;
    value<kPrint>(child);
  }
  if constexpr (kPrint) out_.put('}');
}

template <bool kPrint>
void RowPrinter::elements(const PrintField& node, std::uint64_t count) {
  const PrintField& child = node.children.front();
  if constexpr (kPrint) out_.put('[');
  for (std::uint64_t i = 0; child.wanted && i < count; ++i) {
    if (child.width == 0 ? !charge() : cursors_.failed()) break;
    if constexpr (kPrint) {
      if (i != 0) out_.put(',');
      spill_if_large();
    }
    value<kPrint>(child);
  }
  if constexpr (kPrint) out_.put(']');
}

template <bool kPrint>
void RowPrinter::pairs(const PrintField& node) {
  const std::uint64_t count = cursors_.take_length(node.column);
  if constexpr (kPrint) out_.put('[');
  for (std::uint64_t i = 0; i < count && charge(); ++i) {
    if constexpr (kPrint) {
      if (i != 0) out_.put(',');
      spill_if_large();
      out_.put("{\"key\":");
    }
    value<kPrint>(node.children[0]);
    if constexpr (kPrint) out_.put(",\"value\":");
    value<kPrint>(node.children[1]);
    if constexpr (kPrint) out_.put('}');
  }
  if constexpr (kPrint) out_.put(']');
}

template <bool kPrint>
void RowPrinter::held_or_null(const PrintField& node) {
  if (cursors_.take_bit(node.column) && node.children.front().wanted)
    return value<kPrint>(node.children.front());
  if constexpr (kPrint) out_.put("null");
}

template <bool kPrint>
void RowPrinter::alternative(const PrintField& node) {
  const auto tag = cursors_.take_value<std::uint8_t>(node.column);
  if (tag >= node.children.size()) return cursors_.fail_at(node.column);
  const PrintField& held = node.children[tag];
  if constexpr (kPrint) {
    out_.put("{\"tag\":");
    out_.put_number(unsigned{tag});
    if (held.wanted) out_.put(",\"value\":");
  }
  if (held.wanted) value<kPrint>(held);
  if constexpr (kPrint) out_.put('}');
}

template <bool kPrint>
void RowPrinter::opaque(const PrintField& node) {
  const std::uint64_t size = cursors_.take_length(node.column);
  const std::byte* const at = cursors_.take(node.column + 1, size);
  if constexpr (kPrint) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out_.put("{\"hex\":\"");
    if (at != nullptr) {
      char* to = out_.room(static_cast<std::size_t>(size) * 2);
      for (std::uint64_t i = 0; i < size; ++i) {
        const auto byte = std::to_integer<std::size_t>(at[i]);
        *to++ = kDigits[byte >> 4];
        *to++ = kDigits[byte & 15];
      }
      out_.end(to);
    }
    out_.put("\"}");
  }
}

template void RowPrinter::value<true>(const PrintField& node);

}  // namespace hdb::inspect::dumping
