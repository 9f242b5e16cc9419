// Files of older programs: renamed tables, changed fields, what the report says, and refusals that
// change nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::old_saves_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

struct OldMonster {
  std::string name = "imp";
  std::int16_t health = 10;
  std::int32_t rage = 3;
  std::optional<std::int32_t> armour = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(health), CEREAL_NVP(rage), CEREAL_NVP(armour));
  }
};
struct Monster {
  std::int32_t armour = 50;
  std::int32_t mana = 7;
  std::string name = {};
  std::int32_t hp = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(armour), CEREAL_NVP(mana), CEREAL_NVP(name), CEREAL_NVP(hp));
  }
};
struct Small {
  std::int8_t hp = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp));
  }
};
struct Large {
  std::int32_t hp = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp));
  }
};
/// As Small, but read by its own code.
struct Named {
  std::string name;
  std::int8_t hp = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(hp));
  }
};
/// Holds handles into the table that is renamed.
struct Pack {
  std::vector<Handle<Unit>> members;
  Handle<Unit> leader;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(members), CEREAL_NVP(leader));
  }
};

/// The spots of one program are an array, those of the other a list or an optional list.
struct Spots {
  std::array<std::int32_t, 3> at = {};
  std::vector<std::int32_t> more = {1};
};
struct SpotList {
  std::vector<std::int32_t> at = {};
};
struct SpotChoice {
  std::vector<std::optional<std::string>> more = {};
};

}  // namespace hdb::test::old_saves_test

template <>
struct hdb::Renames<hdb::test::old_saves_test::Monster> {
  static constexpr std::array list{hdb::Rename{"health", "hp"}};
};

namespace hdb::test::old_saves_test {
namespace {

Bytes saved(Database& db) {
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}

Result<LoadReport> load(Database& db, const Bytes& bytes, const LoadOptions& options = {}) {
  return db.load(std::make_unique<MemorySource>(bytes), options);
}

Error must_fail(Database& db, const Bytes& bytes) {
  const Hash128 before = db.state_hash();
  const auto names = db.table_names();
  auto loaded = load(db, bytes);
  EXPECT_FALSE(loaded);
  EXPECT_EQ(db.state_hash(), before) << "something changed";
  EXPECT_EQ(db.table_names(), names);
  return loaded ? Error{} : loaded.error();
}

// --- values

TEST(OldSaves, AValueThatDoesNotFitNamesItsHandleAndChangesNothing) {
  Database from;
  auto& large = from.create_table<Large>("monsters");
  large.insert({.hp = 1});
  const auto gone = large.insert({});
  large.erase(gone);
  const auto big = large.insert({.hp = 128});
  EXPECT_EQ(big.generation(), gone.generation() + 1);
  const Bytes file = saved(from);
  const auto says_where =
      AllOf(HasSubstr("the stored i32 128 does not fit the program's i8"),
            HasSubstr("field 'hp' of monsters:1@2"), HasSubstr("table 'monsters'"));

  Database plain;
  plain.create_table<Small>("monsters").insert({.hp = 9});
  const Error error = must_fail(plain, file);
  EXPECT_EQ(error.code, ErrorCode::value_out_of_range);
  EXPECT_THAT(error.message(), says_where);

  Database by_code;
  by_code.create_table<Named>("monsters").insert({});
  EXPECT_THAT(must_fail(by_code, file).message(), says_where);

  large.edit(big)->hp = -128;
  ASSERT_TRUE(load(plain, saved(from)));
  EXPECT_EQ(plain.find_table<Small>("monsters")->at(Handle<Small>::from_bits(big.bits())).hp, -128);
}

// --- the report

// A value may become a list of one, but the error speaks of the program's field, not of an element.
TEST(OldSaves, AFieldOfAnotherKindIsNamedWithTheTypeOfTheProgramsField) {
  Database from;
  from.create_table<Spots>("spots").insert({});
  const Bytes file = saved(from);
  Database lists;
  lists.create_table<SpotList>("spots");
  const Error error = must_fail(lists, file);
  EXPECT_EQ(error.code, ErrorCode::type_mismatch);
  EXPECT_THAT(error.message(),
              HasSubstr("the file holds array, but the program reads list<i32> (field 'at'"));
  Database choices;
  choices.create_table<SpotChoice>("spots");
  EXPECT_THAT(must_fail(choices, file).message(),
              HasSubstr("the file holds i32, but the program reads optional<string> (field "
                        "'more[]'"));
}

TEST(OldSaves, TheReportListsWhatChangedWithCounts) {
  Database from;
  auto& old = from.create_table<OldMonster>("enemies");
  for (int i = 0; i < 4; ++i) old.insert({.health = static_cast<std::int16_t>(i)});
  old.insert({.armour = 20});
  from.create_table<Small>("skills").insert({});
  from.create_table<Unit>("gone");
  const Bytes file = saved(from);

  Database db;
  auto& monsters = db.create_table<Monster>("monsters");
  db.create_table<Small>("skills");
  db.create_table<Hero>("heroes");
  db.create_table<Clock>("effects", {.scope = Scope::unsaved});
  db.declare_table_rename({.old_name = "enemies", .new_name = "monsters"});
  const auto loaded = load(db, file, {.verify_state_hash = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  const TableLoadReport& table = loaded->tables.at(0);
  EXPECT_EQ(table.name, "monsters");
  EXPECT_EQ(table.old_name, "enemies");
  EXPECT_FALSE(table.exact_schema);
  using Kind = LoadChange::Kind;
  EXPECT_THAT(table.changes,
              ElementsAre(LoadChange{Kind::converted, "armour", "optional<i32>", "i32", 1},
                          LoadChange{Kind::defaulted, "armour", {}, {}, 4},
                          LoadChange{Kind::defaulted, "mana", {}, {}, 5},
                          LoadChange{Kind::renamed, "hp", "health", {}, 5},
                          LoadChange{Kind::converted, "hp", "i16", "i32", 5},
                          LoadChange{Kind::dropped, "rage", {}, {}, 5}));
  EXPECT_EQ(
      loaded->summary(),
      "monsters (was enemies): 5 records, armour converted from optional<i32> to i32 (x1), "
      "armour defaulted (x4), mana defaulted (x5), hp renamed from health (x5), hp converted "
      "from i16 to i32 (x5), rage dropped (x5); skills: 1 record; not in the file, now empty: "
      "heroes; not in the program, skipped: gone");
  std::vector<int> armour;
  for (const Monster& monster : monsters) armour.push_back(monster.armour);
  EXPECT_THAT(armour, ElementsAre(50, 50, 50, 50, 20));
  EXPECT_EQ(monsters.begin()->mana, 7);
}

TEST(OldSaves, CountsAreTheSameOnSeveralThreads) {
  Database from;
  auto& tiles = from.create_table<OldMonster>("monsters");
  for (int i = 0; i < 40000; ++i)
    tiles.insert({.armour = i % 2 == 0 ? std::optional(i) : std::nullopt});
  const Bytes file = saved(from);
  std::vector<std::string> lines;
  for (const unsigned threads : {1u, 3u}) {
    Database db;
    db.create_table<Monster>("monsters");
    const auto loaded = load(db, file, {.threads = threads});
    ASSERT_TRUE(loaded);
    lines.push_back(loaded->summary());
  }
  EXPECT_EQ(lines[0], lines[1]);
  EXPECT_THAT(lines[0], HasSubstr("armour defaulted (x20000)"));
}

TEST(OldSaves, TheSummaryIsOneLineWhateverNamesHold) {
  LoadReport report;
  EXPECT_EQ(report.summary(), "no tables");
  report.unknown_tables = {"a\nb"};
  report.skipped_tables = {"c"};
  EXPECT_EQ(report.summary(),
            "not in the program, skipped: a\\nb; left out of loads, unchanged: c");
}

// --- renamed tables

struct OldWorld {
  Database db;
  Table<Unit>& units = db.create_table<Unit>("enemies");
  Table<Pack>& packs = db.create_table<Pack>("packs");
  Handle<Unit> leader = units.insert({.hp = 5});
  Handle<Pack> pack = packs.insert({.members = {leader}, .leader = leader});
  Bytes file;

  OldWorld() {
    units.edit(leader)->target = leader;
    file = saved(db);
  }
};

TEST(RenamedTables, LoadWithAllHandlesThatNameThem) {
  const OldWorld old;
  Database db;
  auto& units = db.create_table<Unit>("monsters");
  auto& packs = db.create_table<Pack>("packs");
  EXPECT_FALSE(load(db, old.file)) << "handles of packs refer to enemies";
  db.declare_table_rename({"enemies", "monsters"});
  const auto loaded = load(db, old.file, {.verify_state_hash = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(units.at(old.leader).target, old.leader);
  EXPECT_EQ(units.at(packs.at(old.pack).members.at(0)).hp, 5);
  EXPECT_TRUE(loaded->tables.at(0).exact_schema);
  EXPECT_EQ(loaded->tables.at(0).old_name, "enemies");
  EXPECT_EQ(loaded->tables.at(1).old_name, "");
  EXPECT_TRUE(loaded->missing_tables.empty() && loaded->unknown_tables.empty());
  ASSERT_TRUE(load(db, saved(db))) << "a new file has the new name";
  EXPECT_EQ(units.size(), 1u);
}

TEST(RenamedTables, AHandleFieldMatchesAlsoWithoutTheTableInTheFile) {
  OldWorld old;
  old.db.drop_table("enemies");
  old.file = saved(old.db);
  Database db;
  db.create_table<Unit>("monsters", {.scope = Scope::unsaved});
  db.create_table<Pack>("packs");
  db.declare_table_rename({"enemies", "monsters"});
  EXPECT_TRUE(load(db, old.file));
}

TEST(RenamedTables, SingletonsBlobsAndFamiliesToo) {
  Database from;
  from.singleton<Clock>("time").edit().tick = 6;
  const auto mesh =
      from.create_blob_table<Unit, DefaultLayout, Small>("meshes", {.capacity_bytes = 256})
          .insert({.hp = 3}, 8);
  from.create_table<Large>("level 1").insert({.hp = 4});
  const Bytes file = saved(from);

  Database db;
  db.declare_table_rename({"time", "clock"});
  db.declare_table_rename({"meshes", "models"});
  db.declare_table_rename({"level 1", "map 1"});
  auto& clock = db.singleton<Clock>("clock");
  auto& models =
      db.create_blob_table<Unit, DefaultLayout, Small>("models", {.capacity_bytes = 256});
  db.register_family<Large>("map ");
  const auto loaded = load(db, file);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(clock->tick, 6u);
  EXPECT_TRUE(models.contains(*mesh));
  EXPECT_EQ(db.find_table<Large>("map 1")->begin()->hp, 4);
  EXPECT_EQ(loaded->tables.size(), 3u);
}

TEST(RenamedTables, SeveralOldNamesMayMeanOneTable) {
  const OldWorld old;
  Database db;
  db.create_table<Unit>("monsters");
  db.create_table<Pack>("packs");
  db.declare_table_rename({"foes", "monsters"});
  db.declare_table_rename({"enemies", "monsters"});
  db.declare_table_rename({"enemies", "monsters"});
  EXPECT_TRUE(load(db, old.file));
}

TEST(RenamedTables, ContradictionsAreRefusedAndDeclareNothing) {
  Database db;
  db.create_table<Unit>("monsters");
  db.create_table<Large>("ogres");
  ASSERT_TRUE(db.try_declare_table_rename({"enemies", "monsters"}));
  const auto conflict = [&](const char* old_name, const char* new_name) {
    const auto declared = db.try_declare_table_rename({old_name, new_name});
    EXPECT_FALSE(declared);
    return declared ? Error{} : declared.error();
  };
  const Error two = conflict("enemies", "ogres");
  EXPECT_EQ(two.code, ErrorCode::rename_conflict);
  EXPECT_THAT(two.message(), HasSubstr("'enemies' is already declared to be table 'monsters'"));
  EXPECT_THAT(conflict("ogres", "giants").message(), HasSubstr("has a table of the old name"));
  EXPECT_THAT(conflict("x", "x").message(), HasSubstr("equal"));
  EXPECT_EQ(conflict("older", "enemies").code, ErrorCode::rename_conflict) << "a chain";
  ASSERT_TRUE(db.try_declare_table_rename({"a", "b"}));
  EXPECT_EQ(conflict("b", "a").code, ErrorCode::rename_conflict) << "a cycle";
  EXPECT_EQ(conflict("", "monsters").code, ErrorCode::bad_name);

  const auto made = db.try_create_table<Small>("enemies");
  ASSERT_FALSE(made) << "a name is current or former, not both";
  EXPECT_EQ(made.error().code, ErrorCode::rename_conflict);
  EXPECT_EQ(db.table_names().size(), 2u);

  const OldWorld old;
  db.create_table<Pack>("packs");
  EXPECT_TRUE(load(db, old.file)) << "the first declaration is still the only one";
}

TEST(RenamedTables, AFileWithBothTablesIsRefused) {
  Database from;
  from.create_table<Small>("enemies").insert({.hp = 1});
  from.create_table<Large>("monsters").insert({.hp = 2});
  const Bytes file = saved(from);
  Database db;
  db.create_table<Large>("monsters").insert({.hp = 3});
  db.declare_table_rename({"enemies", "monsters"});
  const Error error = must_fail(db, file);
  EXPECT_EQ(error.code, ErrorCode::rename_conflict);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("'enemies'"), HasSubstr("'monsters'")));
}

TEST(RenamedTables, AHandleThatPointsIntoAnotherTableIsRefusedWithBothNames) {
  const OldWorld old;
  Database db;
  db.create_table<Unit>("monsters").insert({});
  db.create_table<Pack>("packs").insert({});
  const Error error = must_fail(db, old.file);
  EXPECT_EQ(error.code, ErrorCode::type_mismatch);
  EXPECT_THAT(error.message(),
              AllOf(HasSubstr("field 'members[]'"), HasSubstr("refer to table 'enemies'"),
                    HasSubstr("refer to table 'monsters'"), HasSubstr("migration")));
}

}  // namespace
}  // namespace hdb::test::old_saves_test
