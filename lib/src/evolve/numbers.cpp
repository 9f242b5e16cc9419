// Exact conversions between integers, floating-point numbers and booleans.
#include "evolve/numbers.hpp"

#include <bit>
#include <charconv>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "base/float_bits.hpp"
#include "hdb/bytes.hpp"

namespace hdb::detail::evolve {
namespace {

/// The bits of an f64.
struct Real {
  std::uint64_t bits = 0;
};

/// Calls `use` with the number as std::int64_t, std::uint64_t or Real, each of which holds it
/// exactly.
template <class Use>
auto with_number(std::uint64_t bits, FieldKind kind, const Use& use) {
  switch (kind) {
    case FieldKind::i8: return use(std::int64_t{static_cast<std::int8_t>(bits)});
    case FieldKind::i16: return use(std::int64_t{static_cast<std::int16_t>(bits)});
    case FieldKind::i32: return use(std::int64_t{static_cast<std::int32_t>(bits)});
    case FieldKind::i64: return use(static_cast<std::int64_t>(bits));
    case FieldKind::f32: return use(Real{widened(static_cast<std::uint32_t>(bits))});
    case FieldKind::f64: return use(Real{bits});
    default: return use(bits);
  }
}

template <class To>
std::optional<std::uint64_t> as(Real value) noexcept {
  if constexpr (std::is_same_v<To, double>) {
    return value.bits;
  } else if constexpr (std::is_same_v<To, float>) {
    const auto number = narrowed(value.bits);
    return number ? std::optional<std::uint64_t>(*number) : std::nullopt;
  } else {
    const auto number = whole_number(value.bits);
    if (!number) return std::nullopt;
    const auto [magnitude, is_negative] = *number;
    if constexpr (std::is_same_v<To, bool>) {
      if (magnitude > 1 || (is_negative && magnitude != 0)) return std::nullopt;
      return magnitude;
    } else {
      const auto most = static_cast<std::uint64_t>(std::numeric_limits<To>::max());
      const std::uint64_t lowest = std::is_signed_v<To> ? most + 1 : 0;
      if (magnitude > (is_negative ? lowest : most)) return std::nullopt;
      return stored_bits(static_cast<To>(is_negative ? 0 - magnitude : magnitude));
    }
  }
}

template <class To, class From>
std::optional<std::uint64_t> as(From value) noexcept {
  if constexpr (std::is_floating_point_v<To>) {
    const auto bits = static_cast<std::uint64_t>(value);
    const bool is_negative = std::is_signed_v<From> && value < From{0};
    const auto number = float_of({is_negative ? 0 - bits : bits, is_negative});
    return number ? as<To>(Real{*number}) : std::nullopt;
  } else if constexpr (std::is_same_v<To, bool>) {
    if (value != From{0} && value != From{1}) return std::nullopt;
    return value == From{1} ? 1 : 0;
  } else {
    if (!std::in_range<To>(value)) return std::nullopt;
    return stored_bits(static_cast<To>(value));
  }
}

}  // namespace

std::string number_text(std::uint64_t bits, FieldKind kind) {
  char text[32];
  const auto print = [&](auto value) {
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
  };
  const DenormalNumbers denormal;
  if (kind == FieldKind::f32) return print(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (kind == FieldKind::f64) return print(std::bit_cast<double>(bits));
  return with_number(bits, kind, [&](auto value) {
    if constexpr (std::is_same_v<decltype(value), Real>) {
      return std::string();
    } else {
      return print(value);
    }
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

}  // namespace hdb::detail::evolve
