// Binds filter expressions: fields to columns, literals to the types of fields.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/using_detail.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/schema.hpp"
#include "inspect/query/program.hpp"

namespace hdb::query {
namespace {

std::string with_article(const std::string& type) {
  // "an f32", as it is spoken.
  const bool vowel = !type.empty() && std::string_view("aeio").find(type[0]) != std::string::npos;
  return (vowel || type == "f32" || type == "f64" ? "an " : "a ") + type;
}

// "'hp' is an i32"
std::string what_it_is(const FilterOperand& operand, const Field& field) {
  return "'" + print_field_path(operand.path) + "' is " + with_article(type_text(field));
}

std::string describe(const FilterOperand& operand, const BoundOperand& bound) {
  switch (operand.kind) {
    case FilterOperand::Kind::field: return what_it_is(operand, *bound.field);
    case FilterOperand::Kind::size: return "a size is a number";
    case FilterOperand::Kind::slot: return "@slot is a number";
    case FilterOperand::Kind::generation: return "@gen is a number";
    default: return "it is a literal";
  }
}

std::string literal_word(const FilterOperand& operand) {
  switch (operand.kind) {
    case FilterOperand::Kind::text: return "a text";
    case FilterOperand::Kind::boolean: return "true or false";
    case FilterOperand::Kind::handle: return "a handle";
    default: return "a number";
  }
}

bool is_whole(const FilterNumber& number) { return number.is_integer && !number.negative; }

Group literal_group(const FilterOperand& operand) {
  switch (operand.kind) {
    case FilterOperand::Kind::text: return Group::text;
    case FilterOperand::Kind::boolean: return Group::boolean;
    case FilterOperand::Kind::handle: return Group::handle;
    default: return Group::number;
  }
}

}  // namespace

Result<BoundNode> Binder::run(const FilterNode& node) {
  BoundNode bound = bind(node);
  if (failed_) return fail(std::move(error_));
  return bound;
}

std::vector<std::uint32_t> Binder::take_columns() {
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  return std::move(columns_);
}

void Binder::stop(ErrorCode code, std::size_t column, std::string what) {
  if (failed_) return;
  failed_ = true;
  error_ = {code, std::move(what), column, {}, {}};
}

BoundNode Binder::bind(const FilterNode& node) {
  BoundNode bound;
  bound.kind = node.kind;
  bound.comparison = node.comparison;
  for (const FilterNode& child : node.children) bound.children.push_back(bind(child));
  for (const FilterOperand& operand : node.operands) bound.operands.push_back(bind(operand));
  if (failed_) return bound;
  switch (node.kind) {
    case FilterNode::Kind::comparison:
    case FilterNode::Kind::in: {
      // The side that is not a literal decides the type.
      const std::size_t field = node.operands[0].is_literal() ? 1 : 0;
      for (std::size_t i = 0; i < bound.operands.size(); ++i) {
        if (i != field) fit(node, i, bound.operands[i], bound.operands[field]);
      }
      if (node.kind == FilterNode::Kind::comparison) check_order(node, bound);
      if (!failed_) check_values(node, bound);
      break;
    }
    case FilterNode::Kind::like: {
      if (bound.operands[0].group != Group::text) {
        stop(ErrorCode::type_mismatch, node.operands[0].column,
             "~ needs a text; " + describe(node.operands[0], bound.operands[0]));
        break;
      }
      auto glob = Glob::of_name(node.operands[1].text);
      if (glob) {
        bound.glob = *std::move(glob);
      } else {
        stop(glob.error().code, node.operands[1].column, std::move(glob.error().what));
      }
      break;
    }
    case FilterNode::Kind::is_null: check_null_test(node, bound); break;
    case FilterNode::Kind::is_nan: check_nan_test(node, bound); break;
    case FilterNode::Kind::truth:
      if (bound.operands[0].group != Group::boolean) {
        stop(ErrorCode::type_mismatch, node.operands[0].column,
             describe(node.operands[0], bound.operands[0]) +
                 "; only a bool can be used without a comparison");
      }
      break;
    default: break;
  }
  return bound;
}

BoundOperand Binder::bind(const FilterOperand& operand) {
  BoundOperand bound;
  bound.kind = operand.kind;
  bound.group = operand.is_literal() ? literal_group(operand) : Group::number;
  bound.text = operand.text;
  if (operand.kind == FilterOperand::Kind::field || operand.kind == FilterOperand::Kind::size) {
    bind_path(operand, bound);
  } else if (operand.kind == FilterOperand::Kind::number) {
    bound.literal.kind = operand.number.is_integer ? Scalar::Kind::integer : Scalar::Kind::real;
    bound.literal.negative = operand.number.negative;
    bound.literal.magnitude = operand.number.magnitude;
    bound.literal.real = operand.number.real;
  } else if (operand.kind == FilterOperand::Kind::text) {
    bound.literal.kind = Scalar::Kind::text;
  } else if (operand.kind == FilterOperand::Kind::boolean) {
    bound.literal.kind = Scalar::Kind::boolean;
    bound.literal.magnitude = operand.boolean ? 1 : 0;
  }
  return bound;
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
  std::uint32_t column = 0;
  bound.field = &root_;
  for (std::size_t step = 0; step < operand.path.size();) {
    if (operand.path[step].kind != FieldStep::Kind::optional_value) enter_optionals(bound, column);
    if (!enter(operand, step, bound, column)) return;
  }
  const std::uint32_t around = column;
  enter_optionals(bound, column);
  const std::uint32_t count = count_columns(*bound.field);
  for (std::uint32_t i = 0; i < count; ++i) columns_.push_back(column + i);
  // A structure without fields: the column around it shows whether it exists.
  if (count == 0 && column != 0) columns_.push_back(around < column ? around : column - 1);
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
    stop(ErrorCode::not_found, operand.column,
         "no field '" + print_field_path(operand.path) + "'" +
             near_field_hint(root_, print_field_path(operand.path)));
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
      if (!element) {
        stop(ErrorCode::type_mismatch, operand.column,
             what_it_is(so_far, field) + "; write " + print_field_path(so_far.path) +
                 "[*] for any element or [0] for one element");
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

void Binder::check_null_test(const FilterNode& node, const BoundNode& bound) {
  const BoundOperand& operand = bound.operands.front();
  const bool can_be_nothing =
      operand.field->kind == FieldKind::handle ||
      std::any_of(operand.steps.begin(), operand.steps.end(),
                  [](const BoundStep& step) { return step.kind != BoundStep::Kind::child; });
  if (can_be_nothing) return;
  stop(ErrorCode::type_mismatch, node.operands[0].column,
       what_it_is(node.operands[0], *operand.field) + "; it is never null");
}

void Binder::fit(const FilterNode& node, std::size_t at, BoundOperand& other,
                 const BoundOperand& field) {
  const std::size_t field_at = node.operands[0].is_literal() ? 1 : 0;
  const FilterOperand& operand = node.operands[at];
  const FilterOperand& field_operand = node.operands[field_at];
  const auto mismatch = [&](std::string what) {
    stop(ErrorCode::type_mismatch, operand.column, std::move(what));
  };
  const std::pair<const FilterOperand*, const BoundOperand*> sides[] = {{&field_operand, &field},
                                                                        {&operand, &other}};
  for (const auto& [side, bound] : sides) {
    if (bound->group != Group::none) continue;
    const std::string path = print_field_path(side->path);
    std::string instead = "size(" + path + ")";
    if (bound->field->kind == FieldKind::structure) instead = "one of its fields";
    if (bound->field->kind == FieldKind::list || bound->field->kind == FieldKind::array)
      instead = path + "[*] (any element), or size(" + path + ")";
    if (bound->field->kind == FieldKind::map) instead = path + "[*].key, " + path + "[*].value";
    return stop(ErrorCode::type_mismatch, side->column,
                what_it_is(*side, *bound->field) + "; compare " + instead);
  }
  const auto is_number = [](Group group) {
    return group == Group::number || group == Group::character;
  };
  if (!operand.is_literal()) {
    if (field.group == other.group || (is_number(field.group) && is_number(other.group))) return;
    return mismatch(describe(field_operand, field) + ", and " + describe(operand, other) +
                    "; they cannot be compared");
  }
  if (field.group == Group::handle) return fit_handle(operand, other, *field.field);
  if (field.group == Group::character && operand.kind == FilterOperand::Kind::text) {
    std::size_t end = 0;
    std::uint32_t code = 0;
    if (operand.text.empty() || !take_code_point(operand.text, end, code) ||
        end != operand.text.size()) {
      return mismatch(describe(field_operand, field) +
                      ", which is one character, and this is a text");
    }
    other.literal = {Scalar::Kind::integer, false, code, 0, {}};
    return;
  }
  if (field.kind == FilterOperand::Kind::field && field.field->kind == FieldKind::enumeration &&
      operand.kind == FilterOperand::Kind::text && !enumerators_of(*field.field).empty())
    return fit_enumerator(operand, other, *field.field);
  const bool fits =
      field.group == other.group || (is_number(field.group) && is_number(other.group));
  if (!fits)
    return mismatch(describe(field_operand, field) + ", and this is " + literal_word(operand));
  const bool is_f32 =
      field.kind == FilterOperand::Kind::field && field.field->kind == FieldKind::f32;
  const double real = other.literal.real;
  if (is_f32 && other.literal.kind == Scalar::Kind::real &&
      std::abs(real) <= double{std::numeric_limits<float>::max()}) {
    other.literal.real = double{static_cast<float>(real)};
  }
}

void Binder::fit_enumerator(const FilterOperand& operand, BoundOperand& literal,
                            const Field& field) {
  std::vector<std::string> names;
  for (const Enumerator& each : enumerators_of(field)) {
    if (each.name == operand.text) {
      literal.literal = scalar_of(field, each.bits);
      literal.group = group_of(field);
      return;
    }
    names.push_back(each.name);
  }
  stop(ErrorCode::not_found, operand.column,
       "no enumerator '" + operand.text + "'" + did_you_mean(operand.text, names));
}

void Binder::fit_handle(const FilterOperand& operand, BoundOperand& literal, const Field& field) {
  const auto wrong = [&](ErrorCode code, std::string what) {
    stop(code, operand.column, std::move(what));
  };
  literal.literal.kind = Scalar::Kind::handle;
  literal.group = Group::handle;
  if (operand.kind == FilterOperand::Kind::number && is_whole(operand.number)) {
    const unsigned bits = field.layout.total_bits();
    if (bits < 64 && operand.number.magnitude >> bits != 0) {
      wrong(ErrorCode::type_mismatch, "the handles of this field have only " +
                                          std::to_string(bits) + " bits, so this is never true");
    }
    return;
  }
  if (operand.kind != FilterOperand::Kind::handle) {
    return wrong(ErrorCode::type_mismatch,
                 "this is " + literal_word(operand) +
                     "; handles look like monsters:77@2, raw bits like 0x200000004d");
  }
  const auto table = std::find_if(tables_.begin(), tables_.end(), [&](const TableDescriptor& each) {
    return each.name == operand.text;
  });
  if (table == tables_.end()) {
    std::vector<std::string> names;
    for (const TableDescriptor& each : tables_) names.push_back(each.name);
    return wrong(ErrorCode::not_found,
                 "no table '" + operand.text + "'" + did_you_mean(operand.text, names));
  }
  if (!field.table.empty() && field.table != operand.text) {
    return wrong(ErrorCode::type_mismatch, "the field is " + with_article(type_text(field)) +
                                               " and never refers to a record of table '" +
                                               operand.text + "'");
  }
  const HandleLayout& layout = field.layout;
  if (layout != table->policy.layout) {
    return wrong(ErrorCode::type_mismatch, "the field holds handles of " + layout_text(layout) +
                                               ", and those of '" + operand.text + "' are " +
                                               layout_text(table->policy.layout));
  }
  if (!can_name(field, *table)) {
    return wrong(
        ErrorCode::type_mismatch,
        "the table that the field refers to is not known; give raw bits, for example 0x200000004d");
  }
  if (operand.generation == 0)
    return wrong(ErrorCode::bad_name,
                 "generations start at 1; for the null handle write 'is null'");
  if (operand.slot >> std::min<unsigned>(layout.index_bits, 32) != 0 ||
      std::uint64_t{operand.generation} >> layout.generation_bits != 0) {
    return wrong(ErrorCode::type_mismatch,
                 "the slot or generation does not fit the handles of this field");
  }
  literal.literal.magnitude = pack_handle(layout, static_cast<std::uint32_t>(operand.slot),
                                          operand.generation, table->type_id);
}

void Binder::check_order(const FilterNode& node, const BoundNode& bound) {
  const Group group = bound.operands[0].group;
  if (node.comparison == FilterComparison::equal ||
      node.comparison == FilterComparison::not_equal ||
      (group != Group::boolean && group != Group::handle)) {
    return;
  }
  stop(ErrorCode::type_mismatch, node.column,
       std::string(group == Group::handle ? "handles" : "true and false") +
           " have no order; compare them only with == and !=");
}

void Binder::check_nan_test(const FilterNode& node, const BoundNode& bound) {
  const BoundOperand& operand = bound.operands.front();
  if (operand.field->kind == FieldKind::f32 || operand.field->kind == FieldKind::f64) return;
  stop(ErrorCode::type_mismatch, node.operands[0].column,
       what_it_is(node.operands[0], *operand.field) + "; it is never nan");
}

void Binder::check_values(const FilterNode& node, const BoundNode& bound) {
  const std::size_t field = node.operands[0].is_literal() ? 1 : 0;
  const auto comparison = field == 0 ? node.comparison : mirrored(node.comparison);
  for (std::size_t i = 0; i < bound.operands.size(); ++i) {
    if (i == field || !node.operands[i].is_literal()) continue;
    const std::string why =
        why_never_true(bound.operands[field], comparison, bound.operands[i].literal);
    if (why.empty()) continue;
    stop(ErrorCode::type_mismatch, node.operands[i].column,
         describe(node.operands[field], bound.operands[field]) + "; " + why);
  }
}

}  // namespace hdb::query
