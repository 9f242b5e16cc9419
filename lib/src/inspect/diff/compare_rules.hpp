// What a comparison ignores or tolerates, worked out once for the schema of a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::diffing {

/// The rules of one field and of what is in it.
struct FieldRules {
  bool exact = true;  ///< Nothing is ignored or tolerated here or below.
  bool ignored = false;
  std::optional<double> absolute;
  std::optional<double> relative;
  std::vector<FieldRules> children;  ///< In the order of the field's; none when it is exact.
  /// Elements of a list, array or map with rules of their own, each with children as above.
  std::vector<std::pair<std::uint64_t, std::vector<FieldRules>>> numbered;

  /// Of child `child` of element `number`, or of any other container with 0.
  [[nodiscard]] const FieldRules& element(std::uint64_t number, std::size_t child) const;
};

/// How two values are compared.
struct CompareRules {
  const FieldRules* field = nullptr;  ///< Of the values at hand; null: exact.
  bool tolerant = false;              ///< Whether tolerances count, or what is ignored alone.
  bool nan_equal = false;             ///< While tolerant: any NaN equals any other.

  [[nodiscard]] bool are_exact() const noexcept {
    return (field == nullptr || field->exact) && !(tolerant && nan_equal);
  }
  /// The rules of child `child` of element `number` (0 of what has no elements).
  [[nodiscard]] CompareRules below(std::uint64_t number, std::size_t child) const;
  [[nodiscard]] bool are_ignored() const noexcept { return field != nullptr && field->ignored; }
};

/// The rules of a table's records.
[[nodiscard]] FieldRules make_rules(const DiffOptions& options, const std::string& table,
                                    const Field& root);

/// Whether a table is ignored as a whole.
[[nodiscard]] bool is_ignored(const DiffOptions& options, const std::string& table);
/// Whether a path of a schema is ignored; empty: the record as a whole.
[[nodiscard]] bool is_ignored(const DiffOptions& options, const std::string& table,
                              const std::string& path);

/// By column of the schema: whether it holds ignored fields alone.
[[nodiscard]] std::vector<bool> ignored_columns(const FieldRules& rules, const Field& root);

/// Whether two numbers, both integers or both floats, are within the tolerance of their field.
[[nodiscard]] bool are_within(const CompareRules& rules, const Value& a, const Value& b);

}  // namespace hdb::diffing
