// Search for the stored fields of one structure by name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/detail/evolve/plan.hpp"

namespace hdb::detail::evolve {

/// Finds each stored field once. Fields mostly keep their order, so a search begins where the last
/// one ended.
class FieldSearch {
 public:
  /// `nodes`: the stored fields. Requires: `stored` outlives the object.
  FieldSearch(const Plan& stored, std::vector<std::uint32_t> nodes)
      : nodes_(std::move(nodes)), plan_(stored), is_found_(nodes_.size()) {}

  /// The place of the field of `own` that `field` reads, by its name or an old one.
  [[nodiscard]] std::optional<std::size_t> find(const PlanNode& own, const PlanNode& field) {
    auto found = find(field.name);
    for (std::size_t i = 0; i < own.renames.size() && !found; ++i) {
      if (field.name == own.renames[i].new_name) found = find(own.renames[i].old_name);
    }
    return found;
  }
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] bool is_found(std::size_t place) const { return is_found_[place]; }

 private:
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) {
    for (std::size_t step = 0; step < nodes_.size(); ++step) {
      const std::size_t i = (next_ + step) % nodes_.size();
      if (is_found_[i] || plan_.nodes[nodes_[i]].name != name) continue;
      next_ = i + 1;
      is_found_[i] = true;
      return i;
    }
    return std::nullopt;
  }

  std::vector<std::uint32_t> nodes_;
  const Plan& plan_;
  std::vector<bool> is_found_;
  std::size_t next_ = 0;
};

}  // namespace hdb::detail::evolve
