// An EnTT registry, as RegistryMirror sees it.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hdb/detail/entt/entity_ids.hpp"
#include "hdb/detail/entt/mirrored_registry.hpp"

namespace hdb::detail {

template <class Registry>
class EntityRegistry final : public MirroredRegistry {
  using Entity = typename Registry::entity_type;
  using Traits = ::entt::entt_traits<Entity>;
  using Content = ::entt::basic_storage<Entity, Entity, typename Registry::allocator_type>;

 public:
  explicit EntityRegistry(Registry& registry) : registry_(registry) {}

  [[nodiscard]] IdFormat format() const noexcept override { return id_format<Entity>(); }
  [[nodiscard]] Entities entities() override {
    const Content& content = this->content();
    return {{content.data(), content.size(), format()}, content.free_list(), cursor()};
  }
  [[nodiscard]] std::vector<Pool> pools() const override {
    std::vector<Pool> pools;
    for (auto [id, pool] : std::as_const(registry_).storage())
      pools.push_back({id, pool.empty(), component_name(pool)});
    return pools;
  }

  void build(const PackedArray& entities, std::uint64_t cursor) override {
    cursor_ = Traits::construct(static_cast<typename Traits::entity_type>(cursor), {});
    const Content& now = content();
    if (now.size() == entities.size && now.free_list() == entities.live_count &&
        (now.empty() || std::memcmp(now.data(), entities.bytes.data(), entities.bytes.size()) == 0))
      return;  // only the cursor may differ
    built_.emplace(registry_.get_allocator());
    built_->reserve(entities.size);
    const auto* const ids = reinterpret_cast<const Entity*>(entities.bytes.data());
    for (std::size_t i = 0; i < entities.size; ++i) built_->generate(ids[i]);
    built_->free_list(entities.live_count);
  }
  // The assignment exchanges identifiers and takes the cursor; the content has no listeners.
  void swap_in() noexcept override {
    if (built_) content() = std::move(*built_);
    content().start_from(cursor_);
  }
  void release() noexcept override { built_.reset(); }
  void erase_orphans(std::span<const std::uint64_t> but) noexcept override {
    for (std::size_t number = 0;; ++number) {  // listeners may make pools
      std::size_t i = 0;
      typename Registry::common_type* found = nullptr;
      for (auto [id, pool] : registry_.storage()) {
        if (i++ == number && std::find(but.begin(), but.end(), id) == but.end()) found = &pool;
      }
      if (found != nullptr) erase_orphans(*found);
      if (number >= i) return;
    }
  }

 private:
  // From the end, so that an erased component is followed by ones that were looked at.
  void erase_orphans(typename Registry::common_type& pool) noexcept {
    for (std::size_t at = pool.size(); at-- > 0;) {
      if (at >= pool.size()) continue;  // a listener erased some
      const Entity entity = pool.data()[at];
      if (entity != ::entt::tombstone && !registry_.valid(entity)) pool.remove(entity);
    }
  }
  [[nodiscard]] Content& content() const { return registry_.template storage<Entity>(); }
  // The next fresh index. EnTT gives it only to a storage that makes an entity, so the content is
  // taken out of its storage for a moment.
  [[nodiscard]] std::uint64_t cursor() const {
    Content& storage = content();
    if (storage.size() == Traits::entity_mask) return Traits::entity_mask;  // none is left
    class Held {
     public:
      explicit Held(Content& place) : place_(place), content_(std::move(place)) {}
      ~Held() { place_ = std::move(content_); }
      Held(const Held&) = delete;
      Held& operator=(const Held&) = delete;

     private:
      Content& place_;
      Content content_;
    };
    const Held held(storage);
    return Traits::to_entity(storage.generate());
  }

  Registry& registry_;
  std::optional<Content> built_;  // none: the identifiers stay
  Entity cursor_{};
};

}  // namespace hdb::detail
