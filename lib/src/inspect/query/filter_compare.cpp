// Compares scalars: integers of 64 bits and doubles without rounding either.
#include <cmath>

#include "hdb/inspect/values.hpp"
#include "inspect/query/scalar.hpp"

namespace hdb::query {
namespace {

constexpr double kTwoTo64 = 18446744073709551616.0;

std::partial_ordering order_integers(const Scalar& a, const Scalar& b) noexcept {
  if (a.negative != b.negative)
    return a.negative ? std::partial_ordering::less : std::partial_ordering::greater;
  return a.negative ? b.magnitude <=> a.magnitude : a.magnitude <=> b.magnitude;
}

// A magnitude with a double that is not negative.
std::partial_ordering order_magnitude(std::uint64_t magnitude, double real) noexcept {
  if (real >= kTwoTo64) return std::partial_ordering::less;
  const double whole = std::floor(real);
  const auto other = static_cast<std::uint64_t>(whole);  // exact: below 2^64 and without fraction
  if (magnitude != other) return magnitude <=> other;
  return real > whole ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

std::partial_ordering order_with_real(const Scalar& integer, double real) noexcept {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  if (integer.negative)
    return real >= 0 ? std::partial_ordering::less
                     : 0 <=> order_magnitude(integer.magnitude, -real);
  return real < 0 ? std::partial_ordering::greater : order_magnitude(integer.magnitude, real);
}

}  // namespace

Group group_of(const Field& field) noexcept {
  switch (field.kind) {
    case FieldKind::boolean: return Group::boolean;
    case FieldKind::char8:
    case FieldKind::char16:
    case FieldKind::char32: return Group::character;
    case FieldKind::handle: return Group::handle;
    case FieldKind::string: return Group::text;
    case FieldKind::variant: return Group::number;
    case FieldKind::enumeration: return group_of(field.children.front());
    case FieldKind::structure:
    case FieldKind::array:
    case FieldKind::list:
    case FieldKind::optional:
    case FieldKind::map:
    case FieldKind::opaque: return Group::none;
    default: return Group::number;
  }
}

Scalar scalar_of(const Field& field, std::uint64_t bits) noexcept {
  Scalar scalar;
  const FieldKind kind =
      field.kind == FieldKind::enumeration ? field.children.front().kind : field.kind;
  if (kind == FieldKind::boolean) scalar.kind = Scalar::Kind::boolean;
  if (kind == FieldKind::handle) scalar.kind = Scalar::Kind::handle;
  scalar.magnitude = bits;
  const std::int64_t number = signed_bits(field, bits);
  if (is_signed(field) && number < 0) {
    scalar.negative = true;
    scalar.magnitude = 0 - static_cast<std::uint64_t>(number);
  }
  return scalar;
}

Scalar scalar_of(const Value& value) noexcept {
  const FieldKind kind = value.field->kind;
  Scalar scalar;
  if (kind == FieldKind::string) {
    scalar.kind = Scalar::Kind::text;
    scalar.text = value.text();
  } else if (kind == FieldKind::f32 || kind == FieldKind::f64) {
    scalar.kind = Scalar::Kind::real;
    scalar.real = float_value(kind, value.bits);
  } else {
    scalar = scalar_of(*value.field, value.bits);
  }
  return scalar;
}

std::partial_ordering order(const Scalar& a, const Scalar& b) noexcept {
  using Kind = Scalar::Kind;
  if (a.kind == Kind::text && b.kind == Kind::text) return a.text.compare(b.text) <=> 0;
  if (a.kind == Kind::real && b.kind == Kind::real) return a.real <=> b.real;
  if (a.kind == Kind::integer && b.kind == Kind::real) return order_with_real(a, b.real);
  if (a.kind == Kind::real && b.kind == Kind::integer) return 0 <=> order_with_real(b, a.real);
  if (a.kind != b.kind || a.kind == Kind::text) return std::partial_ordering::unordered;
  return order_integers(a, b);
}

bool holds(FilterComparison comparison, std::partial_ordering order) noexcept {
  switch (comparison) {
    case FilterComparison::equal: return order == 0;
    case FilterComparison::not_equal: return order != 0;
    case FilterComparison::less: return order < 0;
    case FilterComparison::at_most: return order <= 0;
    case FilterComparison::greater: return order > 0;
    case FilterComparison::at_least: return order >= 0;
  }
  return false;
}

}  // namespace hdb::query
