// Declared migrations: chains, records that are dropped and created, moves and computed defaults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "hdb/migration.hpp"
#include "migration_world.hpp"

namespace hdb::test::migrations_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

Handle<Monster> now(Handle<OldMonster> old) { return Handle<Monster>::from_bits(old.bits()); }

// --- chains

TEST(Migrations, AChainBringsRecordsToTheProgramsVersionUnderTheirHandles) {
  const Bytes file = old_file(10);
  for (const unsigned threads : {1u, 3u}) {
    Database db;
    auto& monsters = db.create_table<Monster>("monsters");
    declare_chain(db);
    const auto report = load(db, file, {.threads = threads, .verify_state_hash = true});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(monsters.size(), 7u);
    const auto handle = Handle<Monster>::from_bits(std::uint64_t{1} << 32 | 4);
    const Monster* const monster = monsters.find(handle);
    ASSERT_NE(monster, nullptr);
    EXPECT_EQ(monster->name, "4");
    EXPECT_EQ(monster->hp, 4);
    EXPECT_EQ(monster->mana, 7) << "a field that no step sets keeps its default";
    EXPECT_EQ(monster->pos.x, 1);
    EXPECT_EQ(monster->pos.y, 2);
    EXPECT_EQ(monster->mood, Mood::angry);
    EXPECT_EQ(monsters.find(Handle<Monster>::from_bits(std::uint64_t{1} << 32 | 2)), nullptr);
    const TableLoadReport& table = report->tables.at(0);
    ASSERT_TRUE(table.migration);
    EXPECT_EQ(*table.migration, (MigrationReport{1, 3, 7, 0, 0}));
    EXPECT_FALSE(table.exact_schema);
    EXPECT_EQ(report->summary(),
              "monsters: 7 records, migrated from version 1 to 3 (x7), mana defaulted (x7), weapon "
              "defaulted (x7)");
    EXPECT_EQ(db.check_invariants(), nullptr);
  }
}

TEST(Migrations, TheFutureOfATableIsThatOfTheFile) {
  Database old;
  auto& old_monsters = old.create_table<OldMonster>("monsters");
  std::vector<Handle<OldMonster>> handles;
  for (int i = 0; i < 6; ++i) handles.push_back(old_monsters.insert({}));
  old_monsters.erase(handles[1]);
  old_monsters.erase(handles[4]);
  const Bytes file = saved(old);
  Database db;
  auto& monsters = db.create_table<Monster>("monsters");
  declare_chain(db);
  ASSERT_TRUE(load(db, file));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(monsters.insert({}), now(old_monsters.insert({}))) << i;
}

TEST(Migrations, AFileOfTheProgramsVersionRunsNoStep) {
  Database from;
  from.create_table<Monster>("monsters").insert({.name = "imp"});
  const Bytes file = saved(from);
  Database db;
  db.create_table<Monster>("monsters");
  for (const std::uint32_t version : {1u, 2u}) {
    db.declare_migration({.table = "monsters", .from = version},
                         [](DynamicValue&, MigrationContext&) { FAIL(); });
  }
  const auto report = load(db, file);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->tables.at(0).migration);
  EXPECT_TRUE(report->tables.at(0).exact_schema);
  EXPECT_EQ(db.state_hash(), from.state_hash());
}

TEST(Migrations, ARecordThatLosesItsFieldsByAStepReportsThem) {
  Database db;
  db.create_table<Monster>("monsters");
  db.declare_migration({.table = "monsters", .from = 1}, [](DynamicValue&, MigrationContext&) {});
  db.declare_migration({.table = "monsters", .from = 2},
                       [](DynamicValue& monster, MigrationContext&) { monster.remove("weapon"); });
  const auto report = load(db, old_file(1));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_THAT(report->summary(),
              AllOf(HasSubstr("hp defaulted (x1)"), HasSubstr("health dropped (x1)"),
                    HasSubstr("x dropped (x1)")));
}

TEST(Migrations, AStepSeesTableAndHandle) {
  Database db;
  auto& monsters = db.create_table<Monster>("monsters");
  std::vector<std::uint64_t> seen;
  db.declare_migration({.table = "monsters", .from = 1},
                       [&](DynamicValue& monster, MigrationContext& context) {
                         to_version_2(monster, context);
                         EXPECT_EQ(context.table(), "monsters");
                         EXPECT_EQ(context.name(), "");
                         EXPECT_EQ(monster.class_version(), 1u);
                         seen.push_back(context.handle().as<Handle<Monster>>().bits());
                       });
  db.declare_migration({.table = "monsters", .from = 2}, to_version_3);
  ASSERT_TRUE(load(db, old_file(4)));
  std::vector<std::uint64_t> live;
  for (auto at = monsters.begin(); at != monsters.end(); ++at) live.push_back(at.handle().bits());
  EXPECT_EQ(seen, live);
}

// --- dropped and created records

TEST(Migrations, ADroppedRecordIsErased) {
  for (const Storage storage : {Storage::dense, Storage::stable}) {
    Database db;
    auto& monsters = db.create_table<Monster>("monsters", {.storage = storage});
    db.declare_migration({.table = "monsters", .from = 1},
                         [](DynamicValue& monster, MigrationContext& context) {
                           to_version_2(monster, context);
                           if (monster.at("hp").as<int>() == 1) context.drop();
                         });
    db.declare_migration({.table = "monsters", .from = 2}, to_version_3);
    const auto report = load(db, old_file(5, {.storage = storage}));
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->tables.at(0).live_count, 3u);
    EXPECT_EQ(*report->tables.at(0).migration, (MigrationReport{1, 3, 4, 1, 0}));
    const auto dropped = Handle<Monster>::from_bits(std::uint64_t{1} << 32 | 1);
    EXPECT_EQ(monsters.find(dropped), nullptr);
    EXPECT_EQ(monsters.at(Handle<Monster>::from_bits(std::uint64_t{1} << 32 | 3)).name, "3");
    EXPECT_EQ(db.check_invariants(), nullptr);
    const auto next = monsters.insert({});  // LIFO: the slot that was freed last
    EXPECT_EQ(next.index(), 1u);
    EXPECT_EQ(next.generation(), 2u);
    EXPECT_EQ(monsters.find(dropped), nullptr) << "the stale handle stays stale";
  }
}

/// Splits the weapon off into a table of its own.
void split(DynamicValue& monster, MigrationContext& context) {
  const std::string kind(monster.at("weapon").text());
  monster.remove("weapon");
  if (!kind.empty()) {
    DynamicValue claw;
    claw.set("kind", kind);
    monster.set("weapon", context.create("claws", std::move(claw)));
  }
  monster.set("mood", Mood::calm);
}

TEST(Migrations, ARecordIsSplitInTwo) {
  Hash128 first;
  for (const unsigned threads : {1u, 4u}) {
    Database db;
    auto& monsters = db.create_table<Monster>("monsters");
    auto& claws = db.create_table<Claw>("claws");  // new since the file was written
    db.declare_migration({.table = "monsters", .from = 1}, to_version_2);
    db.declare_migration({.table = "monsters", .from = 2, .creates = {"claws"}}, split);
    const auto report = load(db, old_file(1000), {.threads = threads});
    ASSERT_TRUE(report) << report.error().message();
    for (const Monster& monster : monsters) {
      const bool is_armed = std::stoi(monster.name) % 2 != 0;
      EXPECT_EQ(claws.contains(monster.weapon), is_armed) << monster.name;
      if (!is_armed) continue;
      EXPECT_EQ(claws.at(monster.weapon).kind, "fang");
      EXPECT_EQ(claws.at(monster.weapon).damage, 5) << "the default";
    }
    EXPECT_THAT(report->missing_tables, IsEmpty());
    EXPECT_THAT(report->summary(), HasSubstr("claws: 334 records, created by migrations (x334)"));
    EXPECT_EQ(db.check_invariants(), nullptr);
    if (threads == 1) first = db.state_hash();
    EXPECT_EQ(db.state_hash(), first) << "the handles do not depend on threads";
  }
}

TEST(Migrations, ACreatedRecordOfTheSameTableRunsTheRestOfTheChain) {
  Database db;
  auto& monsters = db.create_table<Monster>("monsters");
  db.declare_migration({.table = "monsters", .from = 1, .creates = {"monsters"}},
                       [](DynamicValue& monster, MigrationContext& context) {
                         to_version_2(monster, context);
                         DynamicValue shadow = monster;
                         shadow.set_class_version(2);
                         shadow.set("name", "shadow of " + std::string(monster.at("name").text()));
                         context.create("monsters", std::move(shadow));
                       });
  db.declare_migration({.table = "monsters", .from = 2}, to_version_3);
  const auto report = load(db, old_file(8));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(*report->tables.at(0).migration, (MigrationReport{1, 3, 6, 0, 6}));
  int shadows = 0;
  for (const Monster& monster : monsters) {
    shadows += monster.name.starts_with("shadow of ") ? 1 : 0;
    EXPECT_EQ(monster.mood, monster.hp > 3 ? Mood::angry : Mood::calm) << monster.name;
  }
  EXPECT_EQ(shadows, 6);
  EXPECT_EQ(monsters.size(), 12u);
  EXPECT_EQ(db.check_invariants(), nullptr);
}

TEST(Migrations, ATypeWithoutAClassVersionHasVersion0) {
  Database old;
  auto& points = old.create_table<OldPoint>("points");
  for (int i = 0; i < 3; ++i) points.insert({.x = 1, .hp = i});
  Database db;
  auto& now_points = db.create_table<Point>("points");
  db.declare_migration({.table = "points", .from = 0}, [](DynamicValue& point, MigrationContext&) {
    point.move("x", "pos.x");
    point.set("mana", 2 * point.at("hp").as<int>());
  });
  const Bytes file = saved(old);
  const auto report = load(db, file);
  ASSERT_TRUE(report) << report.error().message();
  int i = 0;
  for (const Point& point : now_points) {
    EXPECT_EQ(point.hp, i);
    EXPECT_EQ(point.mana, 2 * i++);
    EXPECT_EQ(point.pos.x, 1);
    EXPECT_EQ(point.pos.y, 0);
  }
  EXPECT_EQ(report->summary(),
            "points: 3 records, migrated from version 0 to 1 (x3), pos.y defaulted (x3)");
  const Bytes present = saved(db);
  const auto again = load(db, present);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->tables.at(0).migration) << "a file of the present version";
}

TEST(Migrations, AStepMovesValuesBetweenFields) {
  Database old;
  auto& points = old.create_table<OldPoint>("points");
  points.insert({.x = 7, .hp = 3});
  Database db;
  auto& now_points = db.create_table<Point>("points");
  db.declare_migration({.table = "points", .from = 0}, [](DynamicValue& point, MigrationContext&) {
    std::swap(point.at("x"), point.at("hp"));  // fields keep their names
    EXPECT_EQ(point.at("x").as<int>(), 3);
    const DynamicValue hp = std::move(point.at("hp"));
    point.at("hp") = static_cast<int>(hp.as<float>());
    const DynamicValue x = std::exchange(point.at("x"), 5.0F);
    point.set("mana", x);
    point.move("x", "pos.x");
  });
  const auto report = load(db, saved(old));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(now_points.begin()->hp, 7);
  EXPECT_EQ(now_points.begin()->mana, 3);
  EXPECT_EQ(now_points.begin()->pos.x, 5);
}

TEST(Migrations, AStepIsDeclaredForThePresentNameOfItsTable) {
  const auto step = [](DynamicValue&, MigrationContext&) {};
  Database db;
  db.declare_table_rename({.old_name = "dots", .new_name = "points"});
  const Status refused = db.try_declare_migration({.table = "dots", .from = 0}, step);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::migration_conflict);
  EXPECT_THAT(refused.error().message(), HasSubstr("declared to be 'points'"));
  db.declare_migration({.table = "spots", .from = 0}, step);
  const Status renamed = db.try_declare_table_rename({.old_name = "spots", .new_name = "places"});
  ASSERT_FALSE(renamed);
  EXPECT_EQ(renamed.error().code, ErrorCode::rename_conflict);
}

// A plain struct has the class version that CEREAL_CLASS_VERSION gives it; a step gives a field
// handles of another table.
TEST(Migrations, APlainStructWithAClassVersionGetsHandlesOfAnotherTable) {
  Database old;
  auto& claws = old.create_table<Claw>("claws");
  const auto claw = claws.insert({});
  auto& old_quests = old.create_table<OldQuest>("quests");
  const auto quest = old_quests.insert({.goal = claw, .others = {claw, {}}, .gold = 12});
  const Bytes file = saved(old);

  Database db;
  auto& units = db.create_table<Unit>("units");
  auto& quests = db.create_table<Quest>("quests");
  db.create_table<Claw>("claws");
  const auto refused = load(db, file);
  ASSERT_FALSE(refused) << "no step is declared";
  EXPECT_EQ(refused.error().code, ErrorCode::type_mismatch);
  EXPECT_THAT(refused.error().message(),
              AllOf(HasSubstr("'goal'"), HasSubstr("refer to table 'claws'"),
                    HasSubstr("set the field in a migration")));

  db.declare_migration({.table = "quests", .from = 0}, [](DynamicValue& each, MigrationContext&) {
    const auto to_unit = [](const DynamicValue& handle) { return handle.as<Handle<Unit>>(); };
    each.set("goal", to_unit(each.at("goal")));
    DynamicValue others = DynamicValue::list();
    for (std::size_t i = 0; i < each.at("others").size(); ++i)
      others.push_back(to_unit(each.at("others[" + std::to_string(i) + "]")));
    each.set("others", std::move(others));
    each.set("silver", 10 * each.at("gold").as<int>());
    each.remove("gold");
  });
  const auto report = load(db, file);
  ASSERT_TRUE(report) << report.error().message();
  const Quest& now_quest = quests.at(Handle<Quest>::from_bits(quest.bits()));
  EXPECT_EQ(now_quest.goal.bits(), claw.bits());
  ASSERT_EQ(now_quest.others.size(), 2u);
  EXPECT_EQ(now_quest.others[0].bits(), claw.bits());
  EXPECT_FALSE(now_quest.others[1]);
  EXPECT_EQ(now_quest.silver, 120);
  EXPECT_EQ(units.size(), 0u);

  const Bytes present = saved(db);
  const auto again = load(db, present);
  ASSERT_TRUE(again) << again.error().message();
  for (const TableLoadReport& table : again->tables) EXPECT_FALSE(table.migration) << table.name;
}

TEST(Migrations, ArraysAndListsOfCharactersAreReadAndMade) {
  Database old;
  old.create_table<OldSign>("signs").insert({});
  const Bytes file = saved(old);
  Database db;
  auto& signs = db.create_table<Sign>("signs");
  db.declare_migration({.table = "signs", .from = 0}, [](DynamicValue& sign, MigrationContext&) {
    const char last = sign.at("tag[2]").as<char>();
    sign.set("tag", DynamicValue::list({DynamicValue(last), DynamicValue('z')}));
    sign.set("title[1]", sign.at("title[0]").as<char16_t>());
  });
  const auto report = load(db, file);
  ASSERT_TRUE(report) << report.error().message();
  const Sign& sign = *signs.begin();
  EXPECT_EQ(sign.tag[0], 'c');
  EXPECT_EQ(sign.tag[1], 'z');
  EXPECT_EQ(sign.tag[2], 0);
  EXPECT_EQ(sign.title, (std::vector<char16_t>{u'x', u'x'}));
}

TEST(Migrations, SchemasListPlainStructsWithAClassVersion) {
  Database db;
  db.create_table<SignPost>("posts");
  EXPECT_THAT(db.schema_json(), HasSubstr(R"("plain_structures":[{"structure":"sign"}])"));
}

// Nothing else would say that a step was forgotten: the fields are the same.
TEST(Migrations, AClassVersionThatNothingReadsIsReported) {
  Database old;
  auto& posts = old.create_table<OldSignPost>("posts");
  posts.insert({});
  posts.insert({});
  old.create_table<OldSign>("signs").insert({});
  Database db;
  db.create_table<SignPost>("posts");
  db.create_table<Sign>("signs");
  const auto report = load(db, saved(old));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->summary(),
            "posts: 2 records, sign not migrated from version 0 to 1 (x2); "
            "signs: 1 record, record not migrated from version 0 to 1 (x1)");
  const auto again = load(db, saved(db));
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->summary(), "posts: 2 records; signs: 1 record");
}

TEST(Migrations, APlainStructIsMatchedStrictlyWhateverVersionTheFileHas) {
  Database old;
  old.create_table<OldQuest>("quests").insert({});
  const Bytes file = saved(old);
  Database db;
  db.create_table<OtherQuest>("quests");
  const auto refused = load(db, file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::type_mismatch);
  EXPECT_THAT(refused.error().message(), HasSubstr("'gold'"));
}

}  // namespace
}  // namespace hdb::test::migrations_test
