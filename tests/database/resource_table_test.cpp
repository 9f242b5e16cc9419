// Resources: found or loaded by name, shared from outside and inside, destroyed by a flush alone.
#include "hdb/resource_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "resource_world.hpp"

namespace hdb::test::resource_table_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Resources, AreLoadedOnceAndShared) {
  World world;
  const Ref<Texture> a = world.texture("BRICK");
  const Ref<Texture> b = world.texture("brick");
  EXPECT_EQ(world.loads, 1);
  EXPECT_EQ(a, b);
  EXPECT_EQ(a->width, 64);
  EXPECT_EQ(world.textures.count(a.handle()), 2u);
  EXPECT_EQ(world.textures.table().name(a), "BRICK");
}

TEST(Resources, AreDestroyedByAFlushAloneAndOnlyWhenNobodyHoldsThem) {
  World world;
  Ref<Texture> held = world.texture("held");
  const Handle<Texture> dropped = world.texture("dropped").handle();
  EXPECT_TRUE(world.textures.table().contains(dropped)) << "release destroys nothing";
  EXPECT_EQ(world.textures.count(dropped), 0u);
  std::vector<std::string> told;
  const auto report = world.textures.flush([&](Handle<Texture> handle, const Texture& texture) {
    told.push_back(std::string(world.textures.table().name(handle)) + " " +
                   std::to_string(texture.width));
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->destroyed, 1u);
  EXPECT_TRUE(report->finished);
  EXPECT_THAT(told, ElementsAre("dropped 64"));
  EXPECT_TRUE(held);
  EXPECT_FALSE(world.textures.find("dropped"));
  held.reset();
  held.reset();  // again: nothing
  EXPECT_EQ(world.flush(), 1u);
  EXPECT_EQ(world.db.check_invariants(), nullptr);
}

TEST(Resources, AStrongFieldKeepsItsRecordAndAWeakOneDoesNot) {
  World world;
  const Handle<Texture> front = world.texture("front").handle();
  const Handle<Texture> seen = world.texture("seen").handle();
  const auto wall = world.walls.insert({.front = front, .seen = seen});
  EXPECT_THAT(world.textures.unreferenced().value(), ElementsAre(seen));
  EXPECT_EQ(world.flush(), 1u);
  EXPECT_TRUE(world.textures.table().contains(front));
  const Snapshot with_wall = world.db.capture();
  world.walls.edit(wall)->front = {};
  const Snapshot without = world.db.capture();
  ASSERT_TRUE(world.db.restore(with_wall)) << "counts from inside follow the records";
  EXPECT_EQ(world.flush(), 0u);
  ASSERT_TRUE(world.db.restore(without));
  EXPECT_EQ(world.flush(), 1u);
}

TEST(Resources, StrongFieldsAreFoundInContainersToo) {
  World world;
  const Handle<Texture> deep = world.texture("deep").handle();
  auto inner = world.materials.insert("inner", {.shader = "s", .texture = deep, .layers = {}});
  const auto outer =
      world.materials.insert("outer", {.shader = "s", .texture = {}, .layers = {inner.handle()}});
  inner.reset();
  EXPECT_EQ(world.flush_materials(), 0u) << "held by the other's list";
  EXPECT_EQ(world.flush(), 0u);
}

TEST(Resources, AFlushGoesOnWithWhatTheDestroyedHeld) {
  World world;
  // A chain, each held by the next one only; the last by a Ref.
  Ref<Material> last = world.materials.insert("0", {});
  for (int i = 1; i < 20; ++i) {
    last = world.materials.insert(std::to_string(i),
                                  {.shader = "s", .texture = {}, .layers = {last.handle()}});
  }
  EXPECT_EQ(world.flush_materials(), 0u);
  last.reset();
  EXPECT_EQ(world.flush_materials(), 20u);
  EXPECT_TRUE(world.materials.table().empty());
}

TEST(Resources, ACycleOfStrongFieldsStays) {
  World world;
  auto a = world.materials.insert("a", {});
  auto b = world.materials.insert("b", {.shader = "", .texture = {}, .layers = {a.handle()}});
  world.materials.table().edit(a)->layers = {b.handle()};
  a.reset();
  b.reset();
  EXPECT_EQ(world.flush_materials(), 0u) << "as in every reference count";
}

TEST(Resources, TheCallbackMayReleaseOthers) {
  World world;
  std::vector<Ref<Texture>> held;
  for (int i = 0; i < 8; ++i) held.push_back(world.texture("t" + std::to_string(i)));
  held[3].reset();
  const auto report = world.textures.flush([&](auto, const Texture&) {
    if (!held.empty()) held.pop_back();  // behind and before the one that goes
  });
  EXPECT_EQ(report->destroyed, 5u) << "3, then each released the next: 7, 6, 5, 4";
  EXPECT_TRUE(report->finished);
  EXPECT_EQ(world.textures.table().size(), held.size());
  held.clear();
  EXPECT_EQ(world.flush(), 3u);
}

TEST(Resources, TheCallbackMayTakeOrStoreAReferenceInTime) {
  World world;
  const auto a = world.texture("a").handle();
  const auto b = world.texture("b").handle();
  const auto c = world.texture("c").handle();
  Ref<Texture> saved;
  const auto report = world.textures.flush([&](Handle<Texture> handle, const Texture&) {
    if (handle == a) saved = world.textures.adopt(a);               // resurrected from outside
    if (handle == b) world.walls.insert({.front = c, .seen = {}});  // another one from inside
  });
  EXPECT_EQ(report->destroyed, 1u) << "b";
  EXPECT_TRUE(world.textures.table().contains(a));
  EXPECT_TRUE(world.textures.table().contains(c));
  EXPECT_EQ(world.flush(), 0u);
}

TEST(Resources, AReferenceStoredBeforeACaptureInTheCallbackIsFound) {
  World world;
  world.texture("a");
  const auto b = world.texture("b").handle();
  Snapshot inside;
  const auto report = world.textures.flush([&](Handle<Texture> handle, const Texture&) {
    if (handle == b) return;
    world.walls.insert({.front = b, .seen = {}});
    inside = world.db.capture();
  });
  EXPECT_EQ(report->destroyed, 1u);
  EXPECT_TRUE(world.textures.table().contains(b));
}

TEST(Resources, ARestoreInTheCallbackIsSeen) {
  World world;
  const auto a = world.texture("a").handle();
  const auto b = world.texture("b").handle();
  const auto wall = world.walls.insert({.front = b, .seen = {}});
  const Snapshot with_wall = world.db.capture();
  world.walls.erase(wall);
  const auto report = world.textures.flush([&](Handle<Texture> handle, const Texture&) {
    if (handle == a) {
      ASSERT_TRUE(world.db.restore(with_wall));
    }
  });
  ASSERT_TRUE(report);
  EXPECT_FALSE(world.textures.table().contains(a));
  EXPECT_TRUE(world.textures.table().contains(b));
  EXPECT_EQ(world.db.check_invariants(), nullptr);
}

TEST(Resources, AFlushInsideAFlushDoesNothing) {
  World world;
  world.texture("a");
  world.texture("b");
  std::size_t inner = 99;
  const auto report = world.textures.flush([&](auto, const Texture&) { inner = world.flush(); });
  EXPECT_EQ(inner, 0u);
  EXPECT_EQ(report->destroyed, 2u);
}

TEST(Resources, ACallbackThatThrowsKeepsItsRecord) {
  World world;
  const auto a = world.texture("a").handle();
  const auto b = world.texture("b").handle();
  EXPECT_THROW(static_cast<void>(world.textures.flush([&](Handle<Texture> handle, const Texture&) {
                 if (handle == b) throw std::runtime_error("no");
               })),
               std::runtime_error);
  EXPECT_FALSE(world.textures.table().contains(a));
  EXPECT_TRUE(world.textures.table().contains(b));
  EXPECT_EQ(world.flush(), 1u) << "and the next flush works";
  EXPECT_EQ(world.db.check_invariants(), nullptr);
}

TEST(Resources, ABudgetIsKeptAndItsCursorIsState) {
  World world;
  for (int i = 0; i < 10; ++i) world.texture("t" + std::to_string(i));
  const auto first = world.textures.flush({.max_destroyed = 4});
  EXPECT_EQ(first->destroyed, 4u);
  EXPECT_FALSE(first->finished);
  for (int i = 0; i < 4; ++i) world.texture("new" + std::to_string(i));  // into the freed slots
  const Snapshot middle = world.db.capture();
  const auto names_after_two_more = [&] {
    EXPECT_EQ(world.textures.flush({.max_destroyed = 2})->destroyed, 2u);
    std::string names;
    for (const auto& [handle, texture] : world.textures.table().entries()) {
      names += std::string(world.textures.table().name(handle)) + " ";
    }
    return names;
  };
  const std::string expected = names_after_two_more();
  EXPECT_EQ(expected.find("t4 "), std::string::npos) << "it went on where it stopped: " << expected;
  EXPECT_NE(expected.find("new0 "), std::string::npos);
  ASSERT_TRUE(world.db.restore(middle));
  EXPECT_EQ(names_after_two_more(), expected);

  ASSERT_TRUE(world.db.restore(middle));
  MemorySink memory;
  ASSERT_TRUE(save(middle, memory));
  World other;
  ASSERT_TRUE(other.db.load(std::make_unique<MemorySource>(memory.bytes())));
  EXPECT_EQ(other.db.state_hash(), middle.state_hash());
  EXPECT_EQ(other.textures.flush({.max_destroyed = 2})->destroyed, 2u);
  EXPECT_FALSE(other.textures.find("t4"));
  EXPECT_TRUE(other.textures.find("new0"));
}

TEST(Resources, AFailedLoadLeavesNothingBehind) {
  World world;
  const auto missing = world.textures.find_or_load(
      "missing", [](std::string_view) { return std::optional<Texture>(); });
  EXPECT_FALSE(missing);
  EXPECT_TRUE(missing.handle().is_null());
  EXPECT_TRUE(world.textures.table().empty());
  const auto refused =
      world.textures.find_or_load("refused", [](std::string_view) -> Result<Texture> {
        return fail(ErrorCode::file_not_found, "no such file");
      });
  EXPECT_FALSE(refused);
  EXPECT_THROW(
      static_cast<void>(world.textures.find_or_load("throws",
                                                    [](std::string_view) -> std::optional<Texture> {
                                                      throw std::runtime_error("broken image");
                                                    })),
      std::runtime_error);
  EXPECT_TRUE(world.textures.table().empty());
  EXPECT_TRUE(world.texture("throws")) << "a later load of that name works";
}

TEST(Resources, ALoaderMayLoadOthersAndACycleGivesNull) {
  World world;
  std::vector<std::string> order;
  const auto load = [&](auto& self, std::string_view name) -> std::optional<Material> {
    order.emplace_back(name);
    Material made{.shader = std::string(name), .texture = {}, .layers = {}};
    if (name == "outer") {
      made.texture = world.texture("skin").handle();
      made.layers.push_back(
          world.materials
              .find_or_load("inner", [&](std::string_view inner) { return self(self, inner); })
              .handle());
      EXPECT_FALSE(world.materials.find_or_load("outer", [&](std::string_view again) {
        return self(self, again);
      })) << "it is being loaded";
    }
    return made;
  };
  const auto outer = world.materials.find_or_load(
      "outer", [&](std::string_view name) { return load(load, name); });
  EXPECT_TRUE(outer);
  EXPECT_THAT(order, ElementsAre("outer", "inner"));
  EXPECT_EQ(world.flush_materials(), 0u);
  EXPECT_EQ(world.flush(), 0u);
}

TEST(Resources, ACycleIsFoundUnderAnyNameThatTheTableTakesForTheSame) {
  World world;  // its textures ignore case
  int depth = 0;
  const auto load = [&](auto& self, std::string_view name) -> std::optional<Texture> {
    if (++depth > 3) return std::nullopt;
    const std::string_view again = name == "tex" ? "Tex" : "tex";
    EXPECT_FALSE(world.textures.find_or_load(
        again, [&](std::string_view inner) { return self(self, inner); }));
    return Texture{.width = depth};
  };
  const auto texture =
      world.textures.find_or_load("tex", [&](std::string_view name) { return load(load, name); });
  ASSERT_TRUE(texture);
  EXPECT_EQ(depth, 1) << "the loader ran again for the texture that is being loaded";
  EXPECT_EQ(texture->width, 1);

  depth = 0;  // where case counts, the other name is another resource
  const auto exact = [&](std::string_view) -> std::optional<Material> {
    ++depth;
    const auto other = world.materials.find_or_load("Tex", [&](std::string_view) {
      ++depth;
      return std::optional(Material{});
    });
    EXPECT_TRUE(other);
    return Material{};
  };
  EXPECT_TRUE(world.materials.find_or_load("tex", exact));
  EXPECT_EQ(depth, 2);
}

}  // namespace
}  // namespace hdb::test::resource_table_test
