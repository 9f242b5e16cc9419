// Binds filter expressions: fields to columns, literals to the types of fields.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/using_detail.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/text.hpp"
#include "inspect/query/lexer.hpp"
#include "inspect/query/program.hpp"

namespace hdb::query {
namespace {

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

Result<BoundOperand> Binder::run(const FilterOperand& operand) {
  BoundOperand bound = bind(operand);
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

FilterNode Binder::with_enumerators(const FilterNode& node) {
  FilterNode named = node;
  const auto is_unknown = [&](const FilterOperand& operand) {
    return operand.is_word() &&
           std::none_of(root_->children.begin(), root_->children.end(),
                        [&](const Field& field) { return field.name == operand.path[0].name; });
  };
  const bool is_set = node.kind == FilterNode::Kind::in;
  for (std::size_t i = is_set ? 1 : 0; i < node.operands.size() && !failed_; ++i) {
    FilterOperand& operand = named.operands[i];
    const FilterOperand& other = node.operands[i == 0 ? 1 : 0];
    if (operand.is_literal() || (!is_set && !is_unknown(operand))) continue;
    if (other.kind == FilterOperand::Kind::field && !is_unknown(other)) {
      const BoundOperand beside = bind(other);
      if (failed_) break;
      if (beside.field->kind == FieldKind::enumeration && !enumerators_of(*beside.field).empty()) {
        operand.kind = FilterOperand::Kind::text;
        operand.text = std::exchange(operand.path, {}).front().name;
      } else if (!is_set && beside.group == Group::text) {
        stop(ErrorCode::not_found, operand.column,
             "no field '" + operand.path[0].name + "'" +
                 near_field_hint(*root_, operand.path[0].name) + "; a text must be in quotes");
      }
    }
    if (is_set && !operand.is_literal()) {
      stop(ErrorCode::type_mismatch, operand.column,
           "a value is expected in { }; put texts in quotes");
    }
  }
  return named;
}

BoundNode Binder::bind(const FilterNode& typed) {
  const bool has_values =
      typed.kind == FilterNode::Kind::comparison || typed.kind == FilterNode::Kind::in;
  const FilterNode named = has_values ? with_enumerators(typed) : FilterNode();
  const FilterNode& node = has_values ? named : typed;
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
    case FilterNode::Kind::like:
    case FilterNode::Kind::like_any_case: {
      if (bound.operands[0].group != Group::text) {
        stop(ErrorCode::type_mismatch, node.operands[0].column,
             "~ needs a text; " + describe(node.operands[0], bound.operands[0]));
        break;
      }
      const std::string& pattern = node.operands[1].text;
      auto glob =
          Glob::of_name(node.kind == FilterNode::Kind::like ? pattern : small_letters(pattern));
      if (glob) {
        bound.glob = *std::move(glob);
      } else {
        stop(glob.error().code, node.operands[1].column, std::move(glob.error().what));
      }
      break;
    }
    case FilterNode::Kind::is_null: check_null_test(node, bound); break;
    case FilterNode::Kind::is_stale: check_stale_test(node, bound); break;
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
    if (bound->field->kind == FieldKind::map)
      instead = path + "[*].key, " + path + "[*].value, " + path + "['sword']";
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
    // Any bits can be stored, also those that no table issues.
    const unsigned bits = 8 * field.layout.byte_size();
    if (bits < 64 && operand.number.magnitude >> bits != 0) {
      wrong(ErrorCode::type_mismatch,
            "this field has only " + std::to_string(bits) + " bits, so this is never true");
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

void Binder::check_stale_test(const FilterNode& node, const BoundNode& bound) {
  const FilterOperand& operand = node.operands.front();
  const Field& field = *bound.operands.front().field;
  if (field.kind != FieldKind::handle) {
    stop(ErrorCode::type_mismatch, operand.column,
         what_it_is(operand, field) + "; only handles can be stale");
  } else if (can_follow(operand, field)) {
    others_->tested.push_back(&field);
  }
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
