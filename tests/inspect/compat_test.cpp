// compare_schemas says what a load does: each rule of fields beside the load of a real save.
#include "compat_outcome.hpp"

#include <cereal/types/tuple.hpp>

namespace hdb::test::compat_test {
namespace {

TEST(Compat, EqualSchemasAreIdentical) {
  expect(outcome(table_of<With<int>>(), table_of<With<int>>()), Compatibility::identical, {});
  expect(outcome([](Database&) {}, [](Database&) {}), Compatibility::identical, {});
}

TEST(Compat, AddedFieldsAreReadable) {
  const Outcome got = outcome(table_of<Without>(), table_of<With<int>>());
  expect(got, Compatibility::readable, {CompatRule::field_added});
  EXPECT_THAT(got.loaded->summary(), HasSubstr("value defaulted"));
}

TEST(Compat, RemovedFieldsAreALoss) {
  const Outcome got = outcome(table_of<With<int>>(), table_of<Without>());
  expect(got, Compatibility::loss, {CompatRule::field_removed});
  EXPECT_THAT(got.loaded->summary(), HasSubstr("value dropped"));
}

TEST(Compat, RenamedFieldsAreReadableIfDeclared) {
  const Fill old_game = table_of(with(5));
  const auto rename_in = [](const char* structure) {
    return [=](TableSchema& table) { table.renames = {{structure, "value", "life"}}; };
  };
  expect(outcome(old_game, table_of<Renamed>(), rename_in("")), Compatibility::readable,
         {CompatRule::field_renamed}, "life");
  // Files do not store what the program declares.
  const Outcome undeclared = outcome(old_game, table_of<Renamed>(), rename_in("other"));
  EXPECT_EQ(undeclared.rules(), (std::vector{CompatRule::field_added, CompatRule::field_removed}));
}

TEST(Compat, ReorderedFieldsAreReadable) {
  expect(outcome(table_of<With<int>>(), table_of<Reordered>()), Compatibility::readable,
         {CompatRule::fields_reordered}, "");
}

TEST(Compat, WiderNumbersAreReadable) {
  const std::vector<CompatRule> widened{CompatRule::number_widened};
  const auto check = [&](const Fill& old_game, const Fill& new_game) {
    expect(outcome(old_game, new_game), Compatibility::readable, widened);
  };
  check(table_of(with(std::int16_t{-5})), table_of<With<std::int64_t>>());
  check(table_of(with(std::uint8_t{255})), table_of<With<std::uint16_t>>());
  check(table_of(with(std::uint32_t{4000000000})), table_of<With<std::int64_t>>());
  check(table_of(with(0.1F)), table_of<With<double>>());
  check(table_of(with(Narrow::none)), table_of<With<Wide>>());
  check(table_of(with(true)), table_of<With<std::uint8_t>>());
  check(table_of(with(true)), table_of<With<double>>());
  check(table_of(with(-5)), table_of<With<double>>());
  check(table_of(with(std::int16_t{-5})), table_of<With<float>>());
}

TEST(Compat, NarrowerNumbersAreRefusedIfAValueDoesNotFit) {
  const std::vector<CompatRule> narrowed{CompatRule::number_narrowed};
  const auto check = [&](const Fill& fits, const Fill& does_not_fit, const Fill& new_game) {
    expect(outcome(does_not_fit, new_game), Compatibility::incompatible, narrowed);
    const Outcome got = outcome(fits, new_game);
    EXPECT_TRUE(got.loaded) << got.loaded.error().message();
    EXPECT_TRUE(got.report.tables[0].findings.at(0).depends_on_values);
    EXPECT_EQ(got.report.verdict, Compatibility::incompatible) << "a document has no values";
  };
  check(table_of(with(-128)), table_of(with(-129)), table_of<With<std::int8_t>>());
  check(table_of(with(7)), table_of(with(-1)), table_of<With<std::uint64_t>>());
  check(table_of(with(std::uint32_t{7})), table_of(with(std::uint32_t{1} << 31)),
        table_of<With<int>>());
  check(table_of(with(0.5)), table_of(with(0.1)), table_of<With<float>>());
  check(table_of(with(Wide{255})), table_of(with(Wide{256})), table_of<With<Narrow>>());
  check(table_of(with(1)), table_of(with(2)), table_of<With<bool>>());
  check(table_of(with(1 << 24)), table_of(with((1 << 24) + 1)), table_of<With<float>>());
  check(table_of(with(3.0)), table_of(with(3.5)), table_of<With<int>>());
  check(table_of(with(std::int64_t{1} << 53)), table_of(with((std::int64_t{1} << 53) + 1)),
        table_of<With<double>>());
}

TEST(Compat, ValuesMayBecomeOptionalsAndLists) {
  const auto wrapped = [](const Fill& old_game, const Fill& new_game) {
    expect(outcome(old_game, new_game), Compatibility::readable, {CompatRule::value_wrapped});
  };
  wrapped(table_of(with(5)), table_of<With<std::optional<int>>>());
  wrapped(table_of(with(5)), table_of<With<std::vector<int>>>());
  wrapped(table_of(with(std::optional<int>(5))), table_of<With<std::vector<int>>>());
  expect(outcome(table_of(with(std::optional<int>(5))), table_of<With<int>>()),
         Compatibility::readable, {CompatRule::optional_unwrapped});
  expect(outcome(table_of(with(std::vector<int>{5})), table_of<With<int>>()),
         Compatibility::incompatible, {CompatRule::kind_changed});
  const Outcome both = outcome(table_of(with(5)), table_of<With<std::optional<std::int64_t>>>());
  EXPECT_EQ(both.rules(), (std::vector{CompatRule::value_wrapped, CompatRule::number_widened}));
  EXPECT_TRUE(both.loaded);
}

TEST(Compat, OtherKindsAreIncompatible) {
  const std::vector<CompatRule> changed{CompatRule::kind_changed};
  const auto check = [&](const Fill& old_game, const Fill& new_game,
                         const std::string& field = "value") {
    expect(outcome(old_game, new_game), Compatibility::incompatible, changed, field);
  };
  check(table_of<With<int>>(), table_of<With<std::string>>());
  check(table_of<With<int>>(), table_of<With<Wide>>());
  check(table_of<With<std::vector<int>>>(), table_of<With<std::vector<std::string>>>(), "value[]");
}

TEST(Compat, EveryIncompatibleFieldIsNamed) {
  Outcome got = outcome(table_of<With<With<int>>>(), table_of<With<With<std::string>>>());
  EXPECT_EQ(got.report.tables[0].findings.at(0).field, "value.value");
  const auto field = [](FieldKind kind, const char* name) {
    Field made;
    made.kind = kind;
    made.name = name;
    return made;
  };
  TableSchema before;
  before.table.name = "things";
  before.record.children = {field(FieldKind::i32, "a"), field(FieldKind::i32, "b")};
  TableSchema after = before;
  for (Field& child : after.record.children) child.kind = FieldKind::string;
  const CompatReport report = compare_schemas({before}, {after});
  ASSERT_EQ(report.tables[0].findings.size(), 2U);
  EXPECT_EQ(report.tables[0].findings[1].field, "b");
}

TEST(Compat, ArraysMayHaveOtherSizes) {
  using Three = With<std::array<int, 3>>;
  using Four = With<std::array<int, 4>>;
  expect(outcome(table_of<Three>(), table_of<Four>()), Compatibility::readable,
         {CompatRule::array_extended});
  expect(outcome(table_of<Four>(), table_of<Three>()), Compatibility::loss,
         {CompatRule::array_shortened});
}

TEST(Compat, AListMayBecomeAnArray) {
  using List = With<std::vector<int>>;
  using Array = With<std::array<int, 3>>;
  expect(outcome(table_of<List>(), table_of<Array>()), Compatibility::loss,
         {CompatRule::list_to_array});
  using Texts = With<std::array<std::string, 3>>;
  EXPECT_EQ(outcome(table_of<List>(), table_of<Texts>()).report.verdict,
            Compatibility::incompatible);
}

TEST(Compat, AlternativesMayBeAddedAtTheEnd) {
  using Two = With<std::variant<int, bool>>;
  using Three = With<std::variant<int, bool, std::string>>;
  expect(outcome(table_of<Two>(), table_of<Three>()), Compatibility::readable,
         {CompatRule::alternatives_added});
  Three text;
  text.value = std::string("text");
  expect(outcome(table_of(text), table_of<Two>()), Compatibility::incompatible,
         {CompatRule::alternatives_removed});
  EXPECT_TRUE(outcome(table_of<Three>(), table_of<Two>()).loaded);
}

TEST(Compat, AlternativesAreComparedByTheirSchemas) {
  using Old = With<std::variant<Without, bool>>;
  const Fill old_game = table_of(Old{Without{7}});
  expect(outcome(old_game, table_of<With<std::variant<bool, Without>>>()), Compatibility::readable,
         {CompatRule::alternatives_moved});
  const Outcome got = outcome(old_game, table_of<With<std::variant<Without, bool, Twin>>>());
  expect(got, Compatibility::incompatible, {CompatRule::alternatives_ambiguous});
  EXPECT_THAT(got.loaded.error().message(), HasSubstr("hdb::OldAlternatives"));
  const Outcome removed = outcome(old_game, table_of<With<std::variant<bool>>>());
  expect(removed, Compatibility::incompatible,
         {CompatRule::alternatives_moved, CompatRule::alternatives_removed});
}

TEST(Compat, DeclaredOldAlternativesCount) {
  const Fill old_game = table_of(With<std::variant<Without, bool>>{Without{7}});
  const Fill new_game = table_of<With<Listed>>();
  // Files do not store what the program declares, so here the schemas say nothing.
  EXPECT_EQ(outcome(old_game, new_game).rules(), std::vector{CompatRule::alternatives_ambiguous});
  const auto declare = [](TableSchema& table) { table.old_alternatives = {{"value", {2, 1}}}; };
  expect(outcome(old_game, new_game, declare), Compatibility::readable,
         {CompatRule::alternatives_moved, CompatRule::alternatives_added});
}

TEST(Compat, CheckedTextsMayBeRefused) {
  expect(outcome(table_of(with(std::string("\xff"))), table_of<Checked>()),
         Compatibility::incompatible, {CompatRule::text_checked});
  EXPECT_TRUE(outcome(table_of(with(std::string("text"))), table_of<Checked>()).loaded);
  expect(outcome(table_of<Checked>(), table_of<With<std::string>>()), Compatibility::readable,
         {CompatRule::description_changed});
}

TEST(Compat, ClassVersionsLetTheProgramMigrate) {
  const Outcome raised = outcome(table_of<Versioned<1>>(), table_of<Versioned<2>>());
  EXPECT_EQ(raised.rules(),
            (std::vector{CompatRule::field_migrated, CompatRule::class_version_raised}));
  EXPECT_EQ(raised.report.verdict, Compatibility::readable);
  EXPECT_TRUE(raised.loaded);
}

// No code of the program sees the version of a plain struct, so it excuses nothing.
TEST(Compat, PlainStructsOfAnotherClassVersionAreMatchedByTheirFields) {
  const auto declare = [](TableSchema& table) { table.plain_structures = {"value"}; };
  const Outcome removed =
      outcome(table_of<With<OldPlain>>(), table_of<With<ShorterPlain>>(), declare);
  EXPECT_EQ(removed.report.verdict, Compatibility::loss);
  EXPECT_EQ(removed.rules(),
            (std::vector{CompatRule::field_removed, CompatRule::description_changed}));
  EXPECT_TRUE(removed.loaded);
  const Outcome changed =
      outcome(table_of<With<OldPlain>>(), table_of<With<OtherPlain>>(), declare);
  EXPECT_EQ(changed.report.verdict, Compatibility::incompatible);
  EXPECT_FALSE(changed.loaded);
  const Outcome lowered =
      outcome(table_of<With<OtherPlain>>(), table_of<With<LowerPlain>>(), declare);
  EXPECT_EQ(lowered.report.verdict, Compatibility::readable);
  EXPECT_TRUE(lowered.loaded);
}

TEST(Compat, LowerClassVersionsAreALoss) {
  const Outcome lowered = outcome(table_of<Versioned<2>>(), table_of<Versioned<1>>());
  EXPECT_EQ(lowered.rules(),
            (std::vector{CompatRule::field_added, CompatRule::class_version_lowered}));
  EXPECT_EQ(lowered.report.verdict, Compatibility::loss);
}

TEST(Compat, HandlesMustKeepLayoutAndTable) {
  const auto game = [](const std::string& weapons) {
    return [=](Database& db) {
      db.create_table<Without>(weapons);
      db.create_table<With<Handle<Without>>>("things").insert({});
    };
  };
  const Outcome renamed = outcome(game("weapons"), game("arms"));
  EXPECT_EQ(renamed.report.verdict, Compatibility::incompatible);
  EXPECT_EQ(renamed.rules(), (std::vector{CompatRule::table_added, CompatRule::handle_table,
                                          CompatRule::table_removed}));
  EXPECT_FALSE(renamed.loaded);
  expect(
      outcome(table_of<With<Handle<Without>>>(), table_of<With<Handle<Without, Layout<16, 16>>>>()),
      Compatibility::incompatible, {CompatRule::handle_layout});
  expect(outcome(table_of<With<Handle<Without>>>(), table_of<With<Strong<Without>>>()),
         Compatibility::readable, {CompatRule::description_changed});
}

TEST(Compat, HandlesOfAnotherTableAreIncompatible) {
  const auto field = [](const char* table) {
    Field link;
    link.kind = FieldKind::handle;
    link.name = "link";
    link.table = table;
    link.layout = {32, 32, 0};
    return link;
  };
  TableSchema before;
  before.table.name = "things";
  before.record.children = {field("weapons")};
  TableSchema after = before;
  after.record.children = {field("items")};
  const CompatReport report = compare_schemas({before}, {after});
  ASSERT_EQ(report.tables.at(0).findings.size(), 1u);
  EXPECT_EQ(report.tables.at(0).findings[0].rule, CompatRule::handle_table);
}

TEST(Compat, RecordsWithoutACommonFieldAreIncompatible) {
  expect(outcome(table_of<Without>(), table_of<Foreign>()), Compatibility::incompatible,
         {CompatRule::no_common_field}, "");
}

// A record whose fields have no names.
template <std::size_t Count>
struct Unnamed {
  std::array<int, Count> values{};
  template <class A>
  void serialize(A& a) {
    for (int& value : values) a(value);
  }
};

TEST(Compat, FieldsWithoutNamesAreMatchedByPosition) {
  const std::vector<CompatRule> by_position{CompatRule::fields_by_position};
  expect(outcome(table_of<Unnamed<2>>(), table_of<Unnamed<2>>()), Compatibility::identical,
         by_position, "");
  expect(outcome(table_of<Unnamed<1>>(), table_of<Unnamed<1>>()), Compatibility::identical, {});
  // A field was added, and only its position shows which one.
  const Outcome more = outcome(table_of<Unnamed<1>>(), table_of<Unnamed<2>>());
  EXPECT_THAT(more.rules(), testing::UnorderedElementsAre(CompatRule::field_added,
                                                          CompatRule::fields_by_position));
  EXPECT_TRUE(more.loaded);
}

// Types without names, as in files of 0.9, and a type that is there twice leave only the order.
TEST(Compat, PlacesOfTuplesAreMatchedByTheirTypes) {
  const auto same = [](const Fill& game) { return outcome(game, game); };
  expect(same(table_of<With<std::tuple<Narrow, Wide, int>>>()), Compatibility::identical, {});
  const std::vector<CompatRule> by_position{CompatRule::fields_by_position};
  expect(same(table_of<With<std::tuple<Narrow, Narrow>>>()), Compatibility::identical, by_position);
  expect(same(table_of<With<std::tuple<Without, Twin>>>()), Compatibility::identical, by_position);
  expect(same(table_of<With<std::tuple<Narrow, int, int>>>()), Compatibility::identical,
         by_position);
  const Outcome named =
      outcome(table_of<With<std::tuple<int, int>>>(), table_of<With<std::tuple<Narrow, int>>>());
  EXPECT_THAT(named.rules(), testing::Contains(CompatRule::fields_by_position));
}

TEST(Compat, RulesHaveNamesAndNextSteps) {
  std::set<std::string_view> names;
  for (const CompatRule rule : all_compat_rules()) {
    EXPECT_TRUE(names.insert(compat_rule_name(rule)).second);
    EXPECT_EQ(compat_next_step(rule).empty(), effect_of(rule) < Compatibility::loss);
    if (depends_on_values(rule)) {
      EXPECT_EQ(effect_of(rule), Compatibility::incompatible);
    }
  }
}

}  // namespace
}  // namespace hdb::test::compat_test
