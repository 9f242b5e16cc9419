// Gaps in a free list do not belong to the state: the hash, and the game that is loaded, are the
// same as without gaps (H11, S1).
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "hdb/hdb.hpp"
#include "support/records.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::free_list_gaps_test {
namespace {

struct Game {
  explicit Game(FreeList free_list)
      : units(db.create_table<Unit>("units", {.free_list = free_list})) {}
  Bytes saved() {
    MemorySink sink;
    EXPECT_TRUE(save(db.capture(), sink));
    return sink.take();
  }
  bool load(Bytes bytes) { return bool{db.load(std::make_unique<MemorySource>(std::move(bytes)))}; }
  std::vector<Handle<Unit>> next_handles(int count) {
    std::vector<Handle<Unit>> handles;
    for (int i = 0; i < count; ++i) handles.push_back(units.insert({}));
    return handles;
  }

  Database db;
  Table<Unit>& units;
};

TEST(FreeListGaps, HashAndFutureAreThoseOfAListWithoutGaps) {  // H11, S1
  for (const FreeList policy : {FreeList::lifo, FreeList::fifo}) {
    Game game(policy);
    std::vector<Handle<Unit>> handles = game.next_handles(12'000);
    std::mt19937 random(6);
    std::shuffle(handles.begin(), handles.end(), random);
    for (const auto handle : handles) ASSERT_TRUE(game.units.erase(handle));
    std::shuffle(handles.begin(), handles.end(), random);
    // Of a list of several pages, with and without what an earlier hash kept.
    for (std::size_t i = 0; i < 3000; ++i) {
      ASSERT_TRUE(game.units.revive(handles[i], {static_cast<std::int32_t>(i)}));
      if (i % 1000 != 400) continue;
      const Snapshot now = game.db.capture();
      const Bytes bytes = game.saved();
      Game other(policy);
      ASSERT_TRUE(other.load(bytes));
      ASSERT_EQ(other.db.capture().state_hash(), now.state_hash());
      const auto future = other.next_handles(200);
      ASSERT_EQ(game.next_handles(200), future);
      ASSERT_EQ(game.db.capture().state_hash(), other.db.capture().state_hash());
      ASSERT_TRUE(game.db.restore(now));
      ASSERT_EQ(game.db.capture().state_hash(), now.state_hash());
      ASSERT_EQ(game.db.check_invariants(), nullptr);
    }
  }
}

}  // namespace
}  // namespace hdb::test::free_list_gaps_test
