// Filters on records: F1-F6 against a plain evaluator that knows neither columns nor schemas;
// faults of types.
#include "hdb/inspect/filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "inspect/filter_rows.hpp"

namespace hdb::test::record_filter_test {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Which of the records a filter means, read through the columns that it asks for.
std::vector<bool> meant(const FilterExpression& expression,
                        const std::vector<FilterRecord>& records) {
  const Field root = filter_schema();
  const auto filter = RecordFilter::bind(expression, root, filter_tables());
  EXPECT_TRUE(filter) << expression.print() << ": " << filter.error().what;
  if (!filter) return {};
  const std::vector<Bytes> columns = filter_columns(records);
  RowDecoder decoder(root, filter->columns());
  std::vector<Bytes> needed(columns.size());
  for (const std::uint32_t column : decoder.needed_columns()) needed[column] = columns[column];
  decoder.begin(needed);
  std::vector<bool> answers;
  Value row;
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_TRUE(decoder.next(row));
    answers.push_back(filter->matches(row, i, static_cast<std::uint32_t>(i % 3 + 1)));
  }
  EXPECT_TRUE(decoder.finish());
  return answers;
}

// One value as the plain evaluator sees it. A long double holds any 64-bit integer and any double.
static_assert(std::numeric_limits<long double>::digits >= 64);
struct Handle64 {
  std::uint64_t bits;
};
struct Number {
  long double value;
  bool is_f32 = false;
};
using Plain = std::variant<Number, std::string, bool, Handle64>;

Number f32(float value) { return {value, true}; }

// What the paths of the test lead to, written down by hand.
std::vector<Plain> values_at(const std::string& path, const FilterRecord& each, std::size_t slot) {
  std::vector<Plain> out;
  const auto number = [](auto value) { return Number{static_cast<long double>(value)}; };
  if (path == "b") out = {each.b};
  if (path == "i") out = {number(each.i)};
  if (path == "l") out = {number(each.l)};
  if (path == "u") out = {number(each.u)};
  if (path == "f") out = {f32(each.f)};
  if (path == "d") out = {number(each.d)};
  if (path == "e") out = {number(each.e)};
  if (path == "letter") out = {number(each.letter)};
  if (path == "h") out = {Handle64{each.h}};
  if (path == "s") out = {each.s};
  if (path == "pos.x") out = {number(each.x)};
  if ((path == "opt" || path == "opt?") && each.opt) out = {number(*each.opt)};
  if (path == "list[*]")
    for (const auto value : each.list) out.emplace_back(number(value));
  if (path == "list[1]" && each.list.size() > 1) out = {number(each.list[1])};
  if (path == "items[*].n")
    for (const FilterItem& item : each.items) out.emplace_back(item.n);
  if (path == "items[0].k" && !each.items.empty()) out = {number(each.items[0].k)};
  if (path == "map[*].key")
    for (const auto& pair : each.map) out.emplace_back(pair.first);
  if (path == "map[*].value")
    for (const auto& pair : each.map) out.emplace_back(f32(pair.second));
  if (path == "map['a']" || path == "map['none']")
    for (const auto& pair : each.map)
      if (path == "map['" + pair.first + "']") out.emplace_back(f32(pair.second));
  if (path == "map[0].value" && !each.map.empty()) out = {f32(each.map[0].second)};
  if (path == "var") out = {number(each.var.index())};
  if (path == "var<0>" && each.var.index() == 0) out = {number(std::get<0>(each.var))};
  if (path == "var<1>" && each.var.index() == 1) out = {std::get<1>(each.var)};
  if (path == "size(s)") out = {number(each.s.size())};
  if (path == "size(list)") out = {number(each.list.size())};
  if (path == "size(map)") out = {number(each.map.size())};
  if (path == "@slot") out = {number(slot)};
  if (path == "@gen") out = {number(slot % 3 + 1)};
  return out;
}

const std::vector<std::string> kNumbers{"i",
                                        "l",
                                        "u",
                                        "f",
                                        "d",
                                        "e",
                                        "letter",
                                        "pos.x",
                                        "opt",
                                        "opt?",
                                        "list[*]",
                                        "list[1]",
                                        "items[0].k",
                                        "map[*].value",
                                        "map[0].value",
                                        "map['a']",
                                        "map['none']",
                                        "var",
                                        "var<0>",
                                        "size(s)",
                                        "size(list)",
                                        "size(map)",
                                        "@slot",
                                        "@gen"};
const std::vector<std::string> kTexts{"s", "items[*].n", "map[*].key", "var<1>"};
const std::vector<std::string> kNullable{"h",      "opt",        "list[1]", "list[*]",
                                         "var<0>", "items[*].n", "map['a']"};

// Literals, with what they are.
const std::vector<std::pair<std::string, long double>> kIntegers{
    {"0", 0},
    {"-1", -1},
    {"2", 2},
    {"0x3", 3},
    {"97", 97},
    {"9007199254740992", 9007199254740992.0L},
    {"9007199254740993", 9007199254740993.0L},
    {"-9007199254740993", -9007199254740993.0L},
    {"9223372036854775808", 9223372036854775808.0L},
    {"18446744073709551615", 18446744073709551615.0L},
    {"-9223372036854775808", -9223372036854775808.0L}};
const std::vector<std::pair<std::string, double>> kReals{
    {"0.1", 0.1},
    {"0.5", 0.5},
    {"-2.0", -2.0},
    {"9007199254740992.0", 9007199254740992.0},
    {"18446744073709551616.0", 18446744073709551616.0},
    {"1e300", 1e300},
    {"nan", std::nan("")},
    {"inf", INFINITY},
    {"-inf", -INFINITY}};
const std::vector<std::pair<std::string, std::string>> kStrings{
    {"''", ""}, {"'a'", "a"}, {"\"ab\"", "ab"}, {"'\\u{e9}'", "\xc3\xa9"}, {"'a\\n'", "a\n"}};
const std::vector<std::pair<std::string, std::function<bool(const std::string&)>>> kPatterns{
    {"'*'", [](const auto&) { return true; }},
    {"'a*'", [](const auto& text) { return text.starts_with('a'); }},
    {"'?'",
     [](const auto& text) {
       return text == "a" || text == "b" || text == "B" || text == "\xc3\xa9";
     }},
    {"'{ab,[A-C]}'", [](const auto& text) { return text == "ab" || text == "B"; }}};
// The same with ~*, which takes letters of either case.
const std::vector<std::pair<std::string, std::function<bool(const std::string&)>>> kAnyCase{
    {"'A*'", [](const auto& text) { return text.starts_with('a'); }},
    {"'b'", [](const auto& text) { return text == "b" || text == "B"; }},
    {"'[A-C]\\xc3\\x89'", [](const auto&) { return false; }}};
const std::vector<std::string> kSigns{"==", "!=", "<", "<=", ">", ">="};

bool compare(const std::string& sign, long double a, long double b) {
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  return sign == ">" ? a > b : a >= b;
}

// A random expression as text, with the plain function that says what it means.
using Meaning = std::function<bool(const FilterRecord&, std::size_t)>;
struct Made {
  std::string text;
  Meaning means;
};

// Why an expression is refused; empty: it is not.
std::string refusal(const std::string& text) {
  const Field root = filter_schema();
  const auto parsed = FilterExpression::parse(text);
  EXPECT_TRUE(parsed) << text;
  const auto bound = RecordFilter::bind(*parsed, root, filter_tables());
  return bound ? std::string() : bound.error().what;
}

class Maker {
 public:
  Maker(unsigned seed, const std::vector<FilterRecord>& records)
      : random_(seed), records_(records) {}

  Made make(unsigned depth) {
    const std::size_t kind = depth == 0 ? 3 : random_() % 5;
    if (kind == 0) {
      Made inner = make(depth - 1);
      return {"not (" + inner.text + ")",
              [inner](const auto& row, std::size_t slot) { return !inner.means(row, slot); }};
    }
    if (kind > 2) return possible_test();
    Made a = make(depth - 1);
    Made b = make(depth - 1);
    const bool both = kind == 1;
    return {"(" + a.text + (both ? ") and (" : ") or (") + b.text + ")",
            [=](const auto& row, std::size_t slot) {
              return both ? a.means(row, slot) && b.means(row, slot)
                          : a.means(row, slot) || b.means(row, slot);
            }};
  }

 private:
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[random_() % values.size()];
  }

  static Made any_of(std::string text, const std::string& path,
                     std::function<bool(const Plain&)> holds) {
    return {std::move(text), [=](const FilterRecord& row, std::size_t slot) {
              for (const Plain& value : values_at(path, row, slot)) {
                if (holds(value)) return true;
              }
              return false;
            }};
  }

  // A comparison that no value satisfies is refused; another takes its place.
  Made possible_test() {
    for (;;) {
      Made made = test();
      const std::string why = refusal(made.text);
      if (why.empty()) return made;
      EXPECT_THAT(why, AnyOf(HasSubstr("never"), HasSubstr("nan"))) << made.text;
      if (made.text.find(" in ") != std::string::npos) continue;    // one of the two literals
      if (made.text.find("!= nan") != std::string::npos) continue;  // always true, of no use
      for (std::size_t i = 0; i < records_.size(); ++i)
        EXPECT_FALSE(made.means(records_[i], i)) << made.text << " of record " << i;
    }
  }

  Made test() {
    switch (random_() % 9) {
      case 0: return against_integer();
      case 1: return against_real();
      case 2: return two_fields();
      case 3: return against_text();
      case 4: return like();
      case 5: return in_set();
      case 6: return null_test();
      case 7: return handle();
      default:
        if (random_() % 2 == 0)
          return any_of("b", "b", [](const Plain& value) { return std::get<bool>(value); });
        return any_of("b == false", "b", [](const Plain& value) { return !std::get<bool>(value); });
    }
  }

  Made against_integer() {
    const std::string path = one_of(kNumbers);
    const std::string sign = one_of(kSigns);
    const auto literal = one_of(kIntegers);
    return any_of(path + sign + literal.first, path, [=](const Plain& value) {
      return compare(sign, std::get<Number>(value).value, literal.second);
    });
  }

  Made against_real() {
    const std::string path = one_of(kNumbers);
    const std::string sign = one_of(kSigns);
    const auto [text, real] = one_of(kReals);
    return any_of(path + " " + sign + " " + text, path, [sign, real = real](const Plain& value) {
      const Number number = std::get<Number>(value);
      const bool rounds = number.is_f32 && (std::isnan(real) || std::abs(real) < 1e38);
      return compare(sign, number.value, rounds ? double{static_cast<float>(real)} : real);
    });
  }

  Made two_fields() {
    const std::string a = one_of(kNumbers);
    const std::string b = one_of(kNumbers);
    const std::string sign = one_of(kSigns);
    return {a + " " + sign + " " + b, [=](const FilterRecord& row, std::size_t slot) {
              for (const Plain& x : values_at(a, row, slot)) {
                for (const Plain& y : values_at(b, row, slot)) {
                  if (compare(sign, std::get<Number>(x).value, std::get<Number>(y).value))
                    return true;
                }
              }
              return false;
            }};
  }

  Made against_text() {
    const std::string path = one_of(kTexts);
    const std::string sign = one_of(kSigns);
    const auto literal = one_of(kStrings);
    return any_of(literal.first + sign + path, path, [=](const Plain& value) {
      return compare(sign, literal.second.compare(std::get<std::string>(value)), 0);
    });
  }

  Made like() {
    const std::string path = one_of(kTexts);
    const bool any_case = random_() % 3 == 0;
    const auto pattern = one_of(any_case ? kAnyCase : kPatterns);
    return any_of(path + (any_case ? "~*" : "~") + pattern.first, path,
                  [=](const Plain& value) { return pattern.second(std::get<std::string>(value)); });
  }

  Made in_set() {
    const std::string path = one_of(kNumbers);
    const auto a = one_of(kIntegers);
    const auto b = one_of(kIntegers);
    return any_of(path + " in {" + a.first + ", " + b.first + "}", path, [=](const Plain& value) {
      const long double number = std::get<Number>(value).value;
      return number == a.second || number == b.second;
    });
  }

  Made null_test() {
    const std::string path = one_of(kNullable);
    return {path + " is null", [=](const FilterRecord& row, std::size_t slot) {
              const auto values = values_at(path, row, slot);
              if (path == "h") return std::get<Handle64>(values.front()).bits == 0;
              return values.empty();
            }};
  }

  Made handle() {
    const bool raw = random_() % 2 == 0;
    return any_of(raw ? "h == 0x100000001" : "h == things:1@2", "h", [raw](const Plain& value) {
      return std::get<Handle64>(value).bits == ((raw ? 1ULL : 2ULL) << 32 | 1);
    });
  }

  std::mt19937 random_;
  const std::vector<FilterRecord>& records_;
};

TEST(RecordFilter, RefusesExactlyWhatNoValueSatisfies) {
  struct Whole {
    const char* path;
    int least;
    int most;
  };
  std::size_t cases = 0;
  for (const auto& [path, least, most] :
       {Whole{"i", -128, 127}, Whole{"e", 0, 255}, Whole{"letter", 0, 255}, Whole{"var", 0, 1}}) {
    for (int twice = -520; twice <= 520; ++twice) {
      const double literal = twice / 2.0;
      const std::string text = twice % 2 == 0 ? std::to_string(twice / 2) : std::to_string(literal);
      for (const std::string& sign : kSigns) {
        bool is_possible = false;
        bool is_possible_mirrored = false;
        for (int value = least; value <= most; ++value) {
          is_possible = is_possible || compare(sign, value, literal);
          is_possible_mirrored = is_possible_mirrored || compare(sign, literal, value);
        }
        const std::string after = path + (" " + sign + " ") + text;
        const std::string before = text + " " + sign + " " + path;
        ASSERT_EQ(refusal(after).empty(), is_possible) << after << ": " << refusal(after);
        ASSERT_EQ(refusal(before).empty(), is_possible_mirrored) << before << refusal(before);
        cases += 2;
      }
    }
  }
  std::printf("cases=%zu failures=0\n", cases);
}

TEST(RecordFilter, NanIsTestedByIsNan) {
  std::mt19937 random(7);
  std::vector<FilterRecord> records;
  for (int i = 0; i < 50; ++i) records.push_back(random_filter_record(random));
  const std::vector<bool> is_nan = meant(*FilterExpression::parse("d is nan"), records);
  const std::vector<bool> is_not = meant(*FilterExpression::parse("d is not nan"), records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(is_nan[i], std::isnan(records[i].d)) << i;
    EXPECT_EQ(is_not[i], !is_nan[i]) << i;
  }
  EXPECT_THAT(is_nan, Contains(true));
  EXPECT_EQ(FilterExpression::parse("not  (d is   nan)")->print(),
            FilterExpression::parse("d is not nan")->print());
  for (const char* const sign : {"==", "!=", "<", ">="})
    EXPECT_THAT(refusal(std::string("d ") + sign + " nan"), HasSubstr("write 'is nan'")) << sign;
  EXPECT_THAT(refusal("i is nan"), HasSubstr("never nan"));
  EXPECT_THAT(refusal("l == nan"), HasSubstr("never nan"));
}

TEST(RecordFilter, RandomFiltersMeanWhatThePlainEvaluatorSays) {
  std::mt19937 random(7);
  std::vector<FilterRecord> records;
  for (int i = 0; i < 97; ++i) records.push_back(random_filter_record(random));
  std::size_t cases = 0;
  std::size_t hits = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    const Made made = Maker(seed, records).make(seed % 4);
    const auto expression = FilterExpression::parse(made.text);
    ASSERT_TRUE(expression) << made.text << ": " << expression.error().what;
    const auto again = FilterExpression::parse(expression->print());
    ASSERT_TRUE(again && *again == *expression) << made.text << " became " << expression->print();
    const std::vector<bool> answers = meant(*expression, records);
    ASSERT_EQ(answers.size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      ASSERT_EQ(answers[i], made.means(records[i], i)) << made.text << " of record " << i;
      hits += answers[i] ? 1 : 0;
    }
    cases += records.size();
  }
  EXPECT_GT(hits, cases / 5);
  EXPECT_LT(hits, cases * 4 / 5);
  std::printf("cases=%zu failures=0\n", cases);
}

std::vector<std::uint32_t> columns_of_filter(const std::string& text) {
  const Field root = filter_schema();
  return RecordFilter::bind(*FilterExpression::parse(text), root, filter_tables())->columns();
}

TEST(RecordFilter, OnlyTheColumnsOfItsFieldsAreAskedFor) {
  EXPECT_THAT(columns_of_filter("@slot < 3"), IsEmpty());
  EXPECT_THAT(columns_of_filter("i < 3 and u > 2"), ElementsAre(1U, 3U));
  EXPECT_THAT(columns_of_filter("s == 'a'"), ElementsAre(9U, 10U));
  EXPECT_THAT(columns_of_filter("pos.x > 0"), ElementsAre(11U));
  EXPECT_THAT(columns_of_filter("items[*].k > 0"), ElementsAre(19U));
}

TEST(RecordFilter, FaultsAreToldAtTheirPlace) {
  const Field root = filter_schema();
  const auto fault = [&](const std::string& text) {
    const auto parsed = FilterExpression::parse(text);
    EXPECT_TRUE(parsed) << text;
    const auto bound = RecordFilter::bind(*parsed, root, filter_tables());
    EXPECT_FALSE(bound) << text;
    return bound ? std::string() : std::to_string(bound.error().offset) + ": " + bound.error().what;
  };
  EXPECT_THAT(fault("i < 3 and pos.y > 1"),
              HasSubstr("10: no field 'pos.y'; did you mean 'pos.x'?"));
  EXPECT_THAT(fault("i == 'x'"), HasSubstr("5: 'i' is an i8, and this is a text"));
  EXPECT_THAT(fault("s < i"), HasSubstr("4: "));
  EXPECT_THAT(fault("b < true"), HasSubstr("2: true and false have no order"));
  EXPECT_THAT(fault("i"), HasSubstr("0: 'i' is an i8; only a bool"));
  EXPECT_THAT(fault("list == 1"), HasSubstr("list[*]"));
  EXPECT_THAT(fault("items.k == 1"), HasSubstr("items[*]"));
  EXPECT_THAT(fault("map[*] == 1"), HasSubstr("map[*].key"));
  EXPECT_THAT(fault("var<2> == 1"), HasSubstr("the last one is <1>"));
  EXPECT_THAT(fault("i is null"), HasSubstr("never null"));
  EXPECT_THAT(fault("size(i) > 1"), HasSubstr("only texts, lists and maps"));
  EXPECT_THAT(fault("h == thing:1@1"), HasSubstr("5: no table 'thing'; did you mean 'things'?"));
  EXPECT_THAT(fault("h == things:1@0"), HasSubstr("generations start at 1"));
  EXPECT_THAT(fault("h == -1"), HasSubstr("handles look like"));
  EXPECT_THAT(fault("h == things:1@4294967295"),
              HasSubstr("does not fit the handles of this field"));
  EXPECT_THAT(fault("letter == 'ab'"), HasSubstr("one character"));
  EXPECT_THAT(fault("s ~ '[z-a]'"), HasSubstr("4: "));
  EXPECT_THAT(fault("s == imp"), HasSubstr("5: no field 'imp'; a text must be in quotes"));
  EXPECT_THAT(fault("i ~ 'x'"), HasSubstr("~ needs a text"));
}

}  // namespace
}  // namespace hdb::test::record_filter_test
