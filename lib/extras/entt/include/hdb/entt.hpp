// hdb::entt::Registry: exact saves, rollback, diffs and hashes of an EnTT registry. Games that keep
// their objects in EnTT include it; EnTT itself must be in the program.
// Guide: lib/extras/entt/entt.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hdb/changes.hpp"
#include "hdb/component_table.hpp"
#include "hdb/database.hpp"
#include "hdb/detail/base/or_end.hpp"
#include "hdb/detail/entt/component_pool.hpp"
#include "hdb/detail/entt/entity_groups.hpp"
#include "hdb/detail/entt/entity_ids.hpp"
#include "hdb/detail/entt/entity_registry.hpp"
#include "hdb/detail/entt/registry_mirror.hpp"

namespace hdb::entt {

/// The entities that a restore or load created, destroyed and changed, each in ascending order of
/// their indexes.
template <class Entity>
struct EntityChanges {
  std::vector<Entity> created;
  std::vector<Entity> destroyed;
  /// They exist in both states, but a component was added, removed or changed.
  std::vector<Entity> changed;

  [[nodiscard]] bool empty() const noexcept {
    return created.empty() && destroyed.empty() && changed.empty();
  }
};

/// The state of an EnTT registry in an hdb::Database, which follows it: table `entities`, one
/// component table for each registered pool, and the singleton `registry`.
///
/// State is what decides how the registry goes on: entities with their versions, the order of free
/// ones, the next fresh one and identifiers that were never used; pools in their packed order, with
/// tombstones and the order in which these are used again; the order of the pools; groups that are
/// declared. A restored registry behaves as the captured one in every later call.
///
/// Not state, and left alone: listeners (signals), `ctx()`, reactive storages, capacities. No
/// listener of a registered pool is called by a capture, restore or load. Listeners of a registry
/// that is restored stay.
///
/// Pools: register each pool whose components are state, once, and leave out the others. Components
/// are records of hdb: default- and copy-constructible, with a `serialize` for cereal. Empty types
/// need none. Fields of type entt::entity are handles of `entities`.
///
/// Groups: the order of a group that owns no pool is state, and the size of one that owns pools
/// must follow a restore. So a registry that is restored may have only groups that were declared
/// with group(); others must be made again, in a registry that never had them. Owning groups that
/// are made after a load need no declaration.
///
/// Requires: `registry` outlives this object and stays at its address. Nobody else uses it during a
/// call. Components are at most as aligned as records are. Nobody else changes the tables; the
/// program may add tables and singletons of its own to database().
///
/// Invalidates: a restore or load invalidates pointers and iterators to components. It leaves
/// references to storages, views and groups valid, except that pools without listeners or groups
/// are made again if the saved order of pools demands it.
///
/// Limits: TimelineMode::fork is refused, because EnTT's versions wrap. Versions of 64-bit entities
/// must be below 2^31 - 2. An entity index that is all ones names nothing.
///
/// Example:
/// @code
/// entt::registry registry;
/// hdb::entt::Registry world{registry};
/// world.pool<Monster>("Monster").pool<Weapon>("Weapon");
/// const entt::entity imp = registry.create();
/// registry.emplace<Monster>(imp, Monster{.hp = 40});
/// const hdb::Snapshot now = world.capture();
/// registry.destroy(imp);
/// if (!world.restore(now)) return;  // in memory
/// assert(registry.valid(imp) && registry.get<Monster>(imp).hp == 40);
/// if (!hdb::save(now, "slot3.hdb") || !world.load("slot3.hdb")) return;
/// assert(registry.get<Monster>(imp).hp == 40 && registry.create() != imp);
/// @endcode
template <class EnttRegistry>
class BasicRegistry {
 public:
  using Entity = typename EnttRegistry::entity_type;
  using Layout = detail::EntityLayout<Entity>;
  /// The handle that names an entity in the database and in files.
  using HandleType = detail::EntityHandle<Entity>;

  explicit BasicRegistry(EnttRegistry& registry)
      : registry_(registry),
        entities_(database_.create_table<detail::EmptyRecord, Layout, Entity>(
            detail::RegistryMirror::kEntities, {.overflow = Overflow::wrap})),
        access_(registry),
        mirror_(database_, detail::core_of(entities_), access_) {}

  /// Registers the pool of `Component`: its components are state, in the table `name`. `id` chooses
  /// a named pool. The registry need not have the pool yet. Ends the program after an error, as
  /// Database::create_table does; try_pool returns the error.
  /// Errors: duplicate_name if the pool is registered or left out, or a table has the name; those
  /// of Database::try_create_component_table about the component.
  template <class Component>
  BasicRegistry& pool(std::string_view name,
                      ::entt::id_type id = ::entt::type_hash<Component>::value()) {
    detail::end_on_error(try_pool<Component>(name, id));
    return *this;
  }
  template <class Component>
  [[nodiscard]] Status try_pool(std::string_view name,
                                ::entt::id_type id = ::entt::type_hash<Component>::value()) {
    static_assert(!std::is_same_v<Component, Entity>, "hdb: entities are state without a pool");
    using Pool = detail::ComponentPool<EnttRegistry, Component>;
    using Record = std::conditional_t<Pool::kHasData, Component, detail::EmptyRecord>;
    if (auto checked = mirror_.check_new(id, name); !checked) return checked;
    auto table = database_.try_create_component_table<Record>(
        name, entities_, {.removal = Pool::kHoles ? Removal::in_place : Removal::swap});
    if (!table) return fail(std::move(table.error()));
    mirror_.add(std::string(name), &detail::core_of(**table),
                std::make_unique<Pool>(registry_, id));
    return {};
  }
  /// Leaves a pool out: its components are not state. A restore, load or pull() keeps them, except
  /// that it erases components whose entity does not exist afterwards; listeners of the pool hear
  /// of these (on_destroy), when everything else is in place, and must not throw.
  /// Errors: duplicate_name, as of pool().
  template <class Component>
  BasicRegistry& leave_out(::entt::id_type id = ::entt::type_hash<Component>::value()) {
    detail::end_on_error(mirror_.ignore(id));
    return *this;
  }

  /// Declares a group, and makes it if the registry does not have it. `name` is that of the table
  /// that holds the order of a group that owns no pool; other groups have no table.
  /// Errors: not_found if a pool of the group is not registered; duplicate_name; as pool().
  ///
  ///     world.group<Position, Velocity>("moving", entt::get<Mass>, entt::exclude<Asleep>);
  template <class... Owned, class... Get, class... Exclude>
  BasicRegistry& group(std::string_view name, ::entt::get_t<Get...> get = ::entt::get_t{},
                       ::entt::exclude_t<Exclude...> exclude = ::entt::exclude_t{}) {
    detail::end_on_error(try_group<Owned...>(name, get, exclude));
    return *this;
  }
  template <class... Owned, class... Get, class... Exclude>
  [[nodiscard]] Status try_group(std::string_view name, ::entt::get_t<Get...> = ::entt::get_t{},
                                 ::entt::exclude_t<Exclude...> = ::entt::exclude_t{}) {
    using Group = detail::EntityGroup<EnttRegistry, ::entt::owned_t<Owned...>,
                                      ::entt::get_t<Get...>, ::entt::exclude_t<Exclude...>>;
    std::vector<const detail::BuiltPool<EnttRegistry>*> pools;
    for (const ::entt::id_type id :
         {::entt::type_hash<Owned>::value()..., ::entt::type_hash<Get>::value()...,
          ::entt::type_hash<Exclude>::value()...}) {
      detail::MirroredPool* const found = mirror_.find(id);
      if (found == nullptr) {
        return fail(ErrorCode::not_found,
                    "a pool of the group is not registered; call pool() first",
                    "group '" + std::string(name) + "'");
      }
      pools.push_back(static_cast<const detail::BuiltPool<EnttRegistry>*>(found));
    }
    auto group = std::make_unique<Group>(registry_, std::move(pools));
    if (auto checked = mirror_.check_new(group->id(), name); !checked) return checked;
    detail::TableCore* core = nullptr;
    if constexpr (Group::kHasOrder) {
      auto table = database_.try_create_component_table<detail::EmptyRecord>(name, entities_);
      if (!table) return fail(std::move(table.error()));
      core = &detail::core_of(**table);
    }
    for (const ::entt::id_type id : {::entt::id_type{0}, ::entt::type_hash<Owned>::value()...}) {
      if (detail::MirroredPool* const owned = mirror_.find(id))
        static_cast<detail::BuiltPool<EnttRegistry>*>(owned)->has_owner = true;
    }
    mirror_.add(std::string(name), core, std::move(group));
    return {};
  }

  /// Captures the state of the registry. The snapshot is one of database(): save it, hash it,
  /// compare it, on any thread, while the game goes on. Ends the program after an error;
  /// try_capture returns it.
  ///
  /// Errors, after which the registry is unchanged: not_found if a pool has components but is
  /// neither registered nor left out; invalid_value if a component belongs to an entity that does
  /// not exist; limit_exceeded if a version is too high; schema_drift. What a copy constructor of a
  /// component throws is passed on.
  /// Complexity: a comparison of the bytes of all identifiers and trivially copyable components
  /// with those of the last capture; components of other types are encoded to compare them. What
  /// changed is copied by pages, so unchanged pages stay shared with earlier snapshots and cost
  /// nothing in an autosave. Database::capture then copies nothing more.
  [[nodiscard]] Snapshot capture() { return detail::value_or_end(try_capture()); }
  [[nodiscard]] Result<Snapshot> try_capture() {
    if (auto pushed = mirror_.push(); !pushed) return fail(std::move(pushed.error()));
    return database_.capture();
  }

  /// Makes the registry what it was at a capture, whatever it contains now, and also all other
  /// tables of database(). All or nothing: after an error or exception, nothing has changed.
  /// Errors: as Database::restore; bad_options if the order of pools has to change but a pool
  /// concerned has listeners or groups; not_found and others as capture(), if
  /// RestoreOptions::changes is set.
  /// Complexity: as Database::restore, and linear in entities and components.
  [[nodiscard]] Status restore(const Snapshot& snapshot, const RestoreOptions& options = {}) {
    return mirror_.restore(snapshot, options);
  }
  /// Loads a file into the registry and all other tables of database(), all or nothing. Pools that
  /// are not in the file become empty, tables that the program does not have are skipped, old
  /// components are converted, and the report says so: see Database::load.
  /// Errors: as Database::load and restore(). Complexity: as both.
  [[nodiscard]] Result<LoadReport> load(const std::string& path, const LoadOptions& options = {}) {
    return mirror_.load(path, options);
  }
  [[nodiscard]] Result<LoadReport> load(std::unique_ptr<ByteSource> source,
                                        const LoadOptions& options = {}) {
    return mirror_.load(std::move(source), options);
  }

  /// The two halves of capture and restore, for everything else that works with a database:
  /// History, sync_test, imports. push() makes the database equal to the registry, pull() the
  /// registry equal to the database. Errors: as try_capture; as restore.
  [[nodiscard]] Status push() { return mirror_.push(); }
  [[nodiscard]] Status pull() { return mirror_.pull(); }

  /// The entities of what RestoreOptions::changes or LoadOptions::changes received.
  [[nodiscard]] EntityChanges<Entity> entities_of(const Changes& changes) const;

  /// The handle of an entity in the database and in files; null for the null entity.
  [[nodiscard]] static HandleType handle_of(Entity entity) noexcept {
    return detail::EntityAsHandle<Entity>::to(entity);
  }
  /// The entity that a handle of the database or of a file names.
  [[nodiscard]] static Entity entity_of(HandleType handle) noexcept {
    return detail::EntityAsHandle<Entity>::from(handle);
  }

  /// The database that follows the registry. Its tables `entities`, `registry` and those of pools
  /// and groups are read-only for the program; they cannot be dropped (Database::drop_table).
  [[nodiscard]] Database& database() noexcept { return database_; }
  [[nodiscard]] EnttRegistry& registry() const noexcept { return registry_; }

 private:
  EnttRegistry& registry_;
  Database database_;
  Table<detail::EmptyRecord, Layout, Entity>& entities_;
  detail::EntityRegistry<EnttRegistry> access_;
  detail::RegistryMirror mirror_;
};

template <class EnttRegistry>
EntityChanges<typename BasicRegistry<EnttRegistry>::Entity>
BasicRegistry<EnttRegistry>::entities_of(const Changes& changes) const {
  const TableChanges& entities = changes.of(detail::RegistryMirror::kEntities);
  std::vector<std::uint64_t> changed;
  for (const TableChanges& table : changes.tables) {
    if (table.table == detail::RegistryMirror::kEntities || !mirror_.has_table(table.table))
      continue;
    for (const auto* const list : {&table.created, &table.erased, &table.changed})
      changed.insert(changed.end(), list->begin(), list->end());
  }
  const auto by_index = [](std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kMask = detail::id_format<Entity>().index_mask();
    return (a & kMask) != (b & kMask) ? (a & kMask) < (b & kMask) : a < b;
  };
  std::sort(changed.begin(), changed.end(), by_index);
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  const auto is_in = [&](const std::vector<std::uint64_t>& list, std::uint64_t bits) {
    return std::binary_search(list.begin(), list.end(), bits, by_index);
  };
  std::erase_if(changed, [&](std::uint64_t bits) {
    return is_in(entities.created, bits) || is_in(entities.erased, bits);
  });
  const auto named = [](const std::vector<std::uint64_t>& bits) {
    std::vector<Entity> named_entities;
    for (const HandleType handle : handles_as<HandleType>(bits))
      named_entities.push_back(entity_of(handle));
    return named_entities;
  };
  return {named(entities.created), named(entities.erased), named(changed)};
}

/// The state of an entt::registry.
using Registry = BasicRegistry<::entt::registry>;

}  // namespace hdb::entt
