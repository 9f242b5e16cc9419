// References to resources: how long they are good, adopted by bits, counted by hand.
#include <gtest/gtest.h>

#include "hdb/resource_table.hpp"
#include "resource_world.hpp"

namespace hdb::test::resource_table_test {
namespace {

TEST(Resources, ARefOutlivesRestoresTablesAndDatabases) {
  Ref<Texture> outlives;
  Ref<Texture> rewound;
  {
    World world;
    outlives = world.texture("a");
    const Snapshot before = world.db.capture();
    rewound = world.texture("b");
    const Handle<Texture> handle = rewound.handle();
    ASSERT_TRUE(world.db.restore(before));
    EXPECT_FALSE(rewound) << "its record was rewound away";
    EXPECT_EQ(rewound.get(), nullptr);
    EXPECT_EQ(world.textures.count(handle), 1u);
    const Ref<Texture> copy = rewound;
    EXPECT_EQ(world.textures.count(handle), 2u);
    EXPECT_EQ(world.texture("b").handle(), handle) << "an exact future issues it again";
    EXPECT_TRUE(rewound) << "and it counts again";
    EXPECT_EQ(world.flush(), 0u);
    ASSERT_TRUE(world.db.restore(before, {.mode = TimelineMode::fork}));
    EXPECT_NE(world.texture("b").handle(), handle);
    EXPECT_FALSE(rewound);
    EXPECT_EQ(world.flush(), 1u) << "the new b; its slot's earlier tenant is held, not this one";
  }
  EXPECT_EQ(outlives.get(), nullptr) << "the database is gone";
  const Ref<Texture> copy = outlives;
  outlives = copy;
  outlives = *&outlives;
}

TEST(Resources, AfterALoadReferencesAreAdoptedByTheirBits) {
  World game;
  const std::uint64_t kept = game.texture("kept").handle().bits();
  game.texture("forgotten");
  game.walls.insert({.front = game.texture("wall").handle(), .seen = {}});
  MemorySink memory;
  ASSERT_TRUE(save(game.db.capture(), memory));

  World other;
  ASSERT_TRUE(other.db.load(std::make_unique<MemorySource>(memory.bytes())));
  EXPECT_EQ(other.textures.table().size(), 3u) << "nothing goes before a flush";
  const Ref<Texture> adopted = other.textures.adopt(Handle<Texture>::from_bits(kept));
  EXPECT_TRUE(adopted);
  const auto left = other.textures.unreferenced().value();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(other.textures.table().name(left[0]), "forgotten");
  EXPECT_EQ(other.flush(), 1u);
  EXPECT_FALSE(other.textures.adopt(left[0])) << "stale";
}

TEST(Resources, ReferencesByHandAreCountedToo) {
  World world;
  const Handle<Texture> handle = world.texture("a").handle();
  EXPECT_FALSE(world.textures.release_reference(handle)) << "not held";
  EXPECT_TRUE(world.textures.add_reference(handle));
  EXPECT_EQ(world.flush(), 0u);
  EXPECT_TRUE(world.textures.release_reference(handle));
  EXPECT_FALSE(world.textures.release_reference(handle)) << "twice";
  EXPECT_FALSE(world.textures.release_reference({}));
  EXPECT_EQ(world.flush(), 1u);
  EXPECT_FALSE(world.textures.add_reference(handle)) << "stale";
}

TEST(Resources, ErasingAtOnceLeavesReferencesThatGiveNull) {
  World world;
  const Ref<Texture> ref = world.texture("a");
  EXPECT_TRUE(world.textures.table().erase(ref.handle()));
  EXPECT_FALSE(ref);
  const Ref<Texture> next = world.texture("a");
  EXPECT_EQ(next.handle().index(), ref.handle().index());
  EXPECT_EQ(world.textures.count(next.handle()), 1u) << "not that of the earlier tenant";
  EXPECT_EQ(world.textures.count(ref.handle()), 1u);
  EXPECT_EQ(world.db.check_invariants(), nullptr);
}

}  // namespace
}  // namespace hdb::test::resource_table_test
