// The type names of some nodes of a plan: of the alternatives of a variant, or of fields that have
// only a place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "hdb/detail/evolve/plan.hpp"

namespace hdb::detail::evolve {

/// Whether the schema calls a field by its place ("#k"), because the program gave it no name.
[[nodiscard]] inline bool is_place(std::string_view name) noexcept { return name.starts_with('#'); }

/// A name that several of the nodes have does not count, because it does not identify one of them.
class TypeNames {
 public:
  /// Requires: `plan` outlives the object.
  TypeNames(const Plan& plan, const std::vector<std::uint32_t>& nodes) {
    for (const std::uint32_t node : nodes) names_.push_back(plan.nodes[node].type_name);
    std::vector<std::string_view> sorted = names_;
    std::sort(sorted.begin(), sorted.end());
    for (std::string_view& name : names_) {
      const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), name);
      if (last - first > 1) name = {};
    }
  }

  /// Whether any node has a name that counts.
  [[nodiscard]] bool has_any() const noexcept {
    return std::any_of(names_.begin(), names_.end(), [](auto name) { return !name.empty(); });
  }
  /// Empty if the node has none that counts.
  [[nodiscard]] std::string_view name(std::size_t i) const { return names_[i]; }
  /// The node of this name; none if the name is empty.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (name.empty() || found == names_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names_.begin());
  }
  /// Whether node i and another one have different names.
  [[nodiscard]] bool is_other(std::size_t i, const TypeNames& others, std::size_t other) const {
    return !names_[i].empty() && !others.names_[other].empty() && names_[i] != others.names_[other];
  }

 private:
  std::vector<std::string_view> names_;
};

/// Gives stored fields that have only a place (names "#k") the places of the program's fields of
/// their type names; those without a type name follow in their order, and others match none. Does
/// nothing if one side has no type names, or if a migration set one of the fields. Returns whether
/// the order decides for several fields.
bool move_places(const Plan& own, const PlanNode& own_structure, Plan& stored,
                 const PlanNode& stored_structure);

}  // namespace hdb::detail::evolve
