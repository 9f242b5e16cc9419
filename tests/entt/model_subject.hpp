// The model registry with a RegistryMirror: what hdb/entt.hpp does for EnTT, without EnTT.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "entt/model_registry.hpp"
#include "entt/registry_programs.hpp"
#include "hdb/component_table.hpp"
#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/detail/entt/registry_mirror.hpp"
#include "hdb/detail/record/make_codec.hpp"
#include "record/codec.hpp"

namespace hdb::test {

// The components of the model.
struct ModelPosition {
  static constexpr bool kStays = false;
  std::uint32_t x = 0;
  std::uint8_t kind = 0;  // and three bytes of padding
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(kind));
  }
  static ModelPosition of(std::uint32_t v) { return {v, static_cast<std::uint8_t>(v)}; }
  [[nodiscard]] std::uint32_t value() const { return x; }
};
struct ModelName {
  static constexpr bool kStays = false;
  std::string text;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(text));
  }
  static ModelName of(std::uint32_t v) { return {std::to_string(v)}; }
  [[nodiscard]] std::uint32_t value() const {
    return text.empty() ? 0 : static_cast<std::uint32_t>(std::stoul(text));
  }
};
struct ModelBody {
  static constexpr bool kStays = true;
  std::uint64_t mass = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(mass));
  }
  static ModelBody of(std::uint32_t v) { return {v}; }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(mass); }
};
struct ModelBag {
  static constexpr bool kStays = true;
  std::vector<std::uint32_t> items;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(items));
  }
  static ModelBag of(std::uint32_t v) { return {{v, 1}}; }
  [[nodiscard]] std::uint32_t value() const { return items.empty() ? 0 : items.front(); }
};
struct ModelTag {
  static constexpr bool kStays = false;
  static ModelTag of(std::uint32_t) { return {}; }
  [[nodiscard]] std::uint32_t value() const { return 0; }
};

/// A pool of the model, for the mirror.
template <class T>
class ModelMirroredPool : public detail::MirroredPool {
 public:
  static constexpr bool kHasData = !std::is_empty_v<T>;

  ModelMirroredPool(ModelRegistry& registry, std::uint64_t id) : registry_(registry), id_(id) {}
  [[nodiscard]] std::uint64_t id() const noexcept override { return id_; }
  [[nodiscard]] bool exists() const noexcept override { return pool() != nullptr; }
  [[nodiscard]] detail::PoolState state() override {
    detail::PoolState state;
    state.ids = {pool()->packed.data(), pool()->packed.size(), kModelFormat};
    state.first_hole = pool()->first_hole;
    if constexpr (kHasData) {
      pages_.clear();
      for (const auto& page : pool()->pages) pages_.push_back(page.get());
      state.pages = pages_;
    }
    state.page_size = ModelPool<T>::kPage;
    return state;
  }
  [[nodiscard]] const detail::RecordCodec* codec() override {
    if constexpr (kHasData && !std::is_trivially_copyable_v<T>) {
      if (!codec_) codec_ = detail::make_codec<T>();
    }
    return codec_.get();
  }
  void build(const detail::PackedArray& order, detail::PoolRecords& records) override {
    built_ = std::make_unique<ModelPool<T>>();
    const auto* const ids = reinterpret_cast<const std::uint32_t*>(order.bytes.data());
    built_->packed.resize(order.size);
    const T* run = nullptr;  // as EnTT does, many records at once
    std::size_t run_begin = 0;
    std::size_t run_end = 0;
    for (std::size_t i = 0; i < order.size; ++i) {
      if (!ModelId::is_tombstone(ids[i])) {
        T component;
        if constexpr (kHasData) {
          if (i >= run_end) {
            run_begin = i;
            run_end = i + records.run_at(i, order.size - i);
            run = static_cast<const T*>(records.at(i));
          }
          component = run[i - run_begin];
        }
        built_->put(i, ids[i], component);
      } else {
        built_->packed[i] = ids[i];
        built_->place(i) = T();
      }
    }
    built_->first_hole = static_cast<std::uint32_t>(order.first_hole);
  }
  void build_missing() override { built_ = std::make_unique<ModelPool<T>>(); }
  [[nodiscard]] bool is_movable() const noexcept override { return is_free; }
  void drop() noexcept override {
    std::erase_if(registry_.pools, [&](const auto& each) { return each.id == id_; });
  }
  void create() override { registry_.pools.push_back({id_, std::make_shared<ModelPool<T>>()}); }
  void swap_in() noexcept override {
    std::swap(pool()->packed, built_->packed);
    std::swap(pool()->first_hole, built_->first_hole);
    std::swap(pool()->positions, built_->positions);
    std::swap(pool()->pages, built_->pages);
  }
  void release() noexcept override { built_.reset(); }

  bool is_free = true;  ///< Nobody refers to the pool.

 private:
  [[nodiscard]] ModelPool<T>* pool() const {
    return static_cast<ModelPool<T>*>(registry_.find(id_));
  }
  ModelRegistry& registry_;
  std::uint64_t id_;
  std::unique_ptr<ModelPool<T>> built_;
  std::vector<const void*> pages_;
  std::shared_ptr<const detail::RecordCodec> codec_;
};

/// The entities of the model, for the mirror.
class ModelMirrored final : public detail::MirroredRegistry {
 public:
  explicit ModelMirrored(ModelRegistry& registry) : registry_(registry) {}
  [[nodiscard]] detail::IdFormat format() const noexcept override { return kModelFormat; }
  [[nodiscard]] Entities entities() override {
    const ModelEntities& own = registry_.entities;
    return {{own.packed.data(), own.packed.size(), kModelFormat}, own.live, own.cursor};
  }
  [[nodiscard]] std::vector<Pool> pools() const override {
    std::vector<Pool> pools;
    for (const auto& each : registry_.pools)
      pools.push_back({each.id, each.pool->packed.empty(), "a type of the model"});
    return pools;
  }
  void build(const detail::PackedArray& entities, std::uint64_t cursor) override {
    built_ = {};
    const auto* const ids = reinterpret_cast<const std::uint32_t*>(entities.bytes.data());
    built_.packed.resize(entities.size);
    for (std::size_t i = 0; i < entities.size; ++i) built_.put(i, ids[i]);
    built_.live = entities.live_count;
    built_.cursor = static_cast<std::uint32_t>(cursor);
  }
  void swap_in() noexcept override { std::swap(registry_.entities, built_); }
  void release() noexcept override { built_ = {}; }
  void erase_orphans(std::span<const std::uint64_t> but) noexcept override {
    for (const auto& each : registry_.pools) {
      if (std::find(but.begin(), but.end(), each.id) != but.end()) continue;
      for (std::size_t at = each.pool->packed.size(); at-- > 0;) {
        const std::uint32_t id = each.pool->packed[at];
        if (!ModelId::is_tombstone(id) && !registry_.entities.is_live(id)) each.pool->remove(id);
      }
    }
  }

 private:
  ModelRegistry& registry_;
  ModelEntities built_;
};

/// The pools of the model are those of ModelPosition, ModelName, ModelBody, ModelBag and ModelTag.
class ModelSubject : public Subject {
 public:
  using Layout = detail::MirrorLayout<28, 4>;
  struct Tag {};

  /// Registers all pools, in an order that depends on `variant`.
  explicit ModelSubject(std::uint32_t variant = 0);

  std::uint64_t create() override { return registry.entities.create(); }
  std::uint64_t create_hint(std::uint64_t index, std::uint64_t version) override {
    return registry.entities.create_hint(
        ModelId::make(static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(version) & 15));
  }
  void destroy(std::uint64_t id) override { registry.destroy(static_cast<std::uint32_t>(id)); }
  void destroy_with(std::uint64_t id, std::uint64_t version) override {
    destroy(id);
    registry.entities.set_version(static_cast<std::uint32_t>(id),
                                  static_cast<std::uint32_t>(version) & 15);
  }
  void destroy_some(const std::vector<std::uint64_t>& ids) override {
    for (const std::uint64_t id : ids) destroy(id);
  }
  void start_from(std::uint64_t index) override {
    registry.entities.cursor = static_cast<std::uint32_t>(index);
  }
  [[nodiscard]] std::size_t live_count() const override { return registry.entities.live; }
  [[nodiscard]] std::uint64_t live_at(std::size_t i) const override {
    return registry.entities.packed[i];
  }
  void clear_all() override {
    for (const auto& each : registry.pools) each.pool->clear();
    while (live_count() != 0) destroy(live_at(live_count() - 1));
  }
  [[nodiscard]] std::size_t pool_count() const override { return 5; }
  [[nodiscard]] bool has(std::size_t pool, std::uint64_t id) const override {
    const ModelPoolBase* const found = registry.find(pool);
    return found != nullptr && found->has(static_cast<std::uint32_t>(id));
  }
  void add(std::size_t pool, std::uint64_t id, std::uint32_t value) override {
    this->pool(pool).add(static_cast<std::uint32_t>(id), value, false);
  }
  void add_back(std::size_t pool, const std::vector<std::uint64_t>& ids,
                std::uint32_t value) override {
    for (const std::uint64_t id : ids)
      this->pool(pool).add(static_cast<std::uint32_t>(id), value, true);
  }
  void remove(std::size_t pool, std::uint64_t id) override {
    this->pool(pool).remove(static_cast<std::uint32_t>(id));
  }
  void set(std::size_t pool, std::uint64_t id, std::uint32_t value) override {
    this->pool(pool).set(static_cast<std::uint32_t>(id), value);
  }
  void clear(std::size_t pool) override { this->pool(pool).clear(); }
  void compact(std::size_t pool) override { this->pool(pool).compact(); }
  void sort(std::size_t pool) override { this->pool(pool).sort(); }
  [[nodiscard]] std::vector<std::uint64_t> state() const override;
  [[nodiscard]] std::vector<std::uint64_t> pool_order() const override {
    std::vector<std::uint64_t> order;
    for (const auto& each : registry.pools) order.push_back(each.id);
    return order;
  }
  [[nodiscard]] Database& database() override { return database_; }
  [[nodiscard]] Status push() override { return mirror.push(); }
  Status restore(const Snapshot& snapshot) override { return mirror.restore(snapshot, {}); }
  Result<LoadReport> load(std::unique_ptr<ByteSource> source) override {
    return mirror.load(std::move(source), {});
  }
  /// Makes the pool if it does not exist.
  ModelPoolBase& pool(std::size_t pool);
  /// Registers a pool.
  template <class T, class Mirrored = ModelMirroredPool<T>>
  Status add_pool(const std::string& name, std::uint64_t id) {
    if (auto checked = mirror.check_new(id, name); !checked) return checked;
    using Record = std::conditional_t<Mirrored::kHasData, T, detail::EmptyRecord>;
    const ComponentOptions options{.removal = T::kStays ? Removal::in_place : Removal::swap};
    auto table = database_.try_create_component_table<Record>(name, entities_, options);
    if (!table) return fail(std::move(table.error()));
    mirror.add(name, &detail::core_of(**table), std::make_unique<Mirrored>(registry, id));
    return {};
  }

  ModelRegistry registry;

 private:
  Database database_;
  Table<detail::EmptyRecord, Layout, Tag>& entities_;
  ModelMirrored access_;

 public:
  detail::RegistryMirror mirror;
};

}  // namespace hdb::test
