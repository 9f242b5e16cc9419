// Texts that people enter, and the values that they mean.
#include "hdb/migration.hpp"
#include "imgui/browser_world.hpp"

namespace hdb::test::browser {
namespace {

using namespace detail::imgui;

Field field_of(FieldKind kind) {
  Field field;
  field.kind = kind;
  field.name = "f";
  return field;
}
Result<DynamicValue> parse(FieldKind kind, std::string_view text) {
  return parse_value(field_of(kind), text, {});
}

TEST(FieldEdit, WholeNumbersAreReadExactly) {
  EXPECT_EQ(parse(FieldKind::i64, "-9223372036854775808")->as<std::int64_t>(), INT64_MIN);
  EXPECT_EQ(parse(FieldKind::u64, "18446744073709551615")->as<std::uint64_t>(), UINT64_MAX);
  for (const char* const text :
       {"", "1 ", " 1", "1.5", "0x10", "18446744073709551616", "--1", "+1"})
    EXPECT_FALSE(parse(FieldKind::i32, text)) << text;
}

TEST(FieldEdit, RealNumbersAreReadInTheSpellingOfHdb) {
  EXPECT_EQ(parse(FieldKind::f64, "-12.5e1")->as<double>(), -125);
  EXPECT_EQ(parse(FieldKind::f32, "-Infinity")->as<double>(),
            -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse(FieldKind::f64, "NaN")->as<double>()));
  for (const char* const text : {"", "1,5", "--1", "1.5 ", "word"})
    EXPECT_FALSE(parse(FieldKind::f64, text)) << text;
}

TEST(FieldEdit, CharactersAreReadAsTheyAreShown) {
  for (std::uint32_t code = 0; code < 256; ++code) {
    const Field field = field_of(FieldKind::char32);
    Value value;
    value.field = &field;
    value.bits = code;
    const auto back = parse_value(field, edited_text(value, HandleNamer({})), {});
    ASSERT_TRUE(back) << code;
    EXPECT_EQ(back->as<char32_t>(), static_cast<char32_t>(code));
  }
  EXPECT_FALSE(parse(FieldKind::char8, "\xc3\xa9"));  // two code units
  EXPECT_FALSE(parse(FieldKind::char16, "70000"));
  EXPECT_FALSE(parse(FieldKind::char32, ""));
}

TEST(FieldEdit, PathsNameEveryKindOfStep) {
  Database db;
  auto& beasts = db.create_table<Beast>("beasts");
  const auto imp = beasts.insert(
      {.items = {{}, {}}, .age = 4, .extra = std::string("x"), .notes = {{"a", 1}, {"b", 2}}});
  LiveTable table = LiveTable::find(db, "beasts").value();
  const Value& record = **table.read(imp.bits());
  const auto field = [&](std::string_view name) {
    std::uint64_t number = 0;
    while (record.field->children[number].name != name) ++number;
    return ValueStep{ValueStep::Kind::field, number};
  };
  const ValueStep held{ValueStep::Kind::held, 0};
  const auto element = [](std::uint64_t i) { return ValueStep{ValueStep::Kind::element, i}; };
  const auto path = [&](std::vector<ValueStep> steps) { return path_of(record, steps); };
  EXPECT_EQ(path({field("items"), element(1), {ValueStep::Kind::field, 1}}), "items[1].count");
  EXPECT_EQ(path({field("age"), held}), "age?");
  EXPECT_EQ(path({field("extra"), held}), "extra<1>");
  EXPECT_EQ(path({field("notes"), element(3)}), "notes[1].value");
  EXPECT_EQ(path({field("items"), element(9)}), "items");  // it is not there
}

TEST(FieldEdit, StepsToAPartThatIsGoneAreRefused) {
  Database db;
  auto& beasts = db.create_table<Beast>("beasts");
  const auto imp = beasts.insert({});
  LiveTable table = LiveTable::find(db, "beasts").value();
  for (std::uint64_t number = 0; number < 20; ++number) {
    for (const auto kind : {ValueStep::Kind::element, ValueStep::Kind::held}) {
      const std::vector<ValueStep> steps{{ValueStep::Kind::field, number}, {kind, 7}};
      const Status done = table.edit(imp.bits(), [&](DynamicValue& record) {
        value_at(record, table.record(), steps) = "nonsense";
      });
      EXPECT_FALSE(done) << number;
    }
  }
  EXPECT_EQ(beasts.at(imp).title, "imp");
}

}  // namespace
}  // namespace hdb::test::browser
