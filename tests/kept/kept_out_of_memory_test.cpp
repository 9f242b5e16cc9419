// G4 for what a load keeps: every allocation of a call fails once; then nothing has changed, and
// calling again works.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <new>

#include "kept/kept_world.hpp"
#include "support/allocation_watch.hpp"

namespace hdb::test::kept_test {
namespace {

Bytes newer_file(std::uint64_t seed) {
  World<true> now;
  NewTables tables(now.db);
  Random random(seed);
  play(now, seed);
  fill(now, tables, random);
  return saved(now.db.capture());
}

using Call = std::function<void(World<false>&)>;

// Fails each allocation of `call` in turn, after `prepare`, and compares the state.
void sweep(const Call& call, const Call& prepare) {
  std::size_t n = 1;
  for (bool done = false; !done;) {
    World<false> world;
    prepare(world);
    const Hash128 before = world.db.state_hash();
    for (int i = 0; i < 40 && !done; ++i, ++n) {
      fail_allocation(n);
      try {
        call(world);
        done = true;
      } catch (const std::bad_alloc&) {
      }
      fail_allocation(0);
      if (!done) {
        ASSERT_EQ(world.db.state_hash(), before) << "allocation " << n;
        ASSERT_EQ(world.db.check_invariants(), nullptr) << "allocation " << n;
      }
    }
    if (!done) call(world);
  }
  EXPECT_GT(n, 20u);
}

template <class T>
void must(const Result<T>& result) {
  if (!result) throw std::runtime_error(result.error().message());
}

void load_it(World<false>& world, const Bytes& file) {
  must(load(world.db, file, {.keep_unknown = true}));
}

TEST(KeptOutOfMemory, ALoadKeepsAllOrNothing) {
  const Bytes first = newer_file(1);
  const Bytes second = newer_file(2);
  sweep([&](World<false>& world) { load_it(world, second); },
        [&](World<false>& world) { load_it(world, first); });
}

TEST(KeptOutOfMemory, ATableTakesThePlaceOfAKeptOneOrDoesNot) {
  const Bytes file = newer_file(1);
  sweep([](World<false>& world) { must(world.db.try_create_table<Quest>("quests")); },
        [&](World<false>& world) { load_it(world, file); });
}

TEST(KeptOutOfMemory, ARestoreBringsBackAllOrNothing) {
  const Bytes file = newer_file(1);
  for (const TimelineMode mode : {TimelineMode::exact, TimelineMode::fork}) {
    Snapshot earlier;
    sweep([&](World<false>& world) { must(world.db.restore(earlier, {.mode = mode})); },
          [&](World<false>& world) {
            load_it(world, file);
            earlier = world.db.capture();
            world.mobs.reset();
            play(world, 5);
            world.db.create_table<Quest>("quests").insert({"another quest", {}});
          });
    earlier = {};
  }
}

}  // namespace
}  // namespace hdb::test::kept_test
