// Tables that were dropped, and values of types with names.
#include "dropped_fixture.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <cereal/types/string.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>

#include "support/using_detail.hpp"

namespace hdb::test {
namespace dropped_fixture {

struct Level {
  std::int32_t number = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(number));
  }
};
struct Door {
  std::int32_t width = 2;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(width));
  }
};
struct Spark {
  float heat = 1;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(heat));
  }
};

struct Heal {
  std::int32_t amount = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(amount));
  }
};
struct Harm {
  std::int32_t amount = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(amount));
  }
};
enum class Trick : std::uint8_t { blink, hide };
struct Spell {
  std::variant<Heal, Harm, std::vector<Heal>, std::string, Trick> effect;
  std::tuple<Heal, std::int32_t, Harm> costs;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(effect), CEREAL_NVP(costs));
  }
};

using Busy = Layout<20, 8>;

template <class T>
void insert_and_erase(T& table, int times) {
  for (int i = 0; i < times; ++i) table.erase(table.insert({}));
}

}  // namespace dropped_fixture

void fill_dropped(Database& db) {
  using namespace dropped_fixture;
  db.create_table<Level>("level").insert({3});
  auto& doors = db.create_table<Door>("doors");
  insert_and_erase(doors, 4);
  auto& gates = db.create_table<Door, TypedLayout, Level>("gates", {.type_id = 7});
  gates.insert({}), gates.insert({});
  auto& busy = db.create_table<Spark, Busy>("busy", {.free_list = FreeList::fifo});
  std::vector<Handle<Spark, Busy>> kept;
  for (int i = 0; i < 3; ++i) kept.push_back(busy.insert({}));
  busy.erase(kept[1]);
  insert_and_erase(busy, 200);
  db.create_table<Spark>("sparks", {.scope = Scope::unhashed}).insert({});
  for (const char* const name : {"doors", "gates", "busy", "sparks"}) db.drop_table(name);
}

void play_dropped(Database& db) {
  using namespace dropped_fixture;
  insert_and_erase(db.create_table<Door>("doors"), 2);
  db.create_table<Door, Layout<16, 16>>("small doors").insert({});
  insert_and_erase(db.create_table<Spark>("sparks", {.scope = Scope::unhashed}), 3);
  for (const char* const name : {"doors", "small doors", "sparks"}) db.drop_table(name);
}

void pass_tables(Database& db) {
  using namespace dropped_fixture;
  Database other;
  other.create_table<Level>("level").insert({3});
  insert_and_erase(other.create_table<Door>("doors"), 4);
  insert_and_erase(other.create_table<Spark, Busy>("busy sparks"), 200);
  other.create_table<Door, TypedLayout, Level>("gates", {.type_id = 7}).insert({});
  other.create_table<Spark>("sparks", {.scope = Scope::unhashed}).insert({});
  MemorySink sink;
  const auto saved = save(other.capture(), sink);
  db.create_table<Level>("level");
  if (!saved || !db.load(std::make_unique<MemorySource>(sink.take())))
    throw std::runtime_error("the tables cannot be passed by");
}

void fill_type_names(Database& db) {
  using namespace dropped_fixture;
  auto& spells = db.create_table<Spell>("spells");
  spells.insert({Heal{5}, {{1}, 2, {3}}});
  spells.insert({Harm{6}, {{4}, 5, {6}}});
  spells.insert({std::vector<Heal>{{7}, {8}}, {}});
  spells.insert({std::string("none"), {}});
  spells.insert({Trick::hide, {}});
}

}  // namespace hdb::test
