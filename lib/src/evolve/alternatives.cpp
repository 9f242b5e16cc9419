// Finds the program's alternative for each stored one.
#include "evolve/alternatives.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "evolve/numbers.hpp"
#include "evolve/type_names.hpp"

namespace hdb::detail::evolve {
namespace {

constexpr std::string_view kAdvice =
    "; declare which is which with hdb::OldAlternatives of the variant";

const PlanNode& child(const Plan& plan, const PlanNode& node, std::size_t i) {
  return plan.nodes[node.children[i]];
}

bool is_equal(const Plan& plan_a, const PlanNode& a, const Plan& plan_b, const PlanNode& b) {
  if (a.kind != b.kind || a.leaf != b.leaf || a.count != b.count || a.versioned != b.versioned ||
      a.class_version != b.class_version || a.utf8_checked != b.utf8_checked ||
      a.strong != b.strong || !(a.layout == b.layout) || a.table != b.table ||
      a.enumerators != b.enumerators || a.children.size() != b.children.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    const PlanNode& below_a = child(plan_a, a, i);
    const PlanNode& below_b = child(plan_b, b, i);
    if (below_a.name != below_b.name || !is_equal(plan_a, below_a, plan_b, below_b)) return false;
  }
  return true;
}

/// Whether a stored value can have become one of the program: by itself (rule 5), or because the
/// program declares that it did (rule 3). Then a structure may have gained and lost fields.
class Relation {
 public:
  Relation(const Plan& own, const Plan& stored, bool is_declared)
      : own_(own), stored_(stored), is_declared_(is_declared) {}

  [[nodiscard]] bool holds(const PlanNode& own, const PlanNode& stored) const {
    if (own.kind != stored.kind) return is_wrapped(own, stored) || is_number(own, stored);
    switch (own.kind) {
      case FieldKind::structure: return has_related_fields(own, stored);
      case FieldKind::list:
      case FieldKind::array:
      case FieldKind::optional:
      case FieldKind::map: return are_related(own, stored);
      case FieldKind::handle: return own.layout == stored.layout;
      case FieldKind::enumeration: return is_related_enum(own, stored);
      case FieldKind::string:
      case FieldKind::opaque:
      case FieldKind::variant: return true;
      default: return is_number(own, stored);
    }
  }

 private:
  static bool is_number(const PlanNode& own, const PlanNode& stored) {
    return own.kind == own.leaf && stored.kind == stored.leaf &&
           is_convertible(stored.leaf, own.leaf);
  }
  bool is_wrapped(const PlanNode& own, const PlanNode& stored) const {
    if (own.kind == FieldKind::optional || own.kind == FieldKind::list)
      return holds(child(own_, own, 0), stored);
    return stored.kind == FieldKind::optional && holds(own, child(stored_, stored, 0));
  }
  bool are_related(const PlanNode& own, const PlanNode& stored) const {
    for (std::size_t i = 0; i < own.children.size(); ++i) {
      if (!holds(child(own_, own, i), child(stored_, stored, i))) return false;
    }
    return true;
  }
  static bool is_related_enum(const PlanNode& own, const PlanNode& stored) {
    if (!is_convertible(stored.leaf, own.leaf)) return false;
    if (own.enumerators.empty() || stored.enumerators.empty()) return true;
    return std::any_of(own.enumerators.begin(), own.enumerators.end(), [&](const Enumerator& mine) {
      return std::any_of(stored.enumerators.begin(), stored.enumerators.end(),
                         [&](const Enumerator& each) { return each.name == mine.name; });
    });
  }
  [[nodiscard]] const PlanNode* field_of(const PlanNode& own, const PlanNode& field,
                                         const PlanNode& stored) const {
    const auto find = [&](std::string_view name) -> const PlanNode* {
      for (const std::uint32_t index : stored.children) {
        if (stored_.nodes[index].name == name) return &stored_.nodes[index];
      }
      return nullptr;
    };
    const PlanNode* found = find(field.name);
    for (std::size_t i = 0; i < own.renames.size() && found == nullptr; ++i) {
      if (field.name == own.renames[i].new_name) found = find(own.renames[i].old_name);
    }
    return found;
  }
  bool has_related_fields(const PlanNode& own, const PlanNode& stored) const {
    const bool is_same_version = own.class_version == stored.class_version;
    std::size_t common = 0;
    for (const std::uint32_t index : own.children) {
      const PlanNode& field = own_.nodes[index];
      const PlanNode* const found = field_of(own, field, stored);
      if (found == nullptr) continue;
      if (is_same_version && !holds(field, *found)) return false;
      ++common;
    }
    if (common == 0) return own.children.empty() && stored.children.empty();
    return is_declared_ || common == own.children.size() || common == stored.children.size();
  }

  const Plan& own_;
  const Plan& stored_;
  const bool is_declared_;
};

class AlternativeMatcher {
 public:
  AlternativeMatcher(const Plan& own, const PlanNode& own_variant, const Plan& stored,
                     const PlanNode& stored_variant)
      : own_(own),
        own_variant_(own_variant),
        stored_(stored),
        stored_variant_(stored_variant),
        relation_(own, stored, false),
        declared_(own, stored, true),
        own_types_(own, own_variant.children),
        stored_types_(stored, stored_variant.children),
        own_of(stored_variant.children.size(), kNone),
        stored_of(own_variant.children.size(), kNone),
        is_open_(own_of.size(), true),
        is_own_open_(stored_of.size(), true) {}

  void run() {
    if (match_equal_lists() || match_names() || match_type_names() || match_declared()) return;
    match_equal();
    match_related();
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

 private:
  using Numbers = std::vector<std::size_t>;

  const PlanNode& mine(std::size_t i) const { return child(own_, own_variant_, i); }
  const PlanNode& theirs(std::size_t i) const { return child(stored_, stored_variant_, i); }
  bool is_equal_pair(std::size_t i, std::size_t own) const {
    return !are_other_types(i, own) && is_equal(own_, mine(own), stored_, theirs(i));
  }
  bool are_other_types(std::size_t i, std::size_t own) const {
    return stored_types_.is_other(i, own_types_, own);
  }
  void pair(std::size_t i, std::size_t own) {
    own_of[i] = own;
    stored_of[own] = i;
    is_open_[i] = is_own_open_[own] = false;
  }
  static std::string list_text(const Numbers& numbers) {
    std::string text;
    for (const std::size_t i : numbers)
      text += (text.empty() ? "<" : ", <") + std::to_string(i) + ">";
    return text;
  }
  // These are not what they may be.
  void refuse(const Numbers& stored, const Numbers& own) {
    for (const std::size_t i : stored) {
      if (own_of[i] != kNone) stored_of[own_of[i]] = kNone;
      own_of[i] = kNone;
      is_open_[i] = false;
    }
    for (const std::size_t i : own) is_own_open_[i] = false;
    if (!ambiguity.empty()) return;
    ambiguity = "alternative " + list_text(stored) + " of the file's variant may be " +
                list_text(own) + " of the program's" + std::string(kAdvice);
  }

  bool match_equal_lists() {
    if (own_of.size() != stored_of.size()) return false;
    for (std::size_t i = 0; i < own_of.size(); ++i) {
      if (mine(i).name != theirs(i).name || !is_equal_pair(i, i)) return false;
    }
    for (std::size_t i = 0; i < own_of.size(); ++i) pair(i, i);
    return true;
  }

  static bool has_names(const Plan& plan, const PlanNode& variant) {
    std::set<std::string_view> names;
    for (const std::uint32_t index : variant.children) names.insert(plan.nodes[index].name);
    return names.size() == variant.children.size() && !names.contains("");
  }
  bool match_names() {
    if (!has_names(own_, own_variant_) || !has_names(stored_, stored_variant_)) return false;
    for (std::size_t i = 0; i < own_of.size(); ++i) {
      for (std::size_t own = 0; own < stored_of.size(); ++own) {
        if (mine(own).name == theirs(i).name) pair(i, own);
      }
    }
    return true;
  }

  // Whether that is all.
  bool match_type_names() {
    bool is_all = true;
    for (std::size_t i = 0; i < own_of.size(); ++i) {
      const auto own = own_types_.find(stored_types_.name(i));
      if (own) pair(i, *own);
      is_all = is_all && own;
    }
    return is_all;
  }

  bool fits(const AlternativeOrder& order) const {
    if (order.size() != own_of.size()) return false;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto own = order[i] < 0 ? kNone : static_cast<std::size_t>(order[i]);
      if (own_of[i] != kNone && own_of[i] != own) return false;
      if (own == kNone) continue;
      if (own >= stored_of.size() || !declared_.holds(mine(own), theirs(i))) return false;
    }
    return true;
  }
  bool match_declared() {
    const AlternativeOrder* found = nullptr;
    for (const AlternativeOrder& order : own_variant_.old_alternatives) {
      if (!fits(order) || (found != nullptr && *found == order)) continue;
      if (found != nullptr) {
        ambiguity =
            "two declared lists of hdb::OldAlternatives fit the file's variant; raise the "
            "class version of the record, and convert the value in a migration";
        return true;
      }
      found = &order;
    }
    for (std::size_t i = 0; found != nullptr && i < found->size(); ++i) {
      if ((*found)[i] >= 0) pair(i, static_cast<std::size_t>((*found)[i]));
    }
    return found != nullptr;
  }

  // Whether a pair changed its place against another pair.
  [[nodiscard]] bool is_moved(std::size_t i) const {
    for (std::size_t other = 0; other < own_of.size(); ++other) {
      if (own_of[other] != kNone && (other < i) != (own_of[other] < own_of[i]) && other != i)
        return true;
    }
    return false;
  }

  void match_equal() {
    std::vector<std::pair<Numbers, Numbers>> twins;
    for (std::size_t i = 0; i < own_of.size(); ++i) {
      if (!is_open_[i]) continue;
      Numbers stored;
      for (std::size_t k = i; k < own_of.size(); ++k) {
        if (k == i || (is_open_[k] && is_equal(stored_, theirs(i), stored_, theirs(k))))
          stored.push_back(k);
      }
      Numbers own;
      for (std::size_t k = 0; k < stored_of.size(); ++k) {
        if (is_own_open_[k] && is_equal_pair(i, k)) own.push_back(k);
      }
      if (own.empty()) continue;
      if (own.size() != stored.size()) {
        refuse(stored, own);
        continue;
      }
      for (std::size_t k = 0; k < own.size(); ++k) pair(stored[k], own[k]);
      if (own.size() > 1) twins.emplace_back(std::move(stored), std::move(own));
    }
    bool has_moved = false;
    for (std::size_t i = 0; i < own_of.size(); ++i)
      has_moved = has_moved || (own_of[i] != kNone && is_moved(i));
    for (const auto& [stored, own] : twins) {
      if (has_moved) refuse(stored, own);
    }
  }

  void match_related() {
    std::vector<Numbers> own_fits(own_of.size());
    std::vector<Numbers> stored_fits(stored_of.size());
    for (std::size_t i = 0; i < own_of.size(); ++i) {
      for (std::size_t own = 0; is_open_[i] && own < stored_of.size(); ++own) {
        if (!is_own_open_[own] || are_other_types(i, own)) continue;
        if (!relation_.holds(mine(own), theirs(i))) continue;
        own_fits[i].push_back(own);
        stored_fits[own].push_back(i);
      }
    }
    Numbers left;
    Numbers own_left;
    Numbers related;
    for (std::size_t i = 0; i < own_of.size(); ++i) {
      if (own_fits[i].size() == 1 && stored_fits[own_fits[i][0]].size() == 1) {
        pair(i, own_fits[i][0]);
        related.push_back(i);
      } else if (!own_fits[i].empty()) {
        left.push_back(i);
      }
    }
    for (std::size_t own = 0; own < stored_of.size(); ++own) {
      if (is_own_open_[own] && !stored_fits[own].empty()) own_left.push_back(own);
    }
    bool is_in_order = left.size() == own_left.size();
    for (std::size_t k = 0; is_in_order && k < left.size(); ++k)
      is_in_order = !are_other_types(left[k], own_left[k]) &&
                    relation_.holds(mine(own_left[k]), theirs(left[k]));
    if (!is_in_order) {
      refuse(left, own_left);
    } else {
      for (std::size_t k = 0; k < left.size(); ++k) pair(left[k], own_left[k]);
      related.insert(related.end(), left.begin(), left.end());
    }
    Numbers moved;
    Numbers places;
    for (const std::size_t i : related) {
      if (!is_moved(i)) continue;
      moved.push_back(i);
      places.push_back(own_of[i]);
    }
    if (!moved.empty()) refuse(moved, places);
  }

  const Plan& own_;
  const PlanNode& own_variant_;
  const Plan& stored_;
  const PlanNode& stored_variant_;
  const Relation relation_;
  const Relation declared_;
  const TypeNames own_types_;
  const TypeNames stored_types_;

 public:
  Numbers own_of;     // of each stored alternative; or kNone
  Numbers stored_of;  // of each of the program's; or kNone
  std::string ambiguity;

 private:
  std::vector<bool> is_open_;
  std::vector<bool> is_own_open_;
};

std::string text_of(const Plan& plan, const PlanNode& variant, std::size_t i) {
  constexpr std::size_t kMost = 60;
  std::string type = type_text(field_of(plan, variant.children[i]));
  if (type.size() > kMost) type = type.substr(0, kMost) + "...";
  const PlanNode& alternative = child(plan, variant, i);
  const std::string& name = alternative.name.empty() ? alternative.type_name : alternative.name;
  return "<" + std::to_string(i) + "> " + (name.empty() ? type : "'" + name + "'");
}

}  // namespace

AlternativeMap::AlternativeMap(const Plan& own, const PlanNode& own_variant, const Plan& stored,
                               const PlanNode& stored_variant) {
  AlternativeMatcher matcher(own, own_variant, stored, stored_variant);
  matcher.run();
  ambiguity_ = std::move(matcher.ambiguity);
  for (std::size_t i = 0; i < matcher.own_of.size(); ++i) {
    const std::size_t at = matcher.own_of[i];
    texts_.push_back(text_of(stored, stored_variant, i));
    if (at == AlternativeMatcher::kNone) {
      own_of_.emplace_back();
      removed.push_back(texts_.back());
      continue;
    }
    own_of_.emplace_back(static_cast<std::uint8_t>(at));
    if (at != i) moved.push_back("<" + std::to_string(i) + "> -> <" + std::to_string(at) + ">");
  }
  for (std::size_t i = 0; i < matcher.stored_of.size(); ++i) {
    if (matcher.stored_of[i] == AlternativeMatcher::kNone)
      added.push_back(text_of(own, own_variant, i));
  }
}

std::optional<std::uint8_t> AlternativeMap::convert(std::uint64_t stored) const noexcept {
  return stored < own_of_.size() ? own_of_[static_cast<std::size_t>(stored)] : std::nullopt;
}

Error AlternativeMap::error(std::uint64_t stored) const {
  if (!ambiguity_.empty()) return {ErrorCode::type_mismatch, ambiguity_};
  return {ErrorCode::value_out_of_range,
          "the file's value is alternative " + texts_[static_cast<std::size_t>(stored)] +
              ", which the program's variant does not have; keep the alternative, declare what "
              "became of it (hdb::TypeName if its type got another name, else "
              "hdb::OldAlternatives of the variant), or say what to do with such values "
              "(LoadOptions::unknown_values)"};
}

}  // namespace hdb::detail::evolve
