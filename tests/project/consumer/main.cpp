// A small game that saves and loads with the installed hdb; its argument is the file to write.
#include <cereal/types/string.hpp>
#include <cstdio>
#include <hdb/hdb.hpp>
#include <string>

namespace {

struct Weapon {
  std::string name = {};
  float damage = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(damage));
  }
};
struct Monster {
  std::string name = {};
  std::int32_t hp = 100;
  hdb::Handle<Weapon> weapon = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(hp), CEREAL_NVP(weapon));
  }
};

int complain(const hdb::Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  hdb::Database db;
  auto& weapons = db.create_table<Weapon>("weapons");
  auto& monsters = db.create_table<Monster>("monsters");
  const auto claw = weapons.insert({.name = "claw", .damage = 7});
  const auto imp = monsters.insert({.name = "imp", .weapon = claw});
  const auto ghost = monsters.insert({.name = "ghost"});
  monsters.erase(ghost);
  if (const auto saved = hdb::save(db.capture(), argv[1]); !saved) return complain(saved.error());

  hdb::Database other;
  auto& other_weapons = other.create_table<Weapon>("weapons");
  auto& other_monsters = other.create_table<Monster>("monsters");
  if (const auto loaded = other.load(argv[1]); !loaded) return complain(loaded.error());
  const Monster* const found = other_monsters.find(imp);
  const bool good = found != nullptr && found->name == "imp" &&
                    other_weapons.at(found->weapon).name == "claw" &&
                    !other_monsters.contains(ghost);
  std::printf("%s\n", good ? "consumer: the handles are good" : "consumer: the handles are wrong");
  return good ? 0 : 1;
}
