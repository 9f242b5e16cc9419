// Matches a stored schema with the program's by field names.
#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "evolve/alternatives.hpp"
#include "evolve/enum_map.hpp"
#include "evolve/equal_keys.hpp"
#include "evolve/field_search.hpp"
#include "evolve/match.hpp"
#include "evolve/table_match.hpp"
#include "evolve/type_names.hpp"
#include "hdb/detail/evolve/kinds.hpp"
#include "hdb/detail/evolve/plan.hpp"
#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::detail::evolve {
namespace {

class Matcher {
 public:
  Matcher(const Plan& own, Plan& stored, Match& result)
      : own_(own), stored_(stored), result_(result) {
    result_.own_columns.assign(stored.columns.size(), Match::kNoColumn);
    // References to nodes stay valid while missing fields are added.
    stored_.nodes.reserve(stored.nodes.size() + own.nodes.size());
  }

  void match(std::uint32_t own_index, std::uint32_t stored_index) {
    if (Status status = match_nodes(own_index, stored_index); !status) {
      if (!result_.refusal) result_.refusal = std::move(status.error());
    } else {
      find_difference(own_.nodes[own_index], stored_.nodes[stored_index]);
    }
  }

 private:
  Status match_nodes(std::uint32_t own_index, std::uint32_t stored_index) {
    const PlanNode& own = own_.nodes[own_index];
    PlanNode& stored = stored_.nodes[stored_index];
    if (stored.kind == kMissing) {  // some migrated records lack the field
      note(LoadChange::Kind::defaulted, own, stored, &Tally::absent);
      return {};
    }
    if (own.kind != stored.kind) return match_other_kind(own_index, stored_index);
    switch (own.kind) {
      case FieldKind::structure: return match_structures(own, stored);
      case FieldKind::array: match_arrays(own, stored); return {};
      case FieldKind::handle: return match_handles(own, stored);
      case FieldKind::string: match_strings(own, stored); return {};
      case FieldKind::list:
      case FieldKind::map: match_keys(own, stored); return {};
      case FieldKind::optional: match_children(own, stored); return {};
      case FieldKind::variant: return match_alternatives(own, stored);
      default: return match_numbers(own, stored);
    }
  }

  static std::string type_of(const Plan& plan, const PlanNode& node) {
    if (node.variant != nullptr) return type_text(*node.variant);
    return type_text(field_of(plan, static_cast<std::uint32_t>(&node - plan.nodes.data())));
  }

  LoadChange& note(LoadChange::Kind kind, const PlanNode& own, const PlanNode& at,
                   std::uint64_t Tally::*counter, std::uint64_t factor = 1) {
    Difference made{{kind, own.path, {}, {}, 0}, index_of(at), counter, factor, repeats_};
    return result_.differences.emplace_back(std::move(made)).change;
  }
  void note_conversion(const PlanNode& own, const PlanNode& stored, std::uint64_t Tally::*counter) {
    LoadChange& change = note(LoadChange::Kind::converted, own, stored, counter);
    change.from = type_of(stored_, stored);
    change.to = type_of(own_, own);
  }
  void note_unmigrated(const PlanNode& own, PlanNode& stored) {
    LoadChange& change = note(LoadChange::Kind::unmigrated, own, stored, &Tally::values);
    change.from = std::to_string(stored.class_version);
    change.to = std::to_string(own.class_version);
    stored.is_counted = true;
  }
  void note_length(const PlanNode& own, const PlanNode& stored) {
    result_.keeps_shapes = false;
    const bool is_longer = own.count > stored.count;
    note(is_longer ? LoadChange::Kind::defaulted : LoadChange::Kind::dropped, own, stored,
         &Tally::reshaped, is_longer ? own.count - stored.count : stored.count - own.count)
        .field += "[]";
    const std::string counts = std::to_string(stored.count) + " -> " + std::to_string(own.count);
    if (is_longer) {
      add_finding(CompatRule::array_extended, stored.path,
                  counts + " elements; the new ones keep their defaults");
    } else {
      add_finding(CompatRule::array_shortened, stored.path,
                  counts + " elements; the last ones are dropped");
    }
  }

  void add_finding(CompatRule rule, const std::string& path, std::string what,
                   std::optional<ErrorCode> code = {}) {
    result_.findings.push_back(finding_of(rule, path, std::move(what), code));
  }

  // What two fields that match differ in, apart from their children.
  void find_difference(const PlanNode& own, PlanNode& stored) {
    if (is_number(own.leaf) && is_number(stored.leaf)) return compare_numbers(own, stored);
    if (own.kind != stored.kind) return;
    switch (own.kind) {
      case FieldKind::structure: return compare_versions(own, stored);
      case FieldKind::handle:
        if (own.strong != stored.strong || own.table.empty() != stored.table.empty())
          add_finding(CompatRule::description_changed, stored.path,
                      "the kind of reference changed; the handles stay the same");
        return;
      default: return;
    }
  }

  void compare_numbers(const PlanNode& own, const PlanNode& stored) {
    if (stored.leaf == own.leaf) return;
    const std::string kinds =
        std::string(kind_name(stored.leaf)) + " -> " + std::string(kind_name(own.leaf));
    if (is_widening(stored.leaf, own.leaf))
      return add_finding(CompatRule::number_widened, stored.path, kinds + "; every value fits");
    add_finding(CompatRule::number_narrowed, stored.path,
                kinds + "; a file with a value that does not fit is refused",
                ErrorCode::value_out_of_range);
  }

  void compare_versions(const PlanNode& own, PlanNode& stored) {
    const std::string versions = "class version " + std::to_string(stored.class_version) + " -> " +
                                 std::to_string(own.class_version);
    if (!own.takes_version && own.class_version != stored.class_version) {
      if (own.class_version > stored.class_version) note_unmigrated(own, stored);
      add_finding(CompatRule::description_changed, stored.path,
                  versions + "; the fields are matched whatever the version is");
    } else if (own.class_version > stored.class_version) {
      add_finding(CompatRule::class_version_raised, stored.path,
                  versions +
                      "; a migration or serialize() must read the old version, which only a load "
                      "can show");
    } else if (own.class_version < stored.class_version) {
      add_finding(CompatRule::class_version_lowered, stored.path,
                  versions + "; the program does not know the newer version");
    } else if (own.versioned != stored.versioned) {
      add_finding(CompatRule::description_changed, stored.path,
                  "only one side has a class version; both count as 0");
    }
  }

  // Inside a structure of another class version, too: what its code reads as the program's variant
  // gets the present numbers, and where they are not known, the values decide.
  Status match_alternatives(const PlanNode& own, PlanNode& stored) {
    if (stored.has_own_numbers) return match_own_alternatives(own, stored);
    std::optional<Plan> of_file;
    if (stored.variant != nullptr) of_file = plan_of(*stored.variant);
    auto map = of_file ? std::make_shared<const AlternativeMap>(own_, own, *of_file,
                                                                of_file->nodes.front())
                       : std::make_shared<const AlternativeMap>(own_, own, stored_, stored);
    for (std::size_t i = 0; i < stored.children.size(); ++i) {
      if (const auto to = map->convert(i)) match(own.children[*to], stored.children[i]);
    }
    if (!map->is_identity()) {
      stored.alternatives = map;
      stored.type = own.type;
      note(LoadChange::Kind::unknown, own, stored, &Tally::unknown);
    }
    if (!map->ambiguity().empty() && !is_migrating_) {
      return refuse(ErrorCode::type_mismatch, stored, map->ambiguity(),
                    CompatRule::alternatives_ambiguous);
    }
    if (!map->moved.empty())
      add_finding(CompatRule::alternatives_moved, stored.path, some_of(map->moved));
    if (!map->added.empty())
      add_finding(CompatRule::alternatives_added, stored.path, some_of(map->added));
    if (map->removed.empty()) return {};
    add_finding(CompatRule::alternatives_removed, stored.path,
                some_of(map->removed) + "; a file with such a value is refused",
                ErrorCode::value_out_of_range);
    return {};
  }

  // A variant that a migration made.
  Status match_own_alternatives(const PlanNode& own, const PlanNode& stored) {
    match_children(own, stored);
    if (stored.children.size() <= own.children.size()) return {};
    return refuse(ErrorCode::value_out_of_range, stored,
                  "the value is alternative " + std::to_string(stored.children.size() - 1) +
                      ", but the program has " + std::to_string(own.children.size()));
  }

  void match_strings(const PlanNode& own, PlanNode& stored) {
    if (own.utf8_checked && !stored.utf8_checked) {
      add_finding(CompatRule::text_checked, stored.path,
                  "a file with a text that is not UTF-8 is refused", ErrorCode::value_refused);
    } else if (own.utf8_checked != stored.utf8_checked) {
      add_finding(CompatRule::description_changed, stored.path, "texts need not be UTF-8 any more");
    }
    stored.must_be_utf8 = own.utf8_checked;
  }

  Status refuse(ErrorCode code, const PlanNode& stored, std::string what,
                CompatRule rule = CompatRule::kind_changed) {
    add_finding(rule, stored.path, what, code);
    return fail(code, std::move(what),
                stored.path.empty() ? "the record" : "field '" + stored.path + "'");
  }

  Status mismatch(const PlanNode& own, const PlanNode& stored) {
    if (is_migrating_) return {};
    const auto name = [](const PlanNode& node) {
      const std::string kind(kind_name(node.kind));
      return node.kind == FieldKind::enumeration ? kind + " of " + std::string(kind_name(node.leaf))
                                                 : kind;
    };
    return refuse(
        ErrorCode::type_mismatch, stored,
        "the file holds " + name(stored) + ", but the program reads " +
            (wrapped_.first == index_of(stored) ? type_of(own_, *wrapped_.second) : name(own)));
  }

  // As DecodeArchive::adapted: a list of the program takes in a single value or an optional, an
  // optional takes in a value, and a value (a list, too) is taken out of an optional.
  Status match_other_kind(std::uint32_t own_index, std::uint32_t stored_index) {
    const PlanNode& own = own_.nodes[own_index];
    PlanNode& stored = stored_.nodes[stored_index];
    result_.keeps_shapes = result_.keeps_shapes && is_number(own.kind) && is_number(stored.kind);
    if (stored.kind == kEither) {
      for (const std::uint32_t child : stored.children) match(own_index, child);
      return {};
    }
    const bool is_optional = stored.kind == FieldKind::optional;
    const bool holds_list =
        is_optional && stored_.nodes[stored.children[0]].kind == FieldKind::list;
    if (own.kind == FieldKind::list && !holds_list) {
      note_conversion(own, stored, &Tally::reshaped);
      add_finding(CompatRule::value_wrapped, stored.path,
                  is_optional ? "optional -> list; a value becomes a list of one"
                              : "the value becomes a list of one");
      match_wrapped(own, is_optional ? stored.children[0] : stored_index);
      return {};
    }
    if (own.kind == FieldKind::optional) {
      note_conversion(own, stored, &Tally::reshaped);
      add_finding(CompatRule::value_wrapped, stored.path, "the value becomes an optional");
      match_wrapped(own, stored_index);
      return {};
    }
    if (is_optional) {
      note_conversion(own, stored, &Tally::reshaped);
      note(LoadChange::Kind::defaulted, own, stored, &Tally::absent);
      add_finding(CompatRule::optional_unwrapped, stored.path,
                  "the optional becomes its value; without one, the default stays");
      match(own_index, stored.children[0]);
      return {};
    }
    if (own.kind == FieldKind::array && stored.kind == FieldKind::list) {
      note(LoadChange::Kind::dropped, own, stored, &Tally::cut).field += "[]";
      note(LoadChange::Kind::defaulted, own, stored, &Tally::added).field += "[]";
      add_finding(CompatRule::list_to_array, stored.path,
                  "list -> array of " + std::to_string(own.count) +
                      "; further elements are dropped, missing ones keep their defaults");
      match(own.children[0], stored.children[0]);
      return {};
    }
    return own.kind == own.leaf && stored.kind == stored.leaf ? match_numbers(own, stored)
                                                              : mismatch(own, stored);
  }

  // The stored value becomes the only one in `own`, which errors then name.
  void match_wrapped(const PlanNode& own, std::uint32_t stored_index) {
    const auto outer = wrapped_;
    if (outer.first != stored_index) wrapped_ = {stored_index, &own};
    match(own.children[0], stored_index);
    wrapped_ = outer;
  }

  Status match_numbers(const PlanNode& own, PlanNode& stored) {
    if (!is_convertible(stored.leaf, own.leaf)) return mismatch(own, stored);
    result_.own_columns[stored.column] = own.column;
    if (stored.leaf != own.leaf) note_conversion(own, stored, &Tally::values);
    if (own.kind == FieldKind::enumeration && own.kind == stored.kind)
      match_enumerators(own, stored);
    return {};
  }

  // Also inside a structure of another class version: what its code reads as the same enum is
  // brought to the present numbers.
  void match_enumerators(const PlanNode& own, PlanNode& stored) {
    if (own.enumerators == stored.enumerators) return;
    if (own.enumerators.empty() || stored.enumerators.empty()) {
      return add_finding(CompatRule::description_changed, stored.path,
                         own.enumerators.empty()
                             ? "the program does not name the values any more; they keep their "
                               "numbers"
                             : "the file does not name the values; they keep their numbers");
    }
    auto map =
        std::make_shared<const EnumMap>(NamedNumbers{stored.leaf, stored.enumerators},
                                        NamedNumbers{own.leaf, own.enumerators}, own.renames);
    find_enum_changes(stored, *map);
    if (map->is_identity()) return;
    stored.enum_map = std::move(map);
    stored.type = own.type;
    note(LoadChange::Kind::renumbered, own, stored, &Tally::renumbered);
    note(LoadChange::Kind::unknown, own, stored, &Tally::unknown);
  }

  void find_enum_changes(const PlanNode& stored, const EnumMap& map) {
    if (!map.renumbered.empty()) {
      add_finding(CompatRule::enumerators_renumbered, stored.path,
                  some_of(map.renumbered) + "; the values follow their names");
    }
    if (!map.renamed.empty()) {
      add_finding(CompatRule::enumerators_renamed, stored.path,
                  some_of(map.renamed) + ", which the program declares");
    }
    if (!map.added.empty()) {
      add_finding(CompatRule::enumerators_added, stored.path,
                  some_of(map.added) + "; a file with a value of that number is refused");
    }
    if (!map.removed.empty()) {
      add_finding(CompatRule::enumerators_removed, stored.path,
                  some_of(map.removed) + "; a file with such a value is refused",
                  ErrorCode::value_out_of_range);
    }
  }

  Status match_handles(const PlanNode& own, const PlanNode& stored) {
    if (is_migrating_) return {};
    if (!(own.layout == stored.layout)) {
      return refuse(ErrorCode::layout_mismatch, stored,
                    "handles are " + layout_text(stored.layout) + " in the file, but " +
                        layout_text(own.layout) + " in the program",
                    CompatRule::handle_layout);
    }
    if (!own.table.empty() && !stored.table.empty() && own.table != stored.table) {
      return refuse(ErrorCode::type_mismatch, stored,
                    "the file's handles refer to table '" + stored.table +
                        "', but the program's handles refer to table '" + own.table +
                        "'; if they mean the same records, set the field in a migration",
                    CompatRule::handle_table);
    }
    result_.own_columns[stored.column] = own.column;
    return {};
  }

  void match_children(const PlanNode& own, const PlanNode& stored) {
    const std::size_t count = std::min(own.children.size(), stored.children.size());
    for (std::size_t i = 0; i < count; ++i) match(own.children[i], stored.children[i]);
  }

  void match_keys(const PlanNode& own, const PlanNode& stored) {
    const std::size_t first = result_.findings.size();
    match(own.children[0], stored.children[0]);
    const std::span of_keys = std::span(result_.findings).subspan(first);
    std::string why = why_keys_may_be_equal(own, stored_, stored, of_keys);
    if (!why.empty() && !is_migrating_)
      add_finding(CompatRule::keys_distinct, stored.path, std::move(why), ErrorCode::value_refused);
    if (own.kind == FieldKind::map) match(own.children[1], stored.children[1]);
  }

  void match_arrays(const PlanNode& own, const PlanNode& stored) {
    if (own.count != stored.count && !is_migrating_) note_length(own, stored);
    const std::uint64_t outer = std::exchange(repeats_, repeats_ * stored.count);
    match_children(own, stored);
    repeats_ = outer;
  }

  Status match_structures(const PlanNode& own, PlanNode& stored) {
    if (stored.has_any_version) {
      stored.versioned = own.versioned;
      stored.class_version = own.class_version;
    }
    const bool is_for_code = own.takes_version && (own.versioned || stored.versioned) &&
                             own.class_version != stored.class_version;
    stored.is_strict = !is_migrating_ && !is_for_code;
    if (!stored.is_strict) result_.keeps_shapes = false;
    const auto outer = std::tuple(is_migrating_, structure_, field_);
    is_migrating_ = !stored.is_strict;
    structure_ = &own;
    const bool is_by_position = stored.is_strict && move_places(own_, own, stored_, stored);
    FieldSearch fields(stored_, std::exchange(stored.children, {}));
    bool is_in_order = true;
    std::size_t last = 0;  // matched so far: the place after it
    for (const std::uint32_t child : own.children) {
      field_ = &own_.nodes[child];
      const auto place = fields.find(own, *field_);
      if (!place) {
        add_missing(stored, *field_);
        continue;
      }
      is_in_order = is_in_order && *place >= last;
      last = *place + 1;
      const std::uint32_t found = fields.nodes()[*place];
      stored.children.push_back(found);
      adopt(stored_.nodes[found], stored);
      match(child, found);
    }
    std::tie(is_migrating_, structure_, field_) = outer;
    for (std::size_t i = 0; i < fields.nodes().size(); ++i) {
      if (!fields.is_found(i)) add_unknown(stored, fields.nodes()[i]);
    }
    if (is_by_position) {
      add_finding(CompatRule::fields_by_position, stored.path,
                  "fields without names are matched by position: if one was inserted, removed or "
                  "moved, values change their meaning; name them (CEREAL_NVP) before that");
    }
    if (!is_in_order) {
      add_finding(CompatRule::fields_reordered, stored.path,
                  "the fields have another order; they are matched by name");
    }
    const bool is_record = structure_ == nullptr;
    if (is_record && stored.is_strict && !own.children.empty() && !fields.nodes().empty() &&
        last == 0) {
      result_.findings.clear();  // they would only repeat it for each field
      return refuse(ErrorCode::type_mismatch, stored,
                    "the stored records and the program's type have no field in common",
                    CompatRule::no_common_field);
    }
    return {};
  }

  /// The stored field is what `field_` reads.
  void adopt(PlanNode& found, PlanNode& parent) {
    found.must_be_read = parent.is_strict;
    if (found.name == field_->name) return;
    note(LoadChange::Kind::renamed, *field_, parent, &Tally::values).from = found.path;
    add_finding(CompatRule::field_renamed, field_->path,
                "the file calls it '" + found.name + "', which the program declares");
    parent.is_counted = true;
    found.old_name = std::exchange(found.name, field_->name);
    found.unnamed_index = field_->unnamed_index;
  }

  void add_missing(PlanNode& parent, const PlanNode& field) {
    note(LoadChange::Kind::defaulted, field, parent, &Tally::values);
    add_finding(CompatRule::field_added, field.path,
                "the file lacks the field, which keeps its default");
    parent.is_counted = true;
    parent.children.push_back(static_cast<std::uint32_t>(stored_.nodes.size()));
    PlanNode& missing = stored_.nodes.emplace_back();
    missing.kind = missing.leaf = kMissing;
    missing.name = field.name;
    missing.unnamed_index = field.unnamed_index;
    missing.path = field.path;
    missing.column = static_cast<std::uint32_t>(stored_.columns.size());
    missing.end = static_cast<std::uint32_t>(stored_.nodes.size());
  }

  void add_unknown(PlanNode& parent, std::uint32_t index) {
    const PlanNode& unknown = stored_.nodes[index];
    const bool may_be_missing = unknown.kind == kEither;
    note(LoadChange::Kind::dropped, unknown, may_be_missing ? unknown : parent,
         may_be_missing ? &Tally::cut : &Tally::values);
    if (may_be_missing) result_.keeps_shapes = false;  // a copy of columns does not count values
    if (parent.is_strict) {
      add_finding(CompatRule::field_removed, unknown.path,
                  "the program lacks the field; its values are dropped");
    } else {
      add_finding(
          CompatRule::field_migrated, unknown.path,
          "a migration or serialize() must read the field of the old class version, or its values "
          "are dropped");
    }
    parent.is_counted = true;
    parent.children.push_back(index);
    result_.unknown.push_back({index, repeats_});
  }

  [[nodiscard]] std::uint32_t index_of(const PlanNode& stored) const {
    return static_cast<std::uint32_t>(&stored - stored_.nodes.data());
  }

  const Plan& own_;
  Plan& stored_;
  Match& result_;
  std::uint64_t repeats_ = 1;  // elements of the arrays around the node
  bool is_migrating_ = false;  // inside a structure of another class version, whose code reads what
                               // it finds there itself
  const PlanNode* structure_ = nullptr;  // the program's innermost structure...
  const PlanNode* field_ = nullptr;      // ... and its field
  // What becomes the only value of a list or an optional, and the outermost of these.
  std::pair<std::uint32_t, const PlanNode*> wrapped_{~std::uint32_t{0}, nullptr};
};

}  // namespace

Match compare_plans(const Plan& own, Plan& stored) {
  Match result;
  Matcher(own, stored, result).match(0, 0);
  return result;
}

Result<Match> match_plans(const Plan& own, Plan& stored) {
  Match result = compare_plans(own, stored);
  if (result.refusal) return fail(*std::move(result.refusal));
  return result;
}

}  // namespace hdb::detail::evolve
