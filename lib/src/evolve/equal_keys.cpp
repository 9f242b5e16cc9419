// Whether keys that differ in a file can be equal in the program.
#include "evolve/equal_keys.hpp"

#include <algorithm>

#include "evolve/enum_map.hpp"

namespace hdb::detail::evolve {
namespace {

bool drops_a_part(const CompatFinding& finding) {
  return finding.rule == CompatRule::field_removed || finding.rule == CompatRule::array_shortened ||
         finding.rule == CompatRule::list_to_array ||
         finding.rule == CompatRule::optional_unwrapped;
}

}  // namespace

std::string why_keys_may_be_equal(const PlanNode& own, const Plan& stored_plan,
                                  const PlanNode& stored, std::span<const CompatFinding> findings) {
  if (own.key_rule < KeyRule::distinct) return {};
  const std::string parts = own.kind == FieldKind::map ? "keys" : "elements";
  std::string why;
  if (stored.key_rule == KeyRule::repeat)
    why = "the container held equal " + parts + ", and holds each only once now";
  if (own.key_rule == KeyRule::compared && stored.key_rule == KeyRule::distinct)
    why = "the " + parts + " have a comparison of their own now, for which more may be equal";
  if (why.empty() && std::any_of(findings.begin(), findings.end(), drops_a_part))
    why = "a part of the " + parts + " is dropped, and what is left may be equal";
  const std::uint32_t end = stored_plan.nodes[stored.children[0]].end;
  for (std::uint32_t i = stored.children[0]; i < end && why.empty(); ++i) {
    const auto& map = stored_plan.nodes[i].enum_map;
    if (map != nullptr && map->merges()) why = "two values of the enum are one value now";
  }
  if (why.empty()) return {};
  return why + "; a file with " + parts + " that are equal in the program is refused";
}

}  // namespace hdb::detail::evolve
