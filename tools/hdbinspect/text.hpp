// Small helpers for plain text: sizes, widths, columns, near misses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/inspect/text.hpp"

namespace hdb::inspect {

/// The text as one word of a shell command, safe for a terminal: between single quotes where it
/// needs them, and as $'...' with numbers where it has characters that escape_text does not show.
[[nodiscard]] std::string shell_word(std::string_view text);
/// The parts between separators; one that ends the text begins no part.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
/// RFC 4648, with padding.
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);
/// "1.4 MiB", "512 bytes".
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// "2026-11-21 05:43:49 UTC".
[[nodiscard]] std::string date_text(std::int64_t unix_ms);
/// "1 h 23 min 45 s".
[[nodiscard]] std::string duration_text(std::uint64_t ms);
/// "1 table", "2 tables".
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view noun);
/// Columns that the text takes on a terminal: two for a wide character, none for a combining one,
/// one for each byte that is not UTF-8.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;
/// The text, cut to `width` columns: "..." takes the place of the rest.
[[nodiscard]] std::string cut_text(std::string_view text, std::size_t width);
/// The text with blanks after it up to `width`.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
/// The text with blanks before it up to `width`.
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

/// Rows of cells, printed with aligned columns.
class TextTable {
 public:
  /// `right_aligned` columns are padded on the left.
  explicit TextTable(std::vector<bool> right_aligned) : right_aligned_(std::move(right_aligned)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// The lines, each after `indent` blanks, columns two blanks apart.
  [[nodiscard]] std::string text(std::size_t indent) const;
  /// The same where it fits in `width` columns. Else the last column is wrapped, if there is room
  /// for it, or each row is a paragraph, its cells named by the first row.
  [[nodiscard]] std::string fitted(std::size_t width) const;

 private:
  static constexpr std::size_t kLeastColumn = 16;  // of a column that is wrapped
  [[nodiscard]] std::vector<std::size_t> column_widths() const;
  /// The first `count` cells, padded.
  [[nodiscard]] std::string cells(const std::vector<std::string>& row,
                                  const std::vector<std::size_t>& widths, std::size_t count) const;

  std::vector<bool> right_aligned_;
  std::vector<std::vector<std::string>> rows_;
};

/// The summary of a load below the line that it belongs to, a table in each line.
[[nodiscard]] std::string load_text(std::string_view summary);

/// The media type of a picture: PNG, JPEG, GIF or WebP; empty: it is none of these.
[[nodiscard]] std::string_view image_type(std::span<const std::byte> bytes) noexcept;

}  // namespace hdb::inspect
