// The grammar of nested columns, as a straight list of rules: how many values each column must
// hold, and of what.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hdb/inspect/image.hpp"

namespace hdb::format {

/// The rules of one schema. Immutable; shared by threads.
class Grammar {
 public:
  /// Counts are numbered. Count 0 is the number of records; others are made by a column (the sum of
  /// lengths, the values present, the tags of one alternative) or are a multiple of another (array
  /// elements).
  struct Count {
    std::uint32_t made_by = 0;  ///< Column + 1; 0: not made by a column.
    std::uint32_t multiple_of = 0;
    std::uint64_t factor = 1;  ///< 0: made by a column, or count 0.
  };
  struct Rule {
    ColumnRole role = ColumnRole::values;
    unsigned width = 1;
    FieldKind kind = FieldKind::u8;
    bool utf8_checked = false;
    std::uint32_t count = 0;      ///< How many values the column holds.
    std::uint32_t first_out = 0;  ///< The counts that it makes.
    std::uint32_t outs = 0;

    /// Whether a column of the right size is always accepted.
    [[nodiscard]] bool accepts_any_bytes() const noexcept {
      return (role == ColumnRole::values && kind != FieldKind::boolean) ||
             (role == ColumnRole::bytes && !utf8_checked);
    }
  };

  explicit Grammar(const Field& root);

  [[nodiscard]] const std::vector<Rule>& rules() const noexcept { return rules_; }
  [[nodiscard]] const std::vector<Count>& counts() const noexcept { return counts_; }
  [[nodiscard]] const std::string& path(std::size_t column) const { return paths_[column]; }
  /// Marks the columns that must be read before `column` can be checked.
  void add_needed(std::uint32_t column, std::vector<bool>& wanted) const;

 private:
  void visit(const Field& field, std::uint32_t count);
  std::uint32_t make_counts(std::size_t outs);

  std::vector<Rule> rules_;
  std::vector<Count> counts_;
  std::vector<std::string> paths_;
};

/// A size that no column has.
inline constexpr std::uint64_t kTooMany = ~std::uint64_t{0};

/// Follows the columns of one group in their order.
class GroupCheck {
 public:
  GroupCheck(const Grammar& grammar, std::uint64_t live_count);

  /// The size of a column in which all lengths are zero; kTooMany beyond all sizes.
  [[nodiscard]] std::uint64_t least_size(std::size_t column) const;
  /// Whether a column of this many raw bytes is possible; asked before memory is allocated for it.
  [[nodiscard]] Status check_size(std::size_t column, std::uint64_t raw_bytes) const;
  /// Checks the content. `lengths` is the column before, for the bytes of strings (else ignored).
  /// Requires: the columns that `add_needed` names were accepted.
  [[nodiscard]] Status accept(std::size_t column, std::span<const std::byte> bytes,
                              std::span<const std::byte> lengths);

 private:
  [[nodiscard]] std::uint64_t value(std::uint32_t count) const noexcept;

  const Grammar& grammar_;
  std::vector<std::uint64_t> values_;
};

/// check_group with rules made before.
[[nodiscard]] Status check_columns(const Grammar& grammar, const RowGroup& group,
                                   std::uint64_t live_count);

}  // namespace hdb::format
