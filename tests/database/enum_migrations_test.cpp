// Enumerators in migrations: values keep the stored numbers and names until the record is complete.
#include "database/enum_world.hpp"

#include "hdb/migration.hpp"

namespace hdb::test::enum_test {

/// The old record: `state` is `mood` in the new one, and `spare` stays.
struct OldBeast {
  OldMood state{};
  std::vector<OldMood> spare = {};
  std::vector<OldMood> narrow = {};
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(state), CEREAL_NVP(spare), CEREAL_NVP(narrow));
  }
};
struct Beast {
  Mood mood{};
  std::vector<Mood> spare = {};
  std::vector<Swapped> narrow = {};
  Mood other = Mood::glad;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(mood), CEREAL_NVP(spare), CEREAL_NVP(narrow), CEREAL_NVP(other));
  }
};

}  // namespace hdb::test::enum_test

CEREAL_CLASS_VERSION(hdb::test::enum_test::OldBeast, 1)
CEREAL_CLASS_VERSION(hdb::test::enum_test::Beast, 2)

namespace hdb::test::enum_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<LoadReport> migrated(const std::vector<OldBeast>& records, const MigrationFunction& step,
                            std::vector<Beast>& out) {
  Database db;
  auto& table = db.create_table<Beast>("beasts");
  db.declare_migration({.table = "beasts", .from = 1}, step);
  auto report = load(db, file_of(records));
  for (const Beast& beast : table) out.push_back(beast);
  return report;
}

TEST(EnumMigrations, ValuesHaveStoredNumbersAndNamesAndFollowThem) {
  std::vector<Beast> beasts;
  const auto report = migrated(
      {{OldMood::angry, {OldMood::calm, OldMood::angry}}},
      [](DynamicValue& record, MigrationContext&) {
        const DynamicValue& state = record.at("state");
        EXPECT_EQ(state.as<int>(), 1) << "the number of the file";
        EXPECT_EQ(state.enumerator(), "angry");
        EXPECT_EQ(state.as<OldMood>(), OldMood::angry);
        EXPECT_EQ(state.as<Mood>(), Mood::furious) << "by its name";
        EXPECT_EQ(state.as<BareMood>(), BareMood{1}) << "an enum without names";
        EXPECT_EQ(record.at("spare[0]").enumerator(), "calm");
        EXPECT_EQ(DynamicValue(Mood::calm).enumerator(), "") << "not of a file";
        record.move("state", "mood");
        record.set("other", Mood::sad);
      },
      beasts);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(beasts.size(), 1u);
  EXPECT_EQ(beasts[0].mood, Mood::furious);
  EXPECT_THAT(beasts[0].spare, ElementsAre(Mood::calm, Mood::furious));
  EXPECT_EQ(beasts[0].other, Mood::sad) << "a value of the program stays";
  EXPECT_EQ(report->summary(),
            "beasts: 1 record, migrated from version 1 to 2 (x1), mood converted from enum<u8> to "
            "enum<i16> (x1), mood renumbered (x1), spare[] converted from enum<u8> to enum<i16> "
            "(x2), spare[] renumbered (x2)");
}

TEST(EnumMigrations, ListsThatNoStepTouchesFollowTheirNames) {
  std::vector<Beast> beasts;
  const auto report = migrated(
      {{OldMood::calm,
        {OldMood::calm, OldMood::angry, OldMood::odd},
        {OldMood::angry, OldMood::bored}}},
      [](DynamicValue&, MigrationContext&) {}, beasts);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(beasts.size(), 1u);
  EXPECT_THAT(beasts[0].spare, ElementsAre(Mood::calm, Mood::furious, Mood{7}));
  EXPECT_THAT(beasts[0].narrow, ElementsAre(Swapped::angry, Swapped::bored));
}

TEST(EnumMigrations, AValueWithoutItsNameIsRefused) {
  std::vector<Beast> beasts;
  const auto report = migrated(
      {{}, {OldMood::calm, {OldMood::calm, OldMood::bored}}},
      [](DynamicValue&, MigrationContext&) {}, beasts);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::value_out_of_range);
  EXPECT_THAT(report.error().message(), HasSubstr("the file's value 2 is 'bored'"));
  EXPECT_THAT(report.error().message(), HasSubstr("field 'spare[]'"));
  EXPECT_THAT(report.error().message(), HasSubstr("beasts:1@1"));
}

TEST(EnumMigrations, AMigrationMayReplaceAValueWithoutItsName) {
  std::vector<Beast> beasts;
  const auto report = migrated(
      {{OldMood::bored, {}}, {OldMood{9}, {}}},
      [](DynamicValue& record, MigrationContext&) {
        EXPECT_THROW(static_cast<void>(record.at("state").as<Mood>()), DynamicError);
        record.set("mood", record.at("state").enumerator() == "bored" ? Mood::sad : Mood::glad);
        record.remove("state");
      },
      beasts);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(beasts.size(), 2u);
  EXPECT_EQ(beasts[0].mood, Mood::sad);
  EXPECT_EQ(beasts[1].mood, Mood::glad);
}

}  // namespace
}  // namespace hdb::test::enum_test
