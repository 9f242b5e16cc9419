// Compares a table of the program with a stored one.
#include "evolve/table_match.hpp"

#include <algorithm>
#include <utility>

#include "hdb/detail/evolve/plan.hpp"

namespace hdb::detail::evolve {
namespace {

CompatRule rule_of(PolicyChange::Kind kind) noexcept {
  switch (kind) {
    case PolicyChange::Kind::layout: return CompatRule::table_layout;
    case PolicyChange::Kind::storage: return CompatRule::table_storage;
    case PolicyChange::Kind::free_list: return CompatRule::table_free_list;
    case PolicyChange::Kind::generations: return CompatRule::table_generations;
    case PolicyChange::Kind::overflow: return CompatRule::table_overflow;
    case PolicyChange::Kind::removal: return CompatRule::table_removal;
    case PolicyChange::Kind::names: break;
  }
  return CompatRule::table_names;
}

// Whether every handle of one layout can be one of another. A layout without type ids needs none.
bool is_as_wide(const HandleLayout& own, const HandleLayout& stored) noexcept {
  return own.max_slots() >= stored.max_slots() && own.max_generation() >= stored.max_generation() &&
         (own.type_bits >= stored.type_bits || own.type_bits == 0);
}

// What of a stored table does not fit a layout; empty if everything does.
std::string misfit(const HandleLayout& own, const TableDescriptor& stored) {
  if (stored.slot_count > own.max_slots()) {
    return "the file has " + std::to_string(stored.slot_count) + " slots, but these handles have " +
           std::to_string(own.max_slots()) + " indices";
  }
  const std::uint32_t highest = std::max(stored.highest_generation, stored.counter);
  if (highest > own.max_generation()) {
    return "the file has issued generation " + std::to_string(highest) +
           ", but the last one of these handles is " + std::to_string(own.max_generation());
  }
  if (own.type_bits != 0 && stored.type_id >> own.type_bits != 0) {
    return "the table has the type id " + std::to_string(stored.type_id) +
           ", but the last one of these handles is " + std::to_string((1u << own.type_bits) - 1);
  }
  return {};
}

class TableMatcher {
 public:
  TableMatcher(const TableDescriptor& own, const TableDescriptor& stored, bool has_counts)
      : own_(own), stored_(stored), has_counts_(has_counts) {}

  std::vector<CompatFinding> run(std::uint64_t max_records) {
    for (const PolicyChange& change : policy_changes(own_.policy, stored_.policy)) {
      switch (change.kind) {
        case PolicyChange::Kind::layout: match_layouts(); break;
        case PolicyChange::Kind::names: match_names(change); break;
        default: add(rule_of(change.kind), to_text(change) + "; handles stay valid");
      }
    }
    match_generations();
    match_kinds();
    match_records(max_records);
    return std::move(found_);
  }

 private:
  void add(CompatRule rule, std::string what, std::optional<ErrorCode> code = {}) {
    found_.push_back(finding_of(rule, {}, std::move(what), code));
  }
  // Of a difference that depends on a file, which is known.
  void conclude() { found_.back().depends_on_values = false; }

  void match_layouts() {
    const HandleLayout& own = own_.policy.layout;
    const std::string layouts = "handles are " + layout_text(stored_.policy.layout) +
                                " in the file, " + layout_text(own) + " in the program";
    const std::string what = has_counts_ ? misfit(own, stored_) : std::string();
    if (what.empty() && (has_counts_ || is_as_wide(own, stored_.policy.layout)))
      return add(CompatRule::table_layout, layouts + "; every handle fits and stays valid");
    add(CompatRule::table_layout_narrowed,
        layouts + "; " + (what.empty() ? "a file whose handles do not fit is refused" : what),
        ErrorCode::layout_mismatch);
    if (has_counts_) conclude();
  }

  void match_names(const PolicyChange& change) {
    if (own_.policy.names == RecordNames::none)
      return add(CompatRule::table_names_removed, to_text(change) + "; the names are dropped");
    if (own_.policy.names == RecordNames::exact || stored_.policy.names == RecordNames::none)
      return add(CompatRule::table_names, to_text(change) + "; every name stays");
    add(CompatRule::table_names_merged,
        to_text(change) + "; a file with two names that differ only in their case is refused",
        ErrorCode::duplicate_name);
  }

  // Whether new handles can differ from all that the file issued.
  void match_generations() {
    if (!has_counts_) return;
    const TablePolicy& own = own_.policy;
    const TablePolicy& stored = stored_.policy;
    const std::uint32_t highest = std::max(stored_.highest_generation, stored_.counter);
    if (highest < own.layout.max_generation()) return;
    const std::string last = "generation " + std::to_string(own.layout.max_generation()) +
                             ", the last of the handles, was issued; ";
    if (own.generations == Generations::table_counter &&
        stored.generations == Generations::per_slot) {
      add(CompatRule::table_generations_used_up,
          last + "a table counter has to begin above all generations of the file",
          ErrorCode::storage_mismatch);
    } else if (own.overflow == Overflow::retire && stored.overflow == Overflow::wrap &&
               highest >= stored.layout.max_generation()) {
      add(CompatRule::table_generations_used_up,
          last + "generations may have begun again, so under 'retire' no generation is new",
          ErrorCode::storage_mismatch);
    }
  }

  void match_kinds() {
    match_components();
    if (stored_.blobs != own_.blobs) {
      add(CompatRule::table_blobs,
          "only one side has blobs, or their capacity, alignment or compaction differs",
          ErrorCode::storage_mismatch);
    }
    if (own_.singleton != stored_.singleton) {
      add(CompatRule::table_singleton, "only one of file and program has a singleton",
          ErrorCode::storage_mismatch);
    } else if (own_.singleton && stored_.live_count != 1) {  // Singleton::get relies on it
      add(CompatRule::table_singleton, "the table is a singleton, but the file has no record of it",
          ErrorCode::storage_mismatch);
    }
  }

  void match_components() {
    const auto differ = [this](std::string what) {
      add(CompatRule::table_component, std::move(what), ErrorCode::storage_mismatch);
    };
    if (own_.policy.is_component != stored_.policy.is_component)
      return differ("only one of file and program has a component table");
    if (own_.owner != stored_.owner) {
      return differ("its components belong to records of table '" + stored_.owner +
                    "' in the file, of '" + own_.owner + "' in the program");
    }
    const bool can_have_holes =
        own_.policy.storage == Storage::dense && own_.policy.removal == Removal::in_place;
    if (stored_.hole_count == 0 || can_have_holes) return;
    differ("the order of its components has " + std::to_string(stored_.hole_count) +
           " holes in the file, and the program's table can have none");
  }

  void match_records(std::uint64_t max_records) {
    if (stored_.live_count > max_records) {
      add(CompatRule::table_limit,
          "the file has " + std::to_string(stored_.live_count) +
              " records, but the program's table holds at most " + std::to_string(max_records),
          ErrorCode::table_full);
      conclude();
    }
    if (own_.is_hashed() != stored_.is_hashed())
      add(CompatRule::table_hashed, "the state hash covers the table on one side only");
  }

  const TableDescriptor& own_;
  const TableDescriptor& stored_;
  bool has_counts_;
  std::vector<CompatFinding> found_;
};

// In the order of their columns.
void list_handles(Field& field, std::vector<Field*>& handles) {
  if (field.kind == FieldKind::handle) handles.push_back(&field);
  for (Field& child : field.children) list_handles(child, handles);
}

}  // namespace

std::vector<PolicyChange> policy_changes(const TablePolicy& own, const TablePolicy& stored) {
  using Kind = PolicyChange::Kind;
  std::vector<PolicyChange> changes;
  const auto add = [&](Kind kind, auto from, auto to, const auto& name) {
    if (from != to) changes.push_back({kind, std::string(name(from)), std::string(name(to))});
  };
  add(Kind::layout, stored.layout, own.layout, layout_text);
  add(Kind::storage, stored.storage, own.storage, storage_name);
  add(Kind::free_list, stored.free_list, own.free_list, free_list_name);
  add(Kind::generations, stored.generations, own.generations, generations_name);
  add(Kind::overflow, stored.overflow, own.overflow, overflow_name);
  add(Kind::names, stored.names, own.names, names_name);
  add(Kind::removal, stored.removal, own.removal, removal_name);
  return changes;
}

std::vector<CompatFinding> match_tables(const TableDescriptor& own, std::uint64_t max_records,
                                        const TableDescriptor& stored, bool has_counts) {
  return TableMatcher(own, stored, has_counts).run(max_records);
}

bool has_own_layouts(const Field& stored, const LayoutOf& layout_of) {
  if (stored.kind == FieldKind::handle) {
    const auto own = layout_of(stored.table);
    if (stored.table.empty() || own != stored.layout) return false;
  }
  return std::all_of(stored.children.begin(), stored.children.end(),
                     [&](const Field& child) { return has_own_layouts(child, layout_of); });
}

std::vector<AdaptedHandle> adapt_handles(Field& stored, const LayoutOf& layout_of) {
  std::vector<AdaptedHandle> adapted;
  std::vector<Field*> handles;
  list_handles(stored, handles);
  const Plan plan = plan_of(stored);
  auto next = handles.begin();
  for (std::size_t column = 0; column < plan.columns.size(); ++column) {
    const PlanNode& node = plan.nodes[plan.columns[column].node];
    if (node.kind != FieldKind::handle) continue;
    Field& field = **next++;
    const bool is_any = field.table.empty() && field.layout.type_bits != 0;
    const auto own = is_any ? std::optional(field.layout) : layout_of(field.table);
    if (!own || (*own == field.layout && !is_any)) continue;
    adapted.push_back({column, node.path, field.table, field.layout, *own});
    field.layout = *own;
  }
  return adapted;
}

}  // namespace hdb::detail::evolve
