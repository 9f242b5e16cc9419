// compare_schemas says of the names of enumerators what a load does with their values.
#include "compat_outcome.hpp"

namespace hdb::test::compat_enums_test {

enum class Old : std::uint8_t { calm, angry, bored };
enum class Moved : std::uint16_t { angry, bored, calm };
enum class Fewer : std::uint8_t { calm, angry };
enum class More : std::uint8_t { calm, angry, bored, glad };
enum class Renamed : std::uint8_t { calm, furious, bored };
enum class Bare : std::uint8_t { calm, angry, bored };

}  // namespace hdb::test::compat_enums_test

template <>
struct hdb::EnumNames<hdb::test::compat_enums_test::Old> {
  using E = hdb::test::compat_enums_test::Old;
  static constexpr std::array list{hdb::EnumName{E::calm, "calm"}, hdb::EnumName{E::angry, "angry"},
                                   hdb::EnumName{E::bored, "bored"}};
};
template <>
struct hdb::EnumNames<hdb::test::compat_enums_test::Moved> {
  using E = hdb::test::compat_enums_test::Moved;
  static constexpr std::array list{hdb::EnumName{E::calm, "calm"}, hdb::EnumName{E::angry, "angry"},
                                   hdb::EnumName{E::bored, "bored"}};
};
template <>
struct hdb::EnumNames<hdb::test::compat_enums_test::Fewer> {
  using E = hdb::test::compat_enums_test::Fewer;
  static constexpr std::array list{hdb::EnumName{E::calm, "calm"},
                                   hdb::EnumName{E::angry, "angry"}};
};
template <>
struct hdb::EnumNames<hdb::test::compat_enums_test::More> {
  using E = hdb::test::compat_enums_test::More;
  static constexpr std::array list{hdb::EnumName{E::calm, "calm"}, hdb::EnumName{E::angry, "angry"},
                                   hdb::EnumName{E::bored, "bored"},
                                   hdb::EnumName{E::glad, "glad"}};
};
template <>
struct hdb::EnumNames<hdb::test::compat_enums_test::Renamed> {
  using E = hdb::test::compat_enums_test::Renamed;
  static constexpr std::array list{hdb::EnumName{E::calm, "calm"},
                                   hdb::EnumName{E::furious, "furious"},
                                   hdb::EnumName{E::bored, "bored"}};
};
template <>
struct hdb::Renames<hdb::test::compat_enums_test::Renamed> {
  static constexpr std::array list{hdb::Rename{"angry", "furious"}};
};

namespace hdb::test::compat_enums_test {
namespace {

using namespace compat_test;

const CompatFinding& finding(const Outcome& got, std::size_t i = 0) {
  return got.report.tables.at(0).findings.at(i);
}

TEST(CompatEnums, EqualNamesAreIdentical) {
  expect(outcome(table_of(with(Old::bored)), table_of<With<Old>>()), Compatibility::identical, {});
}

TEST(CompatEnums, RenumberedEnumeratorsAreReadable) {
  const Outcome got = outcome(table_of(with(Old::bored)), table_of<With<Moved>>());
  expect(got, Compatibility::readable,
         {CompatRule::enumerators_renumbered, CompatRule::number_widened});
  EXPECT_EQ(finding(got).what,
            "'calm' 0 -> 2, 'angry' 1 -> 0, 'bored' 2 -> 1; the values follow their names");
  EXPECT_THAT(got.loaded->summary(), HasSubstr("value renumbered (x1)"));
}

TEST(CompatEnums, RemovedEnumeratorsAreIncompatibleForSomeValues) {
  const Outcome refused = outcome(table_of(with(Old::bored)), table_of<With<Fewer>>());
  expect(refused, Compatibility::incompatible, {CompatRule::enumerators_removed});
  EXPECT_TRUE(finding(refused).depends_on_values);
  EXPECT_EQ(finding(refused).what, "'bored' (2); a file with such a value is refused");
  const Outcome fits = outcome(table_of(with(Old::angry)), table_of<With<Fewer>>());
  EXPECT_TRUE(fits.loaded);
  EXPECT_EQ(fits.report.verdict, Compatibility::incompatible) << "a document has no values";
}

TEST(CompatEnums, AddedEnumeratorsAreReadable) {
  const Outcome got = outcome(table_of(with(Old::bored)), table_of<With<More>>());
  expect(got, Compatibility::readable, {CompatRule::enumerators_added});
  EXPECT_EQ(finding(got).what, "'glad' (3); a file with a value of that number is refused");
  EXPECT_FALSE(outcome(table_of(with(Old{3})), table_of<With<More>>()).loaded);
}

TEST(CompatEnums, RenamedEnumeratorsAreReadableIfDeclared) {
  const Fill old_game = table_of(with(Old::angry));
  const auto declare = [](const char* field) {
    return [=](TableSchema& table) { table.renames = {{field, "angry", "furious"}}; };
  };
  const Outcome got = outcome(old_game, table_of<With<Renamed>>(), declare("value"));
  expect(got, Compatibility::readable, {CompatRule::enumerators_renamed});
  EXPECT_EQ(finding(got).what, "'angry' -> 'furious', which the program declares");
  EXPECT_FALSE(got.loaded->tables.at(0).exact_schema);
  EXPECT_TRUE(got.loaded->tables.at(0).changes.empty()) << "no number changed";
  const Outcome other = outcome(old_game, table_of<With<Renamed>>(), declare("same"));
  EXPECT_EQ(other.rules(), std::vector{CompatRule::enumerators_removed});
}

TEST(CompatEnums, NamesOnOneSideKeepTheNumbers) {
  expect(outcome(table_of(with(Bare::bored)), table_of<With<Fewer>>()), Compatibility::readable,
         {CompatRule::description_changed});
  expect(outcome(table_of(with(Old::bored)), table_of<With<Bare>>()), Compatibility::readable,
         {CompatRule::description_changed});
}

TEST(CompatEnums, NarrowerEnumsAreCheckedByName) {
  const Outcome got = outcome(table_of(with(Moved::calm)), table_of<With<Old>>());
  EXPECT_EQ(got.rules(),
            (std::vector{CompatRule::enumerators_renumbered, CompatRule::number_narrowed}));
  EXPECT_TRUE(got.loaded);
}

}  // namespace
}  // namespace hdb::test::compat_enums_test
