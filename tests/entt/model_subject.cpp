// The model registry under test.
#include "entt/model_subject.hpp"

namespace hdb::test {

ModelSubject::ModelSubject(std::uint32_t variant)
    : entities_(database_.create_table<detail::EmptyRecord, Layout, Tag>(
          detail::RegistryMirror::kEntities, {.overflow = Overflow::wrap})),
      access_(registry),
      mirror(database_, detail::core_of(entities_), access_) {
  for (std::uint32_t i = 0; i < 5; ++i) {
    Status added;
    switch ((i + variant) % 5) {
      case 0: added = add_pool<ModelPosition>("Position", 0); break;
      case 1: added = add_pool<ModelName>("Name", 1); break;
      case 2: added = add_pool<ModelBody>("Body", 2); break;
      case 3: added = add_pool<ModelBag>("Bag", 3); break;
      default: added = add_pool<ModelTag>("Tag", 4); break;
    }
    detail::end_on_error(added);
  }
}

ModelPoolBase& ModelSubject::pool(std::size_t pool) {
  if (ModelPoolBase* const found = registry.find(pool)) return *found;
  mirror.find(pool)->create();
  return *registry.find(pool);
}

std::vector<std::uint64_t> ModelSubject::state() const {
  const ModelEntities& entities = registry.entities;
  std::vector<std::uint64_t> state(entities.packed.begin(), entities.packed.end());
  state.push_back(entities.live);
  state.push_back(entities.cursor);
  for (std::uint64_t id = 0; id < pool_count(); ++id) {
    const ModelPoolBase* const found = registry.find(id);
    state.push_back(found == nullptr ? ModelId::kNone : found->first_hole);
    if (found == nullptr) continue;
    for (std::size_t i = 0; i < found->packed.size(); ++i) {
      state.push_back(found->packed[i]);
      if (!ModelId::is_tombstone(found->packed[i])) state.push_back(found->value(i));
    }
  }
  return state;
}

}  // namespace hdb::test
