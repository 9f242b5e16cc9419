// Age 2: quests. An ogre needs more health than 16 bits hold, locks may jam, and decals are gone.
#include <array>
#include <string>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "ages.hpp"

namespace hdb::test::age_2 {

using ages::Game;

enum class Mood : std::uint8_t { calm, angry };
enum class Stage : std::uint8_t { open, done };

using Small = Layout<16, 16>;  // of the handles of items

struct Item {
  std::string name = {};
  std::int32_t worth = 1;
  float weight = 1.5F;  // added
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(worth), CEREAL_NVP(weight));
  }
};

/// In another order than before; no longer asleep.
struct Enemy {
  std::string name = "imp";
  Mood mood = Mood::calm;
  std::int32_t health = 100;  // in tenths of a point; was 16 bits wide
  float armor = 0.5F;         // added
  float x = 0;
  float y = 0;
  Handle<Enemy> target = {};
  std::string weapon = {};
  std::vector<Handle<Item, Small>> loot = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(mood), CEREAL_NVP(health), CEREAL_NVP(armor), CEREAL_NVP(x));
    a(CEREAL_NVP(y), CEREAL_NVP(target), CEREAL_NVP(weapon), CEREAL_NVP(loot));
  }
};

struct Lock {
  std::uint16_t strength = 5;  // was 8 bits wide
  std::string key = {};
  bool is_jammed = false;  // added
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(strength), CEREAL_NVP(key), CEREAL_NVP(is_jammed));
  }
};

struct Door {
  Lock lock = {};
  std::array<std::uint16_t, 3> hinges{};
  Handle<Enemy> guard = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(lock), CEREAL_NVP(hinges), CEREAL_NVP(guard));
  }
};

struct Zone {
  float light = 1;
  std::string music = {};
  Handle<Door> entrance = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(light), CEREAL_NVP(music), CEREAL_NVP(entrance));
  }
};

struct Quest {
  std::string title = {};
  Handle<Door> goal = {};
  std::int32_t reward = 10;
  Stage stage = Stage::open;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(title), CEREAL_NVP(goal), CEREAL_NVP(reward), CEREAL_NVP(stage));
  }
};

struct World {
  std::string title = "Cave";
  std::uint64_t day = 0;  // was 32 bits wide
  float gravity = 9.5F;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(title), CEREAL_NVP(day), CEREAL_NVP(gravity));
  }
};

}  // namespace hdb::test::age_2

CEREAL_CLASS_VERSION(hdb::test::age_2::World, 1)

template <>
struct hdb::EnumNames<hdb::test::age_2::Mood> {
  using Mood = hdb::test::age_2::Mood;
  static constexpr std::array list{hdb::EnumName{Mood::calm, "calm"},
                                   hdb::EnumName{Mood::angry, "angry"}};
};

namespace hdb::test::age_2 {

void open(Game& game) {
  game.add<Item, Small>("items");
  game.add<Enemy>("enemies");
  game.add<Door>("doors", {.storage = Storage::stable, .free_list = FreeList::fifo});
  game.add<Zone>(
      "zones",
      {.storage = Storage::stable, .free_list = FreeList::fifo, .names = RecordNames::ignore_case});
  game.add<Quest>("quests", {.generations = Generations::table_counter});
  game.db.singleton<World>("world");
}

void play(Game& game) {
  auto& items = game.table<Item, Small>("items");
  items.erase(items.insert({.name = "bone"}));
  const auto gold = items.insert({.name = "gold", .worth = 60, .weight = 0.25F});

  auto& enemies = game.table<Enemy>("enemies");
  const auto imp = enemies.insert({.name = "imp", .health = 90, .x = 4, .weapon = "fang"});
  const auto ghost = enemies.insert({.name = "ghost", .health = -10});
  const auto ogre = enemies.insert({.name = "ogre", .mood = Mood::angry, .health = 40000});
  const auto rat = enemies.insert({.name = "rat"});
  enemies.edit(ogre)->loot = {gold};
  enemies.edit(ogre)->target = rat;  // stale soon
  enemies.erase(rat);
  enemies.edit(imp)->target = ghost;

  auto& doors = game.table<Door>("doors");
  auto& zones = game.table<Zone>("zones");
  const auto ruin = doors.insert({});
  const auto ruins = zones.insert_named("Ruins", {.entrance = ruin});
  const auto gate = doors.insert({.lock = {300, "iron", true}, .hinges = {1, 2, 3}, .guard = ogre});
  zones.insert_named("Gate", {.light = 0.25F, .music = "drums", .entrance = gate});
  auto& quests = game.table<Quest>("quests");
  quests.insert({.title = "Open the gate", .goal = gate, .reward = 500});
  quests.insert({.title = "Find the ruins", .goal = ruin, .stage = Stage::done});
  quests.erase(quests.insert({.title = "Sleep"}));
  doors.erase(ruin);
  zones.erase(ruins);
  game.db.singleton<World>("world").edit().day = 4;
}

}  // namespace hdb::test::age_2
