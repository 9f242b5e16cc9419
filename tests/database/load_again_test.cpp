// One program loads one file after another: what it learnt from the last one must not mislead it.
#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"
#include "support/world.hpp"

namespace hdb::test::load_again_test {
namespace {

struct OldShip {
  std::string name;
  std::int32_t hull = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(hull));
  }
};
struct Ship {
  std::int32_t hull = 0;
  std::string name;
  std::int32_t shield = 5;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hull), CEREAL_NVP(name), CEREAL_NVP(shield));
  }
};
struct NewestShip {
  std::int32_t hull = 0;
  std::int32_t crew = 3;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hull), CEREAL_NVP(crew));
  }
};

template <class Record>
Bytes file_of(const Record& record) {
  Database db;
  db.create_table<Record>("ships").insert(record);
  return saved(db.capture());
}

TEST(LoadAgain, FilesOfManySchemasMayFollowEachOther) {
  const Bytes old = file_of(OldShip{"argo", 7});
  const Bytes same = file_of(Ship{8, "nina", 9});
  const Bytes newest = file_of(NewestShip{10, 11});
  Database db;
  auto& ships = db.create_table<Ship>("ships");
  const auto load = [&](const Bytes& file) {
    return db.load(std::make_unique<MemorySource>(MemorySource::borrowing(file)));
  };
  for (const int step : {0, 1, 2, 1, 0, 0, 2, 2, 1}) {
    const auto loaded = load(step == 0 ? old : step == 1 ? same : newest);
    ASSERT_TRUE(loaded) << loaded.error().message();
    const Ship& ship = *ships.begin();
    EXPECT_EQ(ship.hull, step == 0 ? 7 : step == 1 ? 8 : 10);
    EXPECT_EQ(ship.name, step == 0 ? "argo" : step == 1 ? "nina" : "");
    EXPECT_EQ(ship.shield, step == 1 ? 9 : 5);
    EXPECT_EQ(loaded->tables[0].exact_schema, step == 1);
    EXPECT_EQ(loaded->tables[0].changes.empty(), step == 1);
  }
}

TEST(LoadAgain, ChangesAreCountedForEachLoadAlone) {
  const Bytes old = file_of(OldShip{"argo", 7});
  Database db;
  db.create_table<Ship>("ships");
  std::vector<LoadChange> first;
  for (int i = 0; i < 3; ++i) {
    const auto loaded = db.load(std::make_unique<MemorySource>(MemorySource::borrowing(old)));
    ASSERT_TRUE(loaded) << loaded.error().message();
    if (i == 0) first = loaded->tables[0].changes;
    EXPECT_EQ(loaded->tables[0].changes, first);
  }
}

// What one load keeps, another one of the same type does not.
TEST(LoadAgain, WhatIsKeptOnceIsNotKeptAlways) {
  const Bytes newest = file_of(NewestShip{10, 11});
  Database db;
  db.create_table<Ship>("ships");
  for (const bool keeps : {false, true, false, true}) {
    const auto loaded = db.load(std::make_unique<MemorySource>(MemorySource::borrowing(newest)),
                                {.keep_unknown = keeps});
    ASSERT_TRUE(loaded) << loaded.error().message();
    std::size_t kept = 0;
    for (const LoadChange& change : loaded->tables[0].changes)
      kept += change.kind == LoadChange::Kind::kept ? 1 : 0;
    EXPECT_EQ(kept, keeps ? 1u : 0u);
  }
}

// The tables of handle fields belong to the schema of the program.
struct Crew {
  Handle<Ship> ship;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(ship));
  }
};

TEST(LoadAgain, HandlesOfARenamedTableAreMatchedAgain) {
  Database old;
  const auto argo = old.create_table<Ship>("ships").insert({7, "argo", 1});
  old.create_table<Crew>("crews").insert({argo});
  const Bytes file = saved(old.capture());
  const auto load = [&](Database& db) {
    return db.load(std::make_unique<MemorySource>(MemorySource::borrowing(file)),
                   {.allow_missing_tables = true, .allow_unknown_tables = true});
  };
  ASSERT_TRUE(load(old));
  ASSERT_TRUE(old.drop_table("ships"));
  old.create_table<Ship>("vessels");
  const auto refused = load(old);
  ASSERT_FALSE(refused) << "the handles are of another table";
  old.declare_table_rename({.old_name = "ships", .new_name = "vessels"});
  const auto loaded = load(old);
  ASSERT_TRUE(loaded) << loaded.error().message();
}

}  // namespace
}  // namespace hdb::test::load_again_test
