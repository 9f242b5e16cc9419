// A registry of the tests' own, made like those of entity-component libraries: packed arrays, a
// free list in the array of entities, tombstones in chains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/detail/entt/packed_ids.hpp"

namespace hdb::test {

/// The parts of an identifier of the model: versions wrap soon.
inline constexpr detail::IdFormat kModelFormat{4, 28, 4};

struct ModelId {
  static constexpr std::uint32_t kNone = 0x0fffffff;
  [[nodiscard]] static std::uint32_t index(std::uint32_t id) { return id & kNone; }
  [[nodiscard]] static std::uint32_t version(std::uint32_t id) { return id >> 28; }
  [[nodiscard]] static std::uint32_t make(std::uint32_t index, std::uint32_t version) {
    return (index & kNone) | version << 28;
  }
  /// The last version marks tombstones, so it is skipped.
  [[nodiscard]] static std::uint32_t next(std::uint32_t id) {
    return make(index(id), version(id) == 14 ? 0 : version(id) + 1);
  }
  [[nodiscard]] static bool is_tombstone(std::uint32_t id) { return version(id) == 15; }
};

/// Where the identifiers are in a packed array.
class ModelIndex {
 public:
  [[nodiscard]] std::optional<std::size_t> find(std::uint32_t id) const {
    const std::uint32_t index = ModelId::index(id);
    if (index >= positions_.size() || positions_[index] == 0) return std::nullopt;
    return positions_[index] - 1;
  }
  void set(std::uint32_t id, std::size_t position) {
    const std::uint32_t index = ModelId::index(id);
    if (index >= positions_.size()) positions_.resize(index + 1);
    positions_[index] = position + 1;
  }
  void unset(std::uint32_t id) { positions_[ModelId::index(id)] = 0; }
  void clear() { positions_.clear(); }

 private:
  std::vector<std::size_t> positions_;
};

/// Entities: the live ones come first.
struct ModelEntities {
  std::vector<std::uint32_t> packed;
  std::size_t live = 0;
  std::uint32_t cursor = 0;
  ModelIndex positions;

  void put(std::size_t i, std::uint32_t id) {
    packed[i] = id;
    positions.set(id, i);
  }
  void swap(std::size_t i, std::size_t k) {
    const std::uint32_t one = packed[i];
    put(i, packed[k]);
    put(k, one);
  }
  [[nodiscard]] bool is_live(std::uint32_t id) const {
    const auto at = positions.find(id);
    return at && *at < live && packed[*at] == id;
  }
  std::uint32_t create() {
    if (live < packed.size()) return packed[live++];
    while (positions.find(cursor)) ++cursor;
    return create_new(ModelId::make(cursor++, 0));
  }
  std::uint32_t create_new(std::uint32_t id) {
    packed.push_back(id);
    positions.set(id, packed.size() - 1);
    swap(live, packed.size() - 1);
    ++live;
    return id;
  }
  std::uint32_t create_hint(std::uint32_t id) {
    if (ModelId::is_tombstone(id)) return create();
    const auto at = positions.find(id);
    if (!at) return create_new(id);
    if (*at < live) return create();
    put(*at, id);
    swap(*at, live);
    return packed[live++];
  }
  void destroy(std::uint32_t id) {
    const std::size_t at = *positions.find(id);
    put(at, ModelId::next(id));
    swap(at, --live);
  }
  void set_version(std::uint32_t id, std::uint32_t version) {
    put(*positions.find(id), ModelId::make(id, version == 15 ? 0 : version));
  }
};

/// Components without a type, for the registry.
class ModelPoolBase {
 public:
  ModelPoolBase() = default;
  virtual ~ModelPoolBase() = default;
  ModelPoolBase(const ModelPoolBase&) = delete;
  ModelPoolBase& operator=(const ModelPoolBase&) = delete;

  [[nodiscard]] bool has(std::uint32_t id) const { return positions.find(id).has_value(); }
  virtual void add(std::uint32_t id, std::uint32_t value, bool at_end) = 0;
  virtual void remove(std::uint32_t id) = 0;
  virtual void set(std::uint32_t id, std::uint32_t value) = 0;
  virtual void clear() = 0;
  virtual void sort() = 0;
  virtual void compact() = 0;
  [[nodiscard]] virtual std::uint32_t value(std::size_t at) const = 0;

  std::vector<std::uint32_t> packed;
  std::uint32_t first_hole = ModelId::kNone;
  ModelIndex positions;
};

/// Components in pages. `T` has `static T of(uint32_t)`, `uint32_t value() const`, and
/// says with kStays whether an erased component leaves a hole.
template <class T>
class ModelPool final : public ModelPoolBase {
 public:
  static constexpr std::size_t kPage = 64;  // several blocks of the undo log

  void add(std::uint32_t id, std::uint32_t value, bool at_end) override {
    std::size_t at = packed.size();
    if (T::kStays && !at_end && first_hole != ModelId::kNone) {
      at = first_hole;
      first_hole = ModelId::index(packed[at]);
      packed[at] = id;
    } else {
      packed.push_back(id);
    }
    positions.set(id, at);
    place(at) = T::of(value);
  }
  void remove(std::uint32_t id) override {
    const std::size_t at = *positions.find(id);
    positions.unset(id);
    if (T::kStays) {
      packed[at] = ModelId::make(first_hole, 15);
      first_hole = static_cast<std::uint32_t>(at);
      return;
    }
    if (at + 1 != packed.size()) {
      packed[at] = packed.back();
      positions.set(packed[at], at);
      place(at) = std::move(place(packed.size() - 1));
    }
    packed.pop_back();
  }
  void set(std::uint32_t id, std::uint32_t value) override {
    place(*positions.find(id)) = T::of(value);
  }
  void clear() override {
    packed.clear();
    positions.clear();
    first_hole = ModelId::kNone;
  }
  void sort() override {
    if (first_hole != ModelId::kNone) return;
    std::vector<std::pair<std::uint32_t, T>> all;
    for (std::size_t i = 0; i < packed.size(); ++i) all.emplace_back(packed[i], place(i));
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; i < all.size(); ++i) put(i, all[i].first, all[i].second);
  }
  void compact() override {
    std::size_t end = 0;
    for (std::size_t i = 0; i < packed.size(); ++i) {
      if (!ModelId::is_tombstone(packed[i])) put(end++, packed[i], T(place(i)));
    }
    packed.resize(end);
    first_hole = ModelId::kNone;
  }
  [[nodiscard]] std::uint32_t value(std::size_t at) const override {
    return pages[at / kPage][at % kPage].value();
  }
  T& place(std::size_t at) {
    while (at / kPage >= pages.size()) pages.push_back(std::make_unique<T[]>(kPage));
    return pages[at / kPage][at % kPage];
  }
  void put(std::size_t at, std::uint32_t id, const T& component) {
    packed[at] = id;
    positions.set(id, at);
    place(at) = component;
  }

  std::vector<std::unique_ptr<T[]>> pages;
};

/// The registry: entities, and pools in the order in which they came to be.
struct ModelRegistry {
  struct Named {
    std::uint64_t id = 0;
    std::shared_ptr<ModelPoolBase> pool;
  };
  ModelEntities entities;
  std::vector<Named> pools;

  [[nodiscard]] ModelPoolBase* find(std::uint64_t id) const {
    for (const Named& each : pools) {
      if (each.id == id) return each.pool.get();
    }
    return nullptr;
  }
  void destroy(std::uint32_t id) {
    for (auto each = pools.rbegin(); each != pools.rend(); ++each) {
      if (each->pool->has(id)) each->pool->remove(id);
    }
    entities.destroy(id);
  }
};

}  // namespace hdb::test
