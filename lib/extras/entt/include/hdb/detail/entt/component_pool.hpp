// A pool of an EnTT registry, as RegistryMirror sees it.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/entt/entity_ids.hpp"
#include "hdb/detail/entt/mirrored_registry.hpp"
#include "hdb/detail/record/make_codec.hpp"

namespace hdb::detail {

/// What groups look at while they are built.
template <class Registry>
class BuiltPool : public MirroredPool {
 public:
  /// The content that was built beside the registry.
  [[nodiscard]] virtual const typename Registry::common_type& built() const noexcept = 0;
  bool has_owner = false;  ///< A declared group owns the pool.
};

/// The pool of `Component` under an id. What is built is a storage without listeners; only its
/// content is exchanged with that of the registry, so the listeners stay and hear nothing.
template <class Registry, class Component>
class ComponentPool final : public BuiltPool<Registry> {
  using Entity = typename Registry::entity_type;
  using Storage = typename Registry::template storage_for_type<Component>;
  using Allocator = typename std::allocator_traits<
      typename Registry::allocator_type>::template rebind_alloc<Component>;
  using Content = ::entt::basic_storage<Component, Entity, Allocator>;

  static_assert(std::is_base_of_v<Content, Storage>,
                "hdb: the storage of this component is not one of EnTT's");
  static_assert(std::is_same_v<typename std::allocator_traits<Allocator>::pointer, Component*>,
                "hdb: components must be reached by plain pointers");

 public:
  /// Whether erased components leave holes.
  static constexpr bool kHoles = Content::storage_policy == ::entt::deletion_policy::in_place;
  /// Whether components have values. Those of empty types, and those that EnTT does not keep, have
  /// none.
  static constexpr bool kHasData =
      !std::is_void_v<typename Storage::value_type> && !std::is_empty_v<Component>;

  ComponentPool(Registry& registry, ::entt::id_type id) : registry_(registry), id_(id) {}

  [[nodiscard]] std::uint64_t id() const noexcept override { return id_; }
  [[nodiscard]] bool exists() const noexcept override {
    return std::as_const(registry_).storage(id_) != nullptr;
  }
  [[nodiscard]] PoolState state() override {
    const Storage& pool = storage();
    PoolState state;
    state.ids = {pool.data(), pool.size(), id_format<Entity>()};
    state.first_hole = kHoles ? pool.free_list() : state.ids.format.index_mask();
    if constexpr (kHasData) {
      constexpr auto kPageSize = ::entt::component_traits<Component, Entity>::page_size;
      pages_.clear();
      for (std::size_t i = 0; i * kPageSize < pool.size(); ++i) pages_.push_back(pool.raw()[i]);
      state.pages = pages_;
      state.page_size = kPageSize;
    }
    return state;
  }
  [[nodiscard]] const RecordCodec* codec() override {
    if constexpr (kHasData && !is_trivial_record<Component>) {
      if (codec_ == nullptr) codec_ = make_codec<Component>();
    }
    return codec_.get();
  }

  [[nodiscard]] Status check() const override {
    const bool is_default = id_ == ::entt::type_hash<Component>::value();
    if (this->has_owner || !is_default || !registry_.template owned<Component>()) return {};
    return fail(ErrorCode::bad_options,
                "a group owns the pool; declare it with group() before a restore or load, or make "
                "the group afterwards");
  }
  void build(const PackedArray& order, PoolRecords& records) override {
    if (is_same_order(order)) {  // then only the components are copied, which cannot fail
      kept_ = records.table();
      return;
    }
    built_.emplace(registry_.get_allocator());
    const auto* const ids = reinterpret_cast<const Entity*>(order.bytes.data());
    built_->reserve(order.size);
    const std::vector<Entity> fillers = fillers_of(order);
    std::size_t filled = 0;
    for (std::size_t i = 0; i < order.size;) {
      if (ids[i] == ::entt::tombstone) {
        add_filler(fillers[filled++]);
        ++i;
        continue;
      }
      const std::size_t first = i;
      std::size_t end = order.size;
      if constexpr (kHasData) end = first + records.run_at(first, order.size - first);
      while (i < end && ids[i] != ::entt::tombstone) ++i;
      add(ids + first, ids + i, records, first);
    }
    make_holes(order, fillers);
  }
  void build_missing() override { built_.emplace(registry_.get_allocator()); }
  [[nodiscard]] const typename Registry::common_type& built() const noexcept override {
    if (kept_ != nullptr) return storage();
    return *built_;
  }

  [[nodiscard]] bool is_movable() const noexcept override {
    Storage& pool = storage();
    if constexpr (requires { pool.on_construct(); }) {
      return pool.on_construct().empty() && pool.on_update().empty() && pool.on_destroy().empty();
    } else {
      return false;  // not known
    }
  }
  void drop() noexcept override {
    if (kept_ != nullptr) built_.emplace(std::move(static_cast<Content&>(storage())));
    registry_.reset(id_);
  }
  void create() override { static_cast<void>(storage()); }
  void swap_in() noexcept override {
    if (built_) static_cast<Content&>(storage()).swap(*built_);
    if (kept_ != nullptr) copy_kept();
  }
  void release() noexcept override {
    built_.reset();
    kept_ = nullptr;
  }

 private:
  [[nodiscard]] Storage& storage() const { return registry_.template storage<Component>(id_); }

  // Whether the pool has these identifiers already, and components whose bytes may be copied.
  [[nodiscard]] bool is_same_order(const PackedArray& order) {
    if constexpr (kHasData && !is_trivial_record<Component>) return false;
    if (!exists()) return false;
    const PackedIds now = state().ids;
    const bool is_chain_same =
        !kHoles || storage().free_list() == static_cast<std::size_t>(order.first_hole);
    return now.size == order.size && is_chain_same &&
           (now.size == 0 || std::memcmp(now.data, order.bytes.data(), now.size_bytes()) == 0);
  }
  void copy_kept() noexcept {
    if constexpr (kHasData && is_trivial_record<Component>) {
      constexpr auto kPageSize = ::entt::component_traits<Component, Entity>::page_size;
      Storage& pool = storage();
      PoolRecords records(*kept_);
      std::size_t run = 0;
      for (std::size_t first = 0; first < pool.size(); first += run) {
        run = std::min<std::size_t>(pool.size() - first, kPageSize - first % kPageSize);
        run = records.run_at(first, run);
        void* const to = pool.raw()[first / kPageSize] + first % kPageSize;
        const void* const from = records.at(first);
        if (std::memcmp(to, from, run * sizeof(Component)) != 0)
          std::memcpy(to, from, run * sizeof(Component));
      }
    }
  }

  void add(const Entity* first, const Entity* last, PoolRecords& records, std::size_t position) {
    if constexpr (kHasData) {
      built_->insert(first, last, static_cast<const Component*>(records.at(position)));
    } else {
      static_cast<void>(records);
      static_cast<void>(position);
      add_empty(first, last);
    }
  }
  void add_filler(Entity filler) {
    if constexpr (kHasData) {
      const Component component{};
      built_->insert(&filler, &filler + 1, &component);
    } else {
      add_empty(&filler, &filler + 1);
    }
  }
  void add_empty(const Entity* first, const Entity* last) {
    if constexpr (std::is_void_v<typename Storage::value_type>) {
      built_->insert(first, last);
    } else {
      built_->insert(first, last, Component{});
    }
  }

  // As many identifiers that are not in the pool as it has holes, for entities that are there only
  // until make_holes.
  [[nodiscard]] static std::vector<Entity> fillers_of(const PackedArray& order) {
    std::vector<Entity> fillers;
    const PackedIds ids = order.ids();
    std::size_t holes = 0;
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < ids.size; ++i) {
      if (ids.is_hole(i)) {
        ++holes;
      } else {
        end = std::max(end, ids[i].index + 1);
      }
    }
    if (holes == 0) return fillers;
    std::vector<bool> is_used(to_size(end));
    for (std::size_t i = 0; i < ids.size; ++i) {
      if (!ids.is_hole(i)) is_used[to_size(ids[i].index)] = true;
    }
    using Traits = ::entt::entt_traits<Entity>;
    for (std::uint64_t index = 0; fillers.size() < holes; ++index) {
      if (index < end && is_used[to_size(index)]) continue;
      fillers.push_back(Traits::construct(static_cast<typename Traits::entity_type>(index), {}));
    }
    return fillers;
  }
  // Erasing the fillers in the reverse order of use leaves the chain of holes.
  void make_holes(const PackedArray& order, const std::vector<Entity>& fillers) {
    if (fillers.empty()) return;
    const PackedIds ids = order.ids();
    std::vector<std::size_t> chain;
    for (std::uint64_t hole = order.first_hole; chain.size() < fillers.size();
         hole = ids[to_size(hole)].index) {
      chain.push_back(to_size(hole));
    }
    for (auto hole = chain.rbegin(); hole != chain.rend(); ++hole)
      built_->erase(built_->data()[*hole]);
  }

  Registry& registry_;
  ::entt::id_type id_;
  std::optional<Content> built_;
  const FrozenTable* kept_ = nullptr;  // instead of built_: only components differ from it
  std::vector<const void*> pages_;
  std::shared_ptr<const RecordCodec> codec_;
};

}  // namespace hdb::detail
