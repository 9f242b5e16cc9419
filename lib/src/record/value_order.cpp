// Walks over two values at once, until they differ.
#include "record/value_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "hdb/assert.hpp"
#include "hdb/bytes.hpp"

namespace hdb::detail::record {
namespace {

template <class T>
int order_of(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

std::uint64_t take_number(std::string_view& from, std::size_t width) {
  std::uint64_t bits = 0;
  for (std::size_t i = width; i-- > 0;) bits = bits << 8 | static_cast<std::uint8_t>(from[i]);
  from.remove_prefix(width);
  return bits;
}

std::uint64_t take_size(std::string_view& from) {
  const auto* const begin = reinterpret_cast<const std::byte*>(from.data());
  std::uint64_t size = 0;
  const std::byte* const end = load_varint(begin, begin + from.size(), size);
  HDB_REQUIRE(end != nullptr, "a decoded row has whole lengths");
  from.remove_prefix(static_cast<std::size_t>(end - begin));
  return size;
}

int compare_floats(double a, double b, std::uint64_t a_bits, std::uint64_t b_bits) {
  if (std::isnan(a) && std::isnan(b)) return order_of(a_bits, b_bits);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? 1 : -1;
  return order_of(a, b);
}

int compare_bits(FieldKind leaf, unsigned width, std::uint64_t a, std::uint64_t b) {
  switch (leaf) {
    case FieldKind::f32:
      return compare_floats(std::bit_cast<float>(static_cast<std::uint32_t>(a)),
                            std::bit_cast<float>(static_cast<std::uint32_t>(b)), a, b);
    case FieldKind::f64:
      return compare_floats(std::bit_cast<double>(a), std::bit_cast<double>(b), a, b);
    case FieldKind::i8:
    case FieldKind::i16:
    case FieldKind::i32:
    case FieldKind::i64: {
      const unsigned shift = 64 - 8 * width;  // the sign becomes that of the whole number
      return order_of(static_cast<std::int64_t>(a << shift), static_cast<std::int64_t>(b << shift));
    }
    default: return order_of(a, b);
  }
}

}  // namespace

int ValueOrder::compare(const PlanNode& node, std::string_view& a, std::string_view& b) const {
  switch (node.kind) {
    case FieldKind::structure: return compare_children(node, 1, a, b);
    case FieldKind::array: return compare_children(node, node.count, a, b);
    case FieldKind::list:
    case FieldKind::map: {
      const std::uint64_t in_a = take_size(a);
      const std::uint64_t in_b = take_size(b);
      const int order = compare_children(node, std::min(in_a, in_b), a, b);
      return order != 0 ? order : order_of(in_a, in_b);
    }
    case FieldKind::string:
    case FieldKind::opaque: {
      const auto in_a = static_cast<std::size_t>(take_size(a));
      const auto in_b = static_cast<std::size_t>(take_size(b));
      const int order = a.substr(0, in_a).compare(b.substr(0, in_b));
      a.remove_prefix(in_a);
      b.remove_prefix(in_b);
      return order;
    }
    case FieldKind::optional:
    case FieldKind::variant: {
      const std::uint64_t tag = take_number(a, 1);
      const int order = order_of(tag, take_number(b, 1));
      if (order != 0 || (node.kind == FieldKind::optional && tag == 0)) return order;
      const std::size_t child =
          node.kind == FieldKind::optional ? 0 : static_cast<std::size_t>(tag);
      return compare(plan_->nodes[node.children[child]], a, b);
    }
    default: {
      const std::uint64_t bits = take_number(a, node.width);
      return compare_bits(node.leaf, node.width, bits, take_number(b, node.width));
    }
  }
}

int ValueOrder::compare_children(const PlanNode& node, std::uint64_t times, std::string_view& a,
                                 std::string_view& b) const {
  for (std::uint64_t i = 0; i < times; ++i) {
    for (const std::uint32_t child : node.children) {
      if (const int order = compare(plan_->nodes[child], a, b); order != 0) return order;
    }
  }
  return 0;
}

}  // namespace hdb::detail::record
