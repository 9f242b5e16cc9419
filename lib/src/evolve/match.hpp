// What becomes of the stored fields of a table in the program: compared, or refused.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/error.hpp"
#include "hdb/load_change.hpp"

namespace hdb {
struct CompatFinding;
}

namespace hdb::detail::evolve {

/// A difference between two schemas. Its count is `factor` times a number of a Tally.
struct Difference {
  LoadChange change;
  std::uint32_t node = 0;
  std::uint64_t Tally::*counter = &Tally::values;
  std::uint64_t factor = 1;
  std::uint64_t repeats = 1;  ///< Nodes in a record: the elements of the arrays around it.
};

/// A stored field that is not read.
struct SkippedField {
  std::uint32_t node = 0;
  std::uint64_t repeats = 1;  ///< Its values in a record: the elements of the arrays around it.
};

/// What matching a stored schema with the program's found.
struct Match {
  static constexpr std::uint32_t kNoColumn = ~std::uint32_t{0};

  std::vector<Difference> differences;
  /// Whether the fields of both sides differ only in names, order and kinds of numbers, so that
  /// whole columns can be copied.
  bool keeps_shapes = true;
  std::vector<std::uint32_t> own_columns;  ///< For each stored column of values; or kNoColumn.
  std::vector<SkippedField> unknown;       ///< The program lacks them.
  std::vector<CompatFinding> findings;  ///< Every difference, in the order of the program's fields.
  std::optional<Error> refusal;         ///< Of the first difference that a load refuses.
};

/// Matches by names. Renamed fields of `stored` get the program's name. The children of a stored
/// structure are put into the order of the program, with a node of kind kMissing for each field
/// that the file lacks; unknown fields come last. Structures of the same class version on both
/// sides become strict: their load must read every matched field and no field of another name.
/// Inside a structure of another version the program's code migrates as it likes.
/// Lists all differences, also after one that a load refuses.
[[nodiscard]] Match compare_plans(const Plan& own, Plan& stored);
/// As compare_plans. Errors: Match::refusal: type_mismatch, layout_mismatch, with the field's path.
[[nodiscard]] HDB_INSPECT_API Result<Match> match_plans(const Plan& own, Plan& stored);

}  // namespace hdb::detail::evolve
