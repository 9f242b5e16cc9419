// An EnTT registry with hdb::entt, under the random programs.
#pragma once

#include <hdb/entt.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "entt/registry_programs.hpp"

namespace entt_test {  // not in hdb, where `entt` is another namespace

/// An entity with few versions, so that they wrap.
enum class SmallEntity : std::uint32_t {};
struct SmallEntityParts {
  using value_type = SmallEntity;
  using entity_type = std::uint32_t;
  using version_type = std::uint16_t;
  static constexpr entity_type entity_mask = 0x0fffffff;
  static constexpr entity_type version_mask = 0xf;
};
}  // namespace entt_test

template <>
struct entt::entt_traits<entt_test::SmallEntity>
    : entt::basic_entt_traits<entt_test::SmallEntityParts> {
  static constexpr std::size_t page_size = ENTT_SPARSE_PAGE;
};

template <>
struct hdb::AsHandle<entt_test::SmallEntity> : hdb::detail::EntityAsHandle<entt_test::SmallEntity> {
};

namespace entt_test {

using hdb::ByteSource;
using hdb::Database;
using hdb::LoadReport;
using hdb::Result;
using hdb::Snapshot;
using hdb::Status;
using hdb::test::Subject;

struct EnttPosition {
  float x = 0;
  std::uint8_t kind = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(kind));
  }
  static EnttPosition of(std::uint32_t v) { return {float(v), static_cast<std::uint8_t>(v)}; }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(x); }
};
struct EnttName {
  std::string text;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(text));
  }
  static EnttName of(std::uint32_t v) { return {std::to_string(v)}; }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(std::stoul(text)); }
};
struct EnttBody {
  static constexpr bool in_place_delete = true;
  static constexpr std::size_t page_size = 16;
  std::uint64_t mass = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(mass));
  }
  static EnttBody of(std::uint32_t v) { return {v}; }
  [[nodiscard]] std::uint32_t value() const { return static_cast<std::uint32_t>(mass); }
};
struct EnttBag {
  static constexpr bool in_place_delete = true;
  std::vector<std::uint32_t> items;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(items));
  }
  static EnttBag of(std::uint32_t v) { return {{v, 1}}; }
  [[nodiscard]] std::uint32_t value() const { return items.front(); }
};
struct EnttTag {
  static EnttTag of(std::uint32_t) { return {}; }
};
struct EnttStayingTag {
  static constexpr bool in_place_delete = true;
  static EnttStayingTag of(std::uint32_t) { return {}; }
};
template <class Entity>
struct EnttLink {
  Entity target{entt::null};
  std::uint32_t number = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(target), CEREAL_NVP(number));
  }
  static EnttLink of(std::uint32_t v) { return {Entity{v * 0x10000019u}, v}; }
  [[nodiscard]] std::uint32_t value() const {
    return number ^ static_cast<std::uint32_t>(entt::to_integral(target));
  }
};

/// The groups that a subject declares.
enum class Groups : std::uint8_t { none, owning, free, both };

template <class Entity>
class EnttSubject final : public Subject {
  using Reg = entt::basic_registry<Entity>;
  using Traits = entt::entt_traits<Entity>;
  using Link = EnttLink<Entity>;

 public:
  explicit EnttSubject(Groups groups) : world_{registry_}, groups_(groups) {
    for_each_pool([&]<class T>(std::size_t i, entt::id_type id, T*) {
      static constexpr const char* kNames[] = {"Position", "Name",    "Body", "Bag",
                                               "Tag",      "Staying", "Link", "Other"};
      world_.template pool<T>(kNames[i], id);
    });
    if (groups == Groups::owning || groups == Groups::both)
      world_.template group<EnttPosition, EnttName>("owning", entt::get<Link>,
                                                    entt::exclude<EnttTag>);
    if (groups == Groups::free || groups == Groups::both)
      world_.template group<>("free", entt::get<Link, EnttBody>, entt::exclude<EnttTag>);
  }

  std::uint64_t create() override { return bits(registry_.create()); }
  std::uint64_t create_hint(std::uint64_t index, std::uint64_t version) override {
    return bits(registry_.create(make(index, near_last(version))));
  }
  void destroy(std::uint64_t id) override { registry_.destroy(entity(id)); }
  void destroy_with(std::uint64_t id, std::uint64_t version) override {
    registry_.destroy(entity(id), static_cast<typename Traits::version_type>(near_last(version)));
  }
  void destroy_some(const std::vector<std::uint64_t>& ids) override {
    std::vector<Entity> entities;
    for (const std::uint64_t id : ids) entities.push_back(entity(id));
    registry_.destroy(entities.begin(), entities.end());
  }
  void start_from(std::uint64_t index) override {
    registry_.template storage<Entity>().start_from(make(index, 0));
  }
  [[nodiscard]] std::size_t live_count() const override { return entities().free_list(); }
  [[nodiscard]] std::uint64_t live_at(std::size_t i) const override {
    return bits(entities().data()[i]);
  }
  void clear_all() override { registry_.clear(); }

  [[nodiscard]] std::size_t pool_count() const override { return 8; }
  [[nodiscard]] bool has(std::size_t pool, std::uint64_t id) const override {
    const auto* const found = registry_.storage(pool_id(pool));
    return found != nullptr && found->contains(entity(id));
  }
  void add(std::size_t pool, std::uint64_t id, std::uint32_t value) override {
    at(pool, [&]<class T>(auto& storage, T*) {
      if constexpr (std::is_empty_v<T>) {
        storage.emplace(entity(id));
      } else {
        storage.emplace(entity(id), T::of(value));
      }
    });
  }
  void add_back(std::size_t pool, const std::vector<std::uint64_t>& ids,
                std::uint32_t value) override {
    std::vector<Entity> entities;
    for (const std::uint64_t id : ids) entities.push_back(entity(id));
    at(pool, [&]<class T>(auto& storage, T*) {
      if constexpr (std::is_empty_v<T>) {
        storage.insert(entities.begin(), entities.end());
      } else {
        storage.insert(entities.begin(), entities.end(), T::of(value));
      }
    });
  }
  void remove(std::size_t pool, std::uint64_t id) override {
    at(pool, [&](auto& storage, auto*) { storage.remove(entity(id)); });
  }
  void set(std::size_t pool, std::uint64_t id, std::uint32_t value) override {
    at(pool, [&]<class T>(auto& storage, T*) {
      if constexpr (!std::is_empty_v<T>) storage.get(entity(id)) = T::of(value);
    });
  }
  void clear(std::size_t pool) override {
    at(pool, [](auto& storage, auto*) { storage.clear(); });
  }
  void compact(std::size_t pool) override {
    at(pool, [](auto& storage, auto*) { storage.compact(); });
  }
  void sort(std::size_t pool) override {
    if (pool < 2 && groups_ != Groups::none && groups_ != Groups::free) return;
    at(pool, [](auto& storage, auto*) {
      constexpr bool kHoles = std::remove_reference_t<decltype(storage)>::storage_policy ==
                              entt::deletion_policy::in_place;
      if (kHoles && storage.free_list() != Traits::entity_mask) return;
      storage.sort([](Entity a, Entity b) { return a < b; });
    });
  }
  // The order of groups.
  void other(std::uint32_t value) override {
    const auto less = [value](Entity a, Entity b) { return value % 2 == 0 ? a < b : b < a; };
    if (value % 3 == 0 && (groups_ == Groups::free || groups_ == Groups::both)) {
      registry_.template group<>(entt::get<Link, EnttBody>, entt::exclude<EnttTag>).sort(less);
    } else if (groups_ == Groups::owning || groups_ == Groups::both) {
      registry_.template group<EnttPosition, EnttName>(entt::get<Link>, entt::exclude<EnttTag>)
          .sort(less);
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> state() const override {
    std::vector<std::uint64_t> state;
    const auto add_set = [&](const auto& set) {
      state.push_back(set.size());
      state.push_back(set.free_list());
      for (std::size_t i = 0; i < set.size(); ++i) state.push_back(bits(set.data()[i]));
    };
    add_set(entities());
    auto& self = const_cast<EnttSubject&>(*this);
    self.for_each_pool([&]<class T>(std::size_t, entt::id_type id, T*) {
      const auto* const found = std::as_const(registry_).template storage<T>(id);
      if (found == nullptr || found->empty()) return state.push_back(0);
      add_set(*found);
      if constexpr (!std::is_empty_v<T>) {
        for (std::size_t i = 0; i < found->size(); ++i) {
          if (const Entity entity = found->data()[i]; entity != entt::tombstone) {
            state.push_back(found->get(entity).value());
            if (&found->get(entity) != &found->rbegin()[static_cast<std::ptrdiff_t>(i)])
              state.push_back(~0u);
          }
        }
      }
    });
    if (groups_ == Groups::owning || groups_ == Groups::both) {
      for (const Entity entity : self.registry_.template group<EnttPosition, EnttName>(
               entt::get<Link>, entt::exclude<EnttTag>))
        state.push_back(bits(entity));
    }
    if (groups_ == Groups::free || groups_ == Groups::both) {
      for (const Entity entity :
           self.registry_.template group<>(entt::get<Link, EnttBody>, entt::exclude<EnttTag>))
        state.push_back(bits(entity));
    }
    return state;
  }
  [[nodiscard]] std::vector<std::uint64_t> pool_order() const override {
    std::vector<std::uint64_t> order;
    for (auto [id, pool] : registry_.storage()) order.push_back(id);
    return order;
  }

  [[nodiscard]] Database& database() override { return world_.database(); }
  [[nodiscard]] Status push() override { return world_.push(); }
  Status restore(const Snapshot& snapshot) override { return world_.restore(snapshot); }
  Result<LoadReport> load(std::unique_ptr<ByteSource> source) override {
    return world_.load(std::move(source));
  }
  [[nodiscard]] Reg& registry() noexcept { return registry_; }

 private:
  [[nodiscard]] static std::uint64_t bits(Entity entity) { return entt::to_integral(entity); }
  [[nodiscard]] static Entity entity(std::uint64_t bits) {
    return static_cast<Entity>(static_cast<typename Traits::entity_type>(bits));
  }
  [[nodiscard]] static Entity make(std::uint64_t index, std::uint64_t version) {
    return Traits::construct(static_cast<typename Traits::entity_type>(index),
                             static_cast<typename Traits::version_type>(version));
  }
  // Half of the versions of [0, 17) become those before the last one that hdb has.
  [[nodiscard]] static std::uint64_t near_last(std::uint64_t version) {
    constexpr std::uint64_t kLast = std::min<std::uint64_t>(Traits::version_mask, 0x7fff'fffe);
    if (version < 8 || kLast < 16) return version & kLast;
    return sizeof(Entity) == 8 ? kLast - 200 - version : kLast + 8 - version;
  }
  [[nodiscard]] const auto& entities() const {
    return *std::as_const(registry_).template storage<Entity>();
  }
  [[nodiscard]] static entt::id_type pool_id(std::size_t pool) {
    entt::id_type found{};
    for_each_type([&]<class T>(std::size_t i, entt::id_type id, T*) {
      if (i == pool) found = id;
    });
    return found;
  }
  template <class Visit>
  static void for_each_type(const Visit& visit) {
    const auto hash = []<class T>(T*) { return entt::type_hash<T>::value(); };
    std::size_t i = 0;
    const auto one = [&]<class T>(T* none) { visit(i++, hash(none), none); };
    one(static_cast<EnttPosition*>(nullptr));
    one(static_cast<EnttName*>(nullptr));
    one(static_cast<EnttBody*>(nullptr));
    one(static_cast<EnttBag*>(nullptr));
    one(static_cast<EnttTag*>(nullptr));
    one(static_cast<EnttStayingTag*>(nullptr));
    one(static_cast<Link*>(nullptr));
    visit(i, entt::hashed_string::value("other"), static_cast<EnttPosition*>(nullptr));
  }
  template <class Visit>
  void for_each_pool(const Visit& visit) {
    for_each_type(visit);
  }
  template <class Do>
  void at(std::size_t pool, const Do& run) {
    for_each_type([&]<class T>(std::size_t i, entt::id_type id, T* none) {
      if (i == pool) run(registry_.template storage<T>(id), none);
    });
  }

  Reg registry_;
  hdb::entt::BasicRegistry<Reg> world_;
  Groups groups_;
};

}  // namespace entt_test
