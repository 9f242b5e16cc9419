// Age 5, the newest: monsters have version 2, whose weapons are records; doors have four hinges and
// no key; an item has a title. Zones have names that differ also in their case, and the lowest free
// quest is used first.
#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <cereal/types/array.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "ages.hpp"
#include "hdb/migration.hpp"

namespace hdb::test::age_5 {

using ages::Game;

enum class Mood : std::uint8_t { asleep, calm, furious };  // were calm 0 and angry 1
enum class Stage : std::uint16_t { open, done, failed };   // was 8 bits wide

struct Item {
  float weight = 1.5F;
  float worth = 1;
  std::string title = {};  // was "name"
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(weight), CEREAL_NVP(worth), CEREAL_NVP(title));
  }
};

struct Weapon {
  std::string kind = "fist";
  float damage = 2.5F;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(kind), CEREAL_NVP(damage));
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
  std::int32_t hp = 10;
  float armor = 0.5F;
  Position pos = {};
  std::int32_t morale = 0;
  Handle<Monster> target = {};
  std::vector<Handle<Weapon>> arms = {};  // were the names "weapons"
  std::vector<Handle<Item>> loot = {};
  template <class A>
  void serialize(A& a, std::uint32_t) {
    a(CEREAL_NVP(name), CEREAL_NVP(mood), CEREAL_NVP(hp), CEREAL_NVP(armor), CEREAL_NVP(pos));
    a(CEREAL_NVP(morale), CEREAL_NVP(target), CEREAL_NVP(arms), CEREAL_NVP(loot));
  }
};

struct Lock {  // without a key
  std::uint16_t strength = 5;
  bool is_jammed = false;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(strength), CEREAL_NVP(is_jammed));
  }
};

struct Door {
  Lock lock = {};
  std::array<std::uint16_t, 4> hinges{0, 0, 0, 8};  // were 5, before that 3
  std::vector<Handle<Monster>> guards = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(lock), CEREAL_NVP(hinges), CEREAL_NVP(guards));
  }
};

struct Zone {
  double brightness = 1;
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
  std::int32_t deadline = 0;
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

}  // namespace hdb::test::age_5

CEREAL_CLASS_VERSION(hdb::test::age_5::Monster, 2)
CEREAL_CLASS_VERSION(hdb::test::age_5::Quest, 1)
CEREAL_CLASS_VERSION(hdb::test::age_5::World, 2)

template <>
struct hdb::EnumNames<hdb::test::age_5::Mood> {
  using Mood = hdb::test::age_5::Mood;
  static constexpr std::array list{hdb::EnumName{Mood::asleep, "asleep"},
                                   hdb::EnumName{Mood::calm, "calm"},
                                   hdb::EnumName{Mood::furious, "furious"}};
};
template <>
struct hdb::Renames<hdb::test::age_5::Mood> {
  static constexpr std::array list{hdb::Rename{"angry", "furious"}};
};
template <>
struct hdb::Renames<hdb::test::age_5::Item> {
  static constexpr std::array list{hdb::Rename{"name", "title"}};
};
template <>
struct hdb::Renames<hdb::test::age_5::Monster> {
  static constexpr std::array list{hdb::Rename{"health", "hp"}};
};
template <>
struct hdb::Renames<hdb::test::age_5::Door> {
  static constexpr std::array list{hdb::Rename{"guard", "guards"}};
};
template <>
struct hdb::Renames<hdb::test::age_5::Zone> {
  static constexpr std::array list{hdb::Rename{"light", "brightness"}};
};

namespace hdb::test::age_5 {
namespace {

// Makes a record of each weapon.
void arm(DynamicValue& monster, MigrationContext& context) {
  std::vector<std::string> kinds;  // the empty one was none
  if (const DynamicValue* const one = monster.find("weapon"); one != nullptr) {  // ages 1 and 2
    kinds.emplace_back(one->text());
  } else {
    const DynamicValue& many = monster.at("weapons");
    for (std::size_t i = 0; i < many.size(); ++i) kinds.emplace_back(many.element(i).text());
  }
  std::erase(kinds, "");
  DynamicValue arms = DynamicValue::list();
  for (const std::string& kind : kinds) {
    DynamicValue weapon;
    weapon.set("kind", kind);
    arms.push_back(context.create("weapons", std::move(weapon)));
  }
  monster.remove("weapon");
  monster.remove("weapons");
  monster.set("arms", std::move(arms));
}

void declare_quests(Database& db) {
  db.declare_migration({.table = "quests", .from = 0}, [](DynamicValue& quest, MigrationContext&) {
    quest.set("goal", quest.at("goal").as<Handle<Zone>>());
  });
}

void declare_monsters(Database& db) {
  db.declare_migration({.table = "monsters", .from = 0},
                       [](DynamicValue& monster, MigrationContext& context) {
                         const char* const name = monster.contains("hp") ? "hp" : "health";
                         const int tenths = monster.at(name).as<int>();
                         if (tenths <= 0) return context.drop();
                         monster.set(name, tenths / 10);
                         monster.set("morale", tenths / 10 / 2);
                         monster.move("x", "pos.x");
                         monster.move("y", "pos.y");
                       });
  db.declare_migration({.table = "monsters", .from = 1, .creates = {"weapons"}}, arm);
}

}  // namespace

void open(Game& game) {
  game.add<Item>("items");
  game.add<Weapon>("weapons");
  game.add<Monster>("monsters");
  game.add<Door>("doors");
  game.add<Zone>("zones", {.names = RecordNames::exact});
  game.add<Quest>("quests", {.free_list = FreeList::lowest});
  game.db.singleton<World>("world");
  game.db.declare_table_rename({"enemies", "monsters"});
  declare_monsters(game.db);
  declare_quests(game.db);
}

void play(Game& game) {
  auto& items = game.table<Item>("items");
  items.erase(items.insert({}));
  const auto gem = items.insert({.worth = 0.25F, .title = "gem"});
  auto& weapons = game.table<Weapon>("weapons");
  const auto dull = weapons.insert({});
  const auto claw = weapons.insert({.kind = "claw", .damage = 7});
  weapons.erase(dull);

  auto& monsters = game.table<Monster>("monsters");
  const auto imp = monsters.insert({.name = "imp", .hp = 8, .arms = {claw, dull}});
  const auto rat = monsters.insert({.name = "rat", .mood = Mood::furious, .target = imp});
  monsters.erase(imp);
  monsters.insert({.name = "bat", .hp = 1, .pos = {3, 4}, .target = imp, .arms = {claw}});

  auto& doors = game.table<Door>("doors");
  auto& zones = game.table<Zone>("zones");
  const auto gate = doors.insert({.lock = {1, true}, .hinges = {1, 2, 3, 4}, .guards = {rat}});
  const auto gates = zones.insert_named("Gate", {.music = "horns", .entrance = gate});
  monsters.edit(rat)->loot = {gem};
  game.table<Quest>("quests").insert(
      {.title = "Flee", .goal = gates, .stage = Stage::failed, .deadline = 3});
  game.db.singleton<World>("world").edit().hours = 7;
}

namespace {

// Handles as "1@2", with a star if stale.
class Line {
 public:
  template <class Iterator>
  Line(Game& game, const char* table, const Iterator& at) : game_(game) {
    out_.precision(9);
    out_ << table << ':' << at.handle().index() << '@' << at.handle().generation();
  }
  template <class T>
  Line& operator<<(const T& value) {
    out_ << ' ' << value;
    return *this;
  }
  template <class Record>
  Line& handle(const char* table, Handle<Record> handle) {
    if (!handle) return *this << "null";
    out_ << ' ' << handle.index() << '@' << handle.generation();
    if (!game_.table<Record>(table).contains(handle)) out_ << '*';
    return *this;
  }
  template <class Record>
  Line& handles(const char* table, const std::vector<Handle<Record>>& handles) {
    *this << "[";
    for (const auto each : handles) handle(table, each);
    return *this << "]";
  }
  [[nodiscard]] std::string text() const { return out_.str(); }

 private:
  Game& game_;
  std::ostringstream out_;
};

}  // namespace
}  // namespace hdb::test::age_5

namespace hdb::test::ages {

std::vector<std::string> lines_of(Game& newest) {
  using namespace age_5;
  std::vector<std::string> lines;
  const auto each = [&]<class Record>(const char* name, Table<Record>& table, const auto& write) {
    for (auto at = table.begin(); at != table.end(); ++at) {
      Line line(newest, name, at);
      write(line, *at);
      lines.push_back(line.text());
    }
  };
  each("items", newest.table<Item>("items"),
       [](Line& line, const Item& item) { line << item.title << item.worth << item.weight; });
  each("weapons", newest.table<Weapon>("weapons"),
       [](Line& line, const Weapon& weapon) { line << weapon.kind << weapon.damage; });
  each("monsters", newest.table<Monster>("monsters"), [](Line& line, const Monster& monster) {
    line << monster.name << static_cast<int>(monster.mood) << monster.hp << monster.armor;
    line << monster.pos.x << monster.pos.y << monster.morale;
    line.handle("monsters", monster.target);
    line.handles("weapons", monster.arms).handles("items", monster.loot);
  });
  each("doors", newest.table<Door>("doors"), [](Line& line, const Door& door) {
    line << door.lock.strength << door.lock.is_jammed;
    for (const std::uint16_t hinge : door.hinges) line << hinge;
    line.handles("monsters", door.guards);
  });
  auto& zones = newest.table<Zone>("zones");
  for (auto at = zones.begin(); at != zones.end(); ++at) {
    Line line(newest, "zones", at);
    line << zones.name(at.handle()) << at->brightness << at->music.value_or("none");
    lines.push_back(line.handle("doors", at->entrance).text());
  }
  each("quests", newest.table<Quest>("quests"), [](Line& line, const Quest& quest) {
    line << quest.title << quest.reward << static_cast<int>(quest.stage) << quest.deadline;
    line.handle("zones", quest.goal);
  });
  const World& world = *newest.db.singleton<World>("world");
  lines.push_back("world " + world.title + " " + std::to_string(world.hours) + " " +
                  std::to_string(world.gravity));
  return lines;
}

}  // namespace hdb::test::ages
