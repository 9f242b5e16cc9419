// Type ids across loads and restores: the order in which a program makes its tables is no part of
// compatibility, and every handle resolves to its record or to nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "hdb/changes.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::type_ids_test {
namespace {

using Typed = Table<Unit, TypedLayout>;

Bytes saved(Database& db) {
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}
Result<LoadReport> load(Database& db, const Bytes& file, TimelineMode mode = TimelineMode::exact) {
  return db.load(std::make_unique<MemorySource>(file), {.mode = mode});
}
Typed& make(Database& db, const std::string& name, const TableOptions& options = {}) {
  return db.create_table<Unit, TypedLayout>(name, options);
}
Typed& table(Database& db, const std::string& name) {
  return *db.find_table<Unit, TypedLayout>(name);
}

TEST(TypeIds, OldSavesLoadInWhateverOrderTheProgramMakesItsTables) {
  Database old;
  const auto monster = make(old, "monsters").insert({.hp = 1});
  const auto gone = make(old, "gone").insert({.hp = 2});
  const auto weapon = make(old, "weapons").insert({.hp = 3});
  old.drop_table("gone");
  const Bytes file = saved(old);
  std::vector<std::string> names{"doors", "keys", "monsters", "weapons"};
  do {
    for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
      Database db;
      std::vector<AnyHandle> stale;
      for (const std::string& name : names) {
        auto& made = make(db, name);
        for (int i = 0; i < 3; ++i) stale.push_back(any_handle(made.insert({.hp = -1})));
      }
      const auto loaded = load(db, file, mode);
      ASSERT_TRUE(loaded) << loaded.error().message();
      EXPECT_THAT(loaded->missing_tables, testing::ElementsAre("doors", "keys"));
      EXPECT_EQ(db.check_invariants(), nullptr);
      EXPECT_EQ(db.find<Unit>(any_handle(monster))->hp, 1);
      EXPECT_EQ(db.find<Unit>(any_handle(weapon))->hp, 3);
      std::vector<AnyHandle> fresh;
      for (const std::string& name : names) {
        for (int i = 0; i < 3; ++i) {
          const auto handle = any_handle(table(db, name).insert({.hp = 9}));
          EXPECT_EQ(db.table_of(handle), name);
          EXPECT_EQ(db.find<Unit>(handle)->hp, 9);
          fresh.push_back(handle);
        }
      }
      EXPECT_FALSE(db.contains(any_handle(gone))) << "the file may hold it in records";
      if (mode == TimelineMode::fork) {
        for (const AnyHandle handle : stale)
          EXPECT_THAT(fresh, testing::Not(testing::Contains(handle)));
      }
      const auto next = make(db, "next").options().type_id;
      for (const std::string& name : names) EXPECT_LT(table(db, name).options().type_id, next);
    }
  } while (std::next_permutation(names.begin(), names.end()));
}

TEST(TypeIds, ATableThatTheFileLacksKeepsAnIdThatNoTableOfTheFileEverHad) {
  Database old;
  make(old, "monsters");
  make(old, "gone");
  old.drop_table("gone");
  const Bytes file = saved(old);
  Database db;
  make(db, "doors", {.type_id = 500});
  make(db, "keys", {.type_id = 2});
  make(db, "monsters");
  ASSERT_TRUE(load(db, file));
  EXPECT_EQ(table(db, "doors").options().type_id, 500);
  EXPECT_EQ(table(db, "keys").options().type_id, 3);
  EXPECT_EQ(table(db, "monsters").options().type_id, 1);
}

TEST(TypeIds, ALeftOutTableMakesWayWhenItHasNoRecordsAndElseKeepsItsHandles) {
  Database old;
  make(old, "monsters").insert({});
  const Bytes file = saved(old);
  for (const Scope scope : {Scope::unsaved, Scope::uncaptured}) {
    Database db;
    auto& sparks = make(db, "sparks", {.scope = scope});
    auto& monsters = make(db, "monsters");
    const Snapshot before = db.capture();
    const auto spark = sparks.insert({.hp = 5});
    const auto refused = load(db, file);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::layout_mismatch);
    EXPECT_THAT(refused.error().message(), testing::HasSubstr("sparks"));
    EXPECT_EQ(db.find<Unit>(any_handle(spark))->hp, 5) << "nothing changed";
    sparks.clear();
    Changes changes;
    ASSERT_TRUE(db.load(std::make_unique<MemorySource>(file), {.changes = &changes}));
    EXPECT_EQ(monsters.options().type_id, 1);
    EXPECT_EQ(sparks.options().type_id, 2);
    EXPECT_EQ(db.table_of(any_handle(sparks.insert({}))), "sparks");
    EXPECT_EQ(changes.of("monsters").created.size(), 1u);
    // Back to the ids of before: a table with records that no restore touches stands in the way.
    const Status restored = db.restore(before, {.changes = &changes});
    if (scope == Scope::uncaptured) {
      ASSERT_FALSE(restored);
      EXPECT_EQ(restored.error().code, ErrorCode::foreign_snapshot);
      sparks.clear();
      ASSERT_TRUE(db.restore(before, {.changes = &changes}));
    } else {
      ASSERT_TRUE(restored);
      EXPECT_EQ(sparks.options().type_id, 1);
    }
    EXPECT_EQ(monsters.options().type_id, 2);
    EXPECT_EQ(db.table_of(any_handle(monsters.insert({}))), "monsters");
    EXPECT_EQ(db.check_invariants(), nullptr);
  }
}

TEST(TypeIds, ATableMadeSinceTheCaptureMakesWayForACapturedOne) {
  for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
    Database old;
    make(old, "a");
    const Bytes file = saved(old);
    Database db;
    make(db, "b");
    auto& a = make(db, "a");
    const auto kept = a.insert({.hp = 7});
    const Snapshot before = db.capture();
    db.drop_table("b");
    ASSERT_TRUE(load(db, file));  // a has id 1 now, the highest given
    auto& c = make(db, "c");
    const auto stale = any_handle(c.insert({}));
    EXPECT_EQ(stale.type_id(), kept.type_id());
    ASSERT_TRUE(db.restore(before, {.mode = mode}));
    EXPECT_EQ(db.find<Unit>(any_handle(kept))->hp, 7);
    EXPECT_TRUE(c.empty());
    EXPECT_GT(c.options().type_id, 2);
    EXPECT_EQ(db.table_of(any_handle(c.insert({}))), "c");
    EXPECT_EQ(db.check_invariants(), nullptr);
  }
}

TEST(TypeIds, AForkGivesNoIdThatAnAbandonedTimelineGave) {
  Database db;
  const Snapshot before = db.capture();
  const auto ghost = any_handle(make(db, "b").insert({}));
  db.drop_table("b");
  ASSERT_TRUE(db.restore(before));
  ASSERT_TRUE(db.restore(before, {.mode = TimelineMode::fork}));
  EXPECT_GT(make(db, "c").options().type_id, ghost.type_id());
  table(db, "c").insert({});
  EXPECT_FALSE(db.contains(ghost));
}

}  // namespace
}  // namespace hdb::test::type_ids_test
