// Components: effects that come and go on units. Systems walk one table and look up the others.
#include <hdb/component_table.hpp>
#include <hdb/hdb.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Unit {
  std::string name;
};
struct Health {
  std::int32_t hp = 10;
};
struct Burning {
  std::int32_t turns = 0;
};
struct Frozen {};  // a tag: being there is all it says

int failed(const std::string& what) {
  std::fprintf(stderr, "components: %s\n", what.c_str());
  return 1;
}

struct World {
  hdb::Database db;
  hdb::Table<Unit>& units = db.create_table<Unit>("units");
  hdb::ComponentTable<Health, Unit>& health = db.create_component_table<Health>("health", units);
  hdb::ComponentTable<Burning, Unit>& burning =
      db.create_component_table<Burning>("burning", units);
  hdb::ComponentTable<Frozen, Unit>& frozen = db.create_component_table<Frozen>("frozen", units);

  // A table must not gain or lose components while it is walked: the list is worked off afterwards.
  void melt() {
    std::vector<hdb::Handle<Unit>> melted;
    frozen.for_each([&](hdb::Handle<Unit> unit, const Frozen&) {
      if (burning.contains(unit)) melted.push_back(unit);
    });
    for (const auto unit : melted) {
      frozen.erase(unit);
      burning.erase(unit);
    }
  }

  void burn() {
    std::vector<hdb::Handle<Unit>> burnt_out, dead;
    burning.edit_each([&](hdb::Handle<Unit> unit, Burning& fire) {
      if (Health* const of = health.edit(unit)) of->hp -= 4;
      if (--fire.turns == 0) burnt_out.push_back(unit);
      if (health.contains(unit) && health.at(unit).hp <= 0) dead.push_back(unit);
    });
    for (const auto unit : burnt_out) burning.erase(unit);
    for (const auto unit : dead) units.erase(unit);  // with all its components
  }

  void print(int turn) const {
    std::printf("turn %d:", turn);
    for (const auto& [unit, of] : units.entries()) {
      std::printf(" %s %d%s%s", of.name.c_str(), health.contains(unit) ? health.at(unit).hp : 0,
                  burning.contains(unit) ? " burning" : "", frozen.contains(unit) ? " frozen" : "");
    }
    std::printf("\n");
  }
};

}  // namespace

int main() {
  World world;
  const auto troll = world.units.insert({.name = "troll"});
  const auto giant = world.units.insert({.name = "giant"});
  world.health.insert(troll, {.hp = 12});
  world.health.insert(giant, {.hp = 30});
  world.frozen.insert(giant, {});
  for (const auto unit : {troll, giant}) world.burning.insert(unit, {.turns = 5});
  world.print(0);
  const hdb::Snapshot begin = world.db.capture();

  for (int turn = 1; turn <= 3; ++turn) {
    world.melt();
    world.burn();
    world.print(turn);
  }
  if (world.units.size() != 1 || world.health.size() != 1) return failed("the troll lives");
  if (!world.burning.empty() || !world.frozen.empty()) return failed("an effect is left");

  // Components are state: a restore brings the dead unit back with all that it had.
  if (auto restored = world.db.restore(begin); !restored) {
    return failed(restored.error().message());
  }
  world.print(0);
  const Burning* const fire = world.burning.find(troll);
  return fire != nullptr && fire->turns == 5 ? 0 : failed("the fire did not come back");
}
