// Migrations that use only some fields: the result is the same as if they had read all of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hdb/migration.hpp"
#include "migration_world.hpp"

namespace hdb::test::lazy_migrations_test {

using migrations_test::load;
using migrations_test::saved;

/// A plain record, before and after it lost a field.
struct OldPlain {
  int hp = 0;
  int old = 0;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(hp), CEREAL_NVP(old));
  }
};
struct Plain {
  int hp = 0;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(hp));
  }
};

/// Fields of all kinds, of the old version...
struct OldThing {
  std::string name;
  std::int32_t number = 0;
  std::vector<std::string> texts;
  std::vector<std::uint16_t> numbers;
  std::optional<std::int64_t> maybe;
  std::variant<std::int32_t, std::string> either;
  std::map<std::string, float> by_name;
  migrations_test::Position pos;
  std::array<bool, 3> flags{};
  std::int16_t narrow = 0;
  std::string first_name;
  std::string nick;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(name), CEREAL_NVP(number), CEREAL_NVP(texts), CEREAL_NVP(numbers),
      CEREAL_NVP(maybe), CEREAL_NVP(either), CEREAL_NVP(by_name), CEREAL_NVP(pos),
      CEREAL_NVP(flags), CEREAL_NVP(narrow), CEREAL_NVP(first_name), CEREAL_NVP(nick));
  }
};

/// ... and of the new one: another order, a wider number, a field with an old name.
struct Thing {
  std::map<std::string, float> by_name;
  std::int32_t narrow = 0;
  std::vector<std::uint16_t> numbers;
  std::string name;
  std::string called;
  std::optional<std::int64_t> maybe;
  std::vector<std::string> texts;
  std::variant<std::int32_t, std::string> either;
  migrations_test::Position pos;
  std::int32_t number = 0;
  std::array<bool, 3> flags{};
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(by_name), CEREAL_NVP(narrow), CEREAL_NVP(numbers), CEREAL_NVP(name),
      CEREAL_NVP(called), CEREAL_NVP(maybe), CEREAL_NVP(texts), CEREAL_NVP(either), CEREAL_NVP(pos),
      CEREAL_NVP(number), CEREAL_NVP(flags));
  }
};

}  // namespace hdb::test::lazy_migrations_test

CEREAL_CLASS_VERSION(hdb::test::lazy_migrations_test::OldPlain, 1)
CEREAL_CLASS_VERSION(hdb::test::lazy_migrations_test::Plain, 2)
CEREAL_CLASS_VERSION(hdb::test::lazy_migrations_test::OldThing, 1)
CEREAL_CLASS_VERSION(hdb::test::lazy_migrations_test::Thing, 2)

template <>
struct hdb::Renames<hdb::test::lazy_migrations_test::Thing> {
  static constexpr std::array list{hdb::Rename{"first_name", "called"},
                                   hdb::Rename{"nick", "called"}};
};

namespace hdb::test::lazy_migrations_test {
namespace {

Bytes old_file(int count) {
  Database db;
  auto& things = db.create_table<OldThing>("things");
  for (int i = 0; i < count; ++i) {
    OldThing thing;
    thing.name = std::string(static_cast<std::size_t>(i % 40), 'n') + std::to_string(i);
    thing.number = i * 7;
    thing.texts.assign(static_cast<std::size_t>(i % 3), "text " + std::to_string(i));
    thing.numbers.assign(static_cast<std::size_t>(i % 5), static_cast<std::uint16_t>(i));
    if (i % 2 != 0) thing.maybe = i;
    if (i % 3 != 0) thing.either = std::to_string(i);
    if (i % 4 != 0) thing.by_name = {{"a", 1.0f}, {"b", static_cast<float>(i)}};
    thing.pos = {static_cast<float>(i), 2};
    thing.flags = {i % 2 == 0, true, i % 3 == 0};
    thing.narrow = static_cast<std::int16_t>(-i);
    thing.first_name = "first " + std::to_string(i);
    thing.nick = "nick " + std::to_string(i);
    things.insert(thing);
  }
  return saved(db);
}

using Step = void (*)(DynamicValue& thing, MigrationContext& context);

/// The state and the report after a load with this step; `reads_all`: it first reads every field.
std::pair<Hash128, std::string> migrated(const Bytes& file, Step step, bool reads_all,
                                         unsigned threads) {
  Database db;
  db.create_table<Thing>("things");
  db.declare_migration({.table = "things", .from = 1},
                       [=](DynamicValue& thing, MigrationContext& context) {
                         if (reads_all) thing = DynamicValue(thing);
                         step(thing, context);
                       });
  const auto report = load(db, file, {.threads = threads});
  EXPECT_TRUE(report) << report.error().message();
  EXPECT_EQ(db.check_invariants(), nullptr);
  return {db.state_hash(), report ? report->summary() : std::string()};
}

int number_of(DynamicValue& thing) { return thing.at("number").as<int>() / 7; }

TEST(LazyMigrations, TheFieldsThatAMigrationUsesDoNotChangeTheResult) {
  const Bytes file = old_file(3000);
  const Step steps[] = {
      [](DynamicValue&, MigrationContext&) {},
      [](DynamicValue& thing, MigrationContext&) { thing.set("number", 5); },
      [](DynamicValue& thing, MigrationContext&) {  // some records, fields of all kinds
        const int i = number_of(thing);
        if (i % 5 == 1) thing.at("texts").push_back("more");
        if (i % 7 == 2) thing.set("maybe", DynamicValue::none());
        if (i % 11 == 3) thing.set("by_name", DynamicValue::map({{"c", 3.0f}}));
        if (i % 13 == 4) thing.set("either", DynamicValue::alternative(0, i));
        if (i % 17 == 5) thing.set("pos.x", 9.0f);
        if (i % 19 == 6) thing.at("flags").set("[1]", false);
        if (i % 23 == 7) static_cast<void>(thing.at("name").text());
        if (i % 29 == 8) thing.remove("numbers");
      },
      [](DynamicValue& thing, MigrationContext& context) {  // some are dropped
        if (number_of(thing) % 3 == 0) context.drop();
      },
      [](DynamicValue& thing, MigrationContext&) {  // a removed field comes back
        thing.remove("name");
        if (number_of(thing) % 2 == 0) thing.set("name", "again");
        if (number_of(thing) % 10 == 0) thing.set("called", "new");
      },
      [](DynamicValue& thing, MigrationContext&) {  // fields change places
        DynamicValue name = thing.at("name");
        thing.at("name") = thing.at("first_name");
        thing.at("first_name") = std::move(name);
      },
      [](DynamicValue& thing, MigrationContext&) {  // then the older name counts
        if (number_of(thing) % 4 < 2) thing.remove("first_name");
      },
      [](DynamicValue& thing, MigrationContext&) {  // the record is another value
        if (number_of(thing) % 2 != 0) return;
        DynamicValue old = std::move(thing);
        thing = DynamicValue();
        thing.set("number", old.at("number"));
        thing.set("name", old.at("first_name"));
      },
  };
  for (const Step& step : steps) {
    const auto all = migrated(file, step, true, 1);
    SCOPED_TRACE(std::to_string(&step - steps) + ": " + all.second);
    EXPECT_EQ(migrated(file, step, false, 1), all);
    EXPECT_EQ(migrated(file, step, false, 3), all);
  }
}

TEST(LazyMigrations, AFieldHasTheFirstOfItsOldNamesThatTheRecordHas) {
  Database db;
  auto& things = db.create_table<Thing>("things");
  db.declare_migration({.table = "things", .from = 1}, [](DynamicValue& thing, MigrationContext&) {
    if (number_of(thing) % 2 == 0) thing.remove("first_name");
    if (number_of(thing) % 4 == 0) thing.set("called", "new");
  });
  ASSERT_TRUE(load(db, old_file(50)));
  int i = 0;
  for (const Thing& thing : things) {
    const std::string old = (i % 2 == 0 ? "nick " : "first ") + std::to_string(i);
    EXPECT_EQ(thing.called, i % 4 == 0 ? "new" : old);
    EXPECT_EQ(thing.narrow, -i);
    ++i;
  }
}

TEST(LazyMigrations, AFieldMayBeAnotherValueInEachRecord) {
  Database db;
  auto& things = db.create_table<Thing>("things");
  db.declare_migration({.table = "things", .from = 1}, [](DynamicValue& thing, MigrationContext&) {
    const int i = number_of(thing);
    switch (i % 5) {
      case 0: thing.set("number", std::int8_t{5}); break;
      case 1: thing.set("number", 6.0); break;
      case 2: thing.set("number", DynamicValue::some(std::int64_t{7})); break;
      case 3: thing.remove("number"); break;
      default: thing.set("number", true); break;
    }
    const float x = static_cast<float>(i);
    thing.set("numbers", i % 2 == 0 ? DynamicValue::list({1, 2.0, i, true})
                                    : DynamicValue::list({i % 100, std::uint64_t{9}}));
    thing.set("by_name", DynamicValue::map({{"f", x}, {"i", i}, {"d", 0.5}}));
    if (i % 3 == 0) thing.at("pos").remove("y");
    if (i % 3 == 1) thing.set("pos.y", i);
    if (i % 7 == 0) thing.set("either", DynamicValue::alternative(1, "new"));
  });
  const auto report = load(db, old_file(1000));
  ASSERT_TRUE(report) << report.error().message();
  int i = 0;
  for (const Thing& thing : things) {
    SCOPED_TRACE(i);
    const int numbers[] = {5, 6, 7, Thing().number, 1};
    EXPECT_EQ(thing.number, numbers[i % 5]);
    const auto last = static_cast<std::uint16_t>(i);
    EXPECT_EQ(thing.numbers,
              i % 2 == 0 ? (std::vector<std::uint16_t>{1, 2, last, 1})
                         : (std::vector<std::uint16_t>{static_cast<std::uint16_t>(i % 100), 9}));
    const auto value = static_cast<float>(i);
    EXPECT_EQ(thing.by_name,
              (std::map<std::string, float>{{"f", value}, {"i", value}, {"d", .5f}}));
    EXPECT_EQ(thing.pos.x, value);
    EXPECT_EQ(thing.pos.y, i % 3 == 0 ? migrations_test::Position().y : i % 3 == 1 ? value : 2.0f);
    using Either = std::variant<std::int32_t, std::string>;
    const Either kept = i % 3 != 0 ? Either(std::to_string(i)) : Either(0);
    EXPECT_EQ(thing.either, i % 7 == 0 ? Either("new") : kept);
    ++i;
  }
  EXPECT_EQ(i, 1000);
}

TEST(LazyMigrations, ADroppedFieldIsCountedWhereRecordsHaveIt) {
  Database old;
  auto& before = old.create_table<OldPlain>("plain");
  for (int i = 0; i < 50; ++i) before.insert({i, i});
  Database db;
  auto& table = db.create_table<Plain>("plain");
  db.declare_migration({.table = "plain", .from = 1}, [](DynamicValue& record, MigrationContext&) {
    if (record.at("hp").as<int>() % 2 != 0) record.remove("old");
  });
  const auto report = load(db, saved(old));
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(table.size(), 50u);
  EXPECT_EQ(report->summary(),
            "plain: 50 records, migrated from version 1 to 2 (x50), old dropped (x25)");
}

TEST(LazyMigrations, AnAssignmentToAFieldKeepsItsName) {
  DynamicValue record;
  record.set("a", 1);
  record.set("b.c", 2);
  record.at("a") = 3;
  EXPECT_EQ(record.at("a").as<int>(), 3);
  record.at("b") = record.at("b.c");
  EXPECT_EQ(record.at("b").as<int>(), 2);
  record.remove("a");
  EXPECT_EQ(record.size(), 1u);
  record.set("a", "text");
  EXPECT_EQ(record.at("a").text(), "text");
  DynamicValue copy = record;
  EXPECT_TRUE(copy == record);
  copy.remove("a");
  EXPECT_FALSE(copy == record);
}

}  // namespace
}  // namespace hdb::test::lazy_migrations_test
