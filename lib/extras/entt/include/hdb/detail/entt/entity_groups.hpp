// Groups of an EnTT registry, as RegistryMirror sees them.
#pragma once

#include <array>
#include <bit>
#include <optional>
#include <tuple>
#include <utility>

#include "hdb/detail/entt/component_pool.hpp"

namespace hdb::detail {

/// The handler of a group, which holds what the group is. EnTT gives a group out as one pointer to
/// it.
template <class Group>
[[nodiscard]] typename Group::handler& handler_of(const Group& group) noexcept {
  static_assert(sizeof(Group) == sizeof(void*) && std::is_trivially_copyable_v<Group>);
  return *std::bit_cast<typename Group::handler*>(group);
}

template <class Registry, class Owned, class Get, class Exclude>
class EntityGroup;

/// A group that owns pools. Their order is that of the group, so it has no state of its own but how
/// many entities are in it, which follows from the pools.
template <class Registry, class... Owned, class... Get, class... Exclude>
class EntityGroup<Registry, ::entt::owned_t<Owned...>, ::entt::get_t<Get...>,
                  ::entt::exclude_t<Exclude...>>
    final : public MirroredPool {
 public:
  static constexpr bool kHasOrder = false;

  EntityGroup(Registry& registry, std::vector<const BuiltPool<Registry>*>)
      : registry_(registry), group_(make()) {}

  [[nodiscard]] bool is_ordered() const noexcept override { return false; }
  [[nodiscard]] std::uint64_t id() const noexcept override { return decltype(group_)::group_id(); }
  [[nodiscard]] bool exists() const noexcept override { return true; }
  [[nodiscard]] PoolState state() override { return {}; }
  void build(const PackedArray&, PoolRecords&) override { build_missing(); }
  // Connecting a listener needs memory; afterwards the registry has it.
  void build_missing() override { static_cast<void>(count()); }
  [[nodiscard]] bool is_movable() const noexcept override { return false; }
  void drop() noexcept override {}
  void create() override {}
  void swap_in() noexcept override { handler_of(group_) = count(); }
  void release() noexcept override {}

 private:
  using Group = decltype(std::declval<Registry&>().template group<Owned...>(
      ::entt::get_t<Get...>{}, ::entt::exclude_t<Exclude...>{}));
  using Handler = typename Group::handler;

  [[nodiscard]] Group make() {
    return registry_.template group<Owned...>(::entt::get_t<Get...>{},
                                              ::entt::exclude_t<Exclude...>{});
  }
  // A handler that counts the entities of the group anew. In pools that the group has ordered it
  // moves none. It must hear nothing afterwards.
  [[nodiscard]] Handler count() {
    Handler counted{std::forward_as_tuple(registry_.template storage<Owned>()...,
                                          registry_.template storage<Get>()...),
                    std::forward_as_tuple(registry_.template storage<Exclude>()...)};
    const auto disconnect = [&](auto& pool) {
      pool.on_construct().disconnect(&counted);
      pool.on_destroy().disconnect(&counted);
    };
    (disconnect(registry_.template storage<Owned>()), ...);
    (disconnect(registry_.template storage<Get>()), ...);
    (disconnect(registry_.template storage<Exclude>()), ...);
    return counted;
  }

  Registry& registry_;
  Group group_;
};

/// A group that owns no pool: it has an order of its own, which is state.
template <class Registry, class... Get, class... Exclude>
class EntityGroup<Registry, ::entt::owned_t<>, ::entt::get_t<Get...>, ::entt::exclude_t<Exclude...>>
    final : public MirroredPool {
  using Entity = typename Registry::entity_type;
  using Set = typename Registry::common_type;

 public:
  static constexpr bool kHasOrder = true;

  /// `pools` are those of Get and then those of Exclude.
  EntityGroup(Registry& registry, std::vector<const BuiltPool<Registry>*> pools)
      : registry_(registry),
        pools_(std::move(pools)),
        group_(
            registry.template group<>(::entt::get_t<Get...>{}, ::entt::exclude_t<Exclude...>{})) {}

  [[nodiscard]] bool is_ordered() const noexcept override { return false; }
  [[nodiscard]] std::uint64_t id() const noexcept override { return Group::group_id(); }
  [[nodiscard]] bool exists() const noexcept override { return true; }
  [[nodiscard]] PoolState state() override {
    const Set& members = handler_of(group_).handle();
    PoolState state;
    state.ids = {members.data(), members.size(), id_format<Entity>()};
    state.first_hole = state.ids.format.index_mask();
    return state;
  }
  void build(const PackedArray& order, PoolRecords&) override {
    built_.emplace(registry_.get_allocator());
    const auto* const ids = reinterpret_cast<const Entity*>(order.bytes.data());
    built_->push(ids, ids + order.size);
  }
  // As a group that is made now.
  void build_missing() override {
    built_.emplace(registry_.get_allocator());
    const auto has = [&](std::size_t i, Entity entity) {
      return pools_[i]->built().contains(entity);
    };
    for (const Entity entity : pools_.front()->built()) {
      if (entity == ::entt::tombstone) continue;
      bool is_member = true;
      for (std::size_t i = 0; i < pools_.size(); ++i)
        is_member = is_member && has(i, entity) == (i < sizeof...(Get));
      if (is_member) built_->push(entity);
    }
  }
  [[nodiscard]] bool is_movable() const noexcept override { return false; }
  void drop() noexcept override {}
  void create() override {}
  void swap_in() noexcept override { handler_of(group_).handle().swap(*built_); }
  void release() noexcept override { built_.reset(); }

 private:
  using Group = decltype(std::declval<Registry&>().template group<>(
      ::entt::get_t<Get...>{}, ::entt::exclude_t<Exclude...>{}));

  Registry& registry_;
  std::vector<const BuiltPool<Registry>*> pools_;
  Group group_;
  std::optional<Set> built_;
};

}  // namespace hdb::detail
