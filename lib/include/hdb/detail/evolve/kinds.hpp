// Which field kind a C++ number or character has, and its stored bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hdb/field.hpp"

namespace hdb::detail::evolve {

template <class T>
inline constexpr bool kIsInt128 = std::is_integral_v<T> && sizeof(T) > 8;

/// Whether T is stored as one number: arithmetic types but `long double` and 128-bit integers, and
/// std::byte.
template <class T>
inline constexpr bool kIsLeaf = (std::is_arithmetic_v<T> && !std::is_same_v<T, long double> &&
                                 !kIsInt128<T>) ||
                                std::is_same_v<T, std::byte>;

/// The kind of a leaf type. `long` and `wchar_t` have one width everywhere: i64, u64, u32.
template <class T>
[[nodiscard]] consteval FieldKind leaf_kind() {
  static_assert(kIsLeaf<T>);
  if (std::is_same_v<T, bool>) return FieldKind::boolean;
  if (std::is_same_v<T, std::byte>) return FieldKind::u8;
  if (std::is_same_v<T, char> || std::is_same_v<T, char8_t>) return FieldKind::char8;
  if (std::is_same_v<T, char16_t>) return FieldKind::char16;
  if (std::is_same_v<T, char32_t>) return FieldKind::char32;
  if (std::is_same_v<T, wchar_t>) return FieldKind::u32;
  if (std::is_same_v<T, long>) return FieldKind::i64;
  if (std::is_same_v<T, unsigned long>) return FieldKind::u64;
  if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? FieldKind::f32 : FieldKind::f64;
  switch (sizeof(T)) {
    case 1: return std::is_signed_v<T> ? FieldKind::i8 : FieldKind::u8;
    case 2: return std::is_signed_v<T> ? FieldKind::i16 : FieldKind::u16;
    case 4: return std::is_signed_v<T> ? FieldKind::i32 : FieldKind::u32;
    default: return std::is_signed_v<T> ? FieldKind::i64 : FieldKind::u64;
  }
}

/// Bytes of a stored leaf.
[[nodiscard]] constexpr unsigned leaf_width(FieldKind kind) noexcept {
  switch (kind) {
    case FieldKind::boolean:
    case FieldKind::i8:
    case FieldKind::u8:
    case FieldKind::char8: return 1;
    case FieldKind::i16:
    case FieldKind::u16:
    case FieldKind::char16: return 2;
    case FieldKind::i32:
    case FieldKind::u32:
    case FieldKind::f32:
    case FieldKind::char32: return 4;
    case FieldKind::i64:
    case FieldKind::u64:
    case FieldKind::f64: return 8;
    default: return 0;
  }
}

[[nodiscard]] constexpr bool is_signed_integer(FieldKind kind) noexcept {
  return kind == FieldKind::i8 || kind == FieldKind::i16 || kind == FieldKind::i32 ||
         kind == FieldKind::i64;
}
[[nodiscard]] constexpr bool is_integer(FieldKind kind) noexcept {
  return is_signed_integer(kind) || kind == FieldKind::u8 || kind == FieldKind::u16 ||
         kind == FieldKind::u32 || kind == FieldKind::u64;
}
[[nodiscard]] constexpr bool is_float(FieldKind kind) noexcept {
  return kind == FieldKind::f32 || kind == FieldKind::f64;
}
[[nodiscard]] constexpr bool is_number(FieldKind kind) noexcept {
  return is_integer(kind) || is_float(kind) || kind == FieldKind::boolean;
}
/// Whether a stored leaf may be read into a leaf of the program (single values may still not fit).
[[nodiscard]] constexpr bool is_convertible(FieldKind stored, FieldKind own) noexcept {
  return stored == own || (is_number(stored) && is_number(own));
}

/// The bits of a number without its sign; of a float, those of its significand.
[[nodiscard]] constexpr unsigned magnitude_bits(FieldKind kind) noexcept {
  if (kind == FieldKind::boolean) return 1;
  if (is_float(kind)) return kind == FieldKind::f32 ? 24 : 53;
  return 8 * leaf_width(kind) - (is_signed_integer(kind) ? 1 : 0);
}

/// Whether every value of a stored number fits a number of the program.
[[nodiscard]] constexpr bool is_widening(FieldKind stored, FieldKind own) noexcept {
  if (is_float(stored) && !is_float(own)) return false;
  if (is_signed_integer(stored) && !is_signed_integer(own) && !is_float(own)) return false;
  return magnitude_bits(own) >= magnitude_bits(stored);
}

template <unsigned Width>
using BitsOfWidth = std::conditional_t<
    Width == 1, std::uint8_t,
    std::conditional_t<Width == 2, std::uint16_t,
                       std::conditional_t<Width == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
using StoredBits = BitsOfWidth<leaf_width(leaf_kind<T>())>;

/// Whether memory and column hold the same bytes for T, so that whole arrays may be copied.
template <class T>
inline constexpr bool kIsBulk = [] {
  if constexpr (kIsLeaf<T>) {
    return std::endian::native == std::endian::little && sizeof(T) == sizeof(StoredBits<T>) &&
           !std::is_same_v<T, bool>;
  } else {
    return false;
  }
}();

/// The integer that an enumeration with this underlying type is stored as.
template <class U>
using EnumInteger =
    std::conditional_t<std::is_same_v<U, bool> || std::is_same_v<U, char> ||
                           std::is_same_v<U, char8_t> || std::is_same_v<U, char16_t> ||
                           std::is_same_v<U, char32_t> || std::is_same_v<U, wchar_t>,
                       BitsOfWidth<leaf_width(leaf_kind<U>())>, U>;

/// The bits that a leaf is stored as.
template <class T>
[[nodiscard]] constexpr StoredBits<T> stored_bits(T value) noexcept {
  static_assert(!std::is_floating_point_v<T> || std::numeric_limits<T>::is_iec559,
                "hdb needs IEEE 754 floating-point numbers");
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<StoredBits<T>>(value);
  } else if constexpr (std::is_signed_v<T> && std::is_same_v<T, long>) {
    return static_cast<StoredBits<T>>(static_cast<std::int64_t>(value));
  } else {
    return static_cast<StoredBits<T>>(value);
  }
}

/// The leaf that stored bits of its own kind stand for.
template <class T>
[[nodiscard]] constexpr T leaf_from_bits(StoredBits<T> bits) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(bits);
  } else {
    return static_cast<T>(bits);
  }
}

}  // namespace hdb::detail::evolve
