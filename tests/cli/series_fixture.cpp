// Plays the world up to a moment.
#include "series_fixture.hpp"

#include <string>
#include <vector>

#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "support/using_detail.hpp"

namespace hdb::test {
namespace series_fixture {

struct Place {
  float x = 0;
  float y = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};

struct Turn {
  std::uint32_t number = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(number));
  }
};

template <bool kLater>
struct Creature {
  std::string name;
  std::int32_t hp = 100;
  Place pos;
  bool awake = false;
  Handle<Creature> target;
  std::vector<std::string> loot;
  double stamina = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(hp), CEREAL_NVP(pos), CEREAL_NVP(awake), CEREAL_NVP(target),
      CEREAL_NVP(loot));
    if constexpr (kLater) a(CEREAL_NVP(stamina));
  }
};

}  // namespace series_fixture
}  // namespace hdb::test

// The earlier version of the game does not know the field yet.
template <>
struct hdb::LeavesOut<hdb::test::series_fixture::Creature<false>> : std::true_type {};

namespace hdb::test {
namespace series_fixture {

template <class C>
void play(Database& db, int moment) {
  auto& monsters = db.create_table<C>("monsters");
  db.singleton<Turn>("turn").edit().number = static_cast<std::uint32_t>(moment);
  const auto insert = [&](const char* name, std::int32_t hp) {
    C creature;
    creature.name = name;
    creature.hp = hp;
    return monsters.insert(creature);
  };
  const auto imp = insert("imp", 100);
  const auto demon = insert("demon", 80);
  const auto hunter = insert("hunter", 60);
  monsters.edit(hunter)->target = demon;
  if (moment >= 2) {
    monsters.edit(imp)->pos = {1.5F, 0.25F};
    monsters.edit(imp)->awake = true;
  }
  if (moment >= 3) {
    monsters.edit(imp)->hp = 85;
    monsters.edit(imp)->pos = {3, 1};
    monsters.edit(hunter)->loot = {"gold"};
  }
  if (moment >= 4) {
    monsters.erase(demon);
    monsters.edit(imp)->pos = {4.5F, 2.25F};
  }
  if (moment >= 5) {
    monsters.edit(imp)->loot = {"key"};
    monsters.edit(imp)->pos = {6, 4};
    monsters.edit(hunter)->target = {};
  }
  if (moment >= 6) {
    monsters.edit(imp)->hp = -3;
    insert("ghost", 10);  // in the slot of the demon
  }
  if (moment >= 7) {
    monsters.edit(imp)->hp = -8;
    monsters.edit(imp)->pos = {7, 4};
    monsters.edit(imp)->awake = false;
    insert("rat", 5);
  }
  if (moment >= 8) monsters.erase(hunter);
}

}  // namespace series_fixture

void fill_series(Database& db, int moment) {
  using namespace series_fixture;
  moment < kSeriesMoments ? play<Creature<false>>(db, moment) : play<Creature<true>>(db, moment);
}

}  // namespace hdb::test
