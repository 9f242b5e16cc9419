// Single values as filters compare them.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::query {

struct Scalar {
  enum class Kind : std::uint8_t { integer, real, text, boolean, handle };
  Kind kind = Kind::integer;
  bool negative = false;        // integer
  std::uint64_t magnitude = 0;  // integer; boolean: 0 or 1; handle: its bits
  double real = 0;
  std::string_view text = {};
};

/// What may be compared with what.
enum class Group : std::uint8_t { number, character, text, boolean, handle, none };

/// The group of a field's values; none: it has parts, or is opaque.
[[nodiscard]] Group group_of(const Field& field) noexcept;
/// The scalar of the bits of a value that is neither a text nor a float.
[[nodiscard]] Scalar scalar_of(const Field& field, std::uint64_t bits) noexcept;
/// The scalar of a value of a field that has a group.
[[nodiscard]] Scalar scalar_of(const Value& value) noexcept;

/// Exact, also between integers and floats; unordered with NaN. Scalars of different groups are
/// unordered.
[[nodiscard]] std::partial_ordering order(const Scalar& a, const Scalar& b) noexcept;
[[nodiscard]] bool holds(FilterComparison comparison, std::partial_ordering order) noexcept;

}  // namespace hdb::query
