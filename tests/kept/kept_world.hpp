// A game in two ages: the newer one has fields and tables that the older one does not know. Both
// play the same way.
#pragma once

#include <array>
#include <cereal/types/array.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/variant.hpp>
#include <cereal/types/vector.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "support/records.hpp"

namespace hdb::test::kept_test {

enum class Mood : std::uint8_t { calm, angry };
struct Nothing {};
template <bool New, class Fields>
using OnlyIf = std::conditional_t<New, Fields, Nothing>;

struct Quest {
  std::string title = {};
  std::vector<std::int32_t> steps = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(title), CEREAL_NVP(steps));
  }
};

struct Weather {
  std::string kind = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(kind));
  }
};

struct NewItem {
  std::uint16_t charm = 0;
};
template <bool New>
struct Item : OnlyIf<New, NewItem> {
  std::string name = {};
  std::int32_t count = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(name));
    if constexpr (New) a(cereal::make_nvp("charm", this->charm));
    a(CEREAL_NVP(count));
  }
};

struct NewStats {
  float luck = 0;
};
template <bool New>
struct Stats : OnlyIf<New, NewStats> {
  std::int32_t hp = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(hp));
    if constexpr (New) a(cereal::make_nvp("luck", this->luck));
  }
};

struct NewUnit {
  std::uint64_t xp = 0;
  std::vector<std::string> notes = {};
  Mood mood = Mood::calm;
  Handle<Quest> quest = {};
};
struct OldUnit {
  std::int32_t legacy = 3;
};
template <bool New>
struct Unit : std::conditional_t<New, NewUnit, OldUnit> {
  std::string name = {};
  Stats<New> stats = {};
  std::int32_t x = 0;
  std::vector<Item<New>> items = {};
  std::map<std::string, Item<New>> chest = {};
  std::optional<Stats<New>> bonus = {};
  std::variant<std::int32_t, Stats<New>> shape = {};
  std::array<Item<New>, 2> hands = {};
  std::array<std::int32_t, New ? 5 : 3> keys = {};
  Handle<Unit> friend_of = {};
  template <class A>
  void serialize(A& a) {
    if constexpr (New) a(cereal::make_nvp("xp", this->xp));
    a(CEREAL_NVP(name), CEREAL_NVP(stats), CEREAL_NVP(x));
    if constexpr (New) {
      a(cereal::make_nvp("notes", this->notes), cereal::make_nvp("mood", this->mood));
    } else {
      a(cereal::make_nvp("legacy", this->legacy));
    }
    a(CEREAL_NVP(items), CEREAL_NVP(chest), CEREAL_NVP(bonus), CEREAL_NVP(shape));
    if constexpr (New) a(cereal::make_nvp("quest", this->quest));
    a(CEREAL_NVP(hands), CEREAL_NVP(keys), CEREAL_NVP(friend_of));
  }
};

/// Trivially copyable: its columns are copied.
struct NewPlain {
  double weight = 0;
  std::uint8_t flag = 0;
};
template <bool New>
struct Plain : OnlyIf<New, NewPlain> {
  std::int32_t a = 0;
  std::int16_t b = 0;
  template <class A>
  void serialize(A& archive) {
    if constexpr (New) archive(cereal::make_nvp("weight", this->weight));
    archive(CEREAL_NVP(a), CEREAL_NVP(b));
    if constexpr (New) archive(cereal::make_nvp("flag", this->flag));
  }
};

}  // namespace hdb::test::kept_test

template <>
struct hdb::EnumNames<hdb::test::kept_test::Mood> {
  static constexpr std::array list{hdb::EnumName{hdb::test::kept_test::Mood::calm, "calm"},
                                   hdb::EnumName{hdb::test::kept_test::Mood::angry, "angry"}};
};

namespace hdb::test::kept_test {

template <bool New>
struct World {
  using U = Unit<New>;
  using P = Plain<New>;

  Database db;
  Table<U>& units =
      db.create_table<U>("units", {.free_list = FreeList::fifo, .names = RecordNames::exact});
  Table<P, Layout<16, 16>>& mobs = db.create_table<P, Layout<16, 16>>("mobs");
  Table<P, TypedLayout>& crates =
      db.create_table<P, TypedLayout>("crates", {.storage = Storage::stable});
  BlobTable<Stats<New>>& sounds =
      db.create_blob_table<Stats<New>>("sounds", {.capacity_bytes = 4096});
  Singleton<P>& clock = db.singleton<P>("clock");
};

/// Tables that only the newer age has.
struct NewTables {
  explicit NewTables(Database& db)
      : quests(db.create_table<Quest>("quests", {.names = RecordNames::exact})),
        traps(db.create_table<Plain<true>, TypedLayout, Quest>("a traps",
                                                               {.storage = Storage::stable})),
        weather(db.singleton<Weather>("weather")) {}
  Table<Quest>& quests;
  Table<Plain<true>, TypedLayout, Quest>& traps;
  Singleton<Weather>& weather;
};

/// What only the newer age does.
inline void fill(World<true>& world, NewTables& tables, Random& random) {
  for (int i = 0; i < 200; ++i) {
    Quest quest{"quest " + std::to_string(i), {}};
    quest.steps.assign(random.below(4), static_cast<std::int32_t>(random.below(100)));
    const auto handle = tables.quests.insert_named(random.one_in(2) ? quest.title : "", quest);
    if (random.one_in(3)) tables.quests.erase(handle);
    Plain<true> trap;
    trap.a = i;
    trap.weight = i / 2.0;
    const auto made = tables.traps.insert(trap);
    if (random.one_in(4)) tables.traps.erase(made);
  }
  tables.weather.edit().kind = "rain";
  for (const auto& [handle, unit] : world.units.entries()) {
    auto& made = *world.units.edit(handle);
    made.xp = random.next();
    made.notes.assign(random.below(3), "a note of " + made.name);
    made.mood = random.one_in(2) ? Mood::angry : Mood::calm;
    made.quest = tables.quests.handle_at(random.below(tables.quests.size()));
    made.stats.luck = static_cast<float>(random.below(100));
    for (auto& item : made.items) item.charm = static_cast<std::uint16_t>(random.next());
    for (auto& [key, item] : made.chest) item.charm = static_cast<std::uint16_t>(random.next());
    for (auto& item : made.hands) item.charm = static_cast<std::uint16_t>(random.next());
    if (made.bonus) made.bonus->luck = static_cast<float>(random.below(9));
    if (auto* const stats = std::get_if<1>(&made.shape)) stats->luck = 0.5f;
    made.keys[3] = static_cast<std::int32_t>(random.below(7));
    made.keys[4] = -1;
  }
  for (const auto& [handle, mob] : world.mobs.entries()) world.mobs.edit(handle)->weight = mob.a;
  for (const auto& [handle, crate] : world.crates.entries()) {
    world.crates.edit(handle)->weight = 0.25;
    world.crates.edit(handle)->flag = static_cast<std::uint8_t>(random.below(256));
  }
  world.clock.edit().flag = 77;
}

template <bool New>
Unit<New> random_unit(Random& random) {
  Unit<New> unit;
  unit.name = "unit " + std::to_string(random.below(1000));
  unit.stats.hp = static_cast<std::int32_t>(random.below(100));
  unit.items.resize(random.below(5));
  for (std::size_t i = 0; i < unit.items.size(); ++i) {
    unit.items[i].name = "item " + std::to_string(random.next());  // never twice
    unit.items[i].count = static_cast<std::int32_t>(random.below(3));
  }
  for (std::uint64_t i = random.below(4); i != 0; --i)
    unit.chest["key " + std::to_string(random.below(9))].count = 1;
  if (random.one_in(2)) unit.bonus.emplace().hp = 5;
  if (random.one_in(2)) unit.shape = Stats<New>{};
  return unit;
}

/// Changes a unit in a way that both ages understand alike.
template <bool New>
void edit_unit(Unit<New>& unit, Random& random) {
  unit.x = static_cast<std::int32_t>(random.next());
  unit.stats.hp += 1;
  unit.hands[random.below(2)].count += 1;
  unit.keys[random.below(3)] += 1;
  const std::uint64_t kind = random.below(4);
  const std::uint64_t at = random.next();
  if (kind == 0) unit.items.insert(unit.items.begin(), Item<New>{});
  if (!unit.items.empty()) {
    const auto i = static_cast<std::ptrdiff_t>(at % unit.items.size());
    if (kind == 1) unit.items.erase(unit.items.begin() + i);
    if (kind == 2) std::swap(unit.items[0], unit.items[static_cast<std::size_t>(i)]);
    if (kind == 3) unit.items[static_cast<std::size_t>(i)].count += 100;
  }
  unit.chest.erase("key 3");
  for (auto& [key, item] : unit.chest) item.count += 1;
  unit.chest["new " + std::to_string(random.next())].count = 2;
  if (unit.bonus) unit.bonus->hp += 1;
  if (auto* const stats = std::get_if<1>(&unit.shape)) stats->hp += 1;
}

/// Plays; the same in both ages. Edits each unit at most once.
template <bool New>
void play(World<New>& world, std::uint64_t seed) {
  Random random(seed);
  std::vector<Handle<Unit<New>>> untouched;
  for (const auto& [handle, unit] : world.units.entries()) untouched.push_back(handle);
  for (int i = 0; i < 60; ++i) {
    const std::uint64_t name = random.below(40);
    if (random.one_in(2)) {
      const std::string text = "named " + std::to_string(name);
      const auto unit = random_unit<New>(random);
      if (!world.units.find_named(text)) world.units.insert_named(text, unit);
    }
    if (random.one_in(3) && !untouched.empty()) {
      const auto at = static_cast<std::ptrdiff_t>(random.below(untouched.size()));
      const auto handle = untouched[static_cast<std::size_t>(at)];
      untouched.erase(untouched.begin() + at);
      if (random.one_in(3)) {
        world.units.erase(handle);
      } else {
        edit_unit(*world.units.edit(handle), random);
      }
    }
    Plain<New> plain;
    plain.a = static_cast<std::int32_t>(random.below(1000));
    world.mobs.insert(plain);
    const auto crate = world.crates.insert(plain);
    world.mobs.erase(world.mobs.handle_at(random.below(2 * world.mobs.size())));
    if (random.one_in(2)) world.crates.erase(crate);
    if (!world.mobs.empty()) world.mobs.edit(world.mobs.handle_at(0))->b += 1;
    if (world.sounds.size() < 20)
      static_cast<void>(world.sounds.insert({}, Bytes(random.below(50), std::byte{5})));
  }
  world.mobs.sort([](const auto& a, const auto& b) { return a.a < b.a; });
  world.clock.edit().a += 1;
}

inline const LoadOptions kKeep = [] {
  LoadOptions options;
  options.keep_unknown = true;
  return options;
}();

inline Bytes saved(const Snapshot& snapshot, const SaveOptions& options = {}) {
  MemorySink sink;
  const auto report = save(snapshot, sink, options);
  if (!report) throw std::runtime_error(report.error().message());
  return sink.take();
}

inline Result<LoadReport> load(Database& db, const Bytes& bytes, const LoadOptions& options = {}) {
  return db.load(std::make_unique<MemorySource>(bytes), options);
}

}  // namespace hdb::test::kept_test
