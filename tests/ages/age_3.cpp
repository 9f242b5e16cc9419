// Age 3: enemies are monsters now and carry several weapons, a door has several guards, a quest
// leads to a zone instead of its door, and the time of the world counts in hours. Handles of items
// have 64 bits.
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

namespace hdb::test::age_3 {

using ages::Game;

enum class Mood : std::uint8_t { calm, angry };
enum class Stage : std::uint8_t { open, done };

struct Item {
  std::string name = {};
  float worth = 1;  // was an integer
  float weight = 1.5F;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(worth), CEREAL_NVP(weight));
  }
};

struct Monster {
  std::string name = "imp";
  Mood mood = Mood::calm;
  std::int32_t hp = 100;  // in tenths of a point; was "health"
  float armor = 0.5F;
  float x = 0;
  float y = 0;
  Handle<Monster> target = {};
  std::vector<std::string> weapons = {};  // was one "weapon"
  std::vector<Handle<Item>> loot = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(mood), CEREAL_NVP(hp), CEREAL_NVP(armor), CEREAL_NVP(x));
    a(CEREAL_NVP(y), CEREAL_NVP(target), CEREAL_NVP(weapons), CEREAL_NVP(loot));
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
  std::array<std::uint16_t, 5> hinges{0, 0, 0, 8, 9};  // were 3
  std::vector<Handle<Monster>> guards = {};            // was one "guard"
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(lock), CEREAL_NVP(hinges), CEREAL_NVP(guards));
  }
};

struct Zone {
  float brightness = 1;                   // was "light"
  std::optional<std::string> music = {};  // was always a text
  Handle<Door> entrance = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(brightness), CEREAL_NVP(music), CEREAL_NVP(entrance));
  }
};

struct Quest {
  std::string title = {};
  Handle<Zone> goal = {};  // was a door, which has the handle of its zone
  std::int32_t reward = 10;
  Stage stage = Stage::open;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(title), CEREAL_NVP(goal), CEREAL_NVP(reward), CEREAL_NVP(stage));
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

}  // namespace hdb::test::age_3

CEREAL_CLASS_VERSION(hdb::test::age_3::Quest, 1)
CEREAL_CLASS_VERSION(hdb::test::age_3::World, 2)

template <>
struct hdb::EnumNames<hdb::test::age_3::Mood> {
  using Mood = hdb::test::age_3::Mood;
  static constexpr std::array list{hdb::EnumName{Mood::calm, "calm"},
                                   hdb::EnumName{Mood::angry, "angry"}};
};

template <>
struct hdb::Renames<hdb::test::age_3::Monster> {
  static constexpr std::array list{hdb::Rename{"health", "hp"}, hdb::Rename{"weapon", "weapons"}};
};
template <>
struct hdb::Renames<hdb::test::age_3::Door> {
  static constexpr std::array list{hdb::Rename{"guard", "guards"}};
};
template <>
struct hdb::Renames<hdb::test::age_3::Zone> {
  static constexpr std::array list{hdb::Rename{"light", "brightness"}};
};

namespace hdb::test::age_3 {

void open(Game& game) {
  game.add<Item>("items");
  game.add<Monster>("monsters");
  game.add<Door>("doors", {.storage = Storage::stable, .free_list = FreeList::fifo});
  game.add<Zone>(
      "zones",
      {.storage = Storage::stable, .free_list = FreeList::fifo, .names = RecordNames::ignore_case});
  game.add<Quest>("quests", {.generations = Generations::table_counter});
  game.db.singleton<World>("world");
  game.db.declare_table_rename({"enemies", "monsters"});
  game.db.declare_migration({.table = "quests", .from = 0},
                            [](DynamicValue& quest, MigrationContext&) {
                              quest.set("goal", quest.at("goal").as<Handle<Zone>>());
                            });
}

void play(Game& game) {
  auto& items = game.table<Item>("items");
  const auto gold = items.insert({.name = "gold", .worth = 70.5F});
  items.erase(gold);  // stale in the loot
  const auto key = items.insert({.name = "key", .weight = 0});

  auto& monsters = game.table<Monster>("monsters");
  const auto imp = monsters.insert({.name = "imp", .hp = 80, .x = 0.5F, .weapons = {"claw"}});
  const auto ghost = monsters.insert({.name = "ghost", .hp = 0});
  const auto ogre =
      monsters.insert({.name = "ogre", .hp = 50000, .armor = 2, .weapons = {"club", "fist"}});
  monsters.edit(imp)->loot = {gold, key};
  monsters.edit(ogre)->target = ghost;
  monsters.erase(monsters.insert({}));

  auto& doors = game.table<Door>("doors");
  auto& zones = game.table<Zone>("zones");
  const auto gate = doors.insert({.guards = {imp, ogre, ghost}});
  const auto gates = zones.insert_named("Gate", {.music = "", .entrance = gate});
  const auto hall = doors.insert({.lock = {2, "tin"}, .hinges = {1, 2, 3, 4, 5}});
  const auto halls = zones.insert_named("Hall", {.brightness = 3, .entrance = hall});
  doors.erase(hall);
  zones.erase(halls);
  auto& quests = game.table<Quest>("quests");
  quests.erase(quests.insert({}));
  quests.insert({.title = "Enter the gate", .goal = gates, .reward = 40});
  quests.insert({.title = "Leave the hall", .goal = halls, .stage = Stage::done});
  game.db.singleton<World>("world").edit().hours = 100;
}

}  // namespace hdb::test::age_3
