// Exact conversions between integers, floating-point numbers and booleans.
#include "record/numbers.hpp"

#include <cfloat>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "hdb/bytes.hpp"

namespace hdb::detail::record {
namespace {

/// Calls `use` with the number as std::int64_t, std::uint64_t or double, each of which holds it
/// exactly.
template <class Use>
auto with_number(std::uint64_t bits, FieldKind kind, const Use& use) {
  switch (kind) {
    case FieldKind::i8: return use(std::int64_t{static_cast<std::int8_t>(bits)});
    case FieldKind::i16: return use(std::int64_t{static_cast<std::int16_t>(bits)});
    case FieldKind::i32: return use(std::int64_t{static_cast<std::int32_t>(bits)});
    case FieldKind::i64: return use(static_cast<std::int64_t>(bits));
    case FieldKind::f32: return use(double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))});
    case FieldKind::f64: return use(std::bit_cast<double>(bits));
    default: return use(bits);
  }
}

/// The floating-point number 2^(digits of Int): the first above all numbers of Int.
template <class Int>
constexpr double kEnd = 2.0 * static_cast<double>(std::uint64_t{1}
                                                  << (std::numeric_limits<Int>::digits - 1));

/// The nearest number of the type. The registers of 32-bit x86 keep more digits than the type has
/// until a number is stored.
template <class To, class From>
To nearest(From value) noexcept {
#if FLT_EVAL_METHOD != 0
  volatile To stored = static_cast<To>(value);
  return stored;
#else
  return static_cast<To>(value);
#endif
}

template <class To, class From>
std::optional<std::uint64_t> as(From value) noexcept {
  if constexpr (std::is_same_v<To, bool>) {
    if (value != From{0} && value != From{1}) return std::nullopt;
    return value == From{1} ? 1 : 0;
  } else if constexpr (std::is_floating_point_v<To>) {
    if constexpr (std::is_floating_point_v<From>) {
      if (std::isfinite(value) && std::abs(value) > double{std::numeric_limits<To>::max()})
        return std::nullopt;  // the conversion would be undefined
      const To number = nearest<To>(value);
      if (std::isfinite(value) && double{number} != value) return std::nullopt;
      return stored_bits(number);
    } else {
      const To number = nearest<To>(value);
      if (double{number} >= kEnd<From> || static_cast<From>(number) != value) return std::nullopt;
      return stored_bits(number);
    }
  } else if constexpr (std::is_floating_point_v<From>) {
    const double lowest = std::is_signed_v<To> ? -kEnd<To> : 0.0;
    if (!(value >= lowest && value < kEnd<To>) || value != std::trunc(value)) return std::nullopt;
    return stored_bits(static_cast<To>(value));
  } else {
    if (!std::in_range<To>(value)) return std::nullopt;
    return stored_bits(static_cast<To>(value));
  }
}

}  // namespace

std::string number_text(std::uint64_t bits, FieldKind kind) {
  if (kind == FieldKind::boolean) return std::to_string(bits);
  return with_number(bits, kind, [&](auto value) {
    char text[32];
    char* end = text;
    if constexpr (std::is_same_v<decltype(value), double>) {
      end = kind == FieldKind::f32
                ? std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr
                : std::to_chars(text, text + sizeof text, value).ptr;
    } else {
      end = std::to_chars(text, text + sizeof text, value).ptr;
    }
    return std::string(text, end);
  });
}

std::uint64_t load_number(std::span<const std::byte> bytes) noexcept {
  switch (bytes.size()) {
    case 1: return std::to_integer<std::uint64_t>(bytes[0]);
    case 2: return load_le<std::uint16_t>(bytes.data());
    case 4: return load_le<std::uint32_t>(bytes.data());
    default: return load_le<std::uint64_t>(bytes.data());
  }
}

void store_number(std::uint64_t bits, std::span<std::byte> to) noexcept {
  switch (to.size()) {
    case 1: to[0] = static_cast<std::byte>(bits); break;
    case 2: store_le(to.data(), static_cast<std::uint16_t>(bits)); break;
    case 4: store_le(to.data(), static_cast<std::uint32_t>(bits)); break;
    default: store_le(to.data(), bits); break;
  }
}

std::optional<std::uint64_t> convert_number(std::uint64_t bits, FieldKind from,
                                            FieldKind to) noexcept {
  if (from == FieldKind::boolean && bits > 1) return std::nullopt;
  return with_number(bits, from, [to](auto value) -> std::optional<std::uint64_t> {
    switch (to) {
      case FieldKind::boolean: return as<bool>(value);
      case FieldKind::i8: return as<std::int8_t>(value);
      case FieldKind::i16: return as<std::int16_t>(value);
      case FieldKind::i32: return as<std::int32_t>(value);
      case FieldKind::i64: return as<std::int64_t>(value);
      case FieldKind::u8: return as<std::uint8_t>(value);
      case FieldKind::u16: return as<std::uint16_t>(value);
      case FieldKind::u32: return as<std::uint32_t>(value);
      case FieldKind::u64: return as<std::uint64_t>(value);
      case FieldKind::f32: return as<float>(value);
      default: return as<double>(value);
    }
  });
}

Error conversion_error(std::uint64_t bits, FieldKind from, FieldKind to) {
  if (from == FieldKind::boolean && bits > 1) {
    return {ErrorCode::bad_value, "a boolean is " + std::to_string(bits) + " instead of 0 or 1"};
  }
  return {ErrorCode::value_out_of_range,
          "the stored " + std::string(kind_name(from)) + " " + number_text(bits, from) +
              " does not fit the program's " + std::string(kind_name(to))};
}

}  // namespace hdb::detail::record
