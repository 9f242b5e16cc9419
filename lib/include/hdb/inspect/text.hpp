// Text for terminals and JSON: escapes, numbers, and the word nearest to a mistyped one. Tools use
// it to print names and values of files that they do not trust.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/hash.hpp"

namespace hdb {

/// The text, safe for a terminal. Control characters, bidirectional and other invisible characters
/// become `\n`, `\t` or `\u{...}`, bytes that are not UTF-8 `\x..`, and a backslash is doubled.
///
/// Example:
/// @code
/// assert(hdb::escape_text("red\x1b[31m") == "red\\u{1b}[31m");
/// assert(hdb::quote_text("imp") == "\"imp\"");
/// hdb::JsonObject object;
/// object.text("name", "imp").number("hp", 40);
/// assert(object.str() == "{\"name\":\"imp\",\"hp\":40}");
/// assert(hdb::did_you_mean("hpp", {"hp", "name"}) == "; did you mean 'hp'?");
/// @endcode
[[nodiscard]] HDB_INSPECT_API std::string escape_text(std::string_view text);
/// As escape_text, but keeps backslashes: for texts with paths, and for texts that may be escaped
/// already.
[[nodiscard]] HDB_INSPECT_API std::string printable_text(std::string_view text);
/// As escape_text, in double quotes; double quotes inside are escaped.
[[nodiscard]] HDB_INSPECT_API std::string quote_text(std::string_view text);
/// Whether a code point can control a terminal or is invisible.
[[nodiscard]] HDB_INSPECT_API bool is_unsafe(std::uint32_t code_point) noexcept;

/// Reads the code point at `at` and moves `at` after it. If the text is not UTF-8 there, returns
/// false and moves `at` by one byte.
/// Requires: at < text.size().
[[nodiscard]] HDB_INSPECT_API bool take_code_point(std::string_view text, std::size_t& at,
                                                   std::uint32_t& code_point) noexcept;

/// A piece of a text, for texts that are too large to be copied whole.
inline constexpr std::size_t kTextPieceBytes = std::size_t{64} << 10;
/// Takes at most `max_bytes` bytes off the begin of `text`, and not a part of a code point. Empty
/// only if `text` is, or max_bytes is less than 4. Pieces are escaped as the whole text is.
[[nodiscard]] HDB_INSPECT_API std::string_view take_piece(
    std::string_view& text, std::size_t max_bytes = kTextPieceBytes) noexcept;

/// The lower-case letter for A to Z; any other character unchanged. RecordNames::ignore_case
/// compares names after this.
[[nodiscard]] constexpr char lower_ascii(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] constexpr std::byte lower_ascii(std::byte c) noexcept {
  return static_cast<std::byte>(lower_ascii(static_cast<char>(c)));
}

/// Reads a finite decimal number at the beginning of a text, independently of the locale. Works as
/// std::from_chars, which libc++ 14 does not have for double: no leading '+' or blanks, no
/// hexadecimal digits.
/// Errors: as std::from_chars; `value` is unchanged then.
[[nodiscard]] HDB_INSPECT_API std::from_chars_result parse_double(std::string_view text,
                                                                  double& value);

/// The bytes as lower-case hexadecimal digits.
[[nodiscard]] HDB_INSPECT_API std::string hex_text(std::span<const std::byte> bytes);
/// The number as lower-case hexadecimal digits, with leading zeros up to `digits` digits.
[[nodiscard]] HDB_INSPECT_API std::string hex_number(std::uint64_t value, unsigned digits = 1);

/// The text as a JSON string. Escapes control, bidirectional and invisible characters. A text that
/// is not UTF-8 becomes an object {"hex": "..."}.
[[nodiscard]] HDB_INSPECT_API std::string json_text(std::string_view text);
/// The number as a JSON integer; as a JSON string beyond +-2^53, where many readers would round.
[[nodiscard]] HDB_INSPECT_API std::string json_number(std::int64_t value);
[[nodiscard]] HDB_INSPECT_API std::string json_number(std::uint64_t value);

/// Builds a JSON object, member by member.
class JsonObject {
 public:
  JsonObject() = default;
  /// An object for a line of its own, which begins with its type and the version 1 of that type.
  explicit JsonObject(std::string_view type) {
    text("type", type);
    raw("v", "1");
  }
  /// Appends a member whose value is JSON already.
  HDB_INSPECT_API JsonObject& raw(std::string_view name, std::string_view json);
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
  /// The object as JSON.
  [[nodiscard]] std::string str() const { return members_.empty() ? "{}" : members_ + "}"; }

 private:
  std::string members_;
};

/// Builds a JSON array, element by element.
class JsonArray {
 public:
  /// Appends an element that is JSON already.
  JsonArray& raw(std::string_view json) {
    elements_ += elements_.empty() ? '[' : ',';
    elements_ += json;
    return *this;
  }
  /// The array as JSON.
  [[nodiscard]] std::string str() const { return elements_.empty() ? "[]" : elements_ + "]"; }

 private:
  std::string elements_;
};

/// The candidate that is most similar to a mistyped word, ignoring case; empty if none is similar.
/// Complexity: the number of candidates times the square of at most 64 bytes.
[[nodiscard]] HDB_INSPECT_API std::string nearest_word(std::string_view word,
                                                       const std::vector<std::string>& candidates);
/// A hint for an error message: "; did you mean 'hp'?" for nearest_word; empty if there is none.
[[nodiscard]] HDB_INSPECT_API std::string did_you_mean(std::string_view word,
                                                       const std::vector<std::string>& candidates);

}  // namespace hdb
