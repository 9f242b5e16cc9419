// Prints filter expressions, and compares them.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>

#include "hdb/inspect/text.hpp"
#include "inspect/query/lexer.hpp"

namespace hdb {
namespace {

// Between quotes of one kind; what is no printable ASCII is escaped byte by byte, which any text
// survives.
std::string quoted_between(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += "\\x" + hex_number(byte, 2);
    } else {
      out += c;
    }
  }
  return out + quote;
}

std::string print_name(std::string_view name) {
  return query::needs_quotes(name) ? quoted_between(name, '`') : std::string(name);
}

std::string print_number(const FilterNumber& number) {
  if (number.is_integer) return (number.negative ? "-" : "") + std::to_string(number.magnitude);
  if (std::isnan(number.real)) return "nan";
  if (std::isinf(number.real)) return number.real < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer;
  const char* const end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number.real).ptr;
  std::string text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  // Without them it would be an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string print_operand(const FilterOperand& operand) {
  switch (operand.kind) {
    case FilterOperand::Kind::field: return print_field_path(operand.path);
    case FilterOperand::Kind::size: return "size(" + print_field_path(operand.path) + ")";
    case FilterOperand::Kind::slot: return "@slot";
    case FilterOperand::Kind::generation: return "@gen";
    case FilterOperand::Kind::number: return print_number(operand.number);
    case FilterOperand::Kind::text: return quoted_between(operand.text, '\'');
    case FilterOperand::Kind::boolean: return operand.boolean ? "true" : "false";
    case FilterOperand::Kind::handle:
      return print_name(operand.text) + ':' + std::to_string(operand.slot) + '@' +
             std::to_string(operand.generation);
  }
  return {};
}

std::string_view comparison_sign(FilterComparison comparison) {
  switch (comparison) {
    case FilterComparison::equal: return " == ";
    case FilterComparison::not_equal: return " != ";
    case FilterComparison::less: return " < ";
    case FilterComparison::at_most: return " <= ";
    case FilterComparison::greater: return " > ";
    case FilterComparison::at_least: return " >= ";
  }
  return {};
}

std::string print_node(const FilterNode& node);

// A child of "and", "or" or "not": in parentheses when it is an "and" or "or" itself.
std::string print_child(const FilterNode& node) {
  const bool joined = node.kind == FilterNode::Kind::any || node.kind == FilterNode::Kind::all;
  return joined ? '(' + print_node(node) + ')' : print_node(node);
}

std::string print_node(const FilterNode& node) {
  std::string out;
  switch (node.kind) {
    case FilterNode::Kind::any:
    case FilterNode::Kind::all:
      for (const FilterNode& child : node.children) {
        if (!out.empty()) out += node.kind == FilterNode::Kind::any ? " or " : " and ";
        out += print_child(child);
      }
      return out;
    case FilterNode::Kind::negation: return "not " + print_child(node.children.front());
    case FilterNode::Kind::comparison:
      return print_operand(node.operands[0]) + std::string(comparison_sign(node.comparison)) +
             print_operand(node.operands[1]);
    case FilterNode::Kind::like:
    case FilterNode::Kind::like_any_case:
      return print_operand(node.operands[0]) +
             (node.kind == FilterNode::Kind::like ? " ~ " : " ~* ") +
             print_operand(node.operands[1]);
    case FilterNode::Kind::in:
      for (std::size_t i = 1; i < node.operands.size(); ++i)
        out += (i == 1 ? "" : ", ") + print_operand(node.operands[i]);
      return print_operand(node.operands[0]) + " in {" + out + "}";
    case FilterNode::Kind::is_null: return print_operand(node.operands[0]) + " is null";
    case FilterNode::Kind::is_stale: return print_operand(node.operands[0]) + " is stale";
    case FilterNode::Kind::is_nan: return print_operand(node.operands[0]) + " is nan";
    case FilterNode::Kind::truth: return print_operand(node.operands[0]);
  }
  return out;
}

std::size_t columns_shown(std::string_view text) {
  const std::string shown = escape_text(text);
  return static_cast<std::size_t>(std::count_if(shown.begin(), shown.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

bool operator==(const FilterNumber& a, const FilterNumber& b) noexcept {
  if (a.is_integer != b.is_integer) return false;
  if (a.is_integer) return a.negative == b.negative && a.magnitude == b.magnitude;
  if (std::isnan(a.real) && std::isnan(b.real)) return true;
  return std::bit_cast<std::uint64_t>(a.real) == std::bit_cast<std::uint64_t>(b.real);
}

bool operator==(const FilterOperand& a, const FilterOperand& b) {
  return a.kind == b.kind && a.path == b.path && a.number == b.number && a.text == b.text &&
         a.boolean == b.boolean && a.slot == b.slot && a.generation == b.generation;
}

bool operator==(const FilterNode& a, const FilterNode& b) {
  return a.kind == b.kind && a.comparison == b.comparison && a.children == b.children &&
         a.operands == b.operands;
}

std::string FilterExpression::print() const { return print_node(root_); }

std::string print_field_path(const std::vector<FieldStep>& path) {
  std::string out;
  for (const FieldStep& step : path) {
    switch (step.kind) {
      case FieldStep::Kind::name: out += (out.empty() ? "" : ".") + print_name(step.name); break;
      case FieldStep::Kind::element: out += '[' + std::to_string(step.number) + ']'; break;
      case FieldStep::Kind::any_element: out += "[*]"; break;
      case FieldStep::Kind::key: out += '[' + quoted_between(step.name, '\'') + ']'; break;
      case FieldStep::Kind::alternative: out += '<' + std::to_string(step.number) + '>'; break;
      case FieldStep::Kind::optional_value: out += '?'; break;
    }
  }
  return out;
}

std::string point_at(std::string_view expression, std::size_t column) {
  constexpr std::size_t kBefore = 50;
  constexpr std::size_t kBehind = 24;
  column = std::min(column, expression.size());
  const auto whole = [&](std::size_t at) {  // not within a character
    while (at < expression.size() && at != 0 &&
           (static_cast<unsigned char>(expression[at]) & 0xc0) == 0x80)
      --at;
    return at;
  };
  const std::size_t begin = column > kBefore + 3 ? whole(column - kBefore) : 0;
  const std::size_t end =
      expression.size() - column > kBehind + 3 ? whole(column + kBehind) : expression.size();
  const std::string before = begin == 0 ? "" : "...";
  const std::string_view shown = expression.substr(begin, end - begin);
  const std::size_t blanks =
      before.size() + columns_shown(expression.substr(begin, column - begin));
  return "  " + before + escape_text(shown) + (end == expression.size() ? "\n" : "...\n") + "  " +
         std::string(blanks, ' ') + "^\n";
}

}  // namespace hdb
