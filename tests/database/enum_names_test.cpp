// Values of an enum that names them are found by name in older files, whatever their numbers were.
#include "database/enum_world.hpp"

#include "hdb/import.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::test::enum_test {

/// A record of two class versions.
struct OldVersioned {
  OldMood mood{};
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(mood));
  }
};
struct Versioned {
  Mood mood{};
  std::int32_t hp = 5;
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    a(CEREAL_NVP(mood));
    if (version >= 2) a(CEREAL_NVP(hp));
  }
};
/// Reads the old enum itself.
struct ByHand {
  Mood mood{};
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    if (version >= 2) return a(CEREAL_NVP(mood)), void();
    OldMood old{};
    a(cereal::make_nvp("mood", old));
    mood = old == OldMood::angry ? Mood::sad : Mood::glad;
  }
};
enum class Hostile : std::uint32_t { cross = 4000000000, angry = 5 };
template <int kCase>
struct OddNamed {
  enum class E : std::uint8_t { a, b };
  E value{};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(value));
  }
};
template <int kCase>
using OddEnum = typename OddNamed<kCase>::E;
enum class Flag : bool { off, on };
enum class OldFlag : std::uint8_t { on, off };

}  // namespace hdb::test::enum_test

CEREAL_CLASS_VERSION(hdb::test::enum_test::ByHand, 2)
CEREAL_CLASS_VERSION(hdb::test::enum_test::OldVersioned, 1)
CEREAL_CLASS_VERSION(hdb::test::enum_test::Versioned, 2)

template <>
struct hdb::EnumNames<hdb::test::enum_test::OddEnum<0>> {
  using E = hdb::test::enum_test::OddEnum<0>;
  static constexpr std::array list{hdb::EnumName{E::a, "a"}, hdb::EnumName{E::b, "a"}};
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::OddEnum<1>> {
  using E = hdb::test::enum_test::OddEnum<1>;
  static constexpr std::array list{hdb::EnumName{E::a, "a"}, hdb::EnumName{E::a, "b"}};
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::OddEnum<2>> {
  using E = hdb::test::enum_test::OddEnum<2>;
  static constexpr std::array list{hdb::EnumName{E::a, ""}};
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::OddEnum<3>> {
  using E = hdb::test::enum_test::OddEnum<3>;
  static constexpr std::array list{hdb::EnumName{E::a, "a"}, hdb::EnumName{E::b, "b"}};
};
template <>
struct hdb::Renames<hdb::test::enum_test::OddEnum<3>> {
  static constexpr std::array list{hdb::Rename{"old", "c"}};
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::OddEnum<4>>
    : hdb::EnumNames<hdb::test::enum_test::OddEnum<3>> {
  using E = hdb::test::enum_test::OddEnum<4>;
  static constexpr std::array list{hdb::EnumName{E::a, "a"}, hdb::EnumName{E::b, "b"}};
};
template <>
struct hdb::Renames<hdb::test::enum_test::OddEnum<4>> {
  static constexpr std::array list{hdb::Rename{"a", "b"}};
};
template <>
struct hdb::Renames<hdb::test::enum_test::OddEnum<5>> {
  static constexpr std::array list{hdb::Rename{"a", "b"}};  // without names
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::Hostile> {
  using E = hdb::test::enum_test::Hostile;
  static constexpr std::array list{hdb::EnumName{E::cross, "cross"},
                                   hdb::EnumName{E::angry, "angry"}};
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::Flag> {
  using E = hdb::test::enum_test::Flag;
  static constexpr std::array list{hdb::EnumName{E::off, "off"}, hdb::EnumName{E::on, "on"}};
};
template <>
struct hdb::EnumNames<hdb::test::enum_test::OldFlag> {
  using E = hdb::test::enum_test::OldFlag;
  static constexpr std::array list{hdb::EnumName{E::off, "off"}, hdb::EnumName{E::on, "on"}};
};

namespace hdb::test::enum_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// --- found by name

TEST(EnumNames, RenumberedValuesFollowTheirNames) {
  const Bytes file = file_of<Plain<OldMood>>({{OldMood::angry, 1, {OldMood::calm, OldMood::angry}},
                                              {OldMood::calm, 2, {OldMood::odd, OldMood::odd}}});
  std::string summary;
  const auto beasts = loaded<Plain<Mood>>(file, &summary);
  EXPECT_EQ(summary,
            "beasts: 2 records, mood converted from enum<u8> to enum<i16> (x2), mood renumbered "
            "(x2), both[] converted from enum<u8> to enum<i16> (x4), both[] renumbered (x2)");
  ASSERT_EQ(beasts.size(), 2u);
  EXPECT_EQ(beasts[0].mood, Mood::furious);
  EXPECT_EQ(beasts[0].hp, 1);
  EXPECT_THAT(beasts[0].both, ElementsAre(Mood::calm, Mood::furious));
  EXPECT_EQ(beasts[1].mood, Mood::calm);
  EXPECT_THAT(beasts[1].both, ElementsAre(Mood{7}, Mood{7})) << "no name on either side: kept";
}

TEST(EnumNames, NumbersOfOneWidthFollowTheirNames) {
  const Bytes file = file_of<Plain<OldMood>>(
      {{OldMood::angry, 1, {OldMood::bored, OldMood::odd}}, {OldMood::calm, 2, {}}});
  std::string summary;
  const auto beasts = loaded<Plain<Swapped>>(file, &summary);
  EXPECT_EQ(summary, "beasts: 2 records, mood renumbered (x2), both[] renumbered (x2)");
  ASSERT_EQ(beasts.size(), 2u);
  EXPECT_EQ(beasts[0].mood, Swapped::angry);
  EXPECT_THAT(beasts[0].both, ElementsAre(Swapped::bored, Swapped{7}));
  EXPECT_THAT(beasts[1].both, ElementsAre(Swapped::calm, Swapped::calm));
}

TEST(EnumNames, CountInContainersAsKeysAndInNestedStructures) {
  const Bytes file = file_of<Rich<OldMood>>({rich(OldMood::calm, OldMood::angry)});
  std::string summary;
  const auto beasts = loaded<Rich<Mood>>(file, &summary);
  ASSERT_EQ(beasts.size(), 1u) << summary;
  const Rich<Mood> expected = rich(Mood::calm, Mood::furious);
  EXPECT_EQ(beasts[0].list, expected.list);
  EXPECT_EQ(beasts[0].keys, expected.keys);
  EXPECT_EQ(beasts[0].values, expected.values);
  EXPECT_EQ(beasts[0].set, expected.set);
  EXPECT_EQ(beasts[0].maybe, expected.maybe);
  EXPECT_EQ(beasts[0].either, expected.either);
  ASSERT_EQ(beasts[0].parts.size(), 2u);
  EXPECT_EQ(beasts[0].parts[0].mood, Mood::furious);
  EXPECT_EQ(beasts[0].parts[1].mood, Mood::calm);
  EXPECT_EQ(beasts[0].both, expected.both);
  EXPECT_THAT(
      summary,
      AllOf(HasSubstr("list[] renumbered (x3)"), HasSubstr("keys[].key renumbered (x2)"),
            HasSubstr("parts[].mood renumbered (x2)"), HasSubstr("either<1> renumbered (x1)")));
}

TEST(EnumNames, AnEnumeratorMayHaveSeveralOldNames) {
  const auto beasts = loaded<Plain<Mood>>(
      file_of<Plain<Hostile>>({{Hostile::cross, 1, {Hostile::angry, Hostile::cross}}}));
  ASSERT_EQ(beasts.size(), 1u);
  EXPECT_EQ(beasts[0].mood, Mood::furious);
  EXPECT_THAT(beasts[0].both, ElementsAre(Mood::furious, Mood::furious));
  // Two keys that become one are refused.
  const Error error =
      refused<Rich<Mood>>(file_of<Rich<Hostile>>({rich(Hostile::cross, Hostile::angry)}));
  EXPECT_EQ(error.code, ErrorCode::value_refused);
  EXPECT_THAT(error.message(), HasSubstr("the key of entry 1 equals an earlier one"));
}

TEST(EnumNames, ValuesThatFitNoNumberFollowTheirNames) {
  // 300 does not fit u8, but "calm" does.
  const auto beasts = loaded<Plain<OldMood>>(file_of<Plain<Mood>>({{Mood::calm, 1, {}}}));
  EXPECT_TRUE(beasts.empty()) << "glad is refused";
  const auto calm =
      loaded<Plain<OldMood>>(file_of<Plain<Mood>>({{Mood::calm, 1, {Mood::calm, Mood::calm}}}));
  ASSERT_EQ(calm.size(), 1u);
  EXPECT_EQ(calm[0].mood, OldMood::calm);
}

TEST(EnumNames, EnumsOverBoolAreChecked) {
  const auto flags =
      loaded<Plain<Flag>>(file_of<Plain<OldFlag>>({{OldFlag::on, 1, {OldFlag::off, OldFlag::on}}}));
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].mood, Flag::on);
  EXPECT_THAT(flags[0].both, ElementsAre(Flag::off, Flag::on));
  const Error error =
      refused<Plain<Flag>>(file_of<Plain<OldFlag>>({{OldFlag{2}, 1, {OldFlag::off, OldFlag::on}}}));
  EXPECT_EQ(error.code, ErrorCode::value_refused);
}

// --- what is refused

TEST(EnumNames, ANameThatTheProgramLacksIsRefusedWithItsPlace) {
  const auto says = AllOf(HasSubstr("the file's value 2 is 'bored', a name that the program's enum "
                                    "does not have"),
                          HasSubstr("beasts:1@1"), HasSubstr("table 'beasts'"),
                          HasSubstr("hdb::Renames of the enum"));
  const Error plain = refused<Plain<Mood>>(
      file_of<Plain<OldMood>>({{}, {OldMood::calm, 1, {OldMood::calm, OldMood::bored}}}));
  EXPECT_EQ(plain.code, ErrorCode::value_out_of_range);
  EXPECT_THAT(plain.message(), AllOf(says, HasSubstr("field 'both[]'")));
  const Error rich_error = refused<Rich<Mood>>(file_of<Rich<OldMood>>(
      {rich(OldMood::calm, OldMood::angry), rich(OldMood::calm, OldMood::bored)}));
  EXPECT_EQ(rich_error.code, ErrorCode::value_out_of_range);
  EXPECT_THAT(rich_error.message(), AllOf(says, HasSubstr("field 'list[]'")));
}

TEST(EnumNames, AnUnnamedNumberThatTheProgramNamesIsRefused) {
  const Error error = refused<Plain<Mood>>(
      file_of<Plain<OldMood>>({{OldMood{9}, 1, {OldMood::calm, OldMood::calm}}}));
  EXPECT_EQ(error.code, ErrorCode::value_out_of_range);
  EXPECT_THAT(error.message(),
              AllOf(HasSubstr("the file's value 9 has no name in the file, but it is 'sad' in the "
                              "program"),
                    HasSubstr("field 'mood' of beasts:0@1"), HasSubstr("migration")));
}

TEST(EnumNames, AnUnnamedNumberMustFitTheProgramsInteger) {
  const Error error =
      refused<Plain<OldMood>>(file_of<Plain<Mood>>({{Mood{1000}, 1, {Mood::calm, Mood::calm}}}));
  EXPECT_THAT(error.message(), HasSubstr("the stored i16 1000 does not fit the program's u8"));
}

// --- names on one side, equal names

TEST(EnumNames, NumbersAreKeptIfOneSideHasNoNames) {
  const auto named = loaded<Plain<OldMood>>(
      file_of<Plain<BareMood>>({{BareMood::angry, 1, {BareMood{77}, BareMood::calm}}}));
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0].mood, OldMood::angry);
  EXPECT_EQ(named[0].both[0], OldMood{77});
  const auto bare = loaded<Plain<BareMood>>(
      file_of<Plain<OldMood>>({{OldMood::bored, 1, {OldMood{77}, OldMood::calm}}}));
  ASSERT_EQ(bare.size(), 1u);
  EXPECT_EQ(bare[0].mood, BareMood{2});
}

TEST(EnumNames, EqualNamesMakeEqualSchemas) {
  const Bytes file = file_of<Plain<OldMood>>({{OldMood::bored, 1, {OldMood{77}, OldMood::calm}}});
  Database db;
  auto& table = db.create_table<Plain<SameMood>>("beasts");
  const auto report = load(db, file);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(report->tables.at(0).exact_schema) << "the order of a declaration does not count";
  EXPECT_EQ(table.begin()->mood, SameMood::bored);
  EXPECT_EQ(table.begin()->both[0], SameMood{77});
  EXPECT_EQ(saved(db).size(), file.size());
}

TEST(EnumNames, AreNotPartOfTheState) {
  Database bare;
  Database named;
  bare.create_table<Plain<BareMood>>("beasts").insert({BareMood::angry, 1, {}});
  named.create_table<Plain<OldMood>>("beasts").insert({OldMood::angry, 1, {}});
  EXPECT_EQ(bare.state_hash(), named.state_hash());
  EXPECT_LT(saved(bare).size(), saved(named).size());
}

// --- other ways in

TEST(EnumNames, CountInsideOfARaisedClassVersion) {
  std::string summary;
  const auto beasts = loaded<Versioned>(file_of<OldVersioned>({{OldMood::angry}}), &summary);
  ASSERT_EQ(beasts.size(), 1u) << summary;
  EXPECT_EQ(beasts[0].mood, Mood::furious);
  EXPECT_EQ(beasts[0].hp, 5);
}

TEST(EnumNames, CodeThatReadsTheOldEnumGetsTheOldNumbers) {
  const auto beasts = loaded<ByHand>(file_of<OldVersioned>({{OldMood::angry}}));
  ASSERT_EQ(beasts.size(), 1u);
  EXPECT_EQ(beasts[0].mood, Mood::sad);
}

TEST(EnumNames, CountInImports) {
  const Bytes file = file_of<Rich<OldMood>>({rich(OldMood::calm, OldMood::angry)});
  Database db;
  auto& table = db.create_table<Rich<Mood>>("beasts");
  table.insert({});
  const auto report = db.import_records(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(table.size(), 2u);
  const Rich<Mood>& imported = *std::next(table.begin());
  EXPECT_EQ(imported.keys, rich(Mood::calm, Mood::furious).keys);
  EXPECT_THAT(report->summary(), HasSubstr("list[] renumbered (x3)"));
}

TEST(EnumNames, ARestoreKeepsNumbers) {
  Database db;
  auto& table = db.create_table<Plain<OldMood>>("beasts");
  const auto beast = table.insert({OldMood::odd, 1, {}});
  const Snapshot before = db.capture();
  table.edit(beast)->mood = OldMood::calm;
  ASSERT_TRUE(db.restore(before));
  EXPECT_EQ(table.at(beast).mood, OldMood::odd);
}

// --- declarations

template <int kCase>
std::string fault_of() {
  Database db;
  const auto table = db.try_create_table<OddNamed<kCase>>("odd");
  return table ? "none" : table.error().message();
}

TEST(EnumNames, ContradictoryDeclarationsAreRefused) {
  EXPECT_THAT(fault_of<0>(), HasSubstr("field 'value': two of its values are named 'a'"));
  EXPECT_THAT(fault_of<1>(), HasSubstr("its value 0 has two names, 'a' and 'b'"));
  EXPECT_THAT(fault_of<2>(), HasSubstr("its value 0: the name is empty"));
  EXPECT_THAT(fault_of<3>(), HasSubstr("enumerator 'old' is now enumerator 'c', but the type has "
                                       "no enumerator of that name; list it in hdb::EnumNames"));
  EXPECT_THAT(fault_of<4>(), HasSubstr("but the type still has an enumerator of the old name"));
  EXPECT_THAT(fault_of<5>(), HasSubstr("the type has no enumerator of that name"));
  EXPECT_EQ(fault_of<6>(), "none");
}

TEST(EnumNames, AreInTheFileAndInTheDocumentOfSchemas) {
  Database db;
  db.create_table<Plain<Mood>>("beasts");
  const auto reader = Reader::open(std::make_unique<MemorySource>(saved(db)));
  ASSERT_TRUE(reader);
  EXPECT_EQ(enumerators_text((*reader)->schemas()[0].children[0]),
            "furious -1, glad 0, sad 9, calm 300");
  EXPECT_THAT(
      db.schema_json(),
      AllOf(HasSubstr(R"("values":[{"number":-1,"name":"furious"},)"),
            HasSubstr(R"({"structure":"mood","old_name":"cross","new_name":"furious"})"),
            HasSubstr(R"({"structure":"both[]","old_name":"angry","new_name":"furious"})")));
}

}  // namespace
}  // namespace hdb::test::enum_test
