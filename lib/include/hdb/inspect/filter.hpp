// Filters such as "hp < 10 and name ~ 'imp*'": parsed, bound to a schema, applied to records. For
// hdbinspect -w and for search fields of editors; `hdbinspect help filters` describes the language.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

class Reader;
namespace query {
class Binder;
class OtherTables;
struct BoundNode;
}  // namespace query

/// One step of the path of a field.
struct FieldStep {
  enum class Kind : std::uint8_t { name, element, any_element, key, alternative, optional_value };
  Kind kind = Kind::name;
  std::string name = {};     ///< name; key: the key of a map as text.
  std::uint64_t number = 0;  ///< Number of an element or alternative.

  friend bool operator==(const FieldStep&, const FieldStep&) = default;
};

/// A number as it was written: a sign and 64 bits, or a float.
struct FilterNumber {
  bool is_integer = true;
  bool negative = false;  ///< Sign of an integer; never with a magnitude of 0.
  std::uint64_t magnitude = 0;
  double real = 0;

  /// Whether both are written alike: NaN equals NaN, and -0.0 does not equal 0.0.
  HDB_INSPECT_API friend bool operator==(const FilterNumber& a, const FilterNumber& b) noexcept;
};

/// One operand of an expression: a field, the size of a field, the slot or generation of the
/// record, or a literal.
struct FilterOperand {
  enum class Kind : std::uint8_t { field, size, slot, generation, number, text, boolean, handle };
  Kind kind = Kind::number;
  std::vector<FieldStep> path = {};  ///< field, size.
  FilterNumber number = {};
  std::string text = {};  ///< text: its content; handle: the name of the table.
  bool boolean = false;
  std::uint64_t slot = 0;        ///< handle.
  std::uint32_t generation = 0;  ///< handle.
  std::size_t column = 0;        ///< The byte offset in the expression.

  /// Whether the operand is a literal.
  [[nodiscard]] bool is_literal() const noexcept { return kind >= Kind::number; }
  /// Whether the operand is one bare name: a field, or an enumerator beside an enumeration.
  [[nodiscard]] bool is_word() const noexcept {
    return kind == Kind::field && path.size() == 1 && path[0].kind == FieldStep::Kind::name;
  }
  /// Whether both are equal, wherever they are in their expressions.
  HDB_INSPECT_API friend bool operator==(const FilterOperand& a, const FilterOperand& b);
};

/// The comparison operators == != < <= > >=.
enum class FilterComparison : std::uint8_t {
  equal,
  not_equal,
  less,
  at_most,
  greater,
  at_least,
};

/// One node of a parsed expression. `any` is "or", `all` is "and", `like` is "~", `like_any_case`
/// is "~*", `truth` is a bool field.
struct FilterNode {
  enum class Kind : std::uint8_t {
    any,
    all,
    negation,
    comparison,
    like,
    like_any_case,
    in,
    is_null,
    is_stale,
    is_nan,
    truth
  };
  Kind kind = Kind::truth;
  std::vector<FilterNode> children = {};  ///< any, all: two or more; negation: one.
  FilterComparison comparison = FilterComparison::equal;
  /// comparison, like, like_any_case: two; in: the operand, then literals and bare enumerators;
  /// is_null, is_stale, is_nan, truth: one.
  std::vector<FilterOperand> operands = {};
  std::size_t column = 0;  ///< The byte offset of the operator in the expression.

  /// Whether both are equal, wherever they are in their expressions.
  HDB_INSPECT_API friend bool operator==(const FilterNode& a, const FilterNode& b);
};

/// A parsed filter, not bound to a table yet. RecordFilter::bind binds it.
class FilterExpression {
 public:
  /// The longest expression in bytes.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 10;
  /// The deepest nesting of parentheses and `not`.
  static constexpr unsigned kMaxDepth = 100;

  /// Parses an expression.
  /// Errors: bad_name; Error::offset is the byte offset in the expression, Error::what says what
  /// was expected there.
  [[nodiscard]] HDB_INSPECT_API static Result<FilterExpression> parse(std::string_view text);

  /// The expression as it was given.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  /// The root of the parsed expression.
  [[nodiscard]] const FilterNode& root() const noexcept { return root_; }
  /// The expression in the standard spelling, which parses to an equal expression.
  [[nodiscard]] HDB_INSPECT_API std::string print() const;

  friend bool operator==(const FilterExpression& a, const FilterExpression& b) {
    return a.root_ == b.root_;
  }

 private:
  std::string text_;
  FilterNode root_;
};

/// The path of a field in the spelling of filters.
[[nodiscard]] HDB_INSPECT_API std::string print_field_path(const std::vector<FieldStep>& path);

/// Two lines for an error message: the expression, or the part around `column`, and a caret below
/// that byte. Each line starts with two blanks. Safe to print.
[[nodiscard]] HDB_INSPECT_API std::string point_at(std::string_view expression, std::size_t column);

/// A filter that is bound to one record schema.
///
/// Threads: several threads may call const members at once.
///
/// Example:
/// @code
/// const auto reader = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// const auto weak = hdb::FilterExpression::parse("hp < 10 and name ~ 'imp*'");
/// if (!reader || !weak) return;
/// const auto filter = hdb::RecordFilter::bind(*weak, **reader, 1);  // "monsters"
/// if (!filter) return;  // hdb::point_at(weak->text(), filter.error().offset) shows the place
/// const hdb::Field& root = (*reader)->schemas()[(*reader)->tables()[1].schema];
/// hdb::RowDecoder decoder(root, filter->columns());  // reads only name and hp
/// assert(filter->columns().size() == 3);  // lengths and bytes of name; hp
/// @endcode
class HDB_INSPECT_API RecordFilter {
 public:
  /// The most handles that one path goes through.
  static constexpr unsigned kMaxHandles = 4;
  /// The most memory for what is read through handles, unless another limit is given.
  static constexpr std::uint64_t kMaxFollowedBytes = std::uint64_t{512} << 20;

  /// Binds an expression to the records of a table of a file. If it goes through handles
  /// (`target.hp`, `target is stale`), reads of the tables that they name what it compares, and the
  /// generations.
  /// Requires: `reader` outlives the filter.
  /// Errors: as below; if it goes through handles also those of Reader::read_columns, and
  /// memory_budget beyond `max_bytes`.
  /// Complexity: linear in the records of the tables that handles name. Memory: 4 bytes for each
  /// slot of them, 4 more and 8 for each value that a path leads to, and the bytes of texts.
  [[nodiscard]] static Result<RecordFilter> bind(const FilterExpression& expression,
                                                 const Reader& reader, std::size_t table,
                                                 std::uint64_t max_bytes = kMaxFollowedBytes);
  /// Binds an expression to records of schema `root`. `tables` are the tables that handles may
  /// name; their records are not known, so a filter that goes through handles is refused.
  /// Requires: `root` outlives the filter.
  /// Errors: not_found, with the nearest name, if a field, table or enumerator does not exist;
  /// type_mismatch, also for a comparison that is true for no value of its field.
  /// Error::offset is the byte offset in the expression.
  [[nodiscard]] static Result<RecordFilter> bind(const FilterExpression& expression,
                                                 const Field& root,
                                                 const std::vector<TableDescriptor>& tables);

  /// The columns to request from a RowDecoder, in ascending order. Empty if the filter uses only
  /// slots and generations.
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const noexcept { return columns_; }

  /// Whether the filter depends on records that handles name.
  [[nodiscard]] bool follows_handles() const noexcept;

  /// Whether the record matches. Requires: `row` was decoded by `root` with at least columns().
  /// Complexity: linear in the values at the paths of the filter.
  [[nodiscard]] bool matches(const Value& row, std::uint64_t slot, std::uint32_t generation) const;

 private:
  friend class RecordValue;
  struct Program;
  [[nodiscard]] static Result<RecordFilter> finish(Result<query::BoundNode> bound,
                                                   query::Binder& binder,
                                                   std::unique_ptr<query::OtherTables> others);
  std::shared_ptr<const Program> program_;  // never changes once it is bound
  std::vector<std::uint32_t> columns_;
};

/// The value that an operand of filters has in each record of a table: `pos.x`, `stock['sword']`,
/// `target.hp`, `size(loot)` or the slot. For an order of records.
///
/// Threads: several threads may call const members at once.
class HDB_INSPECT_API RecordValue {
 public:
  /// Requires: `reader` outlives the value.
  /// Errors: those of RecordFilter::bind; not_found if `operand` is not an operand of a field;
  /// type_mismatch for a path of several values.
  [[nodiscard]] static Result<RecordValue> bind(
      std::string_view operand, const Reader& reader, std::size_t table,
      std::uint64_t max_bytes = RecordFilter::kMaxFollowedBytes);

  /// The columns to request from a RowDecoder, in ascending order.
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const noexcept {
    return filter_.columns();
  }
  /// The field of the value; a u64 for a size, slot or generation.
  [[nodiscard]] const Field& field() const noexcept;
  /// The value in a record, if it has one; of equal keys of a map the first. Requires: as
  /// RecordFilter::matches.
  [[nodiscard]] std::optional<Value> find(const Value& row, std::uint64_t slot,
                                          std::uint32_t generation) const;

 private:
  RecordFilter filter_;  // a test of the operand alone
};

}  // namespace hdb
