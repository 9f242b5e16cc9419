// Which alternative of the program's variant each alternative of a stored variant is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/error.hpp"

namespace hdb::detail::evolve {

/// The one place that decides what a stored alternative becomes: loads, imports, migrations, kept
/// values and compare_schemas ask it. The number of an alternative counts only where nothing
/// changed. The first rule that applies decides:
///
/// 1. Both sides have equal lists: each alternative keeps its number.
/// 2. Both sides name all alternatives: names decide. Where types have names, an alternative with
///    the type name of one of the program is that one. Two with different type names are never the
///    same but by a declaration. A type name that a list has twice does not count.
/// 3. The program declares the old list (OldAlternatives): the declaration decides. It applies if
///    the file has as many alternatives, and each fits the one that the declaration names: as in 5,
///    but a structure may also have gained and lost fields.
/// 4. Alternatives with an equal schema are the same. If several have the same schema, there must
///    be equally many on both sides, and no other alternative may have changed its place; they
///    then keep their order. Else the variant is ambiguous.
/// 5. Of those left, a stored alternative fits one of the program if their types are related: a
///    structure that only gained, or only lost fields; a number of another kind; a container of
///    such. Alternatives that fit exactly one are the same; of others, equally many on both sides
///    that fit in their order. None may change its place. Else the variant is ambiguous.
/// 6. What is left of the file is removed; what is left of the program is added.
class AlternativeMap {
 public:
  /// Requires: both nodes are variants, and that of the file is not matched yet.
  AlternativeMap(const Plan& own, const PlanNode& own_variant, const Plan& stored,
                 const PlanNode& stored_variant);

  /// Whether every number means the same alternative on both sides.
  [[nodiscard]] bool is_identity() const noexcept { return moved.empty() && removed.empty(); }
  /// The program's number of a stored alternative; none if it is removed or ambiguous.
  [[nodiscard]] HDB_INSPECT_API std::optional<std::uint8_t> convert(
      std::uint64_t stored) const noexcept;
  /// Why convert returned nothing. Requires: stored is a number of the file's variant.
  [[nodiscard]] HDB_INSPECT_API Error error(std::uint64_t stored) const;
  /// What is ambiguous, and what to declare; empty if nothing is.
  [[nodiscard]] const std::string& ambiguity() const noexcept { return ambiguity_; }

  // How the sides differ, each as text.
  std::vector<std::string> moved;    ///< "<1> -> <2>"
  std::vector<std::string> removed;  ///< "<1> {heal: i32}", also of what is ambiguous.
  std::vector<std::string> added;    ///< "<2> {heal: i32}"

 private:
  std::vector<std::optional<std::uint8_t>> own_of_;  // of each stored alternative
  std::vector<std::string> texts_;                   // of each stored alternative
  std::string ambiguity_;
};

}  // namespace hdb::detail::evolve
