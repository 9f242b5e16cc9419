// Component tables against a plain model: any calls, captures, restores, saves and loads, for all
// layouts and storages.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "database/component_world.hpp"
#include "hdb/hdb.hpp"

namespace hdb::test::component_world {
namespace {

template <class L>
class ComponentTablesOf : public testing::Test {};
using Layouts = testing::Types<DefaultLayout, Layout<16, 16>, Layout<20, 12>, Layout<10, 6>,
                               Layout<7, 8>, TypedLayout, Layout<12, 12, 8>>;
TYPED_TEST_SUITE(ComponentTablesOf, Layouts);

TYPED_TEST(ComponentTablesOf, AreAsThePlainModel) {
  World<TypeParam> world;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    world.run(seed, 60);
    world.check();
    if (testing::Test::HasFatalFailure()) return;
  }
}

// S1: back to the captured state, with an equal future; in the running database, in another one
// that loads the file, and after a save and load that go on from there.
TYPED_TEST(ComponentTablesOf, ComeBackExactlyWithAnEqualFuture) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    World<TypeParam> world;
    world.run(seed, 400);
    const Snapshot before = world.db.capture();
    const auto known = world.known;
    const Model model = world.model;
    const Bytes file = saved(before);
    world.run(seed + 100, 200);
    const Hash128 future = world.db.state_hash();

    ASSERT_TRUE(world.db.restore(before));
    EXPECT_EQ(world.db.state_hash(), before.state_hash());
    world.known = known;
    world.model = model;
    world.check();
    world.run(seed + 100, 200);
    world.check();
    EXPECT_EQ(world.db.state_hash(), future);

    World<TypeParam> other;
    other.run(seed + 7, 100);
    const auto loaded = other.db.load(std::make_unique<MemorySource>(file));
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(other.db.state_hash(), before.state_hash());
    EXPECT_EQ(saved(other.db.capture()).size(), file.size());
    other.known = known;
    other.model = model;
    other.check();
    other.run(seed + 100, 200);
    other.check();
    EXPECT_EQ(other.db.state_hash(), future);
  }
}

// A fork keeps the components of the records that are there, and a new record has none.
TYPED_TEST(ComponentTablesOf, SurviveAFork) {
  if (TypeParam::value.max_generation() < 100) return;  // too few for a fork after a churn
  World<TypeParam> world;
  world.run(3, 300);
  const Snapshot before = world.db.capture();
  const auto known = world.known;
  const Model model = world.model;
  world.run(4, 100);
  ASSERT_TRUE(world.db.restore(before, {.mode = TimelineMode::fork}));
  world.known = known;
  world.model = model;
  world.check();
  world.run(5, 200);
  world.check();
}

// The state is the content: how it came about leaves nothing behind.
TEST(ComponentTables, EqualContentHasAnEqualStateHash) {
  const auto build = [](bool with_history) {
    auto world = std::make_unique<World<DefaultLayout>>();
    std::vector<Handle<Entity>> handles;
    for (int i = 0; i < 200; ++i) handles.push_back(world->entities.insert({i}));
    if (with_history) {
      for (int i = 199; i >= 0; --i) {
        world->places.insert(handles[static_cast<std::size_t>(i)], {i, 1});
        world->labels.insert(handles[static_cast<std::size_t>(i)], {"x"});
      }
      for (int i = 0; i < 150; ++i) {
        world->places.erase(handles[static_cast<std::size_t>(i)]);
        world->labels.erase(handles[static_cast<std::size_t>(i)]);
        world->healths.insert(handles[static_cast<std::size_t>(i)], {});
        if (i == 99) static_cast<void>(world->db.capture());
      }
      world->places.clear();
      world->labels.clear();
      world->healths.clear();
    }
    for (int i = 10; i < 60; ++i) {
      world->places.insert(handles[static_cast<std::size_t>(i)], {i, 2});
      world->labels.insert(handles[static_cast<std::size_t>(i)], {std::to_string(i)});
      world->healths.insert(handles[static_cast<std::size_t>(i)], {.hp = i});
    }
    return world;
  };
  EXPECT_EQ(build(false)->db.state_hash(), build(true)->db.state_hash());
  const auto sorted = build(true);
  sorted->places.sort([](const Place& a, const Place& b) { return a.x < b.x; });
  EXPECT_EQ(build(false)->db.state_hash(), sorted->db.state_hash()) << "it was in order already";
  const auto other = build(false);
  other->places.sort([](const Place& a, const Place& b) { return a.x > b.x; });
  EXPECT_NE(build(false)->db.state_hash(), other->db.state_hash()) << "the order is state";
}

}  // namespace
}  // namespace hdb::test::component_world
