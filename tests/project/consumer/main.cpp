// A small game that saves and loads with the installed hdb; its argument is the file to write, or
// --schemas.
#include <cereal/types/string.hpp>
#include <cstdio>
#include <hdb/hdb.hpp>
#include <string>

namespace {

#ifndef HP_TYPE
#define HP_TYPE std::int32_t
#endif

struct Monster {
  std::string name = {};
  HP_TYPE hp = 100;
  hdb::Handle<Monster> target = {};
#ifdef WITH_MOOD
  float mood = 0;
#endif
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name), CEREAL_NVP(hp), CEREAL_NVP(target));
#ifdef WITH_MOOD
    a(CEREAL_NVP(mood));
#endif
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
  auto& monsters = db.create_table<Monster>("monsters");
  if (argv[1] == std::string("--schemas")) {
    std::fputs(db.schema_json().c_str(), stdout);
    return 0;
  }
  const auto hound = monsters.insert({.name = "hound", .hp = 7});
  const auto imp = monsters.insert({.name = "imp", .target = hound});
  const auto ghost = monsters.insert({.name = "ghost"});
  monsters.erase(ghost);
  if (const auto saved = hdb::save(db.capture(), argv[1]); !saved) return complain(saved.error());

  hdb::Database other;
  auto& other_monsters = other.create_table<Monster>("monsters");
  if (const auto loaded = other.load(argv[1]); !loaded) return complain(loaded.error());
  const Monster* const found = other_monsters.find(imp);
  const bool good = found != nullptr && found->name == "imp" &&
                    other_monsters.at(found->target).name == "hound" &&
                    !other_monsters.contains(ghost);
  std::printf("%s\n", good ? "consumer: the handles are good" : "consumer: the handles are wrong");
  return good ? 0 : 1;
}
