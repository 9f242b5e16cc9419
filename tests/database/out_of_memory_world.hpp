// A world whose every allocation may fail, and the sweep that makes it so.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "hdb/blob_table.hpp"
#include "hdb/hdb.hpp"
#include "hdb/page_source.hpp"
#include "support/allocation_watch.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::out_of_memory_test {

struct Level {
  std::int32_t depth = 0;
  std::string note = "a text too long to be stored within a string";
  Handle<Unit> boss = {};
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(depth), CEREAL_NVP(note), CEREAL_NVP(boss));
  }
};
using LevelTable = Table<Level, TypedLayout>;

// Pages that fail in their turn.
class WatchedPages final : public PageSource {
 public:
  void* allocate(std::size_t size_bytes) noexcept override {
    if (allocation_fails()) return nullptr;
    return ::operator new (size_bytes, std::align_val_t{kPageAlignment}, std::nothrow);
  }
  void deallocate(void* memory, std::size_t) noexcept override {
    ::operator delete (memory, std::align_val_t{kPageAlignment});
  }
};

// A table of each kind, with something in each.
struct World {
  Database db{{.page_source = std::make_shared<WatchedPages>()}};
  Table<Unit>& units = db.create_table<Unit>("units", {.names = RecordNames::exact});
  Table<Hero>& heroes = db.create_table<Hero>("heroes", {.storage = Storage::stable});
  LevelTable& menu = db.create_table<Level, TypedLayout>("menu");
  BlobTable<Tile>& tiles = db.create_blob_table<Tile>("tiles", {.capacity_bytes = 512});
  Singleton<Clock>& clock = db.singleton<Clock>("clock");
  Handle<Unit> unit = units.insert_named("first", {.hp = 1});

  World() {
    units.erase(units.insert_named("second", {.hp = 2}));
    heroes.insert({.name = "a hero of a name that is longer than a string", .items = {1, 2, 3}});
    menu.insert({.boss = unit});
    static_cast<void>(tiles.insert({}, Bytes(40, std::byte{7})));
  }
  void change() {
    units.edit(unit)->hp = 77;
    units.insert_named("third", {.hp = 3});
    heroes.insert({.name = "another"});
    clock.edit().tick = 9;
  }
};

// What a call that fails must leave alone.
struct State {
  explicit State(Database& db) : names(db.table_names()), hash(db.state_hash()) {}
  std::vector<std::string> names;
  Hash128 hash;
  friend bool operator==(const State&, const State&) = default;
  friend void PrintTo(const State& state, std::ostream* out) {
    *out << state.hash.hex();
    for (const std::string& name : state.names) *out << ' ' << name;
  }
};

using Call = std::function<void(World&)>;

// Fails each allocation of `call` in turn, and looks at what is left; `prepare` comes before. A
// world serves for some failures, as nothing changes in it, and then for a call that succeeds.
inline void sweep(
    const Call& call, const Call& prepare = [](World&) {}, std::size_t at_least = 1) {
  constexpr std::size_t kFailuresAWorld = 24;
  std::size_t n = 0;
  for (bool done = false; !done;) {
    World world;
    prepare(world);
    const State before(world.db);
    for (std::size_t i = 0; i < kFailuresAWorld && !done; ++i) {
      ASSERT_LT(++n, 20'000u);
      fail_allocation(n);
      try {
        call(world);
        done = true;
      } catch (const std::bad_alloc&) {
      }
      fail_allocation(0);
      ASSERT_EQ(world.db.check_invariants(), nullptr) << "allocation " << n;
      if (!done) {
        ASSERT_EQ(State(world.db), before) << "allocation " << n;
      }
    }
    if (!done) call(world);
    ASSERT_EQ(world.db.check_invariants(), nullptr) << "after allocation " << n;
  }
  EXPECT_GT(n, at_least);
}

template <class T>
void must(const Result<T>& result) {
  if (!result) throw std::runtime_error(result.error().message());
}

}  // namespace hdb::test::out_of_memory_test
