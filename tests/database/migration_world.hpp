// Two versions of a monster, files of the older one, and the migrations between them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/migration.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::migrations_test {

enum class Mood : std::uint8_t { calm, angry };

/// The first version: hit points in tenths, the weapon inside of the monster.
struct OldMonster {
  std::string name = "imp";
  std::int16_t health = 100;
  float x = 1;
  float y = 2;
  std::string weapon = {};
  Handle<Unit> target = {};
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(name), CEREAL_NVP(health), CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(weapon),
      CEREAL_NVP(target));
  }
};

struct Position {
  float x = 0;
  float y = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};
struct Claw {
  std::string kind = "claw";
  std::int32_t damage = 5;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(kind), CEREAL_NVP(damage));
  }
};
/// The third version.
struct Monster {
  std::string name;
  std::int32_t hp = 0;
  std::int32_t mana = 7;
  Position pos = {};
  Mood mood = Mood::calm;
  Handle<Claw> weapon = {};
  Handle<Unit> target = {};
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    if (version != 3) throw std::logic_error("serialize() saw another version");
    a(CEREAL_NVP(name), CEREAL_NVP(hp), CEREAL_NVP(mana), CEREAL_NVP(pos), CEREAL_NVP(mood),
      CEREAL_NVP(weapon), CEREAL_NVP(target));
  }
};

struct OldPoint {
  float x = 3;
  std::int32_t hp = 10;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(hp));
  }
};
struct Point {
  Position pos = {};
  std::int32_t hp = 0;
  std::int32_t mana = 1;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(pos), CEREAL_NVP(hp), CEREAL_NVP(mana));
  }
};

/// Plain structs, of which the second has a class version.
struct OldQuest {
  Handle<Claw> goal = {};
  std::vector<Handle<Claw>> others = {};
  std::int32_t gold = 3;
};
struct Quest {
  Handle<Unit> goal = {};  // was a claw, which has the handle of its unit
  std::vector<Handle<Unit>> others = {};
  std::int32_t silver = 0;
};
/// The same without a migration, and with a field of another kind.
struct OtherQuest {
  std::string gold = {};
};

/// Handles with type ids; the places of claws are towns now.
struct Town {
  std::int32_t size = 1;
};
struct Visit {
  Handle<Town, TypedLayout> goal = {};
  std::vector<Handle<Town, TypedLayout>> stops = {};
  AnyHandle last = {};
  std::int32_t day = 0;
};
struct OldVisit {
  Handle<Claw, TypedLayout> goal = {};
  std::vector<Handle<Claw, TypedLayout>> stops = {};
  AnyHandle last = {};
  std::int32_t day = 0;
};

struct OldSign {
  char tag[4] = {'a', 'b', 'c', 0};
  std::vector<char16_t> title = {u'x', u'y'};
};
struct Sign {
  char tag[4] = {};
  std::vector<char16_t> title = {};
};
struct SignPost {
  Sign sign = {};
};
struct OldSignPost {
  OldSign sign = {};
};

}  // namespace hdb::test::migrations_test

CEREAL_CLASS_VERSION(hdb::test::migrations_test::Sign, 1)
CEREAL_CLASS_VERSION(hdb::test::migrations_test::Quest, 1)
CEREAL_CLASS_VERSION(hdb::test::migrations_test::OtherQuest, 1)
CEREAL_CLASS_VERSION(hdb::test::migrations_test::Visit, 1)
CEREAL_CLASS_VERSION(hdb::test::migrations_test::OldMonster, 1)
CEREAL_CLASS_VERSION(hdb::test::migrations_test::Monster, 3)
CEREAL_CLASS_VERSION(hdb::test::migrations_test::Point, 1)

namespace hdb::test::migrations_test {
inline Bytes saved(Database& db) {
  MemorySink sink;
  EXPECT_TRUE(save(db.capture(), sink));
  return sink.take();
}

inline Result<LoadReport> load(Database& db, const Bytes& bytes, const LoadOptions& options = {}) {
  return db.load(std::make_unique<MemorySource>(bytes), options);
}

/// Loads a file that must be refused; the error. Nothing may change.
inline Error must_fail(Database& db, const Bytes& bytes) {
  const Hash128 before = db.state_hash();
  const auto names = db.table_names();
  const auto loaded = load(db, bytes);
  EXPECT_FALSE(loaded);
  EXPECT_EQ(db.state_hash(), before) << "something changed";
  EXPECT_EQ(db.table_names(), names);
  return loaded ? Error{} : loaded.error();
}

/// A file with `count` old monsters named "0", "1", ...; every third was erased.
inline Bytes old_file(int count, const TableOptions& options = {}) {
  Database db;
  auto& monsters = db.create_table<OldMonster>("monsters", options);
  std::vector<Handle<OldMonster>> handles;
  for (int i = 0; i < count; ++i) {
    OldMonster monster;
    monster.name = std::to_string(i);
    monster.health = static_cast<std::int16_t>(10 * i);
    monster.weapon = i % 2 == 0 ? "" : "fang";
    handles.push_back(monsters.insert(monster));
  }
  for (std::size_t i = 2; i < handles.size(); i += 3) monsters.erase(handles[i]);
  return saved(db);
}

inline void to_version_2(DynamicValue& monster, MigrationContext&) {
  monster.set("hp", monster.at("health").as<int>() / 10);
  monster.remove("health");
  monster.move("x", "pos.x");
  monster.move("y", "pos.y");
}

inline void to_version_3(DynamicValue& monster, MigrationContext&) {
  monster.remove("weapon");
  monster.set("mood", monster.at("hp").as<int>() > 3 ? Mood::angry : Mood::calm);
}

inline void declare_chain(Database& db) {
  db.declare_migration({.table = "monsters", .from = 1}, to_version_2);
  db.declare_migration({.table = "monsters", .from = 2}, to_version_3);
}

}  // namespace hdb::test::migrations_test
