// The words of a filter expression.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hdb/inspect/filter.hpp"

namespace hdb::query {

struct Token {
  enum class Kind : std::uint8_t { end, word, field, text, number, handle, sign };
  Kind kind = Kind::end;
  std::size_t column = 0;
  std::string text = {};  ///< word: a keyword; text: its content; handle: its table; sign: itself.
  std::vector<FieldStep> path = {};
  FilterNumber number = {};
  std::uint64_t slot = 0;
  std::uint32_t generation = 0;

  [[nodiscard]] bool is(Kind of_kind, std::string_view of_text) const {
    return kind == of_kind && text == of_text;
  }
};

/// Whether a name must be in backquotes.
[[nodiscard]] bool needs_quotes(std::string_view name);
/// Whether a byte may be in a name without backquotes.
[[nodiscard]] bool is_name_byte(char c) noexcept;

/// Reads an expression word by word.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  /// Takes "[3]", "[*]", "[]" or "['sword']" off the begin of `text`. Errors: as next.
  [[nodiscard]] static Result<FieldStep> take_bracket(std::string_view& text);
  /// Errors: bad_name with the place as the offset.
  [[nodiscard]] Result<Token> next();

 private:
  [[nodiscard]] Status read_number(Token& token);
  [[nodiscard]] Status read_field(Token& token);
  [[nodiscard]] Status read_name(std::string& name);
  [[nodiscard]] Status read_bracket(std::vector<FieldStep>& path);
  [[nodiscard]] Status read_handle(Token& token);
  [[nodiscard]] Status read_quoted(std::string& out);
  [[nodiscard]] Status read_escape(std::string& out);
  template <class T>
  [[nodiscard]] bool take_digits(T& value);
  [[nodiscard]] bool is_alternative() const;
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// An error at a place of an expression.
[[nodiscard]] tl::unexpected<Error> bad_expression(std::size_t column, std::string what);

}  // namespace hdb::query
