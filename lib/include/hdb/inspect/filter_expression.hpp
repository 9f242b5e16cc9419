// Filter expressions: which records are meant, written as text ("hp < 10 and name ~ 'imp*'").
//
//   either     := both { "or" both }
//   both       := no { "and" no }
//   no         := "not" no | "(" either ")" | test
//   test       := operand ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) operand
//               | operand "~" string                         the text matches this glob of names
//               | operand [ "not" ] "in" "{" literal { "," literal } "}"
//               | operand "is" [ "not" ] "null"
//               | operand                                    a boolean field that is true
//   operand    := field | "size" "(" field ")" | "@slot" | "@gen" | literal
//   literal    := number | string | "true" | "false" | handle
//   field      := name { "." name | "[" [ digits | "*" ] "]" | "<" digits ">" | "?" }
//   handle     := name ":" digits "@" digits
//
// Numbers are decimal or hexadecimal (0x1f), with a sign; with a fraction or an exponent they are floats, as are nan and inf.
// Strings stand in ' or ", with the escapes \n \t \r \0 \\ \' \" \` \xHH \u{H...}. A name that is a keyword or holds other
// characters than letters, digits, _ # @ $ stands in backquotes, with the same escapes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/error.hpp"

namespace hdb {

/// One step of a field's path.
struct FieldStep {
  enum class Kind : std::uint8_t { name, element, any_element, alternative, optional_value };
  Kind kind = Kind::name;
  std::string name = {};
  std::uint64_t number = 0;  ///< Of an element or alternative.

  friend bool operator==(const FieldStep&, const FieldStep&) = default;
};

/// A number as it was written: an integer of 64 bits and a sign, or a float.
struct FilterNumber {
  bool is_integer = true;
  bool negative = false;  ///< Of an integer; never with a magnitude of 0.
  std::uint64_t magnitude = 0;
  double real = 0;

  /// Equal also when both are NaN; -0.0 is not 0.0.
  friend bool operator==(const FilterNumber& a, const FilterNumber& b) noexcept;
};

struct FilterOperand {
  enum class Kind : std::uint8_t { field, size, slot, generation, number, text, boolean, handle };
  Kind kind = Kind::number;
  std::vector<FieldStep> path = {};  ///< field, size.
  FilterNumber number = {};
  std::string text = {};  ///< A string's content; a handle's table.
  bool boolean = false;
  std::uint64_t slot = 0;  ///< Of a handle.
  std::uint32_t generation = 0;
  std::size_t column = 0;  ///< Where it stands in the expression, in bytes.

  [[nodiscard]] bool is_literal() const noexcept { return kind >= Kind::number; }
  /// Wherever they stand.
  friend bool operator==(const FilterOperand& a, const FilterOperand& b);
};

enum class FilterComparison : std::uint8_t {
  equal,
  not_equal,
  less,
  at_most,
  greater,
  at_least,
};

struct FilterNode {
  enum class Kind : std::uint8_t { any, all, negation, comparison, like, in, is_null, truth };
  Kind kind = Kind::truth;
  std::vector<FilterNode> children = {};  ///< any, all: two or more; negation: one.
  FilterComparison comparison = FilterComparison::equal;
  /// comparison, like: two; in: the operand, then the literals; is_null, truth: one.
  std::vector<FilterOperand> operands = {};
  std::size_t column = 0;  ///< Of the operator.

  /// Wherever they stand.
  friend bool operator==(const FilterNode& a, const FilterNode& b);
};

/// A filter that no table is chosen for yet; RecordFilter binds it to one.
class FilterExpression {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 10;
  static constexpr unsigned kMaxDepth = 100;

  /// Errors: bad_name, with the place in the expression as the offset and what was expected there.
  [[nodiscard]] static Result<FilterExpression> parse(std::string_view text);

  /// The expression as it was given.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const FilterNode& root() const noexcept { return root_; }
  /// The expression in the spelling of this library: what parses to an equal one.
  [[nodiscard]] std::string print() const;

  friend bool operator==(const FilterExpression& a, const FilterExpression& b) {
    return a.root_ == b.root_;
  }

 private:
  std::string text_;
  FilterNode root_;
};

/// A field's path as a filter writes it.
[[nodiscard]] std::string print_field_path(const std::vector<FieldStep>& path);

/// Two lines that show a place in an expression, safe to print, each behind two blanks: the expression, or the part around the
/// place, and a caret below it.
[[nodiscard]] std::string point_at(std::string_view expression, std::size_t column);

}  // namespace hdb
