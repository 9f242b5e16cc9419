// Filters: "hp < 10 and name ~ 'imp*'" parsed, bound to a schema, and applied to records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/schema.hpp"

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

/// Two lines that show a place in an expression, safe to print, each behind two blanks: the
/// expression, or the part around the place, and a caret below it.
[[nodiscard]] std::string point_at(std::string_view expression, std::size_t column);

class RecordFilter {
 public:
  /// Binds to records of schema `root`, which must outlive the filter; `tables` are those that
  /// handles may name.
  /// Errors: not_found (no such field or table) with the nearest name, type_mismatch; each with its
  /// place in the expression as the offset.
  [[nodiscard]] static Result<RecordFilter> bind(const FilterExpression& expression,
                                                 const Field& root,
                                                 const std::vector<TableDescriptor>& tables);

  /// The columns that a RowDecoder must be asked for, rising; none when the filter looks at slots
  /// and generations alone.
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const noexcept { return columns_; }

  /// Whether the record is meant. `row` was read with these columns (or more), from the same
  /// `root`.
  /// Complexity: the values that the paths lead to.
  [[nodiscard]] bool matches(const Value& row, std::uint64_t slot, std::uint32_t generation) const;

 private:
  struct Program;
  std::shared_ptr<const Program> program_;  // never changes once it is bound
  std::vector<std::uint32_t> columns_;
};

}  // namespace hdb
