// The order of keys in the sorted containers of a program, found from their canonical row bytes.
#pragma once

#include <string_view>

#include "hdb/detail/evolve/plan.hpp"
#include "hdb/detail/record/using_evolve.hpp"

namespace hdb::detail::record {

/// Compares canonical row bytes of one node as std::less compares the values: structures field by
/// field, as their default comparison. Opaque values are compared as bytes. NaN comes last.
class ValueOrder {
 public:
  /// Requires: `node` is of `plan`, and `plan` outlives the order.
  ValueOrder(const Plan& plan, const PlanNode& node) : plan_(&plan), node_(&node) {}

  /// Requires: the bytes are whole values of the node.
  [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const {
    return compare(*node_, a, b) < 0;
  }

 private:
  // Negative, 0 or positive; takes equal values off both texts.
  [[nodiscard]] int compare(const PlanNode& node, std::string_view& a, std::string_view& b) const;
  [[nodiscard]] int compare_children(const PlanNode& node, std::uint64_t times, std::string_view& a,
                                     std::string_view& b) const;

  const Plan* plan_;
  const PlanNode* node_;
};

}  // namespace hdb::detail::record
