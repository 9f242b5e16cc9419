// What libc++ 13 lacks of C++20, for the presets `wasm` and `musl` alone: Debian's Emscripten has
// that version. Newer releases of Emscripten have all of it. Included before everything else
// (-include).
#pragma once

#if __cplusplus >= 202002L  // not GoogleTest itself
#include <charconv>
#include <compare>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#if _LIBCPP_VERSION < 14000
namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

template <class T>
concept three_way_comparable = requires(const T& a, const T& b) {
  { a <=> b } -> convertible_to<partial_ordering>;
};
template <class T>
using compare_three_way_result_t = decltype(declval<const T&>() <=> declval<const T&>());

/// The formatted text; as to_chars says it.
inline to_chars_result copy_text(char* first, char* last, const char* text) {
  const size_t size = strlen(text);
  if (static_cast<size_t>(last - first) < size) return {last, errc::value_too_large};
  memcpy(first, text, size);
  return {first + size, errc()};
}

template <class Float>
requires is_floating_point_v<Float> to_chars_result to_chars(char* first, char* last, Float value,
                                                             chars_format format, int digits) {
  char text[512];
  snprintf(text, sizeof text, format == chars_format::fixed ? "%.*f" : "%.*g", digits,
           static_cast<double>(value));
  return copy_text(first, last, text);
}

/// The shortest text that is read back as the same number, in the shorter of both notations.
template <class Float>
requires is_floating_point_v<Float> to_chars_result
to_chars(char* first, char* last, Float value, chars_format format = chars_format::general) {
  constexpr int most_digits = is_same_v<Float, float> ? 9 : 17;
  char scientific[64], fixed[512];
  for (int digits = 1; digits <= most_digits; ++digits) {
    snprintf(scientific, sizeof scientific, "%.*e", digits - 1, static_cast<double>(value));
    if (static_cast<Float>(strtod(scientific, nullptr)) == value || value != value) break;
  }
  const char* const mark = strchr(scientific, 'e');
  if (mark == nullptr) return copy_text(first, last, scientific);  // "inf", "nan"
  const char* const point = strchr(scientific, '.');
  const long decimals = (point != nullptr ? mark - point - 1 : 0) - strtol(mark + 1, nullptr, 10);
  snprintf(fixed, sizeof fixed, "%.*f", static_cast<int>(decimals > 0 ? decimals : 0),
           static_cast<double>(value));
  const bool is_fixed = format == chars_format::fixed || strlen(fixed) <= strlen(scientific);
  return copy_text(first, last, is_fixed ? fixed : scientific);
}

}  // namespace std
#endif
#endif
