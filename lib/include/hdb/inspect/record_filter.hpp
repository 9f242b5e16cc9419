// A filter expression bound to the schema of one table: told of each record whether it is meant.
//
// What a filter means:
//   F1  A path leads to any number of values: one; none, where an optional holds nothing, a variant holds another alternative
//       or a list has no such element; many, behind [*].
//   F2  A comparison holds when it holds for any of the values (of both sides). Where there is none it does not hold, not even
//       with !=; `not` turns the whole answer around.
//   F3  `x is null` holds when the path leads to nothing, or any value of it is a null handle.
//   F4  Numbers are compared by what they are: 64-bit integers and floats exactly, whatever their widths. Of an f32 field and
//       a literal with a fraction or exponent, the literal is taken as an f32, as the field is printed. NaN is equal to
//       nothing, not even to NaN, and different from everything.
//   F5  Texts are compared byte by byte. `~` takes the whole text.
//   F6  Enumerations are their integers, variants the index of their alternative, characters their code or a text of one
//       character. Handles are equal to handles by all of their bits, to numbers by their raw bits.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hdb/inspect/filter_expression.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/table_descriptor.hpp"

namespace hdb {

class RecordFilter {
 public:
  /// Binds to records of schema `root`, which must outlive the filter; `tables` are those that handles may name.
  /// Errors: not_found (no such field or table) with the nearest name, type_mismatch; each with its place in the expression as
  /// the offset.
  [[nodiscard]] static Result<RecordFilter> bind(const FilterExpression& expression,
                                                 const Field& root,
                                                 const std::vector<TableDescriptor>& tables);

  /// The columns that a RowDecoder must be asked for, rising; none when the filter looks at slots and generations alone.
  [[nodiscard]] const std::vector<std::uint32_t>& columns() const noexcept { return columns_; }

  /// Whether the record is meant. `row` was read with these columns (or more), from the same `root`.
  /// Complexity: the values that the paths lead to.
  [[nodiscard]] bool matches(const Value& row, std::uint64_t slot, std::uint32_t generation) const;

 private:
  struct Program;
  std::shared_ptr<const Program> program_;  // never changes once it is bound
  std::vector<std::uint32_t> columns_;
};

}  // namespace hdb
