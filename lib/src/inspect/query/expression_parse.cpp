// Parses filter expressions: one function for each line of the grammar in filter_expression.hpp.
#include <array>
#include <cmath>
#include <utility>

#include "inspect/query/lexer.hpp"

namespace hdb::query {
namespace {

constexpr std::array<std::pair<std::string_view, FilterComparison>, 6> kComparisons{{
    {"==", FilterComparison::equal},
    {"!=", FilterComparison::not_equal},
    {"<", FilterComparison::less},
    {"<=", FilterComparison::at_most},
    {">", FilterComparison::greater},
    {">=", FilterComparison::at_least},
}};

FilterNode negated(FilterNode node, std::size_t column) {
  FilterNode outer{FilterNode::Kind::negation};
  outer.column = column;
  outer.children.push_back(std::move(node));
  return outer;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Result<FilterNode> run() {
    advance();
    FilterNode node = either(0);
    if (!failed_ && token_.kind != Token::Kind::end)
      expected(node.kind == FilterNode::Kind::truth ? "a comparison, 'and' or 'or'"
                                                    : "'and', 'or' or the end");
    if (failed_) return fail(std::move(error_));
    return node;
  }

 private:
  void advance() {
    if (failed_) return;
    auto token = lexer_.next();
    if (token) {
      token_ = *std::move(token);
    } else {
      stop(std::move(token.error()));
    }
  }

  void stop(Error error) {
    if (failed_) return;
    failed_ = true;
    error_ = std::move(error);
    token_ = {};
  }

  void expected(std::string_view what) {
    stop(bad_expression(token_.column, std::string(what) + " is expected here").value());
  }

  bool take(Token::Kind kind, std::string_view text) {
    if (failed_ || !token_.is(kind, text)) return false;
    advance();
    return true;
  }
  bool take_word(std::string_view text) { return take(Token::Kind::word, text); }
  bool take_sign(std::string_view text) { return take(Token::Kind::sign, text); }

  FilterNode either(unsigned depth) { return joined(depth, "or", FilterNode::Kind::any); }
  FilterNode both(unsigned depth) { return joined(depth, "and", FilterNode::Kind::all); }

  FilterNode joined(unsigned depth, std::string_view word, FilterNode::Kind kind) {
    const auto part = [&] { return kind == FilterNode::Kind::any ? both(depth) : no(depth); };
    FilterNode first = part();
    if (failed_ || !token_.is(Token::Kind::word, word)) return first;
    FilterNode node{kind};
    node.column = token_.column;
    node.children.push_back(std::move(first));
    while (take_word(word)) node.children.push_back(part());
    return node;
  }

  FilterNode no(unsigned depth) {
    const std::size_t column = token_.column;
    if (depth > FilterExpression::kMaxDepth) {
      stop(bad_expression(column, "parentheses and 'not' nest too deeply").value());
      return {};
    }
    if (take_word("not")) return negated(no(depth + 1), column);
    if (take_sign("(")) {
      FilterNode node = either(depth + 1);
      if (!take_sign(")")) expected("')'");
      return node;
    }
    return test();
  }

  FilterNode test() {
    FilterNode node{FilterNode::Kind::truth};
    node.column = token_.column;
    node.operands.push_back(operand());
    if (failed_) return node;
    const std::size_t column = token_.column;
    const bool any_case = take_sign("~*");
    if (any_case || take_sign("~")) {
      node.kind = any_case ? FilterNode::Kind::like_any_case : FilterNode::Kind::like;
      node.column = column;
      if (token_.kind != Token::Kind::text) expected("a pattern in quotes");
      node.operands.push_back(operand());
      return node;
    }
    if (take_word("is")) {
      const bool negate = take_word("not");
      if (token_.kind == Token::Kind::number && std::isnan(token_.number.real)) {
        advance();
        return field_test(std::move(node), FilterNode::Kind::is_nan, column, negate);
      }
      if (token_.kind == Token::Kind::field && token_.path.size() == 1 &&
          token_.path[0].name == "stale") {
        advance();
        return field_test(std::move(node), FilterNode::Kind::is_stale, column, negate);
      }
      if (!take_word("null")) expected("'null', 'nan' or 'stale'");
      return field_test(std::move(node), FilterNode::Kind::is_null, column, negate);
    }
    if (take_word("not")) {
      if (!take_word("in")) expected("'in'");
      return negated(set_test(std::move(node), column), column);
    }
    if (take_word("in")) return set_test(std::move(node), column);
    for (const auto& [sign, comparison] : kComparisons) {
      if (!take_sign(sign)) continue;
      return compare(std::move(node), column, comparison);
    }
    if (node.operands.front().is_literal()) expected("a comparison");
    return node;
  }

  FilterNode compare(FilterNode node, std::size_t column, FilterComparison comparison) {
    const bool equality =
        comparison == FilterComparison::equal || comparison == FilterComparison::not_equal;
    if (equality && take_word("null"))
      return field_test(std::move(node), FilterNode::Kind::is_null, column,
                        comparison == FilterComparison::not_equal);
    node.kind = FilterNode::Kind::comparison;
    node.comparison = comparison;
    node.column = column;
    node.operands.push_back(operand());
    if (!failed_ && node.operands[0].is_literal() && node.operands[1].is_literal())
      stop(bad_expression(node.operands[0].column, "one side of a comparison must be a field")
               .value());
    return node;
  }

  FilterNode field_test(FilterNode node, FilterNode::Kind kind, std::size_t column, bool negate) {
    node.kind = kind;
    node.column = column;
    if (!failed_ && node.operands.front().kind != FilterOperand::Kind::field)
      stop(bad_expression(node.operands.front().column, "only a field can be null, nan or stale")
               .value());
    return negate ? negated(std::move(node), column) : node;
  }

  FilterNode set_test(FilterNode node, std::size_t column) {
    node.kind = FilterNode::Kind::in;
    node.column = column;
    if (node.operands.front().is_literal())
      stop(bad_expression(node.operands.front().column, "a field is expected before 'in'").value());
    if (!take_sign("{")) expected("'{'");
    do {
      node.operands.push_back(operand());
      const FilterOperand& last = node.operands.back();
      if (!failed_ && !last.is_literal() && !last.is_word())
        stop(bad_expression(last.column, "a number, text or handle is expected in { }").value());
    } while (take_sign(","));
    if (!take_sign("}")) expected("',' or '}'");
    return node;
  }

  FilterOperand operand() {
    FilterOperand operand;
    operand.column = token_.column;
    switch (token_.kind) {
      case Token::Kind::field:
        operand.kind = FilterOperand::Kind::field;
        operand.path = std::move(token_.path);
        break;
      case Token::Kind::number: operand.number = token_.number; break;
      case Token::Kind::text:
        operand.kind = FilterOperand::Kind::text;
        operand.text = std::move(token_.text);
        break;
      case Token::Kind::handle:
        operand.kind = FilterOperand::Kind::handle;
        operand.text = std::move(token_.text);
        operand.slot = token_.slot;
        operand.generation = token_.generation;
        break;
      case Token::Kind::word: return word_operand();
      default: expected("a field or a value"); return operand;
    }
    advance();
    return operand;
  }

  FilterOperand word_operand() {
    FilterOperand operand;
    operand.column = token_.column;
    if (take_word("true")) {
      operand.kind = FilterOperand::Kind::boolean;
      operand.boolean = true;
    } else if (take_word("false")) {
      operand.kind = FilterOperand::Kind::boolean;
    } else if (take_word("@slot")) {
      operand.kind = FilterOperand::Kind::slot;
    } else if (take_word("@gen")) {
      operand.kind = FilterOperand::Kind::generation;
    } else if (take_word("size")) {
      operand.kind = FilterOperand::Kind::size;
      if (!take_sign("(")) expected("'(' and a field, as in size(items),");
      if (token_.kind != Token::Kind::field) expected("a field");
      operand.path = std::move(token_.path);
      advance();
      if (!take_sign(")")) expected("')'");
    } else {
      expected(token_.text == "null" ? "a field (null comes after ==, != or is)"
                                     : "a field or a value");
    }
    return operand;
  }

  Lexer lexer_;
  Token token_;
  bool failed_ = false;
  Error error_;
};

}  // namespace
}  // namespace hdb::query

namespace hdb {

Result<FilterExpression> FilterExpression::parse(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return query::bad_expression(
        kMaxBytes, "an expression is longer than " + std::to_string(kMaxBytes) + " bytes");
  }
  auto root = query::Parser(text).run();
  if (!root) return fail(std::move(root.error()));
  FilterExpression expression;
  expression.text_ = text;
  expression.root_ = *std::move(root);
  return expression;
}

}  // namespace hdb
