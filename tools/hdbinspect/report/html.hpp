// HTML built piece by piece: text from files escaped, elements closed, ids unique.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hdb::inspect {

/// Characters of markup as references; for text that is safe to show already: own words, paths and
/// values of the library.
[[nodiscard]] std::string html_of_shown(std::string_view shown);
/// Any text from a file or command line: control, bidirectional and invisible characters and bytes
/// that are not UTF-8 are made visible, then markup is escaped.
[[nodiscard]] std::string html_of(std::string_view text);
/// The same in an element that keeps its text direction apart from the text beside it.
[[nodiscard]] std::string bdi_of(std::string_view text);

/// "12,480".
[[nodiscard]] std::string grouped(std::uint64_t number);
/// "0 to 63"; "7" of a range of one.
[[nodiscard]] std::string range_text(std::uint64_t first, std::uint64_t last);
/// "0.4 %" of `whole`; "-" of nothing.
[[nodiscard]] std::string percent_text(std::uint64_t part, std::uint64_t whole);
/// A share of 100 for a width, with at most two digits after the point.
[[nodiscard]] std::string share(double part, double whole);

/// A page, or a part of one.
class Html {
 public:
  /// Appends markup; arguments must be escaped.
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }
  void raw(std::string_view markup) { text_ += markup; }
  /// Begins a part of the page, with its id and heading; "</section>\n" ends it.
  void section(std::string_view id, std::string_view heading);
  /// Begins a table. A head that begins with '#' is of a column of numbers, one with '|' of bars.
  void begin_table(std::initializer_list<std::string_view> heads, std::string_view caption = {});
  /// A row of the table: its head and its cells, as markup.
  void row(std::initializer_list<std::string_view> cells);
  void end_table() { raw("</tbody></table></div>\n"); }
  /// A table that is shown when asked for.
  void begin_folded_table(std::string_view summary, std::initializer_list<std::string_view> heads);
  void end_folded_table() { raw("</tbody></table></div></details>\n"); }
  /// What was found, in one line. `kind`: "", "bad" or "differs".
  void verdict(std::string_view kind, std::string_view word, std::string_view text);
  /// An id that no other element of the page has: "p1", "p2".
  [[nodiscard]] std::string new_id() { return fmt::format("p{}", ++ids_); }
  /// A term and what it is, in a list of facts; `fact` is markup.
  void fact(std::string_view term, std::string_view fact, bool wide = false);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::string take() noexcept { return std::move(text_); }

 private:
  std::string text_;
  std::vector<std::string_view> cell_classes_;  // of the columns of the present table
  unsigned ids_ = 0;
};

/// The beginning of a page: what all pages have in common, up to the main part. `title` is text
/// from a file; `heading`, `where` (lines under it) and `links` (of the navigation) are markup.
void begin_page(Html& page, std::string_view title, std::string_view heading,
                std::string_view where, std::string_view links, std::string_view picture = {});
/// The end of a page, with its script.
void end_page(Html& page);

/// Attributes and first children of a picture: focusable, with title and description that screen
/// readers say.
[[nodiscard]] std::string picture_attributes(Html& page, std::string_view title,
                                             std::string_view description, std::string& children);

}  // namespace hdb::inspect
