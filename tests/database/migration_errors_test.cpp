// Migrations that must end a load: the errors name table, record and step, and nothing changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "hdb/migration.hpp"
#include "migration_world.hpp"

namespace hdb::test::migrations_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(MigrationErrors, AStepThatThrowsNamesTableRecordAndStep) {
  Database db;
  db.create_table<Monster>("monsters").insert({.name = "present"});
  db.declare_migration({.table = "monsters", .from = 1}, to_version_2);
  db.declare_migration({.table = "monsters", .from = 2},
                       [](DynamicValue& monster, MigrationContext&) {
                         if (monster.at("name").text() == "3")
                           throw std::runtime_error("no such weapon");
                         monster.remove("weapon");
                       });
  const Error error = must_fail(db, old_file(5));
  EXPECT_EQ(error.code, ErrorCode::migration_failed);
  EXPECT_THAT(error.message(),
              AllOf(HasSubstr("no such weapon"),
                    HasSubstr("(migration from version 2 to 3 of monsters:3@1 of group 0 of table "
                              "'monsters')")));
}

TEST(MigrationErrors, AMissingFieldIsNamed) {
  Database db;
  db.create_table<Monster>("monsters");
  db.declare_migration({.table = "monsters", .from = 1}, [](DynamicValue& m, MigrationContext&) {
    m.set("hp", m.at("healt").as<int>());
  });
  db.declare_migration({.table = "monsters", .from = 2}, to_version_3);
  EXPECT_THAT(must_fail(db, old_file(1)).message(), HasSubstr("there is no field 'healt'"));
}

// A handle with a type id names a record of the table that issued it; a step that sets it where
// another table's are would make a handle that names nothing.
TEST(MigrationErrors, AHandleWithTheTypeIdOfAnotherTableIsRefused) {
  Database old;
  auto& claws = old.create_table<Claw, TypedLayout>("claws", {.type_id = 3});
  auto& old_visits = old.create_table<OldVisit>("visits");
  const auto claw = claws.insert({});
  old_visits.insert({.day = 1});
  old_visits.insert({.goal = claw, .stops = {{}, claw}, .last = any_handle(claw), .day = 2});
  const Bytes file = saved(old);

  using TownHandle = Handle<Town, TypedLayout>;
  const auto refused = [&](const char* field, const MigrationFunction& step,
                           bool has_claws = true) {
    Database db;
    if (has_claws) db.create_table<Claw, TypedLayout>("claws", {.type_id = 3});
    db.create_table<Town, TypedLayout>("towns", {.type_id = 4});
    if (*field == 0) db.create_table<Town, TypedLayout>("villages", {.type_id = 5});
    db.create_table<Visit>("visits");
    db.declare_migration({.table = "visits", .from = 0, .creates = {"towns", "villages"}}, step);
    const auto loaded = load(db, file);
    if (*field == 0) {
      EXPECT_TRUE(loaded) << loaded.error().message();
      return;
    }
    ASSERT_FALSE(loaded) << field;
    EXPECT_EQ(loaded.error().code, ErrorCode::migration_failed);
    EXPECT_THAT(loaded.error().message(),
                AllOf(HasSubstr("a handle of table 'claws' (type id 3)"),
                      HasSubstr("handles of table 'towns' (4)"), HasSubstr(field),
                      HasSubstr("from version 0 to 1 of visits:1@1")));
  };
  const auto moved = [](const DynamicValue& handle) { return handle.as<TownHandle>(); };
  const auto clear = [](DynamicValue& visit) {
    visit.set("goal", TownHandle());
    visit.set("stops", DynamicValue::list({TownHandle()}));
  };
  const auto move_goal = [&](DynamicValue& visit, MigrationContext&) {
    const TownHandle goal = moved(visit.at("goal"));
    clear(visit);
    visit.set("goal", goal);
  };
  refused("field 'goal'", move_goal);
  refused("field 'goal'", move_goal, false);
  refused("field 'stops[]'", [&](DynamicValue& visit, MigrationContext&) {
    DynamicValue stops = DynamicValue::list();
    for (std::size_t i = 0; i < visit.at("stops").size(); ++i)
      stops.push_back(moved(visit.at("stops").element(i)));
    clear(visit);
    visit.set("stops", std::move(stops));
  });
  // A handle of any table, those of two tables with the same type of handles, and one of a table
  // that was dropped name what they name, or nothing.
  refused("", [&](DynamicValue& visit, MigrationContext& context) {
    clear(visit);
    visit.set("last", visit.at("last").as<AnyHandle>());
    DynamicValue town;
    town.set("size", 7);
    visit.set("goal", context.create("towns", town));
    const TownHandle dropped = TownHandle::from_bits(pack_handle(TypedLayout::value, 0, 1, 9));
    visit.set("stops",
              DynamicValue::list({dropped, context.create("villages", town).as<TownHandle>()}));
  });
}

TEST(MigrationErrors, AGapInTheChainIsRefused) {
  Database db;
  db.create_table<Monster>("monsters");
  db.declare_migration({.table = "monsters", .from = 1}, to_version_2);
  const Error error = must_fail(db, old_file(1));
  EXPECT_EQ(error.code, ErrorCode::migration_missing);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("no migration from version 2 to 3 is declared"),
                                     HasSubstr("monsters")));
}

TEST(MigrationErrors, AFileOfANewerProgramIsRefused) {
  Database from;
  from.create_table<Monster>("monsters").insert({});
  const Bytes file = saved(from);
  Database db;
  db.create_table<OldMonster>("monsters");
  db.declare_migration({.table = "monsters", .from = 0}, [](DynamicValue&, MigrationContext&) {});
  const Error error = must_fail(db, file);
  EXPECT_EQ(error.code, ErrorCode::migration_missing);
  EXPECT_THAT(error.message(), HasSubstr("the older version 1"));
}

TEST(MigrationErrors, ContradictoryDeclarationsAreRefused) {
  Database db;
  db.create_table<Monster>("monsters");
  declare_chain(db);
  const auto again = db.try_declare_migration({.table = "monsters", .from = 1}, to_version_2);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::migration_conflict);
  const auto empty = db.try_declare_migration({.table = "monsters", .from = 0}, nullptr);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, ErrorCode::bad_options);
  ASSERT_TRUE(db.try_declare_migration({.table = "monsters", .from = 3}, to_version_2));
  EXPECT_EQ(must_fail(db, old_file(1)).code, ErrorCode::migration_conflict);
}

TEST(MigrationErrors, AValueThatDoesNotFitNamesRecordAndField) {
  Database db;
  db.create_table<Monster>("monsters");
  db.declare_migration({.table = "monsters", .from = 1}, to_version_2);
  db.declare_migration({.table = "monsters", .from = 2}, [](DynamicValue& m, MigrationContext& c) {
    to_version_3(m, c);
    m.set("mana", std::int64_t{1} << 40);
  });
  const Error error = must_fail(db, old_file(1));
  EXPECT_EQ(error.code, ErrorCode::value_out_of_range);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("1099511627776"), HasSubstr("'mana'"),
                                     HasSubstr("monsters:0@1"), HasSubstr("version 1 to 3")));
}

struct Few;
struct Named;
struct Cache;
struct Creation {
  std::vector<std::string> creates;
  std::string table;
  std::string name;
  std::string message;
};

TEST(MigrationErrors, RecordsThatCannotBeCreatedAreRefused) {
  const std::vector<Creation> cases{
      {{}, "claws", "", "Migration::creates does not list it"},
      {{"named"}, "claws", "", "Migration::creates does not list it"},
      {{"nothing"}, "nothing", "", "the database has no saved table 'nothing'"},
      {{"cache"}, "cache", "", "the database has no saved table 'cache'"},
      {{"claws"}, "claws", "a name", "its records have no names"},
      {{"settings"}, "settings", "", "it is a singleton"},
      {{"few"}, "few", "", "it is full"},
      {{"named"}, "named", "twin", "it already has a record of the name 'twin'"},
  };
  for (const Creation& each : cases) {
    Database db;
    db.create_table<Monster>("monsters");
    db.create_table<Claw>("claws");
    db.create_table<Claw, DefaultLayout, Few>("few", {.max_records = 1});
    db.create_table<Claw, DefaultLayout, Named>("named", {.names = RecordNames::exact});
    db.create_table<Claw, DefaultLayout, Cache>("cache", {.scope = Scope::unsaved});
    db.singleton<Position>("settings");
    db.declare_migration({.table = "monsters", .from = 1}, to_version_2);
    db.declare_migration({.table = "monsters", .from = 2, .creates = each.creates},
                         [&](DynamicValue& monster, MigrationContext& context) {
                           to_version_3(monster, context);
                           context.create(each.table, {}, each.name);
                         });
    const Error error = must_fail(db, old_file(2));
    EXPECT_EQ(error.code, ErrorCode::migration_failed);
    EXPECT_THAT(error.message(), AllOf(HasSubstr(each.message), HasSubstr("monsters:"),
                                       HasSubstr("from version 2 to 3")));
  }
}

TEST(MigrationErrors, ACreatedRecordThatFailsEndsTheLoadAlsoIfTheStepCatchesIt) {
  Database db;
  db.create_table<Monster>("monsters");
  db.create_table<Claw>("claws");
  db.declare_migration({.table = "monsters", .from = 1}, to_version_2);
  db.declare_migration({.table = "monsters", .from = 2, .creates = {"claws"}},
                       [&](DynamicValue& monster, MigrationContext& context) {
                         to_version_3(monster, context);
                         DynamicValue claw;
                         claw.set("damage", "high");
                         try {
                           context.create("claws", claw);
                         } catch (const DynamicError&) {
                         }
                       });
  const Error error = must_fail(db, old_file(2));
  EXPECT_EQ(error.code, ErrorCode::type_mismatch);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("'damage'"), HasSubstr("claws:0@1")));
}

// What a load cannot use is probably misspelt, but a level's table may also just not be there.
TEST(MigrationErrors, NamesThatNeitherProgramNorFileHaveAreReported) {
  Database db;
  db.create_table<Monster>("monsters");
  db.create_table<Claw>("claws");
  db.register_family<Unit>("level/");
  declare_chain(db);
  const auto nothing = [](DynamicValue&, MigrationContext&) {};
  for (const char* table : {"claws", "level/3", "monster", "weapons"})
    db.declare_migration({.table = table}, nothing);
  const auto report = load(db, old_file(2),
                           {.unknown_values_of = {{"monsters", UnknownValue::use_default},
                                                  {"Monsters", UnknownValue::use_default},
                                                  {"weapons", UnknownValue::drop_record}}});
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_THAT(report->absent_tables, testing::ElementsAre("Monsters", "monster", "weapons"));
  EXPECT_THAT(report->summary(),
              HasSubstr("named by migrations or options, but in neither: Monsters, monster, "
                        "weapons"));
}

// The name of a table that only the file has is not misspelt.
TEST(MigrationErrors, AStepForATableThatOnlyTheFileHasIsNotReportedAsAbsent) {
  Database db;
  db.create_table<Claw>("claws");
  declare_chain(db);
  Database old;
  old.create_table<OldMonster>("monsters").insert({});
  old.create_table<Claw>("claws");
  const auto report = load(db, saved(old));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_THAT(report->absent_tables, testing::IsEmpty());
  EXPECT_THAT(report->unknown_tables, testing::ElementsAre("monsters"));
}

TEST(MigrationErrors, AStepThatCreatesItsOwnInputIsRefused) {
  Database db;
  db.create_table<Monster>("monsters");
  db.declare_migration({.table = "monsters", .from = 1, .creates = {"monsters"}},
                       [](DynamicValue& monster, MigrationContext& context) {
                         context.create("monsters", monster);
                       });
  db.declare_migration({.table = "monsters", .from = 2}, to_version_3);
  EXPECT_THAT(must_fail(db, old_file(1)).message(), HasSubstr("would run again"));
}

}  // namespace
}  // namespace hdb::test::migrations_test
