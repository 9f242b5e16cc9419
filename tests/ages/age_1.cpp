// Age 1: the first release. Enemies guard doors; each door leads into the zone of the same handle.
#include <array>
#include <string>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "ages.hpp"

namespace hdb::test::age_1 {

enum class Mood : std::uint8_t { calm, angry };

using Small = Layout<16, 16>;  // of the handles of items

struct Item {
  std::string name = {};
  std::int32_t worth = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(worth));
  }
};

struct Enemy {
  std::string name = "imp";
  std::int16_t health = 100;  // in tenths of a point
  float x = 0;
  float y = 0;
  Mood mood = Mood::calm;
  bool is_asleep = true;
  std::string weapon = {};
  std::vector<Handle<Item, Small>> loot = {};
  Handle<Enemy> target = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(health), CEREAL_NVP(x), CEREAL_NVP(y), CEREAL_NVP(mood));
    a(CEREAL_NVP(is_asleep), CEREAL_NVP(weapon), CEREAL_NVP(loot), CEREAL_NVP(target));
  }
};

struct Lock {
  std::uint8_t strength = 5;
  std::string key = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(strength), CEREAL_NVP(key));
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

struct Decal {
  float x = 0;
  float y = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};

struct World {
  std::string title = "Cave";
  std::uint32_t day = 0;
  float gravity = 9.5F;
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(title), CEREAL_NVP(day), CEREAL_NVP(gravity));
  }
};

}  // namespace hdb::test::age_1

CEREAL_CLASS_VERSION(hdb::test::age_1::World, 1)

template <>
struct hdb::EnumNames<hdb::test::age_1::Mood> {
  using Mood = hdb::test::age_1::Mood;
  static constexpr std::array list{hdb::EnumName{Mood::calm, "calm"},
                                   hdb::EnumName{Mood::angry, "angry"}};
};

namespace hdb::test::age_1 {

using ages::Game;

void open(Game& game) {
  game.add<Item, Small>("items");
  game.add<Enemy>("enemies");
  game.add<Door>("doors", {.storage = Storage::stable, .free_list = FreeList::fifo});
  game.add<Zone>(
      "zones",
      {.storage = Storage::stable, .free_list = FreeList::fifo, .names = RecordNames::ignore_case});
  game.add<Decal>("decals", {.generations = Generations::table_counter});
  game.db.singleton<World>("world");
}

void play(Game& game) {
  auto& items = game.table<Item, Small>("items");
  const auto gold = items.insert({"gold", 50});
  const auto lost = items.insert({"bone", 0});
  const auto crown = items.insert({"crown", 1 << 20});
  items.erase(lost);

  auto& enemies = game.table<Enemy>("enemies");
  const auto imp = enemies.insert({.name = "imp", .x = 1.5F, .y = -2, .weapon = "claw"});
  const auto slain = enemies.insert({.name = "rat", .health = 10});
  const auto ghost = enemies.insert({.name = "ghost", .health = 0, .mood = Mood::angry});
  enemies.erase(slain);
  enemies.erase(enemies.insert({.name = "rat"}));
  const auto ogre = enemies.insert({.name = "ogre", .health = 32760, .is_asleep = false});
  enemies.edit(imp)->target = slain;  // stale
  enemies.edit(imp)->loot = {gold, lost, crown};
  enemies.edit(ogre)->target = ghost;
  enemies.erase(enemies.insert({.name = "bat"}));

  auto& doors = game.table<Door>("doors");
  auto& zones = game.table<Zone>("zones");
  const auto gate = doors.insert({.lock = {200, "iron"}, .hinges = {1, 2, 3}, .guard = imp});
  zones.insert_named("Gate", {.light = 0.5F, .music = "drums", .entrance = gate});
  const auto ruin = doors.insert({.guard = slain});
  const auto ruins = zones.insert_named("Ruins", {.entrance = ruin});
  const auto hall = doors.insert({.lock = {9, {}}, .hinges = {7, 0, 65535}});
  zones.insert_named("Hall", {.light = 2, .entrance = hall});
  doors.erase(ruin);
  zones.erase(ruins);
  game.table<Decal>("decals").insert({1, 2});
  game.db.singleton<World>("world").edit().day = 3;
}

}  // namespace hdb::test::age_1
