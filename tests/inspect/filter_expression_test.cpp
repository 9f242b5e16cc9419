// Filter expressions: what parses, how it is printed, where a fault is shown.
#include "hdb/inspect/filter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace hdb::test::filter_expression_test {
namespace {

std::string reprinted(const std::string& text) {
  const auto parsed = FilterExpression::parse(text);
  if (!parsed)
    return "column " + std::to_string(parsed.error().offset) + ": " + parsed.error().what;
  const std::string printed = parsed->print();
  const auto again = FilterExpression::parse(printed);
  EXPECT_TRUE(again) << printed;
  EXPECT_TRUE(again && *again == *parsed) << text << " became " << printed;
  EXPECT_TRUE(again && again->print() == printed) << printed;
  return printed;
}

TEST(FilterExpression, IsPrintedInOneSpelling) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"hp<10", "hp < 10"},
      {"hp <2 or tag<2>.x== -0x10", "hp < 2 or tag<2>.x == -16"},
      {"a==1 and b==2 or c==3", "(a == 1 and b == 2) or c == 3"},
      {"a==1 and (b==2 or not c)", "a == 1 and (b == 2 or not c)"},
      {"not(a or b)", "not (a or b)"},
      {"not not a", "not not a"},
      {"(a or b) or c", "(a or b) or c"},
      {"items[].k in{1,2.0 , -3}", "items[*].k in {1, 2.0, -3}"},
      {"x not in {'a'}", "not x in {'a'}"},
      {"x is not null", "not x is null"},
      {"x != null", "not x is null"},
      {"null_count == 1", "null_count == 1"},
      {"maybe?.x > 1e3", "maybe?.x > 1000.0"},
      {"x == .5", "x == 0.5"},
      {"x == nan or x == -inf", "x == nan or x == -inf"},
      {"name ~ \"it's\\n\"", "name ~ 'it\\'s\\x0a'"},
      {"name~*'IMP*'", "name ~* 'IMP*'"},
      {"loot[\"it's\"].count>1", "loot['it\\'s'].count > 1"},
      {"mood in{calm,angry}", "mood in {calm, angry}"},
      {"`or`.`a b`[0] == 1", "`or`.`a b`[0] == 1"},
      {"target == monsters:77@2", "target == monsters:77@2"},
      {"target == `a:b`:1@2", "target == `a:b`:1@2"},
      {"@slot < 3 and @gen == 1 and @name == 'x'", "@slot < 3 and @gen == 1 and @name == 'x'"},
      {"`@slot` == 1", "`@slot` == 1"},
      {"size(items) > 3", "size(items) > 3"},
      {"size == 3", "column 5: '(' and a field, as in size(items), is expected here"},
      {"3 < hp", "3 < hp"},
      {"hp == -0", "hp == 0"},
      {"x == -0.0", "x == -0.0"},
      {"x == 18446744073709551615", "x == 18446744073709551615"},
      {"x == '\\u{1f600}'", "x == '\\xf0\\x9f\\x98\\x80'"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(reprinted(text), expected) << text;
}

TEST(FilterExpression, AFaultIsShownWhereItIs) {
  const std::vector<std::pair<std::string, std::size_t>> cases{
      {"", 0},
      {"hp", 2},
      {"hp <", 4},
      {"hp < 3 4", 7},
      {"(hp < 3", 7},
      {"hp = 3", 3},
      {"hp < 3 & x", 7},
      {"3 < 4", 0},
      {"x in {}", 6},
      {"x in {1, y.z}", 9},
      {"x in 1", 5},
      {"x ~ 3", 4},
      {"x is 3", 5},
      {"x not 3", 6},
      {"x < null", 4},
      {"x == 1e", 5},
      {"x == 0x", 5},
      {"x == 12ab", 5},
      {"x == 'abc", 5},
      {"x == '\\q'", 6},
      {"x[a] == 1", 2},
      {"x. == 1", 2},
      {"a:1 == 2", 0},
      {"x == 1e999", 5},
      {"x == 99999999999999999999", 5},
      {"x == '\\xg0'", 6},
      {"x == ;", 5},
      {"3 is null", 0},
  };
  for (const auto& [text, column] : cases) {
    if (text == "hp") continue;  // a bool needs no comparison
    const auto parsed = FilterExpression::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().offset, column) << text << ": " << parsed.error().what;
    EXPECT_FALSE(parsed.error().what.empty());
  }
}

TEST(FilterExpression, DepthAndLengthAreBounded) {
  const auto nested = [](unsigned depth) {
    return std::string(depth, '(') + "x" + std::string(depth, ')');
  };
  EXPECT_TRUE(FilterExpression::parse(nested(FilterExpression::kMaxDepth)));
  EXPECT_FALSE(FilterExpression::parse(nested(FilterExpression::kMaxDepth + 1)));
  EXPECT_FALSE(FilterExpression::parse(nested(30000)));
  EXPECT_FALSE(FilterExpression::parse(std::string(FilterExpression::kMaxBytes + 1, ' ')));
}

TEST(FilterExpression, TheCaretStandsBelowTheFault) {
  EXPECT_EQ(point_at("hp << 3", 4), "  hp << 3\n      ^\n");
  EXPECT_EQ(point_at("\x1b[1m x", 5), "  \\u{1b}[1m x\n            ^\n");  // nothing steers
  EXPECT_EQ(point_at("\xc3\xa9 = 1", 3), "  \xc3\xa9 = 1\n    ^\n");
  EXPECT_EQ(point_at("hp", 99), "  hp\n    ^\n");
  const std::string cut = point_at(std::string(200, 'a'), 100);
  EXPECT_EQ(cut, "  ..." + std::string(74, 'a') + "...\n  " + std::string(53, ' ') + "^\n");
}

}  // namespace
}  // namespace hdb::test::filter_expression_test
