// Flat arrays: who sees a write, what a capture costs, what a restore moves, and how arrays grow.
#include "hdb/detail/core/arrays/flat_array.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/detail/core/tables/record_ops.hpp"
#include "support/meagre_source.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::Counted;
using test::Unit;

struct Plan {
  bool has_source;  // memory comes from the program: arrays move when they grow
  Addresses addresses = Addresses::may_change;
};

class FlatArrayTest : public testing::TestWithParam<Plan> {
 protected:
  void fill(std::uint32_t count) {
    array_.grow_to(count);
    for (std::uint32_t i = 0; i < count; ++i) write(i, i);
  }
  void write(std::size_t index, std::uint64_t value) {
    *reinterpret_cast<std::uint64_t*>(array_.edit(index)) = value;
  }
  [[nodiscard]] std::uint64_t value(std::size_t index) const {
    return array_.as<std::uint64_t>(index);
  }
  FrozenArray freeze() { return array_.freeze(log_->open()); }
  static std::uint64_t captured(const FrozenArray& frozen, std::size_t index) {
    return frozen.as<Unit>(index).value;
  }
  void thaw(const FrozenArray& frozen) {
    array_.prepare_thaw(frozen);
    log_->prepare_restore(frozen.moment());
    log_->commit_restore();
    array_.commit_thaw();
  }
  // Blocks of one element each.
  [[nodiscard]] std::size_t logged() const {
    return log_->logged_bytes() / LogEntry::size_for(probe_, 1);
  }
  std::shared_ptr<PagePool> pool_ = std::make_shared<PagePool>(
      GetParam().has_source ? std::make_shared<test::MeagreSource>() : nullptr);
  std::shared_ptr<UndoLog> log_ = std::make_shared<UndoLog>(pool_);
  FlatArray array_{log_, record_ops<Unit>(), GetParam().addresses};
  ArrayCore probe_{log_, record_ops<Unit>(), GetParam().addresses, 0};
};

INSTANTIATE_TEST_SUITE_P(Addresses, FlatArrayTest,
                         testing::Values(Plan{false}, Plan{false, Addresses::stay}, Plan{true}));

TEST_P(FlatArrayTest, ElementsKeepTheirValuesWhileTheArrayGrows) {
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    array_.grow_to(i + 1);
    write(i, i);
    if (i % 997 == 0) {
      ASSERT_TRUE(array_.check()) << i;
    }
  }
  for (std::uint32_t i = 0; i < 20'000; ++i) ASSERT_EQ(value(i), i);
}

TEST_P(FlatArrayTest, ACaptureNeverSeesALaterWrite) {  // U2, U3
  fill(5000);
  const FrozenArray frozen = freeze();
  for (std::uint32_t i = 0; i < 5000; i += 7) write(i, 1'000'000);
  ASSERT_TRUE(array_.check());
  for (std::uint32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(captured(frozen, i), i);
    ASSERT_EQ(value(i), i % 7 == 0 ? 1'000'000 : i);
  }
}

TEST_P(FlatArrayTest, ACaptureSurvivesTheGrowthOfTheArray) {  // U3
  fill(300);
  const FrozenArray frozen = freeze();
  for (std::uint32_t i = 300; i < 40'000; ++i) {
    array_.grow_to(i + 1);
    write(i, i);
  }
  for (std::uint32_t i = 0; i < 300; ++i) ASSERT_EQ(captured(frozen, i), i);
  for (std::uint32_t i = 0; i < 40'000; ++i) ASSERT_EQ(value(i), i);
}

TEST_P(FlatArrayTest, OnlyBlocksWrittenToAreLogged) {  // U2
  fill(5000);
  const FrozenArray frozen = freeze();
  EXPECT_EQ(logged(), 0u);
  write(0, 1);
  write(1, 1);
  EXPECT_EQ(logged(), 1u);
  write(8, 1);
  write(4000, 1);
  EXPECT_EQ(logged(), 3u);
}

TEST_P(FlatArrayTest, ABlockIsLoggedOnceForACapture) {  // U2
  fill(5000);
  const FrozenArray frozen = freeze();
  write(0, 1);
  array_.watch_writes();
  EXPECT_FALSE(array_.is_written(0));
  write(0, 2);
  EXPECT_TRUE(array_.is_written(0));
  EXPECT_EQ(logged(), 1u);
  EXPECT_EQ(captured(frozen, 0), 0u);
}

TEST_P(FlatArrayTest, WithoutCapturesNothingIsLogged) {
  fill(5000);
  { const FrozenArray dropped = freeze(); }
  for (std::uint32_t i = 0; i < 5000; ++i) write(i, 2);
  EXPECT_EQ(log_->logged_bytes(), 0u);
}

TEST_P(FlatArrayTest, APageThatIsWrittenInManyPlacesIsLoggedAtOnce) {
  fill(512);
  const FrozenArray frozen = freeze();
  for (std::uint32_t block = 0; block < 64; ++block) write(std::size_t{block} * 8, 1);
  std::size_t entries = log_->logged_bytes() - 512 * sizeof(Unit);
  entries /= sizeof(LogEntry);
  EXPECT_LT(entries, 6u) << "neighbours";
  for (std::uint32_t i = 0; i < 512; ++i) EXPECT_EQ(captured(frozen, i), i);
}

TEST_P(FlatArrayTest, SeveralCapturesShareOneEntry) {  // U3
  fill(100);
  std::vector<FrozenArray> captures;
  for (int i = 0; i < 5; ++i) captures.push_back(freeze());
  write(3, 77);
  EXPECT_EQ(logged(), 1u);
  while (captures.size() > 1) {
    captures.erase(captures.begin() + static_cast<std::ptrdiff_t>(captures.size() / 2));
    EXPECT_EQ(logged(), 1u);
    for (const FrozenArray& frozen : captures) EXPECT_EQ(captured(frozen, 3), 3u);
  }
  captures.clear();
  EXPECT_EQ(logged(), 0u) << "the entry ends with the last capture that sees it";
}

TEST_P(FlatArrayTest, CapturesMayEndInAnyOrder) {  // U3, U4
  std::vector<std::pair<FrozenArray, std::uint64_t>> captures;
  fill(100);
  for (std::uint64_t i = 0; i < 12; ++i) {
    write(50, i);
    captures.emplace_back(freeze(), i);
  }
  write(50, 99);
  for (const std::size_t gone : {5u, 0u, 9u, 3u, 3u, 6u, 0u, 4u, 0u, 2u, 0u}) {
    captures.erase(captures.begin() + static_cast<std::ptrdiff_t>(gone));
    for (const auto& [frozen, value] : captures) ASSERT_EQ(captured(frozen, 50), value);
    ASSERT_TRUE(log_->check());
  }
  captures.clear();
  EXPECT_EQ(log_->logged_bytes(), 0u);
}

// In whatever way captures come and go beside it.
TEST_P(FlatArrayTest, ACaptureThatIsKeptForLongCostsOneCopyOfEachBlock) {  // U4
  constexpr std::size_t kCount = 40'000;
  fill(kCount);
  const std::size_t copy = kCount * sizeof(Unit);
  for (const std::size_t ring : {0u, 1u, 8u}) {
    const FrozenArray kept = freeze();
    std::deque<FrozenArray> frames;
    std::size_t most = 0;
    for (std::uint64_t round = 0; round < 400; ++round) {
      frames.push_back(freeze());
      for (std::size_t i = 0; i < kCount / 4; i += 16) write((i * 3 + round * 8) % kCount, round);
      if (frames.size() > ring) frames.pop_front();
      most = std::max(most, log_->logged_bytes());
      if (round % 50 == 0) {
        ASSERT_TRUE(log_->check());
      }
    }
    EXPECT_LT(most, 4 * copy + (std::size_t{6} << 20)) << ring;
    for (std::uint32_t i = 0; i < kCount; i += 7) {
      if (ring == 0) {
        ASSERT_EQ(captured(kept, i), i) << i;
      }
    }
    frames.clear();
    thaw(kept);
    if (ring == 0) {
      for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(value(i), i);
    }
  }
}

TEST_P(FlatArrayTest, ARestoreBringsBackTheCapturedContent) {
  fill(3000);
  const FrozenArray first = freeze();
  const std::byte* const address = array_.at(5);
  for (std::uint32_t i = 0; i < 3000; i += 2) write(i, 7);
  array_.grow_to(9000);
  for (std::uint32_t i = 3000; i < 9000; ++i) write(i, i);
  const FrozenArray second = freeze();
  thaw(first);
  ASSERT_TRUE(array_.check());
  if (GetParam().addresses == Addresses::stay) {
    EXPECT_EQ(array_.at(5), address);
  }
  for (std::uint32_t i = 0; i < 3000; ++i) ASSERT_EQ(value(i), i);
  write(0, 5);
  EXPECT_EQ(captured(first, 0), 0u);
  thaw(second);
  ASSERT_TRUE(array_.check());
  EXPECT_EQ(value(8999), 8999u);
  EXPECT_EQ(value(0), 7u);
}

TEST_P(FlatArrayTest, ARestoreToTheNewestCaptureEndsItsEntries) {
  fill(1000);
  const FrozenArray older = freeze();
  write(1, 5);
  const FrozenArray frozen = freeze();
  write(0, 1);
  write(1, 6);
  thaw(frozen);
  EXPECT_EQ(logged(), 1u) << "of the older one";
  EXPECT_EQ(value(1), 5u);
  write(0, 2);
  write(1, 7);
  EXPECT_EQ(captured(frozen, 0), 0u);
  EXPECT_EQ(captured(frozen, 1), 5u);
  EXPECT_EQ(captured(older, 1), 1u);
}

TEST_P(FlatArrayTest, ARestoreLeavesYoungerCapturesAsTheyWere) {  // U3
  fill(1000);
  const FrozenArray older = freeze();
  write(1, 11);
  const FrozenArray younger = freeze();
  thaw(older);
  EXPECT_EQ(value(1), 1u);
  EXPECT_EQ(captured(younger, 1), 11u);
  write(1, 12);
  EXPECT_EQ(captured(older, 1), 1u);
  EXPECT_EQ(captured(younger, 1), 11u);
}

TEST_P(FlatArrayTest, EqualStampsMeanEqualContent) {
  fill(2000);
  const FrozenArray first = freeze();
  {
    const FrozenArray same = freeze();
    for (std::size_t page = 0; page < first.page_count(); ++page)
      EXPECT_EQ(first.stamp(page), same.stamp(page));
  }
  write(0, 1);
  {
    const FrozenArray changed = freeze();
    EXPECT_NE(changed.stamp(0), first.stamp(0));
    for (std::size_t page = 1; page < first.page_count(); ++page)
      EXPECT_EQ(first.stamp(page), changed.stamp(page));
  }
  const std::uint64_t stamp = first.stamp(0);
  thaw(first);
  EXPECT_EQ(first.stamp(0), stamp);
  const FrozenArray again = freeze();
  EXPECT_EQ(again.stamp(0), first.stamp(0)) << "a restored page is the captured one";
  write(0, 2);
  EXPECT_NE(freeze().stamp(0), first.stamp(0));
  thaw(first);
  write(0, 3);
  EXPECT_NE(freeze().stamp(0), first.stamp(0)) << "written before the next capture";
}

TEST_P(FlatArrayTest, APageWrittenAgainAfterItsCaptureIsGoneHasANewStamp) {
  fill(10);
  std::uint64_t stamp = 0;
  {
    const FrozenArray frozen = freeze();
    stamp = frozen.stamp(0);
  }
  write(0, 77);
  EXPECT_NE(freeze().stamp(0), stamp);
}

TEST_P(FlatArrayTest, ADroppedContentStaysInCaptures) {
  fill(1000);
  const FrozenArray frozen = freeze();
  array_.prepare_drop();
  array_.drop_all();
  array_.grow_to(1000);
  write(0, 1);
  EXPECT_EQ(captured(frozen, 0), 0u);
  EXPECT_EQ(captured(frozen, 999), 999u);
  thaw(frozen);
  EXPECT_EQ(value(999), 999u);
  ASSERT_TRUE(array_.check());
}

TEST_P(FlatArrayTest, ASumIsFoundOnlyUnderItsKey) {
  fill(10);
  const FrozenArray frozen = freeze();
  const ArrayCore& core = frozen.core();
  Hash128 sum;
  EXPECT_FALSE(core.find_hash(0, {1, 2, 3}, sum));
  core.store_hash(0, {1, 2, 3}, {7, 8});
  EXPECT_TRUE(core.find_hash(0, {1, 2, 3}, sum));
  EXPECT_EQ(sum, (Hash128{7, 8}));
  EXPECT_FALSE(core.find_hash(0, {1, 2, 4}, sum));
  EXPECT_FALSE(core.find_hash(1, {1, 2, 3}, sum));
}

TEST(FlatArray, AdoptTakesTheContentOfAnother) {
  const auto pool = std::make_shared<PagePool>();
  const auto log = std::make_shared<UndoLog>(pool);
  FlatArray array(log, record_ops<Unit>());
  array.grow_to(1000);
  *reinterpret_cast<std::uint64_t*>(array.edit(999)) = 1;
  const FrozenArray frozen = array.freeze(log->open());
  {
    FlatArray other(log, record_ops<Unit>());
    other.grow_to(2000);
    *reinterpret_cast<std::uint64_t*>(other.edit(1999)) = 42;
    array.adopt(other);
  }
  ASSERT_TRUE(array.check());
  EXPECT_EQ(array.as<std::uint64_t>(1999), 42u);
  EXPECT_EQ(frozen.as<Unit>(999).value, 1u);
}

TEST(FlatArray, ACaptureOutlivesTheArray) {
  std::unique_ptr<FrozenArray> frozen;
  {
    const auto log = std::make_shared<UndoLog>(std::make_shared<PagePool>());
    FlatArray array(log, record_ops<Unit>());
    array.grow_to(1000);
    *reinterpret_cast<std::uint64_t*>(array.edit(999)) = 5;
    frozen = std::make_unique<FrozenArray>(array.freeze(log->open()));
  }
  EXPECT_EQ(frozen->as<Unit>(999).value, 5u);
}

TEST(FlatArray, ElementsOfReservedArraysStayWhereTheyAre) {
  const auto log = std::make_shared<UndoLog>(std::make_shared<PagePool>());
  FlatArray array(log, record_ops<Unit>(), Addresses::stay, std::uint64_t{1} << 32);
  array.grow_to(1);
  const std::byte* const first = array.data();
  array.grow_to(1'000'000);
  EXPECT_EQ(array.data(), first);
}

TEST(FlatArray, TheLogKnowsWhichRecordsAreConstructed) {
  Counted::alive = 0;
  for (const bool has_source : {false, true}) {
    const auto pool =
        std::make_shared<PagePool>(has_source ? std::make_shared<test::MeagreSource>() : nullptr);
    const auto log = std::make_shared<UndoLog>(pool);
    FlatArray array(log, record_ops<Counted>());
    array.grow_to(200);
    for (const std::size_t i : {0u, 3u, 63u, 64u, 199u}) {
      ::new (array.edit(i)) Counted(i);
      array.mark_constructed(i);
    }
    EXPECT_EQ(Counted::alive, 5);
    {
      const FrozenArray frozen = array.freeze(log->open());
      static_cast<void>(array.edit(3));
      EXPECT_EQ(Counted::alive, 6) << "that record was copied";
      array.grow_to(1000);
      for (const std::size_t i : {4u, 999u}) {
        ::new (array.edit(i)) Counted(i);
        array.mark_constructed(i);
      }
      log->prepare_restore(frozen.moment());
      log->commit_restore();
      EXPECT_FALSE(array.is_constructed(4));
      EXPECT_FALSE(array.is_constructed(999)) << "not there at the capture";
    }
    EXPECT_EQ(Counted::alive, 5) << "and the copies destroyed";
    array.grow_to(20'000);
    EXPECT_EQ(Counted::alive, 5);
    for (const std::size_t i : {0u, 3u, 63u, 64u, 199u})
      EXPECT_TRUE(array.as<Counted>(i).is_constructed());
  }
  EXPECT_EQ(Counted::alive, 0);
}

// A record that does something when it is destroyed.
struct Parting {
  std::function<void()>* action;
  ~Parting() {
    if (action != nullptr) (*action)();
  }
};

// The entries of a capture end without the mutex of the log: meanwhile a table may be destroyed.
TEST(FlatArray, AnArrayMayEndWhileItsLastCaptureEnds) {
  const auto pool = std::make_shared<PagePool>();
  const auto log = std::make_shared<UndoLog>(pool);
  auto array = std::make_unique<FlatArray>(log, record_ops<Parting>());
  std::vector<std::vector<std::uint8_t>> others;
  std::function<void()> action;
  array->grow_to(3);
  for (const std::size_t i : {0u, 1u, 2u}) {
    ::new (array->edit(i)) Parting{&action};
    array->mark_constructed(i);
  }
  auto frozen = std::make_unique<FrozenArray>(array->freeze(log->open()));
  for (const std::size_t i : {0u, 1u, 2u}) static_cast<void>(array->edit(i));
  int destroyed = 0;
  action = [&] {
    ++destroyed;
    array.reset();
    // What was freed is soon something else.
    for (int i = 0; i < 16; ++i) others.emplace_back(sizeof(ArrayCore), std::uint8_t{0xff});
  };
  frozen.reset();
  EXPECT_EQ(destroyed, 6) << "three records and three copies";
  EXPECT_EQ(pool->pages_in_use(), 0u);
}

// Another array of the table had no memory: commit_thaw never comes.
TEST(FlatArray, ARestoreThatIsPreparedAndAbandonedLeavesNothing) {
  enum class Ending { destroy, drop, adopt };
  for (const Ending ending : {Ending::destroy, Ending::drop, Ending::adopt}) {
    Counted::alive = 0;
    const auto pool = std::make_shared<PagePool>();
    {
      const auto log = std::make_shared<UndoLog>(pool);
      FlatArray array(log, record_ops<Counted>());
      array.grow_to(100);
      ::new (array.edit(3)) Counted(3);
      array.mark_constructed(3);
      {
        const FrozenArray frozen = array.freeze(log->open());
        static_cast<void>(array.edit(3));
        const FrozenArray newer = array.freeze(log->open());
        static_cast<void>(array.edit(3));
        array.prepare_thaw(frozen);
        log->prepare_restore(frozen.moment());
      }
      FlatArray other(log, record_ops<Counted>());
      if (ending == Ending::drop) {
        array.prepare_drop();
        array.drop_all();
        EXPECT_EQ(Counted::alive, 0);
      } else if (ending == Ending::adopt) {
        array.adopt(other);
        EXPECT_EQ(Counted::alive, 1) << "the record that the other array has now";
      }
    }
    EXPECT_EQ(Counted::alive, 0);
    EXPECT_EQ(pool->pages_in_use(), 0u);
  }
}

}  // namespace
}  // namespace hdb
