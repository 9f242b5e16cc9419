// Alternatives and enumerators of a mod come back after a save in the game without it.
#include <array>

#include "database/variant_world.hpp"

namespace hdb::test::variant_test {

enum class NewRank : std::uint8_t { low, high, top, count };
enum class OldRank : std::uint8_t { high, low, extra };         // `top` has the number of `extra`
enum class WideRank : std::uint8_t { high, low, extra, more };  // and `more` that of the count
/// Counts its names, as NewRank does, but has fewer.
enum class ShortRank : std::uint8_t { low, high, count };
template <class Rank>
struct Officer {
  Rank rank = Rank::low;
  std::vector<Rank> past = {};
};

}  // namespace hdb::test::variant_test

template <>
struct hdb::EnumNames<hdb::test::variant_test::NewRank> {
  using Rank = hdb::test::variant_test::NewRank;
  static constexpr std::array list{hdb::EnumName{Rank::low, "low"},
                                   hdb::EnumName{Rank::high, "high"},
                                   hdb::EnumName{Rank::top, "top"}};
};
template <>
struct hdb::EnumNames<hdb::test::variant_test::OldRank>
    : hdb::AutoEnumNames<hdb::test::variant_test::OldRank, 0, 7> {};
template <>
struct hdb::EnumNames<hdb::test::variant_test::WideRank>
    : hdb::AutoEnumNames<hdb::test::variant_test::WideRank, 0, 7> {};
template <>
struct hdb::EnumNames<hdb::test::variant_test::ShortRank> {
  using Rank = hdb::test::variant_test::ShortRank;
  static constexpr std::array list{hdb::EnumName{Rank::low, "low"},
                                   hdb::EnumName{Rank::high, "high"}};
};

namespace hdb::test::variant_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr bool kKeeps = true;

/// The game with a mod saves, the game without loads.
struct Visit {
  Database mod;
  Table<Item<Modded>>& mod_items = mod.create_table<Item<Modded>>("items");
  Table<Pawn<ModRace>>& mod_pawns = mod.create_table<Pawn<ModRace>>("pawns");
  Table<Team<ModRace>>& mod_teams = mod.create_table<Team<ModRace>>("teams");
  Database base;
  Table<Item<Base>>& items = base.create_table<Item<Base>>("items");
  Table<Pawn<Race>>& pawns = base.create_table<Pawn<Race>>("pawns");
  Table<Team<Race>>& teams = base.create_table<Team<Race>>("teams");

  Visit() {
    mod_items.insert({Laser{7}, {std::nullopt, Laser{8}, Potion{3}}});
    mod_items.insert({Potion{5}, {Laser{9}}});
    mod_pawns.insert({ModRace::robot, {ModRace::man, ModRace::robot}, 7});
    mod_pawns.insert({ModRace::elf, {ModRace::man, ModRace::elf}, 8});
    mod_teams.insert({{{ModRace::man, 1}, {ModRace::robot, 2}}, {ModRace::robot}, 3});
  }
  std::string enter() {
    const auto loaded = base.load(source_of(file_of(mod)), {.keep_unknown = kKeeps});
    EXPECT_TRUE(loaded) << loaded.error().message();
    return loaded ? loaded->summary() : "";
  }
  void leave() {
    const auto loaded = mod.load(source_of(file_of(base)));
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(mod.check_invariants(), nullptr);
  }
};

template <class T>
std::vector<T> all(const Table<T>& table) {
  return {table.begin(), table.end()};
}

TEST(KeptUnknown, ValuesOfAModComeBack) {
  Visit visit;
  const std::string summary = visit.enter();
  EXPECT_THAT(summary, HasSubstr("v kept (x1)"));
  EXPECT_THAT(summary, HasSubstr("all[]? kept (x2)"));
  EXPECT_THAT(summary, HasSubstr("race kept (x1)"));
  EXPECT_THAT(summary, HasSubstr("count[].key kept (x1)"));
  EXPECT_THAT(summary, Not(HasSubstr("unknown")));
  EXPECT_EQ(all(visit.items).at(0).v, Base(Sword{1})) << "the default of the program";
  EXPECT_EQ(all(visit.items).at(1).v, Base(Potion{5}));
  EXPECT_EQ(all(visit.pawns).at(0).race, Race::elf);
  EXPECT_EQ(all(visit.pawns).at(1).race, Race::elf);
  for (int times = 0; times < 2; ++times) {  // a kept value is kept in the next visit, too
    visit.leave();
    const auto items = all(visit.mod_items);
    ASSERT_EQ(items.size(), 2U);
    EXPECT_EQ(items[0].v, Modded(Laser{7}));
    EXPECT_THAT(items[0].all, ElementsAre(std::nullopt, Modded(Laser{8}), Modded(Potion{3})));
    EXPECT_EQ(items[1].v, Modded(Potion{5}));
    EXPECT_THAT(items[1].all, ElementsAre(Modded(Laser{9})));
    const auto pawns = all(visit.mod_pawns);
    EXPECT_EQ(pawns.at(0).race, ModRace::robot);
    EXPECT_THAT(pawns.at(0).both, ElementsAre(ModRace::man, ModRace::robot));
    EXPECT_EQ(pawns.at(1).race, ModRace::elf);
    EXPECT_THAT(pawns.at(1).both, ElementsAre(ModRace::man, ModRace::elf));
    const auto teams = all(visit.mod_teams);
    using Count = std::map<ModRace, int>;
    EXPECT_EQ(teams.at(0).count, (Count{{ModRace::man, 1}, {ModRace::robot, 2}}));
    EXPECT_THAT(teams.at(0).seen, ElementsAre(ModRace::robot));
    const auto again = visit.base.load(source_of(file_of(visit.base)), {.keep_unknown = kKeeps});
    ASSERT_TRUE(again) << again.error().message();
  }
}

TEST(KeptUnknown, WhatTheProgramChangesIsItsOwn) {
  Visit visit;
  visit.enter();
  const Snapshot before = visit.base.capture();
  visit.items.edit_each([](auto, auto& item) {
    if (item.all.size() == 3) item.v = Potion{6};
    if (item.all.size() == 1) item.all.push_back(Sword{2});
  });
  visit.pawns.edit_each([](auto, auto& pawn) { pawn.hp = 1; });
  visit.items.insert({Sword{1}, {}});  // as the default that stands for what is kept
  visit.leave();
  auto items = all(visit.mod_items);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].v, Modded(Potion{6}));
  EXPECT_EQ(items[0].all.at(1), Modded(Laser{8})) << "another field of the record";
  EXPECT_THAT(items[1].all, ElementsAre(Modded(Sword{1}), Modded(Sword{2})));
  EXPECT_EQ(items[2].v, Modded(Sword{1}));
  EXPECT_EQ(all(visit.mod_pawns).at(0).race, ModRace::robot);
  EXPECT_EQ(all(visit.mod_pawns).at(0).hp, 1);
  ASSERT_TRUE(visit.base.restore(before));
  visit.leave();
  items = all(visit.mod_items);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].v, Modded(Laser{7}));
  EXPECT_THAT(items[1].all, ElementsAre(Modded(Laser{9})));
}

template <class Rank>
Bytes file_of_officers(const std::vector<Officer<Rank>>& officers) {
  Database db;
  auto& table = db.create_table<Officer<Rank>>("officers");
  for (const auto& officer : officers) table.insert(officer);
  return file_of(db);
}

// Values without names, such as the number of the names, stay what they are beside a kept name.
TEST(KeptUnknown, AKeptEnumeratorTakesNoNumberWithoutAName) {
  using New = NewRank;
  Database old;
  old.create_table<Officer<OldRank>>("officers");
  ASSERT_TRUE(old.load(source_of(file_of_officers<New>(
                           {{New::count, {New::low}}, {New::top, {New::top, New::count}}})),
                       {.keep_unknown = kKeeps}));
  Database back;
  auto& officers = back.create_table<Officer<New>>("officers");
  ASSERT_TRUE(back.load(source_of(file_of(old))));
  EXPECT_EQ(all(officers).at(0).rank, New::count);
  EXPECT_EQ(all(officers).at(1).rank, New::top);
  EXPECT_THAT(all(officers).at(1).past, ElementsAre(New::top, New::count));
}

TEST(KeptUnknown, ANumberOfTheProgramGetsNoKeptName) {
  using New = NewRank;
  using Short = ShortRank;
  Database old;
  auto& officers = old.create_table<Officer<Short>>("officers");
  ASSERT_TRUE(
      old.load(source_of(file_of_officers<New>({{New::top, {}}})), {.keep_unknown = kKeeps}));
  officers.insert({Short::count, {}});
  ASSERT_TRUE(old.load(source_of(file_of(old)), {.keep_unknown = kKeeps}));
  EXPECT_EQ(all(officers).at(1).rank, Short::count);
  Database back;
  back.create_table<Officer<New>>("officers");
  const auto refused = back.load(source_of(file_of(old)));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("has no name in the file, but it is 'top'"));
}

// A number that has a name in the program alone cannot be written as it was.
TEST(KeptUnknown, ANumberThatWouldGetANameIsNotKept) {
  using New = NewRank;
  Database old;
  old.create_table<Officer<WideRank>>("officers");
  const LoadOptions defaults{.keep_unknown = kKeeps, .unknown_values = UnknownValue::use_default};
  const auto dropped = old.load(source_of(file_of_officers<New>({{New::count, {}}})), defaults);
  ASSERT_TRUE(dropped) << dropped.error().message();
  EXPECT_THAT(dropped->summary(), HasSubstr("rank unknown (x1)"));
  EXPECT_THAT(dropped->summary(), Not(HasSubstr("kept")));
  const auto refused =
      old.load(source_of(file_of_officers<New>({{New::low, {New::top, New::count}}})), defaults);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::value_out_of_range);
  EXPECT_THAT(refused.error().message(), HasSubstr("slot 0"));
}

TEST(KeptUnknown, WhatCannotBeKeptNeedsAnAnswer) {
  using Wide = std::variant<Blade, Potion>;  // Sword gained a field
  Database old;
  old.create_table<Item<Modded>>("items").insert({Laser{7}, {}});
  const Bytes file = file_of(old);
  Database db;
  auto& items = db.create_table<Item<Wide>>("items");
  const auto refused = db.load(source_of(file), {.keep_unknown = kKeeps});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::value_out_of_range);
  const auto loaded = db.load(
      source_of(file), {.keep_unknown = kKeeps, .unknown_values = UnknownValue::use_default});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_THAT(loaded->summary(), HasSubstr("v unknown (x1)"));
  EXPECT_EQ(items.begin()->v, Wide(Blade{}));
}

}  // namespace
}  // namespace hdb::test::variant_test
