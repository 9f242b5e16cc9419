// Text for terminals and for JSON: escapes, numbers, and the word nearest to a mistyped one.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/hash.hpp"

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

/// The lower-case letter of one from A to Z; every other character as it is. What
/// Names::ignore_case compares.
[[nodiscard]] constexpr char lower_ascii(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr std::byte lower_ascii(std::byte c) noexcept {
  return static_cast<std::byte>(lower_ascii(static_cast<char>(c)));
}

/// Reads a finite decimal number from the beginning of a text, in every locale as in the C locale.
/// Equals std::from_chars, which libc++ does not offer for double: no sign +, no spaces, no
/// hexadecimal digits.
/// Errors: as std::from_chars; then `value` is as it was.
[[nodiscard]] std::from_chars_result parse_double(std::string_view text, double& value);

/// Lower-case hexadecimal digits of bytes.
[[nodiscard]] std::string hex_text(std::span<const std::byte> bytes);
/// The number in lower-case hexadecimal digits, at least `digits` of them.
[[nodiscard]] std::string hex_number(std::uint64_t value, unsigned digits = 1);

/// A JSON string. Control, bidirectional and invisible characters are escaped; bytes that are not
/// UTF-8 make it an object {"hex": "..."} instead.
[[nodiscard]] std::string json_text(std::string_view text);
/// A JSON integer; a string outside of +-2^53, where readers would round.
[[nodiscard]] std::string json_number(std::int64_t value);
[[nodiscard]] std::string json_number(std::uint64_t value);

/// Builds one object, member by member.
class JsonObject {
 public:
  JsonObject() = default;
  /// An object that stands by itself in a line: with its type and the version of that type.
  explicit JsonObject(std::string_view type) {
    text("type", type);
    raw("v", "1");
  }
  JsonObject& raw(std::string_view name, std::string_view json);
  JsonObject& text(std::string_view name, std::string_view value) {
    return raw(name, json_text(value));
  }
  JsonObject& number(std::string_view name, std::uint64_t value) {
    return raw(name, json_number(value));
  }
  JsonObject& signed_number(std::string_view name, std::int64_t value) {
    return raw(name, json_number(value));
  }
  JsonObject& boolean(std::string_view name, bool value) {
    return raw(name, value ? "true" : "false");
  }
  JsonObject& hash(std::string_view name, const Hash128& value) { return text(name, value.hex()); }
  [[nodiscard]] std::string str() const { return members_.empty() ? "{}" : members_ + "}"; }

 private:
  std::string members_;
};

/// Builds an array, element by element.
class JsonArray {
 public:
  JsonArray& raw(std::string_view json) {
    elements_ += elements_.empty() ? '[' : ',';
    elements_ += json;
    return *this;
  }
  [[nodiscard]] std::string str() const { return elements_.empty() ? "[]" : elements_ + "]"; }

 private:
  std::string elements_;
};

/// The candidate nearest to a mistyped word, upper and lower case alike; empty when none is near.
/// Complexity: the candidates times the square of at most 64 bytes.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& candidates);
/// "; did you mean 'hp'?" for the nearest candidate; empty when none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       const std::vector<std::string>& candidates);

}  // namespace hdb
