// Values that the program does not have: enumerators and alternatives of a mod that was removed.
// The load fails, takes defaults or drops the records, as LoadOptions::unknown_values says, and
// counts them.
#include "database/variant_world.hpp"
#include "hdb/component_table.hpp"

namespace hdb::test::variant_test {

struct Aura {
  int radius = 4;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(radius));
  }
};

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(UnknownValues, AreRefusedUnlessTheProgramSaysOtherwise) {
  for (const Path path : kPaths) {
    const auto got = load_by<Base>(path, Modded(Laser{7}));
    ASSERT_TRUE(got.error);
    EXPECT_EQ(got.error->code, ErrorCode::value_out_of_range);
    EXPECT_THAT(got.error->message(), HasSubstr("<1> {heat: i32}"));
    EXPECT_THAT(got.error->message(), HasSubstr("LoadOptions::unknown_values"));
  }
}

TEST(UnknownValues, TakeTheDefaultOfTheField) {
  for (const Path path : {Path::plain, Path::raised_version, Path::migration, Path::import}) {
    const auto got =
        load_by<Base>(path, Modded(Laser{7}), {.unknown_values = UnknownValue::use_default});
    ASSERT_FALSE(got.error) << got.error->message();
    EXPECT_EQ(got.v, Base(Sword{1}));
    EXPECT_THAT(got.all, ElementsAre(std::nullopt, Base(Sword{1})));
    EXPECT_THAT(got.summary, HasSubstr("v unknown (x1)"));
    EXPECT_THAT(got.summary, HasSubstr("all[]? unknown (x1)"));
    const auto known =
        load_by<Base>(path, Modded(Potion{7}), {.unknown_values = UnknownValue::use_default});
    EXPECT_EQ(known.v, Base(Potion{7}));
    EXPECT_THAT(known.summary, Not(HasSubstr("unknown")));
  }
}

TEST(UnknownValues, DropTheirRecords) {
  for (const Path path : {Path::plain, Path::raised_version, Path::migration}) {
    const auto got =
        load_by<Base>(path, Modded(Laser{7}), {.unknown_values = UnknownValue::drop_record});
    ASSERT_FALSE(got.error) << got.error->message();
    EXPECT_FALSE(got.v) << "the record is there";
    EXPECT_THAT(got.summary, HasSubstr("0 records"));
    EXPECT_THAT(got.summary, HasSubstr("dropped for unknown values (x1)"));
  }
  const auto imported =
      load_by<Base>(Path::import, Modded(Potion{7}), {.unknown_values = UnknownValue::drop_record});
  ASSERT_TRUE(imported.error);
  EXPECT_EQ(imported.error->code, ErrorCode::bad_options);
}

TEST(UnknownValues, ADroppedRecordGoesWithItsComponentsAndOthersStay) {
  Database old;
  auto& items = old.create_table<Item<Modded>>("items");
  auto& auras = old.create_component_table<Aura>("aura", items);
  const auto sword = items.insert({Sword{5}, {}});
  const auto laser = items.insert({Laser{7}, {}});
  const auto potion = items.insert({Potion{6}, {}});
  for (const auto handle : {sword, laser, potion}) auras.insert(handle, {8});
  Database db;
  auto& base = db.create_table<Item<Base>>("items");
  auto& base_auras = db.create_component_table<Aura>("aura", base);
  const auto loaded =
      db.load(source_of(file_of(old)), {.unknown_values = UnknownValue::drop_record});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(db.check_invariants(), nullptr);
  const auto find = [&](auto handle) {
    return base.find(Handle<Item<Base>>::from_bits(handle.bits()));
  };
  EXPECT_EQ(find(laser), nullptr);
  ASSERT_NE(find(sword), nullptr);
  EXPECT_EQ(find(sword)->v, Base(Sword{5}));
  ASSERT_NE(find(potion), nullptr);
  EXPECT_EQ(find(potion)->v, Base(Potion{6}));
  EXPECT_EQ(base_auras.size(), 2U);
  const TableLoadReport& report =
      loaded->tables.at(0).name == "items" ? loaded->tables.at(0) : loaded->tables.at(1);
  EXPECT_EQ(report.unknown_records, 1U);
  EXPECT_EQ(report.live_count, 2U);
  EXPECT_EQ(report.promise, HandlePromise::handles_valid);
}

TEST(UnknownValues, OfCopiedFieldsTakeTheirDefaults) {
  Database old;
  auto& pawns = old.create_table<Pawn<ModRace>>("pawns");
  pawns.insert({ModRace::robot, {ModRace::man, ModRace::robot}, 7});
  pawns.insert({ModRace::man, {ModRace::elf, ModRace::man}, 8});
  const Bytes file = file_of(old);
  Database db;
  auto& base = db.create_table<Pawn<Race>>("pawns");
  EXPECT_EQ(db.load(source_of(file)).error().code, ErrorCode::value_out_of_range);
  const auto loaded = db.load(source_of(file), {.unknown_values = UnknownValue::use_default});
  ASSERT_TRUE(loaded) << loaded.error().message();
  std::vector<Pawn<Race>> got(base.begin(), base.end());
  EXPECT_EQ(got.at(0).race, Race::elf);
  EXPECT_THAT(got.at(0).both, ElementsAre(Race::man, Race::elf));
  EXPECT_EQ(got.at(0).hp, 7);
  EXPECT_EQ(got.at(1).race, Race::man);
  EXPECT_THAT(got.at(1).both, ElementsAre(Race::elf, Race::man));
  EXPECT_THAT(loaded->summary(), HasSubstr("race unknown (x1)"));
  EXPECT_THAT(loaded->summary(), HasSubstr("both[] unknown (x1)"));
}

TEST(UnknownValues, OfKeysAndElementsOfSetsAreLeftOutAndCounted) {
  Database old;
  old.create_table<Team<ModRace>>("teams").insert(
      {{{ModRace::man, 1}, {ModRace::robot, 2}, {ModRace::elf, 3}},
       {ModRace::man, ModRace::robot},
       3});
  Database db;
  auto& teams = db.create_table<Team<Race>>("teams");
  const auto loaded =
      db.load(source_of(file_of(old)), {.unknown_values = UnknownValue::use_default});
  ASSERT_TRUE(loaded) << loaded.error().message();
  using Count = std::map<Race, int>;
  EXPECT_EQ(teams.begin()->count, (Count{{Race::man, 1}, {Race::elf, 3}}));
  EXPECT_THAT(teams.begin()->seen, ElementsAre(Race::man));
  EXPECT_THAT(loaded->summary(), HasSubstr("count[].key unknown (x1)"));
  EXPECT_THAT(loaded->summary(), HasSubstr("seen[] unknown (x1)"));
}

TEST(UnknownValues, EachTableMayHaveItsOwnAnswer) {
  Database old;
  old.create_table<Pawn<ModRace>>("pawns").insert({ModRace::robot});
  old.create_table<Team<ModRace>>("teams").insert({{{ModRace::robot, 2}}, {}, 3});
  const Bytes file = file_of(old);
  Database db;
  auto& pawns = db.create_table<Pawn<Race>>("pawns");
  auto& teams = db.create_table<Team<Race>>("teams");
  LoadOptions options;
  options.unknown_values_of = {{"teams", UnknownValue::use_default}};
  const auto refused = db.load(source_of(file), options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("pawns"));
  options.unknown_values = UnknownValue::drop_record;
  ASSERT_TRUE(db.load(source_of(file), options));
  EXPECT_EQ(pawns.size(), 0U);
  EXPECT_EQ(teams.size(), 1U);
}

TEST(UnknownValues, ASingletonKeepsItsRecord) {
  Database old;
  old.singleton<Pawn<ModRace>>("hero").edit().race = ModRace::robot;
  const Bytes file = file_of(old);
  Database db;
  auto& hero = db.singleton<Pawn<Race>>("hero");
  const auto dropped = db.load(source_of(file), {.unknown_values = UnknownValue::drop_record});
  ASSERT_FALSE(dropped);
  EXPECT_EQ(dropped.error().code, ErrorCode::value_out_of_range);
  ASSERT_TRUE(db.load(source_of(file), {.unknown_values = UnknownValue::use_default}));
  EXPECT_EQ(hero.get().race, Race::elf);
}

}  // namespace
}  // namespace hdb::test::variant_test
