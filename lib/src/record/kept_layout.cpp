// Goes through both matched plans at once.
#include "record/kept_layout.hpp"

#include <algorithm>
#include <utility>

#include "hdb/detail/record/plan.hpp"

namespace hdb::detail::record {
namespace {

using From = KeptNode::From;

// The nodes of a plan are numbered in this order.
void list_fields(const Field& field, std::vector<const Field*>& fields) {
  fields.push_back(&field);
  if (field.kind == FieldKind::enumeration) return;
  for (const Field& child : field.children) list_fields(child, fields);
}

class Finder {
 public:
  Finder(const Plan& own, const Plan& stored, const Field& root,
         const std::vector<std::string>& consumed)
      : own_(own), stored_(stored), consumed_(consumed) {
    list_fields(root, fields_);
  }

  std::optional<KeptLayout> run() {
    KeptNode root = pair(0, 0, 0);
    if (root.from != From::both) return std::nullopt;
    return KeptLayout{std::move(root), static_cast<std::uint32_t>(own_.columns.size()),
                      std::move(paths_)};
  }

 private:
  [[nodiscard]] std::uint32_t own_end(std::uint32_t node) const {
    const std::uint32_t next = own_.nodes[node].end;
    return next < own_.nodes.size() ? own_.nodes[next].column
                                    : static_cast<std::uint32_t>(own_.columns.size());
  }

  KeptNode program_node(std::uint32_t own, std::uint32_t child) const {
    KeptNode node;
    node.kind = own_.nodes[own].kind;
    node.child = child;
    node.own_column = own_.nodes[own].column;
    node.own_columns = own_end(own) - node.own_column;
    return node;
  }

  // `child`: the index of the field among those of the program around it.
  KeptNode pair(std::uint32_t own, std::uint32_t stored, std::uint32_t child) {
    const PlanNode& ours = own_.nodes[own];
    const PlanNode& theirs = stored_.nodes[stored];
    KeptNode node = program_node(own, child);
    node.stored_column = theirs.column;
    if (ours.kind != theirs.kind) return node;
    KeptNode both = node;
    both.from = From::both;
    if (ours.kind == FieldKind::structure) {
      if (pair_fields(own, stored, both)) return both;
    } else if (ours.kind == FieldKind::array) {
      if (pair_arrays(own, stored, both)) return both;
    } else if (ours.kind == FieldKind::map) {
      if (pair_maps(own, stored, both)) return both;
    } else if (pair_children(own, stored, both)) {
      return both;
    }
    node.is_same = is_same(own, stored);
    if (node.is_same) node.field = *fields_[stored];
    return node;
  }

  bool pair_fields(std::uint32_t own, std::uint32_t stored, KeptNode& both) {
    const PlanNode& ours = own_.nodes[own];
    const PlanNode& theirs = stored_.nodes[stored];
    if (theirs.class_version < ours.class_version) return false;
    const bool is_newer = theirs.class_version > ours.class_version;
    both.versioned = ours.versioned || is_newer;
    both.class_version = is_newer ? theirs.class_version : ours.class_version;
    std::vector<std::uint32_t> unknown;
    for (std::size_t i = ours.children.size(); i < theirs.children.size(); ++i) {
      if (!is_consumed(stored_.nodes[theirs.children[i]].path))
        unknown.push_back(theirs.children[i]);
    }
    std::sort(unknown.begin(), unknown.end());  // the order of the file
    bool keeps = is_newer || !unknown.empty();
    auto next = unknown.begin();
    const auto add_before = [&](std::uint32_t end) {
      for (; next != unknown.end() && *next < end; ++next) {
        KeptNode& kept = both.children.emplace_back();
        kept.from = From::file;
        kept.kind = fields_[*next]->kind;
        kept.field = *fields_[*next];
        kept.stored_column = stored_.nodes[*next].column;
        paths_.push_back(stored_.nodes[*next].path);
      }
    };
    for (std::size_t i = 0; i < ours.children.size(); ++i) {
      const std::uint32_t found = theirs.children[i];
      const auto index = static_cast<std::uint32_t>(i);
      if (stored_.nodes[found].kind == kMissing) {
        both.children.push_back(program_node(ours.children[i], index));
        continue;
      }
      add_before(found);
      both.children.push_back(pair(ours.children[i], found, index));
      keeps = keeps || both.children.back().from == From::both;
    }
    add_before(static_cast<std::uint32_t>(stored_.nodes.size()));
    return keeps;
  }

  bool pair_arrays(std::uint32_t own, std::uint32_t stored, KeptNode& both) {
    const PlanNode& ours = own_.nodes[own];
    const PlanNode& theirs = stored_.nodes[stored];
    both.own_count = ours.count;
    both.stored_count = theirs.count;
    const bool keeps = pair_children(own, stored, both);
    both.keeps_tail = theirs.count > ours.count && both.children[0].is_same;
    if (both.keeps_tail) paths_.push_back(ours.path + "[]");
    return keeps || both.keeps_tail;
  }

  bool pair_maps(std::uint32_t own, std::uint32_t stored, KeptNode& both) {
    const PlanNode& ours = own_.nodes[own];
    const PlanNode& theirs = stored_.nodes[stored];
    if (!is_same(ours.children[0], theirs.children[0])) return false;
    return pair_children(own, stored, both);
  }

  bool pair_children(std::uint32_t own, std::uint32_t stored, KeptNode& both) {
    const PlanNode& ours = own_.nodes[own];
    const PlanNode& theirs = stored_.nodes[stored];
    bool keeps = false;
    for (std::size_t i = 0; i < ours.children.size(); ++i) {
      const auto index = static_cast<std::uint32_t>(i);
      both.children.push_back(i < theirs.children.size()
                                  ? pair(ours.children[i], theirs.children[i], index)
                                  : program_node(ours.children[i], index));
      keeps = keeps || both.children.back().from == From::both;
    }
    return keeps;
  }

  // Whether all values have the same bytes in the program's columns and in the file's.
  [[nodiscard]] bool is_same(std::uint32_t own, std::uint32_t stored) const {
    const PlanNode& ours = own_.nodes[own];
    const PlanNode& theirs = stored_.nodes[stored];
    if (ours.kind != theirs.kind || ours.leaf != theirs.leaf || ours.width != theirs.width ||
        ours.count != theirs.count || !(ours.layout == theirs.layout) ||
        ours.class_version != theirs.class_version || theirs.enum_map != nullptr ||
        ours.children.size() != theirs.children.size() ||
        !std::is_sorted(theirs.children.begin(), theirs.children.end())) {
      return false;
    }
    for (std::size_t i = 0; i < ours.children.size(); ++i) {
      if (!is_same(ours.children[i], theirs.children[i])) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_consumed(const std::string& path) const {
    return std::find(consumed_.begin(), consumed_.end(), path) != consumed_.end();
  }

  const Plan& own_;
  const Plan& stored_;
  const std::vector<std::string>& consumed_;
  std::vector<const Field*> fields_;  // of the stored nodes; none for those that the file lacks
  std::vector<std::string> paths_;
};

}  // namespace

std::optional<KeptLayout> find_kept(const Plan& own, const Plan& matched, const Field& stored,
                                    const std::vector<std::string>& consumed) {
  return Finder(own, matched, stored, consumed).run();
}

Field merged_field(const Field& own, const KeptNode& node) {
  if (node.from == From::program) return own;
  if (node.from == From::file) return node.field;
  Field merged = own;
  merged.children.clear();
  if (node.kind == FieldKind::structure) {
    merged.versioned = node.versioned;
    merged.class_version = node.class_version;
  }
  if (node.keeps_tail) merged.count = node.stored_count;
  for (const KeptNode& child : node.children)
    merged.children.push_back(
        merged_field(child.from == From::file ? child.field : own.children[child.child], child));
  return merged;
}

}  // namespace hdb::detail::record
