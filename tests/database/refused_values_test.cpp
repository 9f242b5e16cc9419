// Sound saves with values that the program's types do not take any more: that is a mismatch of the
// program, never damage, and the check of the build says it before.
#include <algorithm>
#include <array>
#include <cctype>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cereal/types/map.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "hdb/hdb.hpp"
#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/validate.hpp"
#include "record/codec.hpp"

namespace hdb::test::refused_values_test {

struct IgnoresCase {
  bool operator()(const std::string& a, const std::string& b) const {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(),
        [](unsigned char x, unsigned char y) { return std::tolower(x) < std::tolower(y); });
  }
};
template <class C>
struct Hero {
  C seen;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(seen));
  }
};
struct Text {
  std::string t;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(t));
  }
};
struct CheckedText : Text {};
enum class OldMood : std::uint8_t { calm, angry, furious };
enum class Mood : std::uint8_t { calm, angry };
struct Pair {
  int x = 0, y = 0;
  auto operator<=>(const Pair&) const = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};
struct Half {
  int x = 0;
  auto operator<=>(const Half&) const = default;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x));
  }
};
struct Wide {
  std::uint32_t bits = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(bits));
  }
};
struct Narrow {
  std::uint16_t bits = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(bits));
  }
};
enum class Number : std::uint8_t { two = 2 };
enum class Flag : bool { no, yes };

}  // namespace hdb::test::refused_values_test

namespace hdb {
namespace refused = test::refused_values_test;
template <>
struct Utf8Checked<refused::CheckedText> : std::true_type {};
template <>
struct EnumNames<refused::OldMood> {
  static constexpr std::array list{EnumName{refused::OldMood::calm, "calm"},
                                   EnumName{refused::OldMood::angry, "angry"},
                                   EnumName{refused::OldMood::furious, "furious"}};
};
template <>
struct EnumNames<refused::Mood> {
  static constexpr std::array list{EnumName{refused::Mood::calm, "calm"},
                                   EnumName{refused::Mood::angry, "angry"}};
};
template <>
struct Renames<refused::Mood> {
  static constexpr std::array list{Rename{"furious", "angry"}};
};
template <>
struct Opaque<refused::Wide> : std::true_type {};
template <>
struct Opaque<refused::Narrow> : std::true_type {};
}  // namespace hdb

namespace hdb::test::refused_values_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Texts = std::vector<std::string>;
using Mixed = std::set<std::string, IgnoresCase>;

template <class Record>
TableSchema schema_of() {
  const auto codec = detail::make_codec<Record>();
  TableSchema schema;
  schema.table.name = "heroes";
  schema.record = codec->schema({}).value();
  codec->add_declarations(schema);
  return schema;
}

// What a program with fields of type To does with a save of From. `rule`: what the check of the
// build finds.
template <class From, class To>
Result<LoadReport> load_as(From value, std::optional<CompatRule> rule) {
  Database old;
  auto& heroes = old.create_table<Hero<From>>("heroes");
  heroes.insert({});
  heroes.insert({std::move(value)});
  MemorySink sink;
  EXPECT_TRUE(save(old.capture(), sink));
  const Bytes file = sink.take();
  const auto source = [&] { return std::make_unique<MemorySource>(file); };
  EXPECT_TRUE(validate(source(), {.level = ValidationLevel::deep}).is_valid());
  Database program;
  program.create_table<Hero<To>>("heroes");
  const CompatReport compat = compare_schemas({schema_of<Hero<From>>()}, {schema_of<Hero<To>>()});
  const auto& findings = compat.tables.at(0).findings;
  EXPECT_EQ(compat.verdict == Compatibility::incompatible, rule.has_value());
  EXPECT_EQ(rule.has_value(), std::any_of(findings.begin(), findings.end(), [&](const auto& each) {
              return each.rule == rule && each.code == ErrorCode::value_refused;
            }));
  return program.load(source());
}

template <class From, class To>
std::string refusal(From value, std::optional<CompatRule> rule = CompatRule::keys_distinct) {
  const auto loaded = load_as<From, To>(std::move(value), rule);
  if (loaded) return "loaded";
  EXPECT_EQ(loaded.error().code, ErrorCode::value_refused);
  EXPECT_EQ(category_of(loaded.error().code), ErrorCategory::mismatch);
  return loaded.error().message();
}

TEST(RefusedValues, EqualElementsOfAListForASetNameFieldRecordAndValue) {
  EXPECT_THAT(
      (refusal<Texts, std::set<std::string>>({"orc", "elf", "orc"})),
      AllOf(HasSubstr("element 2 equals an earlier one, \"orc\""), HasSubstr("field 'seen'"),
            HasSubstr("heroes:1@1"), HasSubstr("use a container that holds equal elements")));
  EXPECT_THAT((refusal<std::vector<int>, std::set<int>>({7, -3, -3})), HasSubstr("one, -3,"));
  EXPECT_THAT((refusal<std::multiset<double>, std::set<double>>({0.5, 0.5})), HasSubstr("0.5"));
  EXPECT_TRUE((load_as<Texts, std::set<std::string>>({"orc", "elf"}, CompatRule::keys_distinct)));
  EXPECT_TRUE((load_as<std::set<std::string>, Texts>({"orc"}, std::nullopt)));
}

TEST(RefusedValues, EqualKeysOfAMultimapForAMap) {
  using Many = std::multimap<std::string, int>;
  using One = std::map<std::string, int>;
  EXPECT_THAT((refusal<Many, One>({{"orc", 1}, {"orc", 2}})),
              AllOf(HasSubstr("the key of entry 1 equals an earlier one, \"orc\""),
                    HasSubstr("holds equal keys")));
  EXPECT_TRUE((load_as<One, One>({{"orc", 1}}, std::nullopt)));
}

TEST(RefusedValues, KeysThatAComparisonOfTheProgramTakesForEqual) {
  EXPECT_THAT((refusal<std::set<std::string>, Mixed>({"Orc", "orc"})), HasSubstr("\"Orc\""));
  EXPECT_THAT((refusal<std::map<std::string, int>, std::map<std::string, int, IgnoresCase>>(
                  {{"Orc", 1}, {"orc", 2}})),
              HasSubstr("change its comparison"));
  EXPECT_TRUE((load_as<Mixed, std::set<std::string>>({"Orc"}, std::nullopt)));
  EXPECT_TRUE((load_as<Mixed, Mixed>({"Orc"}, std::nullopt)));
}

TEST(RefusedValues, KeysThatLoseWhatToldThemApart) {
  EXPECT_THAT((refusal<std::set<OldMood>, std::set<Mood>>({OldMood::angry, OldMood::furious})),
              HasSubstr("element 1"));
  EXPECT_THAT((refusal<std::set<Pair>, std::set<Half>>({{1, 2}, {1, 3}})), HasSubstr("element 1"));
  EXPECT_TRUE((load_as<std::set<Pair>, std::vector<Half>>({{1, 2}, {1, 3}}, std::nullopt)));
}

TEST(RefusedValues, TextsThatMustBeUtf8Now) {
  EXPECT_THAT((refusal<std::vector<Text>, std::vector<CheckedText>>({{"Jos\xe9"}},
                                                                    CompatRule::text_checked)),
              AllOf(HasSubstr("Jos\\xe9"), HasSubstr("field 'seen[].t'"), HasSubstr("heroes:1@1"),
                    HasSubstr("Utf8Checked")));
}

// No tool looks into opaque values, and no schema describes them.
TEST(RefusedValues, OpaqueValuesOfAnotherForm) {
  EXPECT_THAT((refusal<Wide, Narrow>({70000}, std::nullopt)), HasSubstr("opaque"));
}

TEST(RefusedValues, NumbersForAnEnumOfBooleans) {
  EXPECT_THAT((refusal<std::vector<Number>, std::vector<Flag>>({Number::two}, std::nullopt)),
              HasSubstr("the file has 2"));
}

}  // namespace
}  // namespace hdb::test::refused_values_test
