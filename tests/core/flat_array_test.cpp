// Flat arrays: who sees a write, what a capture costs, what a restore moves, and how arrays grow.
#include "hdb/detail/core/arrays/flat_array.hpp"

#include <cstdint>
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
  std::size_t page_bytes;
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
  FrozenArray freeze() { return array_.freeze(captures_->open()); }
  static std::uint64_t captured(const FrozenArray& frozen, std::size_t index) {
    return frozen.as<Unit>(index).value;
  }
  void thaw(const FrozenArray& frozen) {
    array_.prepare_thaw(frozen);
    array_.commit_thaw();
  }
  std::shared_ptr<PagePool> pool_ = std::make_shared<PagePool>(
      GetParam().has_source ? std::make_shared<test::MeagreSource>() : nullptr);
  std::shared_ptr<Captures> captures_ = std::make_shared<Captures>(pool_);
  FlatArray array_{captures_, record_ops<Unit>(), GetParam().page_bytes, GetParam().addresses};
};

INSTANTIATE_TEST_SUITE_P(PageSizes, FlatArrayTest,
                         testing::Values(Plan{64, false}, Plan{1024, false, Addresses::stay},
                                         Plan{65536, false, Addresses::stay}, Plan{64, true},
                                         Plan{16384, true}));

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

TEST_P(FlatArrayTest, ACaptureNeverSeesALaterWrite) {  // CA1, CA2
  fill(5000);
  const FrozenArray frozen = freeze();
  for (std::uint32_t i = 0; i < 5000; i += 7) write(i, 1'000'000);
  ASSERT_TRUE(array_.check());
  for (std::uint32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(captured(frozen, i), i);
    ASSERT_EQ(value(i), i % 7 == 0 ? 1'000'000 : i);
  }
}

TEST_P(FlatArrayTest, ACaptureSurvivesTheGrowthOfTheArray) {  // CA2
  fill(300);
  const FrozenArray frozen = freeze();
  for (std::uint32_t i = 300; i < 40'000; ++i) {
    array_.grow_to(i + 1);
    write(i, i);
  }
  for (std::uint32_t i = 0; i < 300; ++i) ASSERT_EQ(captured(frozen, i), i);
  for (std::uint32_t i = 0; i < 40'000; ++i) ASSERT_EQ(value(i), i);
}

TEST_P(FlatArrayTest, OnlyPagesWrittenToAreCopied) {
  fill(5000);
  const FrozenArray frozen = freeze();
  EXPECT_EQ(pool_->pages_in_use(), 0u);
  write(0, 1);
  write(1, 1);
  EXPECT_EQ(pool_->pages_in_use(), 1u);
}

TEST_P(FlatArrayTest, WithoutCapturesNoPageIsCopied) {
  fill(5000);
  { const FrozenArray dropped = freeze(); }
  for (std::uint32_t i = 0; i < 5000; ++i) write(i, 2);
  EXPECT_EQ(pool_->pages_in_use(), 0u);
}

TEST_P(FlatArrayTest, SeveralCapturesShareOneCopy) {  // CA3
  fill(100);
  std::vector<FrozenArray> captures;
  for (int i = 0; i < 5; ++i) captures.push_back(freeze());
  write(3, 77);
  EXPECT_EQ(pool_->pages_in_use(), 1u);
  while (captures.size() > 1) {
    captures.erase(captures.begin() + static_cast<std::ptrdiff_t>(captures.size() / 2));
    EXPECT_EQ(pool_->pages_in_use(), 1u);
    for (const FrozenArray& frozen : captures) EXPECT_EQ(captured(frozen, 3), 3u);
  }
  captures.clear();
  EXPECT_EQ(pool_->pages_in_use(), 0u) << "the copy ends with the last capture that sees it";
}

TEST_P(FlatArrayTest, CapturesMayEndInAnyOrder) {  // CA2, CA3
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
    EXPECT_EQ(pool_->pages_in_use(), captures.size());
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

TEST_P(FlatArrayTest, ARestoredPageIsWrittenWithoutACopy) {
  fill(1000);
  const FrozenArray frozen = freeze();
  write(0, 1);
  const std::size_t copies = pool_->pages_in_use();
  thaw(frozen);
  write(0, 2);
  EXPECT_EQ(pool_->pages_in_use(), copies);
  EXPECT_EQ(captured(frozen, 0), 0u);
}

TEST_P(FlatArrayTest, ARestoreLeavesYoungerCapturesAsTheyWere) {  // CA2
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

TEST_P(FlatArrayTest, EqualStampsMeanEqualContent) {  // P2
  fill(2000);
  const FrozenArray first = freeze();
  const FrozenArray same = freeze();
  for (std::size_t page = 0; page < first.page_count(); ++page)
    EXPECT_EQ(first.stamp(page), same.stamp(page));
  write(0, 1);
  const FrozenArray changed = freeze();
  EXPECT_NE(changed.stamp(0), first.stamp(0));
  for (std::size_t page = 1; page < first.page_count(); ++page)
    EXPECT_EQ(first.stamp(page), changed.stamp(page));
  thaw(first);
  const FrozenArray again = freeze();
  EXPECT_EQ(again.stamp(0), first.stamp(0)) << "a restored page is the captured one";
  write(0, 2);
  EXPECT_NE(freeze().stamp(0), first.stamp(0));
  thaw(first);
  write(0, 3);
  EXPECT_NE(freeze().stamp(0), first.stamp(0)) << "written before the next capture";
}

TEST_P(FlatArrayTest, APageWrittenAgainAfterItsCaptureIsGoneHasANewStamp) {  // P2
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
  const auto captures = std::make_shared<Captures>(pool);
  FlatArray array(captures, record_ops<Unit>(), 1024);
  array.grow_to(1000);
  *reinterpret_cast<std::uint64_t*>(array.edit(999)) = 1;
  const FrozenArray frozen = array.freeze(captures->open());
  {
    FlatArray other(captures, record_ops<Unit>(), 1024);
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
    const auto captures = std::make_shared<Captures>(std::make_shared<PagePool>());
    FlatArray array(captures, record_ops<Unit>(), 1024);
    array.grow_to(1000);
    *reinterpret_cast<std::uint64_t*>(array.edit(999)) = 5;
    frozen = std::make_unique<FrozenArray>(array.freeze(captures->open()));
  }
  EXPECT_EQ(frozen->as<Unit>(999).value, 5u);
}

TEST(FlatArray, ElementsOfReservedArraysStayWhereTheyAre) {
  const auto captures = std::make_shared<Captures>(std::make_shared<PagePool>());
  FlatArray array(captures, record_ops<Unit>(), 16384, Addresses::stay, std::uint64_t{1} << 32);
  array.grow_to(1);
  const std::byte* const first = array.data();
  array.grow_to(1'000'000);
  EXPECT_EQ(array.data(), first);
}

TEST(FlatArray, APageOfRecordsKnowsWhichAreConstructed) {
  Counted::alive = 0;
  for (const bool has_source : {false, true}) {
    const auto pool =
        std::make_shared<PagePool>(has_source ? std::make_shared<test::MeagreSource>() : nullptr);
    const auto captures = std::make_shared<Captures>(pool);
    FlatArray array(captures, record_ops<Counted>(), 1024);
    array.grow_to(200);
    for (const std::size_t i : {0u, 3u, 63u, 64u, 199u}) {
      ::new (array.edit(i)) Counted(i);
      array.mark_constructed(i);
    }
    EXPECT_EQ(Counted::alive, 5);
    {
      const FrozenArray frozen = array.freeze(captures->open());
      static_cast<void>(array.edit(3));
      EXPECT_GT(Counted::alive, 5) << "the page's records were copied";
      array.prepare_thaw(frozen);
      array.commit_thaw();
    }
    EXPECT_EQ(Counted::alive, 5) << "and the copies destroyed";
    array.grow_to(20'000);
    EXPECT_EQ(Counted::alive, 5);
    for (const std::size_t i : {0u, 3u, 63u, 64u, 199u})
      EXPECT_TRUE(array.as<Counted>(i).is_constructed());
  }
  EXPECT_EQ(Counted::alive, 0);
}

// Another array of the table had no memory: commit_thaw never comes.
TEST(FlatArray, ARestoreThatIsPreparedAndAbandonedLeavesNothing) {
  enum class Ending { destroy, drop, adopt };
  for (const Ending ending : {Ending::destroy, Ending::drop, Ending::adopt}) {
    Counted::alive = 0;
    const auto pool = std::make_shared<PagePool>();
    {
      const auto captures = std::make_shared<Captures>(pool);
      FlatArray array(captures, record_ops<Counted>(), 1024);
      array.grow_to(100);
      ::new (array.edit(3)) Counted(3);
      array.mark_constructed(3);
      {
        const FrozenArray frozen = array.freeze(captures->open());
        static_cast<void>(array.edit(3));
        array.prepare_thaw(frozen);
      }
      FlatArray other(captures, record_ops<Counted>(), 1024);
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
