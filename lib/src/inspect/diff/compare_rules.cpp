// Walks a schema with all globs of a comparison at once.
#include "inspect/diff/compare_rules.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/values.hpp"
#include "inspect/query/scalar.hpp"

namespace hdb::diffing {
namespace {

using States = std::vector<Glob::State>;

class RuleMaker {
 public:
  explicit RuleMaker(const DiffOptions& options) : options_(options) {
    for (const Glob& glob : options.ignore) globs_.push_back(&glob);
    for (const Tolerance& tolerance : options.tolerances) globs_.push_back(&tolerance.fields);
    std::set<std::uint64_t> numbers;
    for (const Glob* const glob : globs_)
      numbers.insert(glob->numbers().begin(), glob->numbers().end());
    numbers_.assign(numbers.begin(), numbers.end());
  }

  FieldRules run(const std::string& table, const Field& root) const {
    States states;
    for (const Glob* const glob : globs_) states.push_back(glob->after_name(glob->begin(), table));
    return make(root, states);
  }

 private:
  FieldRules make(const Field& field, const States& states) const {
    FieldRules rules;
    if (std::all_of(states.begin(), states.end(), [](const auto& state) { return state.none(); }))
      return rules;
    for (std::size_t i = 0; i < globs_.size(); ++i) {
      if (!globs_[i]->is_match(states[i])) continue;
      if (i < options_.ignore.size()) {
        rules.ignored = true;
      } else {
        const Tolerance& tolerance = options_.tolerances[i - options_.ignore.size()];
        if (tolerance.absolute) rules.absolute = tolerance.absolute;
        if (tolerance.relative) rules.relative = tolerance.relative;
      }
    }
    rules.exact = !rules.ignored && !rules.absolute && !rules.relative;
    if (rules.ignored || field.kind == FieldKind::enumeration) return rules;
    rules.children = make_children(field, states, std::nullopt, rules.exact);
    const bool has_elements = field.kind == FieldKind::list || field.kind == FieldKind::array ||
                              field.kind == FieldKind::map;
    for (const std::uint64_t number : numbers_) {
      if (!has_elements || !depends_on(states, number)) continue;
      rules.numbered.emplace_back(number, make_children(field, states, number, rules.exact));
    }
    if (rules.exact) rules.children.clear(), rules.numbered.clear();
    return rules;
  }

  // `exact` becomes false when a child is not.
  std::vector<FieldRules> make_children(const Field& field, const States& states,
                                        std::optional<std::uint64_t> number, bool& exact) const {
    std::vector<FieldRules> children;
    for (std::size_t i = 0; i < field.children.size(); ++i) {
      States below;
      for (std::size_t glob = 0; glob < globs_.size(); ++glob)
        below.push_back(globs_[glob]->after_child(states[glob], field, i, number));
      children.push_back(make(field.children[i], below));
      exact = exact && children.back().exact;
    }
    return children;
  }

  // Whether the element of this number is treated otherwise than most.
  [[nodiscard]] bool depends_on(const States& states, std::uint64_t number) const {
    for (std::size_t i = 0; i < globs_.size(); ++i) {
      if (globs_[i]->after_element(states[i], number) !=
          globs_[i]->after_element(states[i], std::nullopt))
        return true;
    }
    return false;
  }

  const DiffOptions& options_;
  std::vector<const Glob*> globs_;  // those to ignore, then those of tolerances
  std::vector<std::uint64_t> numbers_;
};

void collect_ignored(const FieldRules& rules, const Field& field, std::uint32_t& column,
                     std::vector<bool>& ignored) {
  if (rules.ignored || rules.children.empty()) {
    const std::uint32_t count = count_columns(field);
    for (std::uint32_t i = 0; i < count; ++i) ignored[column + i] = rules.ignored;
    column += count;
    return;
  }
  column += leading_columns(field);
  for (std::size_t i = 0; i < field.children.size(); ++i) {
    // An element with rules of its own keeps the column.
    FieldRules child = rules.children[i];
    for (const auto& [number, children] : rules.numbered) {
      if (!children[i].ignored) child = children[i];
    }
    collect_ignored(child, field.children[i], column, ignored);
  }
}

// A whole number that is not below 0, with a double: exact.
bool is_at_most(std::uint64_t number, double bound) {
  constexpr double kTwoTo64 = 18446744073709551616.0;
  return bound >= kTwoTo64 || (bound >= 0 && number <= static_cast<std::uint64_t>(bound));
}

bool are_integers_within(const FieldRules& rules, const query::Scalar& a, const query::Scalar& b) {
  std::uint64_t distance = 0;
  if (a.negative == b.negative) {
    distance = std::max(a.magnitude, b.magnitude) - std::min(a.magnitude, b.magnitude);
  } else {
    const bool fits = a.magnitude <= ~b.magnitude;
    distance = fits ? a.magnitude + b.magnitude : ~std::uint64_t{0};
  }
  const auto size = static_cast<double>(std::max(a.magnitude, b.magnitude));
  return (rules.absolute && is_at_most(distance, *rules.absolute)) ||
         (rules.relative && is_at_most(distance, *rules.relative * size));
}

}  // namespace

const FieldRules& FieldRules::element(std::uint64_t number, std::size_t child) const {
  for (const auto& [own, of_number] : numbered) {
    if (own == number) return of_number[child];
  }
  return children[child];
}

CompareRules CompareRules::below(std::uint64_t number, std::size_t child) const {
  CompareRules rules = *this;
  // What is exact, or ignored as a whole, has no rules below it.
  if (field != nullptr) {
    rules.field = field->children.empty() ? (field->ignored ? field : nullptr)
                                          : &field->element(number, child);
  }
  return rules;
}

FieldRules make_rules(const DiffOptions& options, const std::string& table, const Field& root) {
  return RuleMaker(options).run(table, root);
}

bool is_ignored(const DiffOptions& options, const std::string& table) {
  return is_ignored(options, table, {});
}

bool is_ignored(const DiffOptions& options, const std::string& table, const std::string& path) {
  return std::any_of(options.ignore.begin(), options.ignore.end(), [&](const Glob& glob) {
    return glob.is_match(glob.after_path(glob.after_name(glob.begin(), table), path));
  });
}

std::vector<bool> ignored_columns(const FieldRules& rules, const Field& root) {
  std::vector<bool> ignored(count_columns(root));
  std::uint32_t column = 0;
  collect_ignored(rules, root, column, ignored);
  return ignored;
}

bool are_within(const CompareRules& rules, const Value& a, const Value& b) {
  if (!rules.tolerant) return false;
  const bool floats = a.field->kind == FieldKind::f32 || a.field->kind == FieldKind::f64;
  if (!floats)
    return rules.field != nullptr &&
           are_integers_within(*rules.field, query::scalar_of(a), query::scalar_of(b));
  const double x = float_value(a.field->kind, a.bits);
  const double y = float_value(b.field->kind, b.bits);
  if (std::isnan(x) || std::isnan(y)) return rules.nan_equal && std::isnan(x) && std::isnan(y);
  const double distance = std::fabs(x - y);
  if (rules.field == nullptr || !std::isfinite(distance)) return false;
  const auto& [absolute, relative] = std::pair(rules.field->absolute, rules.field->relative);
  return (absolute && distance <= *absolute) ||
         (relative && distance <= *relative * std::max(std::fabs(x), std::fabs(y)));
}

}  // namespace hdb::diffing
