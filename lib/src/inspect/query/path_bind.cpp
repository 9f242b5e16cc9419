// Binds the paths of filter expressions: steps to fields of a schema, and the columns they read.
#include <algorithm>
#include <utility>

#include "base/using_detail.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/text.hpp"
#include "inspect/query/lexer.hpp"
#include "inspect/query/program.hpp"

namespace hdb::query {

std::string with_article(const std::string& type) {
  // "an f32", as it is spoken.
  const bool vowel = !type.empty() && std::string_view("aeio").find(type[0]) != std::string::npos;
  return (vowel || type == "f32" || type == "f64" ? "an " : "a ") + type;
}

// "'hp' is an i32"
std::string what_it_is(const FilterOperand& operand, const Field& field) {
  return "'" + print_field_path(operand.path) + "' is " + with_article(type_text(field));
}

// What an optional holds is meant without saying so.
void Binder::enter_optionals(BoundOperand& bound, std::uint32_t& column) {
  while (bound.field->kind == FieldKind::optional) {
    column += 1;
    bound.field = &bound.field->children.front();
    bound.steps.push_back({BoundStep::Kind::held, bound.field});
  }
}

void Binder::bind_path(const FilterOperand& operand, BoundOperand& bound) {
  bind_steps(operand, 0, bound);
  if (failed_) return;
  if (operand.kind != FilterOperand::Kind::size) {
    bound.group = group_of(*bound.field);
    return;
  }
  switch (bound.field->kind) {
    case FieldKind::string:
    case FieldKind::opaque:
    case FieldKind::list:
    case FieldKind::array:
    case FieldKind::map: return;
    default:
      stop(ErrorCode::type_mismatch, operand.column,
           what_it_is(operand, *bound.field) + "; only texts, lists and maps have a size");
  }
}

void Binder::bind_steps(const FilterOperand& operand, std::size_t step, BoundOperand& bound) {
  std::uint32_t column = 0;
  path_begin_ = step;
  bound.field = root_;
  while (step < operand.path.size()) {
    if (operand.path[step].kind != FieldStep::Kind::optional_value) enter_optionals(bound, column);
    if (bound.field->kind == FieldKind::handle &&
        operand.path[step].kind == FieldStep::Kind::name) {
      columns_.push_back(column);
      return follow(operand, step, bound);
    }
    if (!enter(operand, step, bound, column)) return;
  }
  const std::uint32_t around = column;
  enter_optionals(bound, column);
  const std::uint32_t count = count_columns(*bound.field);
  for (std::uint32_t i = 0; i < count; ++i) columns_.push_back(column + i);
  // A structure without fields: the column around it shows whether it exists.
  if (count == 0 && column != 0) columns_.push_back(around < column ? around : column - 1);
}

bool Binder::can_follow(const FilterOperand& operand, const Field& field) {
  if (others_ != nullptr) return true;
  stop(ErrorCode::type_mismatch, operand.column,
       what_it_is(operand, field) + "; the records that it names cannot be looked up here");
  return false;
}

// Binds the rest of a path to each table that the handle may name and that has such fields.
void Binder::follow(const FilterOperand& operand, std::size_t step, BoundOperand& bound) {
  FilterOperand so_far = operand;
  so_far.path.resize(step);
  if (!can_follow(so_far, *bound.field)) return;
  if (handles_ == RecordFilter::kMaxHandles) {
    return stop(
        ErrorCode::type_mismatch, operand.column,
        "a path goes through at most " + std::to_string(RecordFilter::kMaxHandles) + " handles");
  }
  const Field& handle = *bound.field;
  const std::string rest = print_field_path(
      {operand.path.begin() + static_cast<std::ptrdiff_t>(step), operand.path.end()});
  std::optional<Error> first;
  BoundStep target{BoundStep::Kind::target};
  for (std::size_t i = 0; i < tables_.size() && !failed_; ++i) {
    if (!can_name(handle, tables_[i])) continue;
    auto& known = others_->followed[{i, rest}];
    if (!known) {
      BoundOperand inner;
      const Field* const root = std::exchange(root_, &others_->reader.schemas()[tables_[i].schema]);
      std::vector<std::uint32_t> columns = std::exchange(columns_, {});
      ++handles_;
      bind_steps(operand, step, inner);
      --handles_;
      root_ = root;
      columns.swap(columns_);
      if (std::exchange(failed_, false)) {
        if (!first) first = error_;
        continue;
      }
      known = std::make_shared<Followed>(
          Followed{i, std::move(inner.steps), inner.field, std::move(columns)});
      others_->order.push_back(known.get());
    }
    if (!target.targets.empty() && *target.targets.front()->field != *known->field) {
      return stop(ErrorCode::type_mismatch, operand.column,
                  what_it_is(operand, *target.targets.front()->field) + " in table '" +
                      tables_[target.targets.front()->table].name + "' and " +
                      with_article(type_text(*known->field)) + " in '" + tables_[i].name +
                      "'; they cannot be compared together");
    }
    target.targets.push_back(known);
  }
  if (!target.targets.empty()) {
    bound.field = target.targets.front()->field;
    bound.steps.push_back(std::move(target));
  } else if (first) {
    stop(first->code, operand.column, first->what);
  } else {
    stop(ErrorCode::not_found, operand.column,
         what_it_is(so_far, handle) + ", which names no table of the file");
  }
}

// Finds the literal that a key means, as one that is compared with the keys.
void Binder::bind_key(const FilterOperand& operand, std::size_t step, const Field& field,
                      BoundStep& access) {
  const Field& key = field.children.front();
  const std::string& text = operand.path[step].name;
  FilterNode test{FilterNode::Kind::comparison};
  FilterOperand keys{.kind = FilterOperand::Kind::field, .path = operand.path};
  keys.path.resize(step);
  if (step != 0) keys.path.push_back({FieldStep::Kind::any_element});
  keys.path.push_back({.name = "key"});
  FilterOperand literal{.kind = FilterOperand::Kind::text, .text = text, .column = operand.column};
  const auto token = Lexer(text).next();
  const bool is_named = key.kind == FieldKind::enumeration && !enumerators_of(key).empty();
  if (token && token->kind == Token::Kind::number && group_of(key) == Group::number)
    literal = {FilterOperand::Kind::number, {}, token->number, {}, false, 0, 0, operand.column};
  if (group_of(key) == Group::boolean && (text == "true" || text == "false")) {
    literal.kind = FilterOperand::Kind::boolean;
    literal.boolean = text == "true";
  }
  if (group_of(key) == Group::none || group_of(key) == Group::handle ||
      (literal.kind == FilterOperand::Kind::text && !is_named && group_of(key) != Group::text &&
       group_of(key) != Group::character)) {
    return stop(
        ErrorCode::type_mismatch, operand.column,
        what_it_is(keys, key) + ", which '" + text + "' is not" +
            (step == 0 ? "" : "; write " + print_field_path(keys.path) + " to compare all keys"));
  }
  BoundOperand wanted = bind(literal);
  BoundOperand held{.kind = FilterOperand::Kind::field, .field = &key, .group = group_of(key)};
  test.operands = {keys, literal};
  fit(test, 1, wanted, held);
  if (failed_) return;
  test.comparison = FilterComparison::equal;
  BoundNode bound;
  access.key = wanted.literal;
  access.text = text;
  bound.operands.push_back(std::move(held));
  bound.operands.push_back(std::move(wanted));
  check_values(test, bound);
}

Result<BoundStep> key_step(const Field& map, const std::string& text) {
  const std::vector<TableDescriptor> no_tables;
  FilterOperand operand{.kind = FilterOperand::Kind::field};
  operand.path.push_back({FieldStep::Kind::key, text});
  auto bound = Binder(map, no_tables, nullptr).run(operand);
  if (!bound) return fail(std::move(bound.error()));
  return std::move(bound->steps.front());
}

// Takes a step of the path, or the two of a pair of a map.
bool Binder::enter(const FilterOperand& operand, std::size_t& step, BoundOperand& bound,
                   std::uint32_t& column) {
  const Field& field = *bound.field;
  const FieldStep& wanted = operand.path[step];
  const FilterOperand so_far{
      .kind = FilterOperand::Kind::field,
      .path = {operand.path.begin(), operand.path.begin() + static_cast<std::ptrdiff_t>(step)}};
  const bool element =
      wanted.kind == FieldStep::Kind::element || wanted.kind == FieldStep::Kind::any_element;
  const auto no_field = [&] {
    std::vector<std::string> paths = field_paths(*root_);
    const auto begin = operand.path.begin();
    const std::string before =
        print_field_path({begin, begin + static_cast<std::ptrdiff_t>(path_begin_)});
    for (std::string& path : paths) path = before + (before.empty() ? "" : ".") + path;
    const std::string path = print_field_path(operand.path);
    stop(ErrorCode::not_found, operand.column,
         "no field '" + path + "'" + did_you_mean(path, paths));
    return false;
  };
  BoundStep access;
  access.number = wanted.number;
  std::size_t child = 0;
  std::size_t taken = 1;
  switch (field.kind) {
    case FieldKind::structure: {
      if (wanted.kind != FieldStep::Kind::name) return no_field();
      const auto found = std::find_if(field.children.begin(), field.children.end(),
                                      [&](const Field& each) { return each.name == wanted.name; });
      if (found == field.children.end()) return no_field();
      child = static_cast<std::size_t>(found - field.children.begin());
      break;
    }
    case FieldKind::optional:
      if (wanted.kind != FieldStep::Kind::optional_value) return no_field();
      access.kind = BoundStep::Kind::held;
      break;
    case FieldKind::variant:
      if (wanted.kind != FieldStep::Kind::alternative) {
        stop(ErrorCode::type_mismatch, operand.column,
             what_it_is(so_far, field) + "; give the alternative, for example " +
                 print_field_path(so_far.path) + "<0>");
        return false;
      }
      if (wanted.number >= field.children.size()) {
        stop(ErrorCode::not_found, operand.column,
             what_it_is(so_far, field) + " of " + std::to_string(field.children.size()) +
                 " alternatives; the last one is <" + std::to_string(field.children.size() - 1) +
                 ">");
        return false;
      }
      access.kind = BoundStep::Kind::alternative;
      child = static_cast<std::size_t>(wanted.number);
      break;
    case FieldKind::list:
    case FieldKind::array:
    case FieldKind::map:
      if (field.kind == FieldKind::map && wanted.kind == FieldStep::Kind::key) {
        access.kind = BoundStep::Kind::key;
        child = 1;
        bind_key(operand, step, field, access);
        if (failed_) return false;
        for (std::uint32_t i = 0; i < count_columns(field.children.front()); ++i)
          columns_.push_back(column + leading_columns(field) + i);
        break;
      }
      if (!element) {
        stop(ErrorCode::type_mismatch, operand.column,
             what_it_is(so_far, field) + "; write " + print_field_path(so_far.path) +
                 "[*] for any element or [0] for one element" +
                 (field.kind == FieldKind::map ? ", ['sword'] for the value of a key" : ""));
        return false;
      }
      if (field.kind == FieldKind::array && wanted.kind == FieldStep::Kind::element &&
          wanted.number >= field.count) {
        stop(ErrorCode::type_mismatch, operand.column,
             what_it_is(so_far, field) + "; it has no element [" + std::to_string(wanted.number) +
                 "]");
        return false;
      }
      access.kind = wanted.kind == FieldStep::Kind::element ? BoundStep::Kind::element
                                                            : BoundStep::Kind::any_element;
      if (field.kind == FieldKind::map) {
        const std::string part =
            step + 1 < operand.path.size() ? operand.path[step + 1].name : std::string();
        if (part != "key" && part != "value") {
          stop(ErrorCode::type_mismatch, operand.column,
               what_it_is(so_far, field) + "; write " + print_field_path(so_far.path) +
                   "[*].key or [*].value");
          return false;
        }
        child = access.pair_part = part == "value" ? 1 : 0;
        taken = 2;
      }
      break;
    default: return no_field();
  }
  column += leading_columns(field);
  for (std::size_t i = 0; i < child; ++i) column += count_columns(field.children[i]);
  access.child = bound.field = &field.children[child];
  bound.steps.push_back(access);
  step += taken;
  return true;
}

}  // namespace hdb::query
