// Rows E1 to E6: "Resource Management System" (reference counted).
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "hdb/hdb.hpp"

#include "hdb/resource_table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

struct Mesh {
  std::int32_t id = 0;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(id));
  }
};
struct Model {
  Strong<Mesh> mesh;
  template <class A>
  void serialize(A& a) {
    a(CEREAL_NVP(mesh));
  }
};

struct World {
  Database db;
  ResourceTable<Mesh>& meshes =
      db.create_resource_table<Mesh>("meshes", {.free_list = FreeList::fifo});
  Table<Model>& models = db.create_table<Model>("models");
};

TEST(ReferenceCounts, E1_AddReleaseAndCountAndReleaseDeletesNothing) {
  World world;
  const Handle<Mesh> mesh = world.meshes.insert("a", {1}).handle();
  EXPECT_TRUE(world.meshes.table().contains(mesh));
  EXPECT_TRUE(world.meshes.add_reference(mesh));
  EXPECT_EQ(world.meshes.count(mesh), 1u);
  EXPECT_TRUE(world.meshes.release_reference(mesh));
  EXPECT_FALSE(world.meshes.release_reference(mesh)) << "never below zero";
  EXPECT_TRUE(world.meshes.table().contains(mesh));
}

TEST(ReferenceCounts, E2_CopiesAddAssignmentsReleaseAndAddDestructionReleases) {
  World world;
  Ref<Mesh> none;
  EXPECT_FALSE(none);
  EXPECT_TRUE(none.handle().is_null());
  Ref<Mesh> a = world.meshes.insert("a", {1});
  Ref<Mesh> b = world.meshes.insert("b", {2});
  const Handle<Mesh> first = a.handle();
  {
    const Ref<Mesh> copy = a;
    EXPECT_EQ(world.meshes.count(first), 2u);
    EXPECT_TRUE(copy == a);
    EXPECT_TRUE(copy != b);
  }
  EXPECT_EQ(world.meshes.count(first), 1u);
  a = *&a;
  EXPECT_EQ(world.meshes.count(first), 1u) << "assigned to itself at count 1: never at zero";
  EXPECT_EQ(world.meshes.flush()->destroyed, 0u);
  EXPECT_EQ(a->id, 1);
  a = b;
  EXPECT_EQ(world.meshes.count(first), 0u);
  EXPECT_EQ(world.meshes.count(b.handle()), 2u);
  const Ref<Mesh> moved = std::move(a);
  EXPECT_EQ(world.meshes.count(b.handle()), 2u);
}

TEST(ReferenceCounts, E3_HandlesOfDifferentResourcesDoNotMix) {
  static_assert(!std::is_convertible_v<Ref<Mesh>, Ref<Model>>);
  static_assert(!std::is_convertible_v<Ref<Mesh>, Handle<Model>>);
  static_assert(!std::is_convertible_v<Handle<Mesh>, Strong<Model>>);
  static_assert(sizeof(Strong<Mesh>) == sizeof(Handle<Mesh>), "no pointer inside of records");
  static_assert(std::is_trivially_copyable_v<Strong<Mesh>>, "copying a record counts nothing");
}

TEST(ReferenceCounts, E4_TheTableOwnsTheRecordsAndServesTheCounts) {
  World world;
  const Ref<Mesh> mesh = world.meshes.insert("a", {7});
  EXPECT_EQ(mesh->id, 7);
  EXPECT_EQ(mesh.get(), world.meshes.table().find(mesh.handle()));
  EXPECT_EQ(world.meshes.find("a"), mesh);
}

TEST(ReferenceCounts, E5_UnusedRecordsGoWhenTheTableIsToldToFlush) {
  World world;
  const Handle<Mesh> inside = world.meshes.insert("inside", {1}).handle();
  const Ref<Mesh> outside = world.meshes.insert("outside", {2});
  const Handle<Mesh> unused = world.meshes.insert("unused", {3}).handle();
  const auto model = world.models.insert({inside});
  std::vector<Handle<Mesh>> destroyed;
  const auto flush = [&] {
    EXPECT_TRUE(world.meshes.flush([&](Handle<Mesh> h, const Mesh&) { destroyed.push_back(h); }));
  };
  flush();
  EXPECT_EQ(destroyed, std::vector{unused});
  world.models.erase(model);
  flush();
  EXPECT_EQ(destroyed, (std::vector{unused, inside}));
  EXPECT_TRUE(outside);
}

TEST(ReferenceCounts, E6_BlankSlotsGoToAQueueAndAreUsedAgain) {
  World world;
  const Handle<Mesh> a = world.meshes.insert("a", {1}).handle();
  const Handle<Mesh> b = world.meshes.insert("b", {2}).handle();
  EXPECT_EQ(world.meshes.flush()->destroyed, 2u);
  const Ref<Mesh> c = world.meshes.insert("c", {3});
  const Ref<Mesh> d = world.meshes.insert("d", {4});
  EXPECT_EQ(c.handle().index(), a.index());
  EXPECT_EQ(d.handle().index(), b.index());
  EXPECT_FALSE(world.meshes.table().contains(a)) << "a flushed slot's handle never comes alive";
}

}  // namespace
}  // namespace hdb::test
