// Compares the schemas of two programs by the rules of a load.
#include "hdb/inspect/compat.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/using_detail.hpp"
#include "evolve/alternatives.hpp"
#include "evolve/enum_map.hpp"
#include "evolve/match.hpp"
#include "evolve/numbers.hpp"
#include "evolve/table_match.hpp"
#include "hdb/detail/evolve/kinds.hpp"
#include "hdb/detail/evolve/plan.hpp"

namespace hdb {
namespace {

using namespace detail::evolve;

struct RuleInfo {
  CompatRule rule;
  std::string_view name;
  Compatibility effect;
  bool depends_on_values = false;
  std::string_view next = {};
};

constexpr Compatibility kReadable = Compatibility::readable;
constexpr Compatibility kLoss = Compatibility::loss;
constexpr Compatibility kIncompatible = Compatibility::incompatible;

// What each rule does, in the order of CompatRule.
constexpr std::array kRules{
    RuleInfo{CompatRule::field_added, "field_added", kReadable},
    RuleInfo{CompatRule::field_removed, "field_removed", kLoss, false,
             "keep the field, or accept that its values are lost"},
    RuleInfo{CompatRule::field_migrated, "field_migrated", kReadable},
    RuleInfo{CompatRule::field_renamed, "field_renamed", kReadable},
    RuleInfo{CompatRule::fields_reordered, "fields_reordered", kReadable},
    RuleInfo{CompatRule::fields_by_position, "fields_by_position", Compatibility::identical},
    RuleInfo{CompatRule::value_wrapped, "value_wrapped", kReadable},
    RuleInfo{CompatRule::optional_unwrapped, "optional_unwrapped", kReadable},
    RuleInfo{CompatRule::array_extended, "array_extended", kReadable},
    RuleInfo{CompatRule::array_shortened, "array_shortened", kLoss, false,
             "keep the number of elements, or accept that the last ones are lost"},
    RuleInfo{CompatRule::list_to_array, "list_to_array", kLoss, false,
             "make the array a list, or as long as the longest list"},
    RuleInfo{CompatRule::number_widened, "number_widened", kReadable},
    RuleInfo{CompatRule::number_narrowed, "number_narrowed", kIncompatible, true,
             "keep the old type"},
    RuleInfo{CompatRule::enumerators_renumbered, "enumerators_renumbered", kReadable},
    RuleInfo{CompatRule::enumerators_renamed, "enumerators_renamed", kReadable},
    RuleInfo{CompatRule::enumerators_added, "enumerators_added", kReadable},
    RuleInfo{CompatRule::enumerators_removed, "enumerators_removed", kIncompatible, true,
             "keep the enumerators, declare their new names (hdb::Renames of the enum), or load "
             "with LoadOptions::unknown_values or keep_unknown"},
    RuleInfo{CompatRule::alternatives_moved, "alternatives_moved", kReadable},
    RuleInfo{CompatRule::alternatives_added, "alternatives_added", kReadable},
    RuleInfo{CompatRule::alternatives_removed, "alternatives_removed", kIncompatible, true,
             "keep the alternative, declare what became of it (hdb::TypeName if its type got "
             "another name, else hdb::OldAlternatives of the variant), or load with "
             "LoadOptions::unknown_values or keep_unknown"},
    RuleInfo{CompatRule::alternatives_ambiguous, "alternatives_ambiguous", kIncompatible, false,
             "declare the old list of alternatives (hdb::OldAlternatives of the variant)"},
    RuleInfo{CompatRule::text_checked, "text_checked", kIncompatible, true,
             "take the mark Utf8Checked away, or raise the class version"},
    RuleInfo{CompatRule::keys_distinct, "keys_distinct", kIncompatible, true,
             "use a container that holds equal elements or keys (std::vector, std::multimap), keep "
             "its comparison, or make them differ in a migration"},
    RuleInfo{CompatRule::class_version_raised, "class_version_raised", kReadable},
    RuleInfo{CompatRule::class_version_lowered, "class_version_lowered", kLoss, false,
             "use a class version above that of the old saves"},
    RuleInfo{CompatRule::description_changed, "description_changed", kReadable},
    RuleInfo{CompatRule::kind_changed, "kind_changed", kIncompatible, false,
             "give the field a new name, or raise the class version and read the old kind in "
             "serialize()"},
    RuleInfo{CompatRule::handle_layout, "handle_layout", kIncompatible, false,
             "keep the handle layout, or change it together with that of the table"},
    RuleInfo{CompatRule::handle_translated, "handle_translated", kReadable},
    RuleInfo{CompatRule::any_handle_left, "any_handle_left", kIncompatible, true,
             "keep hdb::TypedLayout for tables that an hdb::AnyHandle can name"},
    RuleInfo{CompatRule::handle_table, "handle_table", kIncompatible, false,
             "if the handles name the same records, raise the class version and set the field in a "
             "migration (Database::declare_migration); else give the field a new name"},
    RuleInfo{CompatRule::no_common_field, "no_common_field", kIncompatible, false,
             "declare the old names (hdb::Renames), or give the table a new name"},
    RuleInfo{CompatRule::table_added, "table_added", kReadable},
    RuleInfo{CompatRule::table_removed, "table_removed", kLoss, false,
             "keep the table, declare its new name (Database::declare_table_rename), or accept "
             "that its records are lost"},
    RuleInfo{CompatRule::table_renamed, "table_renamed", kReadable},
    RuleInfo{CompatRule::table_names_clash, "table_names_clash", kIncompatible, false,
             "declare a table as the new one of a single old table"},
    RuleInfo{CompatRule::table_layout, "table_layout", kReadable},
    RuleInfo{CompatRule::table_layout_narrowed, "table_layout_narrowed", kIncompatible, true,
             "use a layout whose index, generation and type id have at least as many bits"},
    RuleInfo{CompatRule::table_storage, "table_storage", kReadable},
    RuleInfo{CompatRule::table_free_list, "table_free_list", kReadable},
    RuleInfo{CompatRule::table_generations, "table_generations", kReadable},
    RuleInfo{CompatRule::table_overflow, "table_overflow", kReadable},
    RuleInfo{CompatRule::table_generations_used_up, "table_generations_used_up", kIncompatible,
             false, "keep the option, or give the handles more generation bits"},
    RuleInfo{CompatRule::table_names, "table_names", kReadable},
    RuleInfo{CompatRule::table_names_merged, "table_names_merged", kIncompatible, true,
             "keep hdb::RecordNames::exact"},
    RuleInfo{CompatRule::table_names_removed, "table_names_removed", kLoss, false,
             "keep the names, or accept that they are lost"},
    RuleInfo{CompatRule::table_removal, "table_removal", kReadable},
    RuleInfo{CompatRule::table_component, "table_component", kIncompatible, false,
             "keep the owner and the removal, or give the table a new name"},
    RuleInfo{CompatRule::table_blobs, "table_blobs", kIncompatible, false,
             "keep the blob options, or give the table a new name"},
    RuleInfo{CompatRule::table_singleton, "table_singleton", kIncompatible, false,
             "give the table a new name"},
    RuleInfo{CompatRule::table_limit, "table_limit", kIncompatible, true,
             "keep the old max_records"},
    RuleInfo{CompatRule::table_hashed, "table_hashed", kReadable},
    RuleInfo{CompatRule::no_common_table, "no_common_table", kIncompatible, false,
             "check that both sides are of the same game"},
    RuleInfo{CompatRule::load_refused, "load_refused", kIncompatible, false,
             "follow the message; a program with a migration may load the save"},
};
static_assert([] {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (static_cast<std::size_t>(kRules[i].rule) != i) return false;
  }
  return kRules.size() == static_cast<std::size_t>(CompatRule::load_refused) + 1;
}());

const RuleInfo& info_of(CompatRule rule) noexcept { return kRules[static_cast<std::size_t>(rule)]; }

Compatibility worst_of(const std::vector<CompatFinding>& findings) {
  Compatibility worst = Compatibility::identical;
  for (const CompatFinding& finding : findings) worst = std::max(worst, finding.effect);
  return worst;
}

std::vector<CompatFinding> compare_tables(const TableSchema& old_table,
                                          const TableSchema& new_table) {
  TableDescriptor stored_table = old_table.table;
  if (!old_table.has_counts) stored_table.live_count = stored_table.singleton ? 1 : 0;
  std::vector<CompatFinding> findings =
      match_tables(new_table.table, new_table.max_records, stored_table, old_table.has_counts);
  if (!old_table.has_counts && new_table.max_records < old_table.max_records) {
    findings.push_back(finding_of(CompatRule::table_limit, {},
                                  "the program's table holds at most " +
                                      std::to_string(new_table.max_records) +
                                      " records; a file with more is refused",
                                  ErrorCode::table_full));
  }
  const Plan own = plan_of(new_table);
  Plan stored = plan_of(old_table.record, old_table.keys);
  for (CompatFinding& finding : compare_plans(own, stored).findings)
    findings.push_back(std::move(finding));
  return findings;
}

/// The layouts of the tables on both sides.
class Layouts {
 public:
  /// `olds`: the old tables by their present names.
  Layouts(const std::map<std::string_view, const TableSchema*>& olds,
          const std::vector<TableSchema>& new_tables) {
    for (const TableSchema& table : new_tables) {
      const HandleLayout& own = table.table.policy.layout;
      own_.emplace(table.table.name, own);
      const auto old = olds.find(table.table.name);
      if (old == olds.end() || old->second->table.policy.layout == own) continue;
      const TableDescriptor& stored = old->second->table;
      if (stored.policy.layout.type_bits != 0)
        left_.push_back({table.table.name, stored.policy.layout});
    }
  }

  /// Brings the handles of a stored record to the layouts of the new tables, as a load does.
  void adapt(Field& record, std::vector<CompatFinding>& findings) const {
    const auto own_of = [this](const std::string& table) -> std::optional<HandleLayout> {
      const auto found = own_.find(table);
      return found == own_.end() ? std::nullopt : std::optional(found->second);
    };
    for (const AdaptedHandle& handle : adapt_handles(record, own_of)) {
      if (handle.table.empty()) {
        find_left(handle, findings);
        continue;
      }
      findings.push_back(finding_of(CompatRule::handle_translated, handle.path,
                                    layout_text(handle.stored) + " -> " + layout_text(handle.own) +
                                        ", as those of table '" + handle.table +
                                        "'; the handles name the same records"));
    }
  }

 private:
  struct Left {
    std::string table;
    HandleLayout layout;
  };

  void find_left(const AdaptedHandle& handle, std::vector<CompatFinding>& findings) const {
    std::string names;
    for (const Left& left : left_) {
      if (left.layout != handle.stored) continue;
      names += (names.empty() ? "table '" : ", table '") + left.table + "'";
    }
    if (names.empty()) return;
    findings.push_back(finding_of(
        CompatRule::any_handle_left, handle.path,
        "handles of another layout now: " + names + "; a file with a handle to it here is refused",
        ErrorCode::layout_mismatch));
  }

  std::map<std::string, HandleLayout> own_;
  std::vector<Left> left_;
};

TableCompat only_in_one(CompatRule rule, const std::string& name, std::string what) {
  return {name, Compatibility::identical, {finding_of(rule, {}, std::move(what))}};
}

/// The present names of the old tables, as a load finds them.
class PresentNames {
 public:
  explicit PresentNames(const std::vector<TableSchema>& new_tables) {
    for (const TableSchema& table : new_tables) {
      for (const std::string& old_name : table.old_names)
        names_.emplace(old_name, table.table.name);
    }
  }

  [[nodiscard]] const std::string& of(const std::string& stored) const {
    const auto found = names_.find(stored);
    return found == names_.end() ? stored : found->second;
  }

  void rename_tables(Field& field) const {
    if (!field.table.empty()) field.table = of(field.table);
    for (Field& child : field.children) rename_tables(child);
  }

 private:
  std::map<std::string, std::string> names_;
};

}  // namespace

namespace detail::evolve {

CompatFinding finding_of(CompatRule rule, std::string field, std::string what,
                         std::optional<ErrorCode> code) {
  CompatFinding finding;
  finding.rule = rule;
  finding.effect = effect_of(rule);
  finding.depends_on_values = depends_on_values(rule);
  finding.field = std::move(field);
  finding.what = std::move(what);
  finding.code = code;
  return finding;
}

}  // namespace detail::evolve

void CompatReport::update_verdicts() {
  verdict = worst_of(findings);
  for (TableCompat& table : tables) {
    table.verdict = worst_of(table.findings);
    verdict = std::max(verdict, table.verdict);
  }
}

CompatReport compare_schemas(const std::vector<TableSchema>& old_tables,
                             const std::vector<TableSchema>& new_tables) {
  CompatReport report;
  const PresentNames present(new_tables);
  std::map<std::string_view, const TableSchema*> olds;  // by present names
  // Of two tables with one name, one that never had a record does not count.
  const auto is_unused = [](const TableSchema& table) {
    return table.has_counts && table.table.slot_count == 0;
  };
  for (const TableSchema& table : old_tables) {
    const std::string& name = present.of(table.table.name);
    const auto [other, is_new] = olds.emplace(name, &table);
    if (is_new) continue;
    if (is_unused(*other->second) && (!is_unused(table) || name == table.table.name)) {
      other->second = &table;
      continue;
    }
    if (is_unused(table)) continue;
    report.findings.push_back(finding_of(
        CompatRule::table_names_clash, {},
        "the file has both table '" + other->second->table.name + "' and table '" +
            table.table.name + "', but the program declares that both are table '" + name + "' now",
        ErrorCode::rename_conflict));
  }
  bool has_common = false;
  const Layouts layouts(olds, new_tables);
  for (const TableSchema& table : new_tables) {
    const std::string& name = table.table.name;
    const auto found = olds.find(name);
    if (found == olds.end()) {
      report.tables.push_back(only_in_one(CompatRule::table_added, name,
                                          "the file lacks the table, which becomes empty"));
      continue;
    }
    has_common = true;
    TableSchema stored = *found->second;
    present.rename_tables(stored.record);
    stored.table.owner = present.of(stored.table.owner);
    TableCompat& result = report.tables.emplace_back();
    result.name = name;
    result.old_name = stored.table.name;
    if (result.old_name != name) {
      result.findings.push_back(
          finding_of(CompatRule::table_renamed, {},
                     "the file calls it '" + result.old_name + "', which the program declares"));
    }
    layouts.adapt(stored.record, result.findings);
    for (CompatFinding& finding : compare_tables(stored, table))
      result.findings.push_back(std::move(finding));
    olds.erase(found);
  }
  for (const auto& [name, table] : olds) {
    report.tables.push_back(only_in_one(CompatRule::table_removed, table->table.name,
                                        "the program lacks the table; its records are dropped"));
  }
  std::sort(report.tables.begin(), report.tables.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  if (!has_common && !old_tables.empty()) {
    report.findings.push_back(
        finding_of(CompatRule::no_common_table, {},
                   "file and program share no table; is the file a save of this game?",
                   ErrorCode::unknown_table));
  }
  report.update_verdicts();
  return report;
}

std::string_view compatibility_name(Compatibility value) noexcept {
  switch (value) {
    case Compatibility::identical: return "identical";
    case Compatibility::readable: return "readable";
    case Compatibility::loss: return "readable with loss";
    case Compatibility::incompatible: return "incompatible";
  }
  return "unknown";
}

std::string_view compat_rule_name(CompatRule rule) noexcept { return info_of(rule).name; }

const std::vector<CompatRule>& all_compat_rules() {
  static const std::vector<CompatRule> all = [] {
    std::vector<CompatRule> rules;
    for (const RuleInfo& info : kRules) rules.push_back(info.rule);
    return rules;
  }();
  return all;
}

Compatibility effect_of(CompatRule rule) noexcept { return info_of(rule).effect; }

std::string_view compat_next_step(CompatRule rule) noexcept { return info_of(rule).next; }

bool depends_on_values(CompatRule rule) noexcept { return info_of(rule).depends_on_values; }

}  // namespace hdb
