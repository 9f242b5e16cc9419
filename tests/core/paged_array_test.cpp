// Copy-on-write pages: who sees a write, when a page is shared, and how an array grows and shrinks.
#include "hdb/detail/core/arrays/paged_array.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/detail/core/tables/record_ops.hpp"
#include "support/sees_detail.hpp"

namespace hdb {
namespace {

using test::Counted;
using test::Unit;

class PagedArrayTest : public testing::TestWithParam<std::size_t> {
 protected:
  static void fill(PagedArray& array, std::uint32_t count) {
    array.grow_to(count);
    for (std::uint32_t i = 0; i < count; ++i) write(array, i, i);
  }
  static void write(PagedArray& array, std::size_t index, std::uint64_t value) {
    *reinterpret_cast<std::uint64_t*>(array.edit(index)) = value;
  }
  std::shared_ptr<PagePool> pool_ = std::make_shared<PagePool>();
  PagedArray array_{pool_, record_ops<Unit>(), GetParam()};
};

INSTANTIATE_TEST_SUITE_P(PageSizes, PagedArrayTest, testing::Values(64, 1024, 65536));

TEST_P(PagedArrayTest, ElementsKeepTheirValuesWhileTheArrayGrows) {  // A3
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    array_.grow_to(i + 1);
    write(array_, i, i);
    if (i % 997 == 0) {
      ASSERT_TRUE(array_.check()) << i;
    }
  }
  for (std::uint32_t i = 0; i < 20'000; ++i) ASSERT_EQ(array_.as<std::uint64_t>(i), i);
}

TEST_P(PagedArrayTest, ACaptureNeverSeesALaterWrite) {  // A1
  fill(array_, 5000);
  const FrozenPages frozen = array_.freeze();
  for (std::uint32_t i = 0; i < 5000; i += 7) write(array_, i, 1'000'000);
  ASSERT_TRUE(array_.check());
  for (std::uint32_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(frozen.as<std::uint64_t>(i), i);
    ASSERT_EQ(array_.as<std::uint64_t>(i), i % 7 == 0 ? 1'000'000 : i);
  }
}

TEST_P(PagedArrayTest, OnlyPagesWrittenToAreCopied) {
  fill(array_, 5000);
  const std::size_t before = pool_->pages_in_use();
  const FrozenPages frozen = array_.freeze();
  EXPECT_EQ(pool_->pages_in_use(), before);
  write(array_, 0, 1);
  write(array_, 1, 1);
  EXPECT_EQ(pool_->pages_in_use(), before + 1);
}

TEST_P(PagedArrayTest, WithoutCapturesNoPageIsCopied) {
  fill(array_, 5000);
  array_.release_parked();
  const std::size_t before = pool_->pages_in_use();
  { const FrozenPages dropped = array_.freeze(); }
  for (std::uint32_t i = 0; i < 5000; ++i) write(array_, i, 2);
  EXPECT_EQ(pool_->pages_in_use(), before) << "the dropped capture left the pages to their owner";
}

TEST_P(PagedArrayTest, ADisplacedPageStaysReadableUntilItIsReleased) {  // A2
  fill(array_, 100);
  const auto* const old = reinterpret_cast<const std::uint64_t*>(array_.at(5));
  {
    const FrozenPages frozen = array_.freeze();
    write(array_, 5, 99);
  }
  EXPECT_EQ(*old, 5u);
  EXPECT_EQ(array_.as<std::uint64_t>(5), 99u);
  const std::size_t parked = pool_->pages_in_use();
  array_.release_parked();
  EXPECT_EQ(pool_->pages_in_use(), parked - 1);
}

TEST_P(PagedArrayTest, ThawBringsBackTheCapturedContent) {
  fill(array_, 3000);
  const FrozenPages first = array_.freeze();
  for (std::uint32_t i = 0; i < 3000; i += 2) write(array_, i, 7);
  array_.grow_to(9000);
  for (std::uint32_t i = 3000; i < 9000; ++i) write(array_, i, i);
  const FrozenPages second = array_.freeze();
  array_.thaw(first);
  array_.release_parked();
  ASSERT_TRUE(array_.check());
  for (std::uint32_t i = 0; i < 3000; ++i) ASSERT_EQ(array_.as<std::uint64_t>(i), i);
  write(array_, 0, 5);
  EXPECT_EQ(first.as<std::uint64_t>(0), 0u);
  array_.thaw(second);
  ASSERT_TRUE(array_.check());
  EXPECT_EQ(array_.as<std::uint64_t>(8999), 8999u);
  EXPECT_EQ(array_.as<std::uint64_t>(0), 7u);
}

TEST_P(PagedArrayTest, EqualStampsMeanEqualContent) {  // P2
  fill(array_, 2000);
  const FrozenPages first = array_.freeze();
  const FrozenPages same = array_.freeze();
  for (std::size_t page = 0; page < first.page_count(); ++page) {
    EXPECT_EQ(first.stamp(page), same.stamp(page));
  }
  write(array_, 0, 1);
  const FrozenPages changed = array_.freeze();
  EXPECT_NE(changed.stamp(0), first.stamp(0));
  for (std::size_t page = 1; page < first.page_count(); ++page) {
    EXPECT_EQ(first.stamp(page), changed.stamp(page));
  }
}

TEST_P(PagedArrayTest, APageWrittenAgainAfterItsCaptureIsGoneHasANewStamp) {  // P2
  fill(array_, 10);
  std::uint64_t stamp = 0;
  {
    const FrozenPages frozen = array_.freeze();
    stamp = frozen.stamp(0);
  }
  write(array_, 0, 77);
  EXPECT_NE(array_.freeze().stamp(0), stamp);
}

TEST_P(PagedArrayTest, ShrinkingKeepsOneSparePage) {
  fill(array_, 30'000);
  array_.shrink_to(0);
  EXPECT_LE(array_.page_count(), 1u);
  EXPECT_TRUE(array_.check());
  fill(array_, 30'000);
  const std::size_t pages = array_.page_count();
  array_.shrink_to(30'000 - array_.per_page());
  EXPECT_GE(array_.page_count() + 1, pages);
  EXPECT_TRUE(array_.check());
}

TEST_P(PagedArrayTest, DroppingTheFirstPageMovesElementsDown) {  // A3
  const std::uint32_t count = static_cast<std::uint32_t>(3 * array_.per_page());
  fill(array_, count);
  const FrozenPages frozen = array_.freeze();
  array_.drop_first_page();
  ASSERT_TRUE(array_.check());
  EXPECT_EQ(array_.as<std::uint64_t>(0), array_.per_page());
  EXPECT_EQ(frozen.as<std::uint64_t>(0), 0u);
  array_.drop_first_page();
  array_.drop_first_page();
  EXPECT_EQ(array_.capacity(), 0u);
  fill(array_, 10);
  EXPECT_TRUE(array_.check());
}

TEST_P(PagedArrayTest, AdoptTakesThePagesOfAnother) {
  fill(array_, 1000);
  const FrozenPages frozen = array_.freeze();
  {
    PagedArray other(pool_, record_ops<Unit>(), GetParam());
    fill(other, 2000);
    write(other, 1999, 42);
    array_.prepare_adopt();
    array_.adopt(other);
    EXPECT_EQ(other.capacity(), 0u);
  }
  array_.release_parked();
  ASSERT_TRUE(array_.check());
  EXPECT_EQ(array_.as<std::uint64_t>(1999), 42u);
  EXPECT_EQ(frozen.as<std::uint64_t>(999), 999u);
}

// Writes after a capture, many pages before the next structural call: parking must stay linear.
TEST(PagedArray, ManyPagesMayBeParkedAtOnce) {
  const auto pool = std::make_shared<PagePool>();
  PagedArray array(pool, record_ops<Unit>(), 64);
  array.grow_to(8 * 50'000);
  const FrozenPages frozen = array.freeze();
  for (std::size_t i = 0; i < array.capacity(); i += array.per_page())
    static_cast<void>(array.edit(i));
  EXPECT_EQ(pool->pages_in_use(), 100'000u);
  array.release_parked();
  EXPECT_TRUE(array.check());
}

TEST(PagedArray, APageOfRecordsKnowsWhichAreConstructed) {
  Counted::alive = 0;
  {
    const auto pool = std::make_shared<PagePool>();
    PagedArray array(pool, record_ops<Counted>(), 1024);
    array.grow_to(200);
    for (const std::size_t i : {0u, 3u, 63u, 64u, 199u}) {
      ::new (array.edit(i)) Counted(i);
      array.mark_constructed(i);
    }
    EXPECT_EQ(Counted::alive, 5);
    {
      const FrozenPages frozen = array.freeze();
      static_cast<void>(array.edit(3));
      EXPECT_GT(Counted::alive, 5) << "the page's records were copied";
    }
    array.release_parked();
    EXPECT_EQ(Counted::alive, 5) << "and the displaced ones destroyed";
  }
  EXPECT_EQ(Counted::alive, 0);
}

}  // namespace
}  // namespace hdb
