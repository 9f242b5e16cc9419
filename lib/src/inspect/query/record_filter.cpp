// Evaluates a bound filter for a row.
#include "hdb/inspect/filter.hpp"

#include <algorithm>
#include <cmath>

#include "inspect/query/program.hpp"

namespace hdb {
namespace query {
namespace {

struct RowPlace {
  const Value& row;
  std::uint64_t slot;
  std::uint32_t generation;
};

Scalar literal_of(const BoundOperand& operand) {
  Scalar scalar = operand.literal;
  scalar.text = operand.text;
  return scalar;
}

// Calls `visit` with each value that the steps lead to, until it returns true; whether it did.
template <class Visit>
bool walk(const Value& value, const BoundStep* step, const BoundStep* end, const Visit& visit) {
  if (step == end) return visit(value);
  switch (step->kind) {
    case BoundStep::Kind::child:
      for (const Value& child : value.children) {
        if (child.field == step->child) return walk(child, step + 1, end, visit);
      }
      return false;
    case BoundStep::Kind::held:
      return !value.children.empty() && walk(value.children.front(), step + 1, end, visit);
    case BoundStep::Kind::alternative:
      return value.bits == step->number && !value.children.empty() &&
             walk(value.children.front(), step + 1, end, visit);
    case BoundStep::Kind::key: {
      Scalar key = step->key;
      key.text = step->text;
      for (std::size_t i = 0; i + 1 < value.children.size(); i += 2) {
        if (order(scalar_of(value.children[i]), key) != 0) continue;
        if (walk(value.children[i + 1], step + 1, end, visit)) return true;
      }
      return false;
    }
    case BoundStep::Kind::element:
    case BoundStep::Kind::any_element: break;
  }
  const bool any = step->kind == BoundStep::Kind::any_element;
  if (!any && step->number >= value.bits) return false;
  const std::uint64_t first = any ? 0 : step->number;
  const std::uint64_t last = any ? value.bits : step->number + 1;
  for (std::uint64_t i = first; i < last; ++i) {
    if (value.is_packed()) {
      if (walk(value.element(i), step + 1, end, visit)) return true;
    } else {
      const std::uint64_t at = value.field->kind == FieldKind::map ? 2 * i + step->pair_part : i;
      if (at >= value.children.size()) return false;
      if (walk(value.children[static_cast<std::size_t>(at)], step + 1, end, visit)) return true;
    }
  }
  return false;
}

template <class Visit>
bool for_any(const BoundOperand& operand, const RowPlace& place, const Visit& visit) {
  Scalar number;
  const BoundStep* const begin = operand.steps.data();
  const BoundStep* const end = begin + operand.steps.size();
  switch (operand.kind) {
    case FilterOperand::Kind::field:
      return walk(place.row, begin, end,
                  [&](const Value& value) { return visit(scalar_of(value)); });
    case FilterOperand::Kind::size:
      return walk(place.row, begin, end, [&](const Value& value) {
        number.magnitude = value.bits;
        return visit(number);
      });
    case FilterOperand::Kind::slot: number.magnitude = place.slot; return visit(number);
    case FilterOperand::Kind::generation: number.magnitude = place.generation; return visit(number);
    default: return visit(literal_of(operand));
  }
}

bool is_null(const BoundOperand& operand, const RowPlace& place) {
  bool found = false;
  const BoundStep* const begin = operand.steps.data();
  const bool null_handle =
      walk(place.row, begin, begin + operand.steps.size(), [&](const Value& value) {
        found = true;
        return value.field->kind == FieldKind::handle && value.bits == 0;
      });
  return null_handle || !found;
}

bool evaluate(const BoundNode& node, const RowPlace& place) {
  const auto holds_for = [&](const BoundNode& child) { return evaluate(child, place); };
  switch (node.kind) {
    case FilterNode::Kind::any:
      return std::any_of(node.children.begin(), node.children.end(), holds_for);
    case FilterNode::Kind::all:
      return std::all_of(node.children.begin(), node.children.end(), holds_for);
    case FilterNode::Kind::negation: return !evaluate(node.children.front(), place);
    case FilterNode::Kind::comparison:
      return for_any(node.operands[0], place, [&](const Scalar& a) {
        return for_any(node.operands[1], place,
                       [&](const Scalar& b) { return holds(node.comparison, order(a, b)); });
      });
    case FilterNode::Kind::like:
      return for_any(node.operands[0], place,
                     [&](const Scalar& a) { return node.glob->matches(a.text); });
    case FilterNode::Kind::like_any_case:
      return for_any(node.operands[0], place,
                     [&](const Scalar& a) { return node.glob->matches(small_letters(a.text)); });
    case FilterNode::Kind::in:
      return for_any(node.operands[0], place, [&](const Scalar& a) {
        return std::any_of(node.operands.begin() + 1, node.operands.end(),
                           [&](const BoundOperand& b) { return order(a, literal_of(b)) == 0; });
      });
    case FilterNode::Kind::is_null: return is_null(node.operands.front(), place);
    case FilterNode::Kind::is_nan:
      return for_any(node.operands.front(), place,
                     [](const Scalar& a) { return std::isnan(a.real); });
    case FilterNode::Kind::truth:
      return for_any(node.operands.front(), place,
                     [](const Scalar& a) { return a.magnitude != 0; });
  }
  return false;
}

}  // namespace

std::string small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace query

Result<RecordFilter> RecordFilter::bind(const FilterExpression& expression, const Field& root,
                                        const std::vector<TableDescriptor>& tables) {
  query::Binder binder(root, tables);
  auto program = std::make_shared<Program>();
  auto bound = binder.run(expression.root());
  if (!bound) return fail(std::move(bound.error()));
  program->root = *std::move(bound);
  RecordFilter filter;
  filter.program_ = std::move(program);
  filter.columns_ = binder.take_columns();
  return filter;
}

bool RecordFilter::matches(const Value& row, std::uint64_t slot, std::uint32_t generation) const {
  return query::evaluate(program_->root, {row, slot, generation});
}

}  // namespace hdb
