// Text from files made safe to print, and small helpers for plain text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hdb::inspect {

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

/// The text as one word of a shell command: between single quotes where it needs them.
[[nodiscard]] std::string shell_word(std::string_view text);
/// Lower-case hexadecimal digits of bytes.
[[nodiscard]] std::string hex_text(std::span<const std::byte> bytes);
/// "1.4 MiB", "512 bytes".
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// "1 table", "2 tables".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view noun);
/// Characters that a terminal shows (UTF-8 code points).
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;
/// The text with blanks after it up to `width`.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
/// The text with blanks before it up to `width`.
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

/// The candidate nearest to a mistyped word, upper and lower case alike; empty when none is near.
[[nodiscard]] std::string nearest_word(std::string_view word,
                                       const std::vector<std::string>& candidates);

/// Rows of cells, printed with aligned columns.
class TextTable {
 public:
  /// `right_aligned` columns are padded on the left.
  explicit TextTable(std::vector<bool> right_aligned) : right_aligned_(std::move(right_aligned)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// The lines, each after `indent` blanks, columns two blanks apart.
  [[nodiscard]] std::string text(std::size_t indent) const;

 private:
  std::vector<bool> right_aligned_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hdb::inspect
