// Tables of components.
#include "component_fixture.hpp"

#include <string>
#include <vector>

#include <cereal/types/string.hpp>

#include "hdb/component_table.hpp"
#include "hdb/resource_table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace component_fixture {

struct Entity {
  std::int32_t kind = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(kind));
  }
};
struct Texture {
  std::uint32_t width = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(width));
  }
};
using EntityHandle = Handle<Entity, TypedLayout>;

struct Position {
  float x = 0;
  float y = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};
struct Label {
  std::string text;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(text));
  }
};
struct Health {
  std::int32_t hp = 100;
  EntityHandle attacker = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(attacker));
  }
};

std::vector<EntityHandle> entities_of(Database& db) {
  std::vector<EntityHandle> handles;
  const auto& entities = *db.find_table<Entity, TypedLayout>("entities");
  for (const auto& [handle, entity] : entities.entries()) handles.push_back(handle);
  return handles;
}

}  // namespace component_fixture

void fill_components(Database& db) {
  using namespace component_fixture;
  auto& entities = db.create_table<Entity, TypedLayout>(
      "entities", {.storage = Storage::stable, .free_list = FreeList::fifo});
  auto& positions = db.create_component_table<Position>("Position", entities);
  auto& labels = db.create_component_table<Label>("Label", entities, {.storage = Storage::stable});
  auto& healths =
      db.create_component_table<Health>("Health", entities, {.removal = Removal::in_place});
  auto& textures = db.create_resource_table<Texture, Layout<16, 16>>("textures");
  auto& uses =
      db.create_component_table<Label>("Use", textures.table(), {.scope = Scope::unhashed});
  std::vector<EntityHandle> handles;
  for (std::int32_t i = 0; i < 12; ++i) handles.push_back(entities.insert({i}));
  for (std::size_t i = 12; i-- > 0;) {
    if (i % 3 != 1) positions.insert(handles[i], {0.5F * static_cast<float>(i), -1});
    if (i % 4 == 2) labels.insert(handles[i], {"entity " + std::to_string(i)});
    if (i % 2 == 0) healths.insert(handles[i], {static_cast<std::int32_t>(i), handles[3]});
  }
  entities.erase(handles[6]);  // with a position, a label and a health
  positions.erase(handles[9]);
  healths.erase(handles[2]);
  healths.erase(handles[10]);
  healths.insert(handles[11], {7, handles[6]});
  entities.insert({99});  // none of its own
  const auto wood = textures.table().insert_named("wood", Texture{256});
  textures.table().insert_named("stone", Texture{512});
  uses.insert(wood, {"floors"});
}

void play_components(Database& db) {
  using namespace component_fixture;
  auto& positions = *db.find_component_table<Position, Entity, TypedLayout>("Position");
  auto& healths = *db.find_component_table<Health, Entity, TypedLayout>("Health");
  auto& labels = *db.find_component_table<Label, Entity, TypedLayout>("Label");
  auto& entities = *db.find_table<Entity, TypedLayout>("entities");
  const std::vector<EntityHandle> handles = entities_of(db);
  positions.edit(handles[0])->x = 12.5F;
  positions.erase(handles[2]);
  positions.insert(handles[4], {4, 4});
  labels.edit(handles[2])->text = "renamed";
  healths.erase(handles[0]);
  healths.insert(handles[1], {1, handles[0]});
  entities.erase(handles[8]);
}

}  // namespace hdb::test
