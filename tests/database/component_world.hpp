// A database with component tables of each kind, and a plain model of what they should hold.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cereal/types/string.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hdb/component_table.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::component_world {

struct Entity {
  std::int32_t id = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(id));
  }
};
struct Place {
  std::int32_t x = 0;
  std::uint8_t kind = 0;  // with padding after it
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(x), CEREAL_NVP(kind));
  }
};
// Neither can be copied as bytes.
struct Vital {
  std::int32_t hp = 0;
  std::string cause = "a text that does not fit into the string itself";
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp), CEREAL_NVP(cause));
  }
};
struct Label {
  std::string text = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(text));
  }
};

inline Bytes saved(const Snapshot& snapshot) {
  MemorySink sink;
  const auto result = save(snapshot, sink);
  EXPECT_TRUE(result) << (result ? "" : result.error().message());
  return sink.take();
}

// What the three tables should hold, in plain containers.
struct Model {
  struct Row {
    bool lives = true;
    std::optional<int> place = {}, health = {};
    std::optional<std::string> label = {};
  };
  std::map<std::uint64_t, Row> rows;
  std::vector<std::uint64_t> order;    // of the places: the last one moves into a gap
  std::vector<std::uint64_t> healths;  // by position; 0: a hole
  std::vector<std::size_t> holes;      // the one made last is last

  void drop_place(std::uint64_t bits) {
    if (!rows[bits].place) return;
    rows[bits].place.reset();
    const auto at = std::find(order.begin(), order.end(), bits);
    *at = order.back();
    order.pop_back();
  }
  void drop_health(std::uint64_t bits) {
    if (!rows[bits].health) return;
    rows[bits].health.reset();
    const auto at = std::find(healths.begin(), healths.end(), bits);
    *at = 0;
    holes.push_back(static_cast<std::size_t>(at - healths.begin()));
  }
  void add_health(std::uint64_t bits, int value) {
    rows[bits].health = value;
    if (holes.empty()) {
      healths.push_back(bits);
    } else {
      healths[holes.back()] = bits;
      holes.pop_back();
    }
  }
  void close_holes() {
    while (!holes.empty()) {
      holes.clear();
      for (std::size_t live = healths.size() - holes_in(healths); healths.size() > live;
           healths.pop_back()) {
        if (healths.back() != 0) *std::find(healths.begin(), healths.end(), 0u) = healths.back();
      }
    }
  }
  static std::size_t holes_in(const std::vector<std::uint64_t>& list) {
    return static_cast<std::size_t>(std::count(list.begin(), list.end(), 0u));
  }
  void erase(std::uint64_t bits) {
    drop_place(bits);
    drop_health(bits);
    rows[bits].label.reset();
    rows[bits].lives = false;
  }
};

template <class L>
struct World {
  Database db;
  Table<Entity, L>& entities = db.create_table<Entity, L>("entities");
  ComponentTable<Place, Entity, L>& places = db.create_component_table<Place>("Place", entities);
  ComponentTable<Label, Entity, L>& labels = db.create_component_table<Label>(
      "Label", entities, {.storage = L::index_bits % 2 == 0 ? Storage::stable : Storage::dense});
  ComponentTable<Vital, Entity, L>& healths =
      db.create_component_table<Vital>("Health", entities, {.removal = Removal::in_place});
  std::vector<Handle<Entity, L>> known;
  Model model;

  Handle<Entity, L> some(Random& random) {
    return known.empty() ? Handle<Entity, L>() : known[random.below(known.size())];
  }
  bool lives(Handle<Entity, L> handle) const {
    const auto found = model.rows.find(handle.bits());
    return found != model.rows.end() && found->second.lives;
  }
  void add_entity(int id) {
    const auto handle = entities.insert({id});
    if (!handle) return;
    known.push_back(handle);
    model.rows[handle.bits()] = {};
  }
  void step(Random& random) {
    const int number = static_cast<int>(random.below(1000));
    const auto handle = some(random);
    const std::uint64_t bits = handle.bits();
    const bool is_live = lives(handle);
    switch (random.below(12)) {
      case 0:
      case 1: return add_entity(number);
      case 2:
        EXPECT_EQ(entities.erase(handle), is_live);
        if (is_live) model.erase(bits);
        return;
      case 3:
      case 4: {
        const bool may = is_live && !model.rows[bits].place;
        const Place* const made = places.insert(handle, {number, 7});
        EXPECT_EQ(made != nullptr, may);
        if (may) {
          EXPECT_EQ(made, places.find(handle));
          model.rows[bits].place = number;
          model.order.push_back(bits);
        }
        return;
      }
      case 5: {
        const bool may = is_live && model.rows[bits].place.has_value();
        EXPECT_EQ(places.erase(handle), may);
        if (may) model.drop_place(bits);
        return;
      }
      case 6:
      case 7:
        EXPECT_EQ(labels.insert_or_assign(handle, Label{std::to_string(number)}) != nullptr,
                  is_live);
        if (is_live) model.rows[bits].label = std::to_string(number);
        return;
      case 8:
        EXPECT_EQ(labels.erase(handle), is_live && model.rows[bits].label.has_value());
        if (is_live) model.rows[bits].label.reset();
        return;
      case 9: {
        const bool may = is_live && !model.rows[bits].health;
        EXPECT_EQ(healths.emplace(handle, Vital{.hp = number}) != nullptr, may);
        if (may) model.add_health(bits, number);
        return;
      }
      case 10: {
        const bool may = is_live && model.rows[bits].health.has_value();
        EXPECT_EQ(healths.erase(handle), may);
        if (may) model.drop_health(bits);
        return;
      }
      default: return rare(random);
    }
  }
  void rare(Random& random) {
    switch (random.below(8)) {
      case 0:
        places.sort([](const Place& a, const Place& b) { return a.x < b.x; });
        std::stable_sort(model.order.begin(), model.order.end(), [&](auto a, auto b) {
          return *model.rows[a].place < *model.rows[b].place;
        });
        return;
      case 1: healths.compact(); return model.close_holes();
      case 2: {
        if (!random.one_in(6)) return;
        entities.clear();
        for (auto& [bits, row] : model.rows) row = {.lives = false};
        model.order.clear();
        model.healths.clear();
        model.holes.clear();
        return;
      }
      case 3: {
        std::vector<Handle<Entity, L>> batch;
        for (int i = 0; i < 5; ++i) batch.push_back(some(random));
        entities.erase_batch(batch);
        for (const auto handle : batch) {
          if (lives(handle)) model.erase(handle.bits());
        }
        return;
      }
      default:
        if (const auto handle = some(random); Place* const place = places.edit(handle)) {
          place->x += 1;
          *model.rows[handle.bits()].place += 1;
        }
    }
  }
  void run(std::uint64_t seed, int steps) {
    Random random(seed);
    for (int i = 0; i < steps; ++i) step(random);
  }
  void check() const {
    ASSERT_STREQ(db.check_invariants(), nullptr);
    std::size_t place_count = 0;
    std::size_t label_count = 0;
    std::size_t health_count = 0;
    for (const auto& [bits, row] : model.rows) {
      const auto handle = Handle<Entity, L>::from_bits(static_cast<typename L::Bits>(bits));
      ASSERT_EQ(entities.contains(handle), row.lives);
      const Place* const place = places.find(handle);
      ASSERT_EQ(place != nullptr, row.place.has_value());
      if (place != nullptr) {
        ASSERT_EQ(place->x, *row.place);
      }
      const Label* const label = labels.find(handle);
      ASSERT_EQ(label != nullptr, row.label.has_value());
      if (label != nullptr) {
        ASSERT_EQ(label->text, *row.label);
      }
      const Vital* const health = healths.find(handle);
      ASSERT_EQ(health != nullptr, row.health.has_value());
      if (health != nullptr) {
        ASSERT_EQ(health->hp, *row.health);
      }
      place_count += row.place.has_value();
      label_count += row.label.has_value();
      health_count += row.health.has_value();
    }
    ASSERT_EQ(places.size(), place_count);
    ASSERT_EQ(labels.size(), label_count);
    ASSERT_EQ(healths.size(), health_count);
    ASSERT_EQ(healths.hole_count(), model.holes.size());
    for (std::size_t i = 0; i < model.order.size(); ++i)
      ASSERT_EQ(places.handle_at(i).bits(), model.order[i]);
    for (std::size_t i = 0; i < model.healths.size(); ++i)
      ASSERT_EQ(healths.handle_at(i).bits(), model.healths[i]);
    ASSERT_TRUE(healths.handle_at(model.healths.size()).is_null());
    std::size_t visited = 0;
    healths.for_each([&](Handle<Entity, L> handle, const Vital& unit) {
      EXPECT_EQ(&unit, healths.find(handle));
      ++visited;
    });
    for (auto [handle, unit] : healths.entries()) {
      EXPECT_EQ(&unit, healths.find(handle));
      ++visited;
    }
    for (auto [handle, unit] : healths.entries_backward()) {
      EXPECT_EQ(&unit, healths.find(handle));
      ++visited;
    }
    ASSERT_EQ(visited, 3 * health_count);
  }
};

}  // namespace hdb::test::component_world
