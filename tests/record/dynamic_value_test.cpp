// DynamicValue: paths, exact numbers, and errors that change nothing.
#include "hdb/dynamic_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace hdb::test::dynamic_value_test {
namespace {

using testing::ElementsAre;

enum class Mood : std::int8_t { calm = -1, angry = 3 };
struct Thing;

template <class Call>
std::string thrown(const Call& call) {
  try {
    call();
  } catch (const DynamicError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(DynamicValue, HoldsWhatItWasMadeFrom) {
  EXPECT_EQ(DynamicValue(-5).as<int>(), -5);
  EXPECT_EQ(DynamicValue(true).as<bool>(), true);
  EXPECT_EQ(DynamicValue(0.5f).as<float>(), 0.5f);
  EXPECT_EQ(DynamicValue("imp").text(), "imp");
  EXPECT_EQ(DynamicValue(Mood::calm).as<Mood>(), Mood::calm);
  EXPECT_EQ(DynamicValue(Mood::calm).as<int>(), -1);
  const auto handle = Handle<Thing>::from_bits(77);
  EXPECT_EQ(DynamicValue(handle).as<Handle<Thing>>(), handle);
  EXPECT_EQ(DynamicValue::some(1).value().as<int>(), 1);
  EXPECT_FALSE(DynamicValue::none().has_value());
  EXPECT_EQ(DynamicValue::alternative(2, 9).tag(), 2);
  EXPECT_EQ(DynamicValue::map({{"a", 1}, {"b", 2}}).size(), 2u);
}

TEST(DynamicValue, NumbersAreExactOrRefused) {
  EXPECT_EQ(DynamicValue(300).as<std::int64_t>(), 300);
  EXPECT_EQ(DynamicValue(3.0).as<int>(), 3);
  EXPECT_EQ(thrown([] { static_cast<void>(DynamicValue(300).as<std::uint8_t>()); }),
            "the i32 300 does not fit u8");
  EXPECT_EQ(thrown([] { static_cast<void>(DynamicValue(-1).as<std::uint32_t>()); }),
            "the i32 -1 does not fit u32");
  EXPECT_EQ(thrown([] { static_cast<void>(DynamicValue(0.1).as<float>()); }),
            "the f64 0.1 does not fit f32");
  EXPECT_EQ(thrown([] { static_cast<void>(DynamicValue("1").as<int>()); }),
            "the value is string, not i32");
  EXPECT_EQ(thrown([] { static_cast<void>(DynamicValue(1).as<Mood>()); }),
            "the value is i32, not an enumeration");
  EXPECT_EQ(thrown([] { static_cast<void>(DynamicValue(1).text()); }),
            "the value is i32, not a string");
}

TEST(DynamicValue, FieldsAreSetMovedAndRemoved) {
  DynamicValue record;
  record.set("hp", 1);
  record.set("pos.x", 2);
  record.set("maybe", DynamicValue::some(DynamicValue()));
  record.set("maybe.deep", 3);
  record.set("items", DynamicValue::list({1, 2, 3}));
  EXPECT_THAT(record.names(), ElementsAre("hp", "pos", "maybe", "items"));
  EXPECT_EQ(record.at("maybe.deep").as<int>(), 3);
  EXPECT_EQ(record.at("items[1]").as<int>(), 2);
  record.set("items[1]", "two");
  EXPECT_TRUE(record.remove("items[0]"));
  EXPECT_EQ(record.at("items[0]").text(), "two");
  record.move("hp", "hp.now");
  EXPECT_EQ(record.at("hp.now").as<int>(), 1);
  record.move("hp.now", "stats.hp");
  EXPECT_EQ(record.at("hp").size(), 0u);
  EXPECT_TRUE(record.remove("hp"));
  EXPECT_FALSE(record.remove("hp"));
  EXPECT_TRUE(record.remove("maybe.deep"));
  EXPECT_FALSE(record.contains("maybe.deep"));
  EXPECT_THAT(record.names(), ElementsAre("pos", "maybe", "items", "stats"));
}

TEST(DynamicValue, ErrorsChangeNothing) {
  DynamicValue record;
  record.set("hp", 1);
  record.set("mana", 2);
  record.set("items", DynamicValue::list({1}));
  const DynamicValue before = record;
  EXPECT_EQ(thrown([&] { static_cast<void>(record.at("pos.x")); }), "there is no field 'pos.x'");
  EXPECT_EQ(thrown([&] { record.move("hp", "mana"); }), "there is already a field 'mana'");
  EXPECT_EQ(thrown([&] { record.move("no", "mana"); }), "there is no field 'no'");
  for (const char* const path :
       {"", ".", "a..b", "a.", ".a", "hp.x", "items[1]", "new[0]", "items[x]", "items[0"}) {
    EXPECT_EQ(thrown([&] { record.set(path, 3); }),
              "field '" + std::string(path) + "' cannot be made");
  }
  EXPECT_EQ(thrown([&] { record.move("hp", "hp."); }), "field 'hp.' cannot be made");
  EXPECT_EQ(thrown([&] { record.at("items").remove_element(1); }), "there is no element 1 of 1");
  EXPECT_EQ(record, before);
}

TEST(DynamicValue, EqualityComparesKindsValuesAndNames) {
  EXPECT_EQ(DynamicValue(1), DynamicValue(1));
  EXPECT_FALSE(DynamicValue(1) == DynamicValue(1u));
  EXPECT_FALSE(DynamicValue(1) == DynamicValue(2));
  EXPECT_FALSE(DynamicValue("a") == DynamicValue("b"));
  DynamicValue a;
  DynamicValue b;
  a.set("x", 1);
  b.set("y", 1);
  EXPECT_FALSE(a == b);
}

// Code that wraps a value in a loop must not exhaust the stack when the value is used or dropped.
TEST(DynamicValues, MayBeNestedAsDeepAsMemoryAllows) {
  DynamicValue deep(7);
  for (int i = 0; i < 100'000; ++i) {
    std::vector<DynamicValue> one;
    one.push_back(std::move(deep));
    deep = i % 2 == 0 ? DynamicValue::some(std::move(one[0])) : DynamicValue::list(std::move(one));
  }
  const DynamicValue copy = deep;
  EXPECT_TRUE(copy == deep);
  DynamicValue* at = &deep;
  while (at->kind() != FieldKind::i32)
    at = at->kind() == FieldKind::list ? &at->element(0) : &at->value();
  *at = 8;
  EXPECT_FALSE(copy == deep);
  DynamicValue record;
  record.set("wrapped", std::move(deep));
  EXPECT_TRUE(record.contains("wrapped[0]"));
}

}  // namespace
}  // namespace hdb::test::dynamic_value_test
