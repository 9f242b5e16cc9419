// Loops that insert and erase on their way: they end, meet live records only, and visit what Table
// says.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test::iteration_changes_test {
namespace {

using testing::ElementsAre;

class IterationChanges : public testing::TestWithParam<Storage> {
 protected:
  using TableType = Table<Counted>;
  using H = TableType::HandleType;
  void fill(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) table_.emplace(i);
  }
  // Goes along `range`, calls `body(handle)` at each step; how often each record was met.
  template <class Range, class Body>
  std::map<H, int> walk(const Range& range, const Body& body) {
    std::map<H, int> visits;
    std::size_t steps = 0;
    for (const auto& [handle, record] : range) {
      EXPECT_TRUE(table_.contains(handle)) << "an erased record was handed out";
      EXPECT_TRUE(record.is_constructed());
      ++visits[handle];
      body(handle);
      if (++steps == 100'000) {
        ADD_FAILURE() << "the loop does not end";
        break;
      }
    }
    EXPECT_STREQ(table_.check_invariants(), nullptr);
    return visits;
  }
  std::set<H> handles() {
    std::set<H> all;
    for (const auto& [handle, record] : table_.entries()) all.insert(handle);
    return all;
  }
  TableType table_{TableOptions{.storage = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Storages, IterationChanges,
                         testing::Values(Storage::dense, Storage::stable));

TEST_P(IterationChanges, ALoopThatErasesEveryRecordEmptiesTheTable) {
  for (const bool backward : {false, true}) {
    fill(500);
    const auto erase = [&](H handle) { EXPECT_TRUE(table_.erase(handle)); };
    const auto visits =
        backward ? walk(table_.entries_backward(), erase) : walk(table_.entries(), erase);
    EXPECT_EQ(visits.size(), 500u);
    EXPECT_TRUE(table_.empty());
  }
}

TEST_P(IterationChanges, ARangeForOverRecordsEndsToo) {
  fill(500);
  std::size_t visited = 0;
  for (auto at = table_.begin(); at != table_.end(); ++at, ++visited) {
    table_.erase(at.handle());
    ASSERT_LT(visited, 500u);
  }
  EXPECT_EQ(visited, 500u);
  EXPECT_TRUE(table_.empty());
  fill(3);
  visited = 0;
  for (auto at = table_.rbegin(); at != table_.rend(); ++at, ++visited) table_.erase(at.handle());
  EXPECT_EQ(visited, 3u);
}

TEST_P(IterationChanges, ErasingTheRecordInHandVisitsEachOnce) {
  std::mt19937_64 random(1);
  for (const unsigned of_eight : {1u, 4u, 7u}) {
    for (const bool backward : {false, true}) {
      table_.clear();
      fill(700);
      const std::set<H> before = handles();
      const auto body = [&](H handle) {
        if (random() % 8 < of_eight) table_.erase(handle);
      };
      const auto visits =
          backward ? walk(table_.entries_backward(), body) : walk(table_.entries(), body);
      for (const H handle : before) EXPECT_EQ(visits.contains(handle) ? visits.at(handle) : 0, 1);
      EXPECT_EQ(visits.size(), before.size());
    }
  }
}

TEST_P(IterationChanges, InsertingEndsAndVisitsTheOthersOnce) {
  for (const bool backward : {false, true}) {
    table_.clear();
    fill(300);
    const std::set<H> before = handles();
    const auto body = [&](H) { table_.emplace(std::uint64_t{1}); };
    const auto visits =
        backward ? walk(table_.entries_backward(), body) : walk(table_.entries(), body);
    for (const H handle : before) EXPECT_EQ(visits.contains(handle) ? visits.at(handle) : 0, 1);
    EXPECT_EQ(visits.size(), before.size()) << "new slots are behind the end of the loop";
    EXPECT_GT(table_.size(), 500u);
  }
}

// Backward, any mix of erasing what was visited and inserting leaves the rest to be visited once.
TEST_P(IterationChanges, BackwardAnyMixOfInsertsAndErasesOfVisitedRecordsVisitsEachOnce) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20; ++round) {
    table_.clear();
    fill(200);
    const std::set<H> before = handles();
    std::vector<H> done;
    const auto visits = walk(table_.entries_backward(), [&](H handle) {
      done.push_back(handle);
      for (std::size_t n = random() % 4; n != 0; --n) {
        if (random() % 2 == 0) {
          table_.emplace(std::uint64_t{7});
        } else {
          table_.erase(done[random() % done.size()]);
        }
      }
    });
    for (const H handle : before) EXPECT_EQ(visits.contains(handle) ? visits.at(handle) : 0, 1);
  }
}

TEST_P(IterationChanges, AnyChangesAtAllEndAndMeetLiveRecordsOnly) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    table_.clear();
    fill(150);
    std::vector<H> known;
    for (const H handle : handles()) known.push_back(handle);
    const auto body = [&](H handle) {
      for (std::size_t n = random() % 4; n != 0; --n) {
        switch (random() % 5) {
          case 0:
          case 1: known.push_back(table_.emplace(std::uint64_t{9})); break;
          case 2: table_.erase(handle); break;
          default: table_.erase(known[random() % known.size()]); break;
        }
      }
    };
    const bool forward = round % 2 == 0;
    const auto visits =
        forward ? walk(table_.entries(), body) : walk(table_.entries_backward(), body);
    if (!forward && GetParam() == Storage::dense) continue;  // records may move back on the way
    for (const auto& [handle, count] : visits) EXPECT_EQ(count, 1);
  }
}

TEST_P(IterationChanges, ClearResetAndRestoreInsideEndTheLoop) {
  fill(100);
  const FrozenTable few = detail::core_of(table_).freeze();
  fill(400);
  EXPECT_EQ(walk(table_.entries(), [&](H) { detail::core_of(table_).thaw(few); }).size(), 100u);
  EXPECT_EQ(walk(table_.entries(), [&](H) { table_.clear(); }).size(), 1u);
  fill(100);
  EXPECT_EQ(walk(table_.entries_backward(), [&](H) { table_.clear(); }).size(), 1u);
  fill(100);
  EXPECT_EQ(walk(table_.entries(), [&](H) { table_.reset(); }).size(), 1u);
}

TEST_P(IterationChanges, BackwardIsForwardTurnedRound) {
  std::mt19937_64 random(4);
  for (const std::size_t keep_of_64 : {64u, 32u, 1u, 0u}) {
    table_.clear();
    fill(1000);
    for (const H handle : handles())
      if (random() % 64 >= keep_of_64) table_.erase(handle);
    std::vector<const Counted*> forward;
    for (const Counted& record : table_) forward.push_back(&record);
    std::vector<const Counted*> backward;
    for (auto at = table_.rbegin(); at != table_.rend(); ++at) backward.push_back(&*at);
    std::reverse(backward.begin(), backward.end());
    EXPECT_EQ(forward, backward);
    EXPECT_EQ(forward.size(), table_.size());
  }
}

}  // namespace
}  // namespace hdb::test::iteration_changes_test
