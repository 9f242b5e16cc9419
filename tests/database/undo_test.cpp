// Undo through captures, saves and resource tables: what comes back is the state that was.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "hdb/hdb.hpp"
#include "hdb/resource_table.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

TEST(Undo, ErasesUndoneInReverseOrderGiveTheStateHashBack) {
  // Of a stable table: in a dense one the order of the records tells of them.
  for (const FreeList free_list : {FreeList::lifo, FreeList::fifo, FreeList::lowest}) {
    Database db;
    auto& units =
        db.create_table<Unit>("units", {.storage = Storage::stable, .free_list = free_list});
    std::vector<Handle<Unit>> handles;
    for (int i = 0; i < 50; ++i) handles.push_back(units.insert({.hp = i}));
    for (const unsigned i : {4u, 30u, 11u}) units.erase(handles[i]);
    const Hash128 before = db.state_hash();
    for (const unsigned i : {20u, 0u, 49u}) units.erase(handles[i]);
    const Snapshot gap = db.capture();
    EXPECT_NE(gap.state_hash(), before);
    for (const unsigned i : {49u, 0u, 20u})
      ASSERT_TRUE(units.revive(handles[i], {.hp = static_cast<std::int32_t>(i)}));
    EXPECT_EQ(db.state_hash(), before);
    ASSERT_TRUE(db.restore(gap));
    for (const unsigned i : {49u, 0u, 20u})
      ASSERT_TRUE(units.revive(handles[i], {.hp = static_cast<std::int32_t>(i)}));
    EXPECT_EQ(db.state_hash(), before);
  }
}

TEST(Undo, GoesOnAfterALoadInAnotherProcess) {
  Database db;
  auto& units = db.create_table<Unit>("units");
  const auto erased = units.insert({.hp = 1});
  units.insert({.hp = 2});
  units.erase(erased);
  MemorySink file;
  ASSERT_TRUE(save(db.capture(), file));
  Database other;
  auto& loaded = other.create_table<Unit>("units");
  ASSERT_TRUE(other.load(std::make_unique<MemorySource>(file.bytes())));
  EXPECT_TRUE(loaded.revive(erased, {.hp = 1}));
  EXPECT_TRUE(units.revive(erased, {.hp = 1}));
  EXPECT_EQ(other.state_hash(), db.state_hash());
}

TEST(Undo, ReferencesToAResourceNameItAgain) {
  Database db;
  auto& textures = db.create_resource_table<Unit>("textures");
  const Ref<Unit> held = textures.insert("wall", {.hp = 1});
  const Ref<Unit> other = textures.insert("door", {});
  textures.table().erase(held);
  ASSERT_EQ(held.get(), nullptr);
  EXPECT_FALSE(textures.revive(held, "door", {})) << "the name is used";
  const Ref<Unit> back = textures.revive(held, "wall", {.hp = 7});
  ASSERT_TRUE(back);
  EXPECT_EQ(held->hp, 7);
  EXPECT_EQ(textures.find("wall"), held);
  EXPECT_EQ(textures.count(held), 2u);
  EXPECT_EQ(textures.flush().value().destroyed, 0u);
}

}  // namespace
}  // namespace hdb::test
