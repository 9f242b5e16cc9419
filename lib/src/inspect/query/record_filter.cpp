// Evaluates a bound filter for a row.
#include "hdb/inspect/filter.hpp"

#include <algorithm>
#include <cmath>

#include "hdb/translate_handle.hpp"
#include "inspect/query/program.hpp"

namespace hdb {
namespace query {
namespace {

struct RowPlace {
  const Value& row;
  std::uint64_t slot;
  std::uint32_t generation;
  const OtherTables* others;
};

// Of sizes, slots and generations.
const Field& number_field() {
  static const Field field = [] {
    Field number;
    number.kind = FieldKind::u64;
    return number;
  }();
  return field;
}

Scalar literal_of(const BoundOperand& operand) {
  Scalar scalar = operand.literal;
  scalar.text = operand.text;
  return scalar;
}

// Calls `visit` with each value of a record of another table, until it returns true.
template <class Visit>
bool visit_followed(const Followed& followed, std::uint32_t slot, const Visit& visit) {
  Value value;
  value.field = followed.field;
  for (std::size_t i = slot == 0 ? 0 : followed.ends[slot - 1]; i < followed.ends[slot]; ++i) {
    value.bits = followed.bits[i];
    if (!followed.text_ends.empty()) {
      const auto begin = static_cast<std::size_t>(i == 0 ? 0 : followed.text_ends[i - 1]);
      const auto text_end = static_cast<std::size_t>(followed.text_ends[i]);
      value.bytes = std::span(followed.texts).subspan(begin, text_end - begin);
    }
    if (visit(value)) return true;
  }
  return false;
}

// Calls `visit` with each value that the steps lead to, until it returns true; whether it did.
template <class Visit>
bool walk(const Value& value, const BoundStep* step, const BoundStep* end,
          const OtherTables* others, const Visit& visit) {
  if (step == end) return visit(value);
  switch (step->kind) {
    case BoundStep::Kind::child:
      for (const Value& child : value.children) {
        if (child.field == step->child) return walk(child, step + 1, end, others, visit);
      }
      return false;
    case BoundStep::Kind::held:
      return !value.children.empty() && walk(value.children.front(), step + 1, end, others, visit);
    case BoundStep::Kind::alternative:
      return value.bits == step->number && !value.children.empty() &&
             walk(value.children.front(), step + 1, end, others, visit);
    case BoundStep::Kind::target: {
      const Target target = others->find(*value.field, value.bits);
      if (target.state != Target::State::live) return false;
      for (const auto& each : step->targets) {
        if (each->table == target.table) return visit_followed(*each, target.slot, visit);
      }
      return false;
    }
    case BoundStep::Kind::key: {
      for (auto pair = find_pair(value, *step); pair; pair = find_pair(value, *step, *pair + 1)) {
        if (walk(value.children[2 * *pair + 1], step + 1, end, others, visit)) return true;
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
      if (walk(value.element(i), step + 1, end, others, visit)) return true;
    } else {
      const std::uint64_t at = value.field->kind == FieldKind::map ? 2 * i + step->pair_part : i;
      if (at >= value.children.size()) return false;
      if (walk(value.children[static_cast<std::size_t>(at)], step + 1, end, others, visit))
        return true;
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
      return walk(place.row, begin, end, place.others,
                  [&](const Value& value) { return visit(scalar_of(value)); });
    case FilterOperand::Kind::size:
      return walk(place.row, begin, end, place.others, [&](const Value& value) {
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
      walk(place.row, begin, begin + operand.steps.size(), place.others, [&](const Value& value) {
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
    case FilterNode::Kind::is_stale: {
      const auto& steps = node.operands.front().steps;
      return walk(place.row, steps.data(), steps.data() + steps.size(), place.others,
                  [&](const Value& value) {
                    const Target target = place.others->find(*value.field, value.bits);
                    return target.state == Target::State::stale;
                  });
    }
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

Target OtherTables::find(const Field& field, std::uint64_t bits) const noexcept {
  if (bits == 0) return {};
  const auto table = namer_.table_of(field, bits);
  if (!table) return {Target::State::foreign};
  const auto parts = split_handle(field.layout, bits);
  const bool live = live_.contains(*table, parts->index, parts->generation);
  return {live ? Target::State::live : Target::State::stale, *table, parts->index};
}

Status OtherTables::charge(std::uint64_t bytes) {
  if (bytes > left_)
    return fail(ErrorCode::memory_budget, "what the filter reads through handles is too much");
  left_ -= bytes;
  return {};
}

Status OtherTables::load() {
  std::vector<bool> wanted(reader.tables().size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (const Field* field : tested) wanted[i] = wanted[i] || can_name(*field, reader.tables()[i]);
    for (const Followed* each : order) wanted[i] = wanted[i] || each->table == i;
    if (!wanted[i]) continue;
    Status loaded = charge(4 * reader.tables()[i].slot_count);
    if (loaded) loaded = live_.load(i);
    if (!loaded) return loaded;
  }
  for (Followed* const each : order) {
    if (Status loaded = load(*each); !loaded) return loaded;
  }
  return {};
}

Status OtherTables::load(Followed& values) {
  const TableDescriptor& table = reader.tables()[values.table];
  RowDecoder decoder(reader.schemas()[table.schema], values.columns);
  if (Status charged = charge(4 * table.slot_count); !charged) return charged;
  values.ends.reserve(static_cast<std::size_t>(table.slot_count));
  RowGroup group;
  Value row;
  const bool is_text = values.field->kind == FieldKind::string;
  const auto add = [&](const Value& value) {
    values.bits.push_back(value.bits);
    if (!is_text) return false;
    values.texts.insert(values.texts.end(), value.bytes.begin(), value.bytes.end());
    values.text_ends.push_back(values.texts.size());
    return false;
  };
  for (std::uint64_t number = 0; number < table.group_count(); ++number) {
    const std::size_t before =
        8 * (values.bits.size() + values.text_ends.size()) + values.texts.size();
    if (Status read = reader.read_columns(values.table, number, decoder.needed_columns(), group);
        !read)
      return read;
    decoder.begin(group.columns);
    for (std::size_t i = 0; i < group.states.size(); ++i) {
      if (group.states[i] == static_cast<std::uint8_t>(SlotState::live)) {
        if (Status next = decoder.next(row); !next) {
          return fail(std::move(next.error())
                          .in(handle_name(table, group.first_slot + i, group.generations[i])));
        }
        walk(row, values.steps.data(), values.steps.data() + values.steps.size(), this, add);
      }
      values.ends.push_back(static_cast<std::uint32_t>(values.bits.size()));
    }
    const std::size_t now =
        8 * (values.bits.size() + values.text_ends.size()) + values.texts.size();
    if (Status charged = charge(now - before); !charged) return charged;
  }
  return {};
}

std::optional<std::size_t> find_pair(const Value& map, const BoundStep& step, std::size_t first) {
  Scalar key = step.key;
  key.text = step.text;
  for (std::size_t i = first; 2 * i + 1 < map.children.size(); ++i) {
    if (order(scalar_of(map.children[2 * i]), key) == 0) return i;
  }
  return std::nullopt;
}

std::string small_letters(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace query

Result<RecordFilter> RecordFilter::bind(const FilterExpression& expression, const Field& root,
                                        const std::vector<TableDescriptor>& tables) {
  query::Binder binder(root, tables, nullptr);
  return finish(binder.run(expression.root()), binder, nullptr);
}

Result<RecordFilter> RecordFilter::bind(const FilterExpression& expression, const Reader& reader,
                                        std::size_t table, std::uint64_t max_bytes) {
  auto others = std::make_unique<query::OtherTables>(reader, max_bytes);
  const Field& root = reader.schemas()[reader.tables()[table].schema];
  query::Binder binder(root, reader.tables(), others.get());
  return finish(binder.run(expression.root()), binder, std::move(others));
}

Result<RecordFilter> RecordFilter::finish(Result<query::BoundNode> bound, query::Binder& binder,
                                          std::unique_ptr<query::OtherTables> others) {
  if (!bound) return fail(std::move(bound.error()));
  auto program = std::make_shared<Program>();
  if (others) {
    if (Status loaded = others->load(); !loaded) return fail(std::move(loaded.error()));
    if (!others->order.empty() || !others->tested.empty()) program->others = std::move(others);
  }
  program->root = *std::move(bound);
  RecordFilter filter;
  filter.program_ = std::move(program);
  filter.columns_ = binder.take_columns();
  return filter;
}

bool RecordFilter::follows_handles() const noexcept { return program_->others != nullptr; }

bool RecordFilter::matches(const Value& row, std::uint64_t slot, std::uint32_t generation) const {
  return query::evaluate(program_->root, {row, slot, generation, program_->others.get()});
}

Result<RecordValue> RecordValue::bind(std::string_view operand, const Reader& reader,
                                      std::size_t table, std::uint64_t max_bytes) {
  const auto parsed = FilterExpression::parse(operand);
  const Field& root = reader.schemas()[reader.tables()[table].schema];
  if (!parsed || parsed->root().kind != FilterNode::Kind::truth) {
    return fail(ErrorCode::not_found,
                "no field '" + std::string(operand) + "'" + near_field_hint(root, operand), {}, 0);
  }
  const FilterOperand& wanted = parsed->root().operands.front();
  for (const FieldStep& step : wanted.path) {
    if (step.kind != FieldStep::Kind::any_element) continue;
    return fail(ErrorCode::type_mismatch,
                "'" + std::string(operand) + "' has several values; [0] is one of them", {}, 0);
  }
  auto others = std::make_unique<query::OtherTables>(reader, max_bytes);
  query::Binder binder(root, reader.tables(), others.get());
  auto bound = binder.run(wanted);
  if (!bound) return fail(std::move(bound.error()));
  query::BoundNode node;
  node.operands.push_back(*std::move(bound));
  auto filter = RecordFilter::finish(std::move(node), binder, std::move(others));
  if (!filter) return fail(std::move(filter.error()));
  RecordValue value;
  value.filter_ = *std::move(filter);
  return value;
}

const Field& RecordValue::field() const noexcept {
  const query::BoundOperand& operand = filter_.program_->root.operands.front();
  return operand.kind == FilterOperand::Kind::field ? *operand.field : query::number_field();
}

std::optional<Value> RecordValue::find(const Value& row, std::uint64_t slot,
                                       std::uint32_t generation) const {
  const query::BoundOperand& operand = filter_.program_->root.operands.front();
  std::optional<Value> found;
  const auto keep = [&](std::uint64_t number) {
    found.emplace();
    found->field = &query::number_field();
    found->bits = number;
    return true;
  };
  if (operand.kind == FilterOperand::Kind::slot) keep(slot);
  if (operand.kind == FilterOperand::Kind::generation) keep(generation);
  const query::BoundStep* const begin = operand.steps.data();
  query::walk(row, begin, begin + operand.steps.size(), filter_.program_->others.get(),
              [&](const Value& value) {
                if (operand.kind == FilterOperand::Kind::size) return keep(value.bits);
                if (operand.kind == FilterOperand::Kind::field) found = value;
                return true;
              });
  return found;
}

}  // namespace hdb
