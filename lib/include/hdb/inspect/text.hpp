// Text from files and records made safe to print, on a terminal and in JSON.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hdb {

/// The text with everything that could steer a terminal written as an escape: control characters,
/// ESC, bidirectional and other invisible characters, bytes that are not UTF-8, and the backslash
/// itself.
[[nodiscard]] std::string escape_text(std::string_view text);
/// escape_text between double quotes, with double quotes inside escaped.
[[nodiscard]] std::string quote_text(std::string_view text);
/// Whether a code point could steer a terminal or hide in a text.
[[nodiscard]] bool is_unsafe(std::uint32_t code_point) noexcept;

/// Reads one code point off well-formed UTF-8 and moves `at`; false (and one byte taken) where it
/// is not.
[[nodiscard]] bool take_code_point(std::string_view text, std::size_t& at,
                                   std::uint32_t& code_point) noexcept;

/// The lower-case letter of one from A to Z; every other character as it is. What Names::ignore_case compares.
[[nodiscard]] constexpr char lower_ascii(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr std::byte lower_ascii(std::byte c) noexcept {
  return static_cast<std::byte>(lower_ascii(static_cast<char>(c)));
}

/// Reads a finite decimal number from the beginning of a text, in every locale as in the C locale. Equals std::from_chars,
/// which libc++ does not offer for double: no sign +, no spaces, no hexadecimal digits.
/// Errors: as std::from_chars; then `value` is as it was.
[[nodiscard]] std::from_chars_result parse_double(std::string_view text, double& value);

/// Lower-case hexadecimal digits of bytes.
[[nodiscard]] std::string hex_text(std::span<const std::byte> bytes);
/// The number in lower-case hexadecimal digits, at least `digits` of them.
[[nodiscard]] std::string hex_number(std::uint64_t value, unsigned digits = 1);

}  // namespace hdb
