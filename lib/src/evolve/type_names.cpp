// Fields that have only a place: found by the names of their types. Where a migration set one of
// them, the places count: it made the record that the program has.
#include "evolve/type_names.hpp"

namespace hdb::detail::evolve {
namespace {

std::vector<std::uint32_t> places_of(const Plan& plan, const PlanNode& structure) {
  std::vector<std::uint32_t> places;
  for (const std::uint32_t child : structure.children) {
    if (plan.nodes[child].unnamed_index >= 0) places.push_back(child);
  }
  return places;
}

// Whether the order decides for several fields, of these numbers on both sides.
bool is_order_decisive(std::size_t own, std::size_t stored) noexcept {
  return std::min(own, stored) > 0 && std::max(own, stored) > 1;
}

}  // namespace

bool move_places(const Plan& own, const PlanNode& own_structure, Plan& stored,
                 const PlanNode& stored_structure) {
  const std::vector<std::uint32_t> ours = places_of(own, own_structure);
  const std::vector<std::uint32_t> theirs = places_of(stored, stored_structure);
  const TypeNames own_types(own, ours);
  const TypeNames stored_types(stored, theirs);
  const bool is_made = std::any_of(theirs.begin(), theirs.end(),
                                   [&](std::uint32_t node) { return stored.nodes[node].is_made; });
  if (is_made || !own_types.has_any() || !stored_types.has_any())
    return is_order_decisive(ours.size(), theirs.size());
  std::vector<std::size_t> without_name;  // of the program's, those to come
  for (std::size_t i = ours.size(); i-- > 0;) {
    if (own_types.name(i).empty()) without_name.push_back(i);
  }
  const std::size_t own_without_name = without_name.size();
  std::size_t stored_without_name = 0;
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    stored_without_name += stored_types.name(i).empty() ? 1 : 0;
    std::optional<std::size_t> to = own_types.find(stored_types.name(i));
    if (stored_types.name(i).empty() && !without_name.empty()) {
      to = without_name.back();
      without_name.pop_back();
    }
    PlanNode& node = stored.nodes[theirs[i]];
    node.name = to ? own.nodes[ours[*to]].name : std::string();
    node.unnamed_index = to ? own.nodes[ours[*to]].unnamed_index : -1;
  }
  return is_order_decisive(own_without_name, stored_without_name);
}

}  // namespace hdb::detail::evolve
