// Goes through both matched plans at once.
#include "evolve/kept_layout.hpp"

#include <algorithm>
#include <utility>

#include "evolve/alternatives.hpp"
#include "evolve/enum_map.hpp"
#include "evolve/numbers.hpp"
#include "hdb/bytes.hpp"
#include "hdb/detail/evolve/plan.hpp"

namespace hdb::detail::evolve {
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
  Finder(const Plan& own, const Plan& stored, const Field& root) : own_(own), stored_(stored) {
    list_fields(root, fields_);
  }

  std::optional<KeptLayout> run() {
    KeptNode root = pair(0, 0, 0);
    if (root.from != From::both) return std::nullopt;
    return KeptLayout{std::move(root), static_cast<std::uint32_t>(own_.columns.size()),
                      std::move(paths_), std::move(unknown_nodes_)};
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
    if (ours.kind != FieldKind::structure && depth_ == 0 && has_unknown(stored) &&
        keep_whole(own, stored, node)) {
      return node;
    }
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
    for (std::size_t i = ours.children.size(); i < theirs.children.size(); ++i)
      unknown.push_back(theirs.children[i]);
    std::sort(unknown.begin(), unknown.end());  // the order of the file
    bool keeps = is_newer || !unknown.empty();
    auto next = unknown.begin();
    const auto add_before = [&](std::uint32_t end) {
      for (; next != unknown.end() && *next < end; ++next) {
        if (stored_.nodes[*next].name.empty()) continue;  // the program has its place for another
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
      keeps = keeps || both.children.back().from != From::program;
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
    if (theirs.alternatives != nullptr) return false;  // they have other numbers in the rows
    bool keeps = false;
    ++depth_;
    for (std::size_t i = 0; i < ours.children.size(); ++i) {
      const auto index = static_cast<std::uint32_t>(i);
      both.children.push_back(i < theirs.children.size()
                                  ? pair(ours.children[i], theirs.children[i], index)
                                  : program_node(ours.children[i], index));
      keeps = keeps || both.children.back().from == From::both;
    }
    --depth_;
    return keeps;
  }

  // Whether the file may have values in the field that the program does not have.
  [[nodiscard]] bool has_unknown(std::uint32_t stored) const {
    for (std::uint32_t i = stored; i < stored_.nodes[stored].end; ++i) {
      const PlanNode& node = stored_.nodes[i];
      if (node.alternatives != nullptr && !node.alternatives->removed.empty()) return true;
      if (node.enum_map != nullptr && !node.enum_map->removed.empty()) return true;
    }
    return false;
  }

  bool keep_whole(std::uint32_t own, std::uint32_t stored, KeptNode& node) {
    const std::size_t paths = paths_.size();
    const std::size_t nodes = unknown_nodes_.size();
    KeptNode whole = node;
    whole.from = From::whole;
    whole.field = *fields_[stored];
    whole.own_field = own_field(own);
    whole.merged = whole.own_field;
    if (merge(own, stored, whole.merged, whole.patch, whole)) {
      node = std::move(whole);
      return true;
    }
    paths_.resize(paths);
    unknown_nodes_.resize(nodes);
    return false;
  }

  // The program's field with all that the schema says of it.
  [[nodiscard]] Field own_field(std::uint32_t own) const {
    Field field = field_of(own_, own);
    restore_marks(own, field);
    return field;
  }
  void restore_marks(std::uint32_t own, Field& field) const {
    const PlanNode& node = own_.nodes[own];
    field.utf8_checked = node.utf8_checked;
    field.strong = node.strong;
    if (node.kind == FieldKind::enumeration) return set_enumerators(field, node.enumerators);
    for (std::size_t i = 0; i < node.children.size(); ++i)
      restore_marks(node.children[i], field.children[i]);
  }

  static KeptPatch patch_of(const Field& field) {
    KeptPatch patch;
    patch.kind = field.kind;
    patch.width = fixed_width(field);
    patch.count = field.count;
    if (field.kind == FieldKind::enumeration) return patch;
    for (const Field& child : field.children) patch.children.push_back(patch_of(child));
    return patch;
  }

  // Adds what the program does not have to `merged`. False if more differs than that.
  bool merge(std::uint32_t own, std::uint32_t stored, Field& merged, KeptPatch& patch,
             KeptNode& node) {
    const PlanNode& ours = own_.nodes[own];
    const PlanNode& theirs = stored_.nodes[stored];
    const bool is_variant = ours.kind == FieldKind::variant;
    if (ours.kind != theirs.kind || ours.leaf != theirs.leaf || ours.width != theirs.width ||
        ours.count != theirs.count || !(ours.layout == theirs.layout) ||
        ours.class_version != theirs.class_version ||
        (!is_variant && ours.children.size() != theirs.children.size()) ||
        !std::is_sorted(theirs.children.begin(), theirs.children.end())) {
      return false;
    }
    patch = patch_of(*fields_[stored]);
    if (is_variant) return merge_alternatives(own, stored, merged, patch, node);
    if (ours.kind == FieldKind::enumeration) return merge_enumerators(own, stored, merged, patch);
    // Of a structure that lacks a field of the program, the plan has a node and the file nothing.
    if (theirs.children.size() > patch.children.size()) return false;
    for (std::size_t i = 0; i < ours.children.size(); ++i) {
      if (!merge(ours.children[i], theirs.children[i], merged.children[i], patch.children[i], node))
        return false;
    }
    return true;
  }

  void note_unknown(std::uint32_t own, std::uint32_t stored) {
    paths_.push_back(own_.nodes[own].path);
    unknown_nodes_.push_back(stored);
  }

  bool merge_alternatives(std::uint32_t own, std::uint32_t stored, Field& merged, KeptPatch& patch,
                          KeptNode& node) {
    constexpr std::size_t kMostAlternatives = 255;
    const PlanNode& ours = own_.nodes[own];
    const PlanNode& theirs = stored_.nodes[stored];
    for (std::size_t i = 0; i < theirs.children.size(); ++i) {
      const auto to = theirs.alternatives != nullptr ? theirs.alternatives->convert(i)
                                                     : std::optional(static_cast<std::uint8_t>(i));
      if (to) {
        patch.to[i] = {*to, false};
        if (!merge(ours.children[*to], theirs.children[i], merged.children[*to], patch.children[i],
                   node)) {
          return false;
        }
        continue;
      }
      patch.to[i] = {merged.children.size(), true};
      merged.children.push_back(*fields_[theirs.children[i]]);
      node.unknown_columns.push_back(stored_.nodes[theirs.children[i]].column);
      node.unknown_fields.push_back(merged.children.back());
    }
    if (merged.children.size() != ours.children.size()) note_unknown(own, stored);
    return merged.children.size() <= kMostAlternatives;
  }

  bool merge_enumerators(std::uint32_t own, std::uint32_t stored, Field& merged, KeptPatch& patch) {
    const PlanNode& theirs = stored_.nodes[stored];
    if (theirs.enum_map == nullptr) return true;
    std::vector<Enumerator> all = own_.nodes[own].enumerators;
    for (const Enumerator& each : all) patch.named.insert(each.bits);
    // Programs use numbers at both ends of a range for values without a name: a count, none.
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - 8 * theirs.width);
    std::uint64_t bits = most - most / 4;
    for (const Enumerator& each : theirs.enumerators) {
      if (const auto to = theirs.enum_map->convert(each.bits)) {
        patch.to[each.bits] = {*to, false};
        continue;
      }
      if (patch.named.size() > most) return false;
      while (!patch.named.insert(bits).second) bits = (bits - 1) & most;
      patch.to[each.bits] = {bits, true};
      all.push_back({bits, each.name});
    }
    if (all.size() == own_.nodes[own].enumerators.size()) return true;
    set_enumerators(merged, std::move(all));
    note_unknown(own, stored);
    return true;
  }

  // Whether all values have the same bytes in the program's columns and in the file's.
  [[nodiscard]] bool is_same(std::uint32_t own, std::uint32_t stored) const {
    const PlanNode& ours = own_.nodes[own];
    const PlanNode& theirs = stored_.nodes[stored];
    if (ours.kind != theirs.kind || ours.leaf != theirs.leaf || ours.width != theirs.width ||
        ours.count != theirs.count || !(ours.layout == theirs.layout) ||
        ours.class_version != theirs.class_version || theirs.enum_map != nullptr ||
        theirs.alternatives != nullptr || ours.children.size() != theirs.children.size() ||
        !std::is_sorted(theirs.children.begin(), theirs.children.end())) {
      return false;
    }
    for (std::size_t i = 0; i < ours.children.size(); ++i) {
      if (!is_same(ours.children[i], theirs.children[i])) return false;
    }
    return true;
  }

  const Plan& own_;
  const Plan& stored_;
  std::vector<const Field*> fields_;  // of the stored nodes; none for those that the file lacks
  std::vector<std::string> paths_;
  std::vector<std::uint32_t> unknown_nodes_;
  unsigned depth_ = 0;  // of containers around the field
};

// The program's field as it is now, with what `merged` has beside it.
Field with_unknown(const Field& own, const Field& merged) {
  Field field = own;
  if (field.kind == FieldKind::enumeration) {
    field.extensions = merged.extensions;
    return field;
  }
  for (std::size_t i = 0; i < own.children.size(); ++i)
    field.children[i] = with_unknown(own.children[i], merged.children[i]);
  for (std::size_t i = own.children.size(); i < merged.children.size(); ++i)
    field.children.push_back(merged.children[i]);
  return field;
}

}  // namespace

std::byte* KeptPatch::apply(std::byte* at, const std::byte* end, Found& found) const {
  const auto size = [&] {
    std::uint64_t value = 0;
    at += load_varint(at, end, value) - at;
    return value;
  };
  const auto renumber = [&](std::size_t bytes) {
    const std::uint64_t bits = load_number({at, bytes});
    if (const auto other = to.find(bits); other != to.end()) {
      store_number(other->second.number, {at, bytes});
      found.unknown = found.unknown || other->second.is_unknown;
    } else if (named.contains(bits)) {
      found.unnamed = true;
      found.reserved = found.reserved || std::any_of(to.begin(), to.end(), [&](const auto& each) {
                         return each.second.is_unknown && each.second.number == bits;
                       });
    }
    at += bytes;
    return bits;
  };
  switch (kind) {
    case FieldKind::structure:
      for (const KeptPatch& child : children) at = child.apply(at, end, found);
      return at;
    case FieldKind::array:
      for (std::uint64_t i = 0; i < count; ++i) at = children[0].apply(at, end, found);
      return at;
    case FieldKind::string:
    case FieldKind::opaque: {
      const std::uint64_t length = size();
      return at + length;
    }
    case FieldKind::list:
    case FieldKind::map:
      for (std::uint64_t left = size(); left != 0; --left) {
        for (const KeptPatch& child : children) at = child.apply(at, end, found);
      }
      return at;
    case FieldKind::optional: {
      const bool is_present = *at++ != std::byte{};
      return is_present ? children[0].apply(at, end, found) : at;
    }
    case FieldKind::variant: {
      const auto tag = static_cast<std::size_t>(renumber(1));
      return children[tag].apply(at, end, found);
    }
    case FieldKind::enumeration: renumber(width); return at;
    default: return at + width;
  }
}

std::optional<KeptLayout> find_kept(const Plan& own, const Plan& matched, const Field& stored) {
  return Finder(own, matched, stored).run();
}

Field merged_field(const Field& own, const KeptNode& node) {
  if (node.from == From::program) return own;
  if (node.from == From::file) return node.field;
  if (node.from == From::whole) return with_unknown(own, node.merged);
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

}  // namespace hdb::detail::evolve
