// Age 4: monsters have version 1: hit points in whole points, a position, morale; the dead are not
// kept. Quests have a deadline. Doors and zones are packed now, and
// the slot freed last is used first.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "ages.hpp"
#include "hdb/migration.hpp"

namespace hdb::test::age_4 {

using ages::Game;

enum class Mood : std::uint8_t { asleep, calm, furious };  // were calm 0 and angry 1
enum class Stage : std::uint8_t { open, done };

struct Item {  // in another order
  float weight = 1.5F;
  float worth = 1;
  std::string name = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(weight), CEREAL_NVP(worth), CEREAL_NVP(name));
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

struct Monster {
  std::string name = "imp";
  Mood mood = Mood::calm;
  std::int32_t hp = 10;  // in points; were tenths
  float armor = 0.5F;
  Position pos = {};        // were "x" and "y"
  std::int32_t morale = 0;  // added: follows from hp
  Handle<Monster> target = {};
  std::vector<std::string> weapons = {};
  std::vector<Handle<Item>> loot = {};
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(name), CEREAL_NVP(mood), CEREAL_NVP(hp), CEREAL_NVP(armor), CEREAL_NVP(pos));
    a(CEREAL_NVP(morale), CEREAL_NVP(target), CEREAL_NVP(weapons), CEREAL_NVP(loot));
  }
};

struct Lock {
  std::uint16_t strength = 5;
  std::string key = {};
  bool is_jammed = false;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(strength), CEREAL_NVP(key), CEREAL_NVP(is_jammed));
  }
};

struct Door {
  Lock lock = {};
  std::array<std::uint16_t, 5> hinges{0, 0, 0, 8, 9};
  std::vector<Handle<Monster>> guards = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(lock), CEREAL_NVP(hinges), CEREAL_NVP(guards));
  }
};

struct Zone {
  double brightness = 1;  // was a float
  std::optional<std::string> music = {};
  Handle<Door> entrance = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(brightness), CEREAL_NVP(music), CEREAL_NVP(entrance));
  }
};

struct Quest {
  std::string title = {};
  Handle<Zone> goal = {};
  std::int32_t reward = 10;
  Stage stage = Stage::open;
  std::int32_t deadline = 0;  // added
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(title), CEREAL_NVP(goal), CEREAL_NVP(reward), CEREAL_NVP(stage));
    a(CEREAL_NVP(deadline));
  }
};

struct World {
  std::string title = "Cave";
  std::uint64_t hours = 0;
  float gravity = 9.5F;
  template <class A>
  void serialize(A& a, std::uint32_t version) {
    a(CEREAL_NVP(title), CEREAL_NVP(gravity));
    if (version >= 2) return a(CEREAL_NVP(hours)), void();
    std::uint64_t day = 0;
    a(CEREAL_NVP(day));
    hours = 24 * day;
  }
};

}  // namespace hdb::test::age_4

CEREAL_CLASS_VERSION(hdb::test::age_4::Monster, 1)
CEREAL_CLASS_VERSION(hdb::test::age_4::Quest, 1)
CEREAL_CLASS_VERSION(hdb::test::age_4::World, 2)

template <>
struct hdb::EnumNames<hdb::test::age_4::Mood> {
  using Mood = hdb::test::age_4::Mood;
  static constexpr std::array list{hdb::EnumName{Mood::asleep, "asleep"},
                                   hdb::EnumName{Mood::calm, "calm"},
                                   hdb::EnumName{Mood::furious, "furious"}};
};
template <>
struct hdb::Renames<hdb::test::age_4::Mood> {
  static constexpr std::array list{hdb::Rename{"angry", "furious"}};
};
template <>
struct hdb::Renames<hdb::test::age_4::Monster> {
  static constexpr std::array list{hdb::Rename{"health", "hp"}, hdb::Rename{"weapon", "weapons"}};
};
template <>
struct hdb::Renames<hdb::test::age_4::Door> {
  static constexpr std::array list{hdb::Rename{"guard", "guards"}};
};
template <>
struct hdb::Renames<hdb::test::age_4::Zone> {
  static constexpr std::array list{hdb::Rename{"light", "brightness"}};
};

namespace hdb::test::age_4 {
namespace {

void declare_quests(Database& db) {
  db.declare_migration({.table = "quests", .from = 0}, [](DynamicValue& quest, MigrationContext&) {
    quest.set("goal", quest.at("goal").as<Handle<Zone>>());
  });
}

void declare_monsters(Database& db) {
  db.declare_migration({.table = "monsters", .from = 0},
                       [](DynamicValue& monster, MigrationContext& context) {
                         // Version 0 has two forms: ages 1 and 2 call it "health".
                         const char* const name = monster.contains("hp") ? "hp" : "health";
                         const int tenths = monster.at(name).as<int>();
                         if (tenths <= 0) return context.drop();
                         monster.set(name, tenths / 10);
                         monster.set("morale", tenths / 10 / 2);
                         monster.move("x", "pos.x");
                         monster.move("y", "pos.y");
                       });
}

}  // namespace

void open(Game& game) {
  game.add<Item>("items");
  game.add<Monster>("monsters");
  game.add<Door>("doors");
  game.add<Zone>("zones", {.names = RecordNames::ignore_case});
  game.add<Quest>("quests", {.generations = Generations::table_counter});
  game.db.singleton<World>("world");
  game.db.declare_table_rename({"enemies", "monsters"});
  declare_monsters(game.db);
  declare_quests(game.db);
}

void play(Game& game) {
  auto& items = game.table<Item>("items");
  const auto gold = items.insert({.worth = 80, .name = "gold"});
  const auto bone = items.insert({.name = "bone"});
  items.erase(bone);

  auto& monsters = game.table<Monster>("monsters");
  monsters.erase(monsters.insert({}));
  const auto ogre = monsters.insert({.name = "ogre", .hp = 6000, .morale = -1});
  const auto imp = monsters.insert({.name = "imp", .hp = 7, .pos = {1, -1}, .morale = 3});
  monsters.edit(imp)->weapons = {"claw", "fang"};
  monsters.edit(imp)->loot = {bone, gold};
  monsters.edit(ogre)->target = imp;

  auto& doors = game.table<Door>("doors");
  auto& zones = game.table<Zone>("zones");
  const auto cellar = doors.insert({.lock = {7, "rust", true}, .guards = {ogre}});
  const auto cellars = zones.insert_named("Cellar", {.entrance = cellar});
  const auto gate = doors.insert({.hinges = {5, 4, 3, 2, 1}});
  const auto gates = zones.insert_named("Gate", {0.5, "flutes", gate});
  doors.erase(gate);
  zones.erase(gates);
  auto& quests = game.table<Quest>("quests");
  quests.insert({.title = "Rest", .goal = cellars, .deadline = 12});
  quests.insert({.title = "Leave", .goal = gates, .reward = 0, .stage = Stage::done});
  game.db.singleton<World>("world").edit().hours = 240;
}

}  // namespace hdb::test::age_4
