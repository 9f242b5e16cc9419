// Whether keys that differ in a file can be equal in the program.
#pragma once

#include <span>
#include <string>

#include "hdb/detail/evolve/plan.hpp"
#include "hdb/inspect/compat.hpp"

namespace hdb::detail::evolve {

/// Why elements of a set or keys of a map can become equal, and what a load does then; empty if
/// they cannot. `stored` is a node of `stored_plan`; `findings`: those of its elements or keys.
[[nodiscard]] std::string why_keys_may_be_equal(const PlanNode& own, const Plan& stored_plan,
                                                const PlanNode& stored,
                                                std::span<const CompatFinding> findings);

}  // namespace hdb::detail::evolve
