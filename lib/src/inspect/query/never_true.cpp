// Finds comparisons that are true for no value of their field.
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/using_detail.hpp"
#include "inspect/query/program.hpp"

namespace hdb::query {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Range {
  Scalar least;
  Scalar most;
};

Scalar whole(std::uint64_t magnitude, bool negative = false) {
  return {Scalar::Kind::integer, negative, magnitude, 0, {}};
}

Scalar real(double value) { return {Scalar::Kind::real, false, 0, value, {}}; }

const Field& stored_field(const Field& field) {
  return field.kind == FieldKind::enumeration ? field.children.front() : field;
}

bool is_float(const Field& field) {
  return field.kind == FieldKind::f32 || field.kind == FieldKind::f64;
}

// The least and the highest number that an operand can be; nothing where it is not a number.
std::optional<Range> range_of(const BoundOperand& operand) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
  switch (operand.kind) {
    case FilterOperand::Kind::slot: return Range{whole(0), whole(kMost32)};
    case FilterOperand::Kind::generation: return Range{whole(1), whole(kMost32)};
    case FilterOperand::Kind::size: {
      const Field& field = *operand.field;
      if (field.kind == FieldKind::array) return Range{whole(field.count), whole(field.count)};
      return Range{whole(0), whole(kMost)};
    }
    default: break;
  }
  const Field& field = stored_field(*operand.field);
  if (is_float(field)) return Range{real(-kInfinity), real(kInfinity)};
  if (field.kind == FieldKind::variant)
    return Range{whole(0), whole(field.children.empty() ? 0 : field.children.size() - 1)};
  const unsigned bits = 8 * fixed_width(field);
  if ((operand.group != Group::number && operand.group != Group::character) || bits == 0)
    return std::nullopt;
  if (!is_signed(field)) return Range{whole(0), whole(kMost >> (64 - bits))};
  const std::uint64_t half = std::uint64_t{1} << (bits - 1);
  return Range{whole(half, true), whole(half - 1)};
}

std::string text_of(const Scalar& number) {
  return (number.negative ? "-" : "") + std::to_string(number.magnitude);
}

double double_of(const Scalar& number) {
  if (number.kind == Scalar::Kind::real) return number.real;
  const auto magnitude = static_cast<double>(number.magnitude);
  return number.negative ? -magnitude : magnitude;
}

// Whether a float field has a value that is exactly this number.
bool has_value(const Field& field, const Scalar& number) {
  double nearest = double_of(number);
  if (field.kind == FieldKind::f32) {
    if (std::isfinite(nearest) && std::abs(nearest) > double{std::numeric_limits<float>::max()})
      return false;
    nearest = double{static_cast<float>(nearest)};
  }
  return order(real(nearest), number) == 0;
}

}  // namespace

FilterComparison mirrored(FilterComparison comparison) noexcept {
  switch (comparison) {
    case FilterComparison::less: return FilterComparison::greater;
    case FilterComparison::at_most: return FilterComparison::at_least;
    case FilterComparison::greater: return FilterComparison::less;
    case FilterComparison::at_least: return FilterComparison::at_most;
    default: return comparison;
  }
}

std::string why_never_true(const BoundOperand& operand, FilterComparison comparison,
                           const Scalar& literal) {
  const auto range = range_of(operand);
  if (!range) return {};
  const bool has_floats = operand.kind == FilterOperand::Kind::field && is_float(*operand.field);
  if (literal.kind == Scalar::Kind::real && std::isnan(literal.real)) {
    return has_floats ? "no comparison with nan is of use; write 'is nan' or 'is not nan'"
                      : "it is never nan";
  }
  const auto least = order(range->least, literal);
  const auto most = order(range->most, literal);
  bool can_be = true;
  switch (comparison) {
    case FilterComparison::equal: can_be = least <= 0 && most >= 0; break;
    case FilterComparison::not_equal: can_be = least != 0 || most != 0; break;
    case FilterComparison::less: can_be = least < 0; break;
    case FilterComparison::at_most: can_be = least <= 0; break;
    case FilterComparison::greater: can_be = most > 0; break;
    case FilterComparison::at_least: can_be = most >= 0; break;
  }
  if (!can_be && has_floats) return "no number is beyond the infinities, so this is never true";
  if (!can_be && order(range->least, range->most) == 0)
    return "it is always " + text_of(range->least) + ", so this is never true";
  if (!can_be) {
    return "it is from " + text_of(range->least) + " to " + text_of(range->most) +
           ", so this is never true";
  }
  if (comparison != FilterComparison::equal) return {};
  if (!has_floats && literal.kind == Scalar::Kind::real && std::floor(literal.real) != literal.real)
    return "it never has a fraction, so this is never true";
  if (has_floats && !has_value(*operand.field, literal))
    return "none of its values is exactly this number, so this is never true";
  return {};
}

}  // namespace hdb::query
