// Matches a stored schema with the program's by field names.
#include <algorithm>
#include <string_view>

#include "hdb/detail/record/kinds.hpp"
#include "hdb/detail/record/plan.hpp"
#include "hdb/schema.hpp"

namespace hdb::detail::record {
namespace {

class Matcher {
 public:
  Matcher(const Plan& own, Plan& stored, Match& result)
      : own_(own), stored_(stored), result_(result) {}

  /// `is_migrating`: inside a structure of another class version, whose code reads what it finds
  /// there itself.
  Status match(std::uint32_t own_index, std::uint32_t stored_index, bool is_migrating) {
    const PlanNode& own = own_.nodes[own_index];
    PlanNode& stored = stored_.nodes[stored_index];
    const bool are_numbers =
        own.kind == own.leaf && stored.kind == stored.leaf && is_convertible(stored.leaf, own.leaf);
    if (own.kind != stored.kind)
      return are_numbers ? Status{} : mismatch(own, stored, is_migrating);
    switch (own.kind) {
      case FieldKind::structure: return match_structures(own, stored, is_migrating);
      case FieldKind::array:
        if (own.count != stored.count && !is_migrating) {
          return refuse(ErrorCode::type_mismatch, stored,
                        "the file's array has " + std::to_string(stored.count) +
                            " elements, but the program's array has " + std::to_string(own.count));
        }
        return match_children(own, stored, is_migrating);
      case FieldKind::handle: return match_handles(own, stored, is_migrating);
      case FieldKind::string:
        stored.utf8_checked = stored.utf8_checked || own.utf8_checked;
        return {};
      case FieldKind::list:
      case FieldKind::map:
      case FieldKind::optional:
      case FieldKind::variant: return match_children(own, stored, is_migrating);
      default:
        return is_convertible(stored.leaf, own.leaf) ? Status{}
                                                     : mismatch(own, stored, is_migrating);
    }
  }

 private:
  static Status refuse(ErrorCode code, const PlanNode& stored, std::string what) {
    return fail(code, std::move(what),
                stored.path.empty() ? "the record" : "field '" + stored.path + "'");
  }

  static Status mismatch(const PlanNode& own, const PlanNode& stored, bool is_migrating) {
    if (is_migrating) return {};
    const auto name = [](const PlanNode& node) {
      const std::string kind(kind_name(node.kind));
      return node.kind == FieldKind::enumeration ? kind + " of " + std::string(kind_name(node.leaf))
                                                 : kind;
    };
    return refuse(ErrorCode::type_mismatch, stored,
                  "the file holds " + name(stored) + ", but the program reads " + name(own));
  }

  static Status match_handles(const PlanNode& own, const PlanNode& stored, bool is_migrating) {
    if (is_migrating) return {};
    if (!(own.layout == stored.layout)) {
      return refuse(ErrorCode::layout_mismatch, stored,
                    "handles are " + layout_text(stored.layout) + " in the file, but " +
                        layout_text(own.layout) + " in the program");
    }
    if (!own.table.empty() && !stored.table.empty() && own.table != stored.table) {
      return refuse(ErrorCode::type_mismatch, stored,
                    "the file's handles refer to table '" + stored.table +
                        "', but the program's handles refer to '" + own.table + "'");
    }
    return {};
  }

  Status match_children(const PlanNode& own, const PlanNode& stored, bool is_migrating) {
    const std::size_t count = std::min(own.children.size(), stored.children.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (Status status = match(own.children[i], stored.children[i], is_migrating); !status)
        return status;
    }
    return {};
  }

  Status match_structures(const PlanNode& own, PlanNode& stored, bool is_migrating) {
    const bool versions_differ =
        (own.versioned || stored.versioned) && own.class_version != stored.class_version;
    stored.is_strict = !is_migrating && !versions_differ;
    std::vector<bool> is_known(stored.children.size(), false);
    const auto find = [&](std::string_view name) {
      std::size_t i = 0;
      while (i < is_known.size() && (is_known[i] || stored_.nodes[stored.children[i]].name != name))
        ++i;
      return i;
    };
    for (const std::uint32_t child : own.children) {
      const PlanNode& field = own_.nodes[child];
      std::size_t i = find(field.name);
      for (const Rename& rename : own.renames) {
        if (i != is_known.size()) break;
        if (field.name != rename.new_name) continue;
        i = find(rename.old_name);
        if (i == is_known.size()) continue;
        PlanNode& renamed = stored_.nodes[stored.children[i]];
        renamed.old_name = std::exchange(renamed.name, field.name);
        renamed.unnamed_index = field.unnamed_index;
      }
      if (i == is_known.size()) {
        result_.missing_fields.push_back(field.path);
        stored.missing.push_back(field.name);
        continue;
      }
      is_known[i] = true;
      PlanNode& found = stored_.nodes[stored.children[i]];
      found.must_be_read = stored.is_strict;
      if (Status status = match(child, stored.children[i], is_migrating || versions_differ);
          !status)
        return status;
    }
    for (std::size_t i = 0; i < is_known.size(); ++i) {
      if (!is_known[i]) result_.unknown_fields.push_back(stored_.nodes[stored.children[i]].path);
    }
    return {};
  }

  const Plan& own_;
  Plan& stored_;
  Match& result_;
};

}  // namespace

Result<Match> match_plans(const Plan& own, Plan& stored) {
  Match result;
  if (Status status = Matcher(own, stored, result).match(0, 0, false); !status)
    return fail(std::move(status).error());
  return result;
}

}  // namespace hdb::detail::record
