// Which blocks of a page are owned, and what a first write to one makes owned with it (U2).
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include "core/test_records.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"
#include "hdb/detail/core/tables/record_ops.hpp"
#include "support/using_detail.hpp"

namespace hdb {
namespace {

using test::Counted;
using test::Unit;

constexpr std::size_t kPerBlock = 8;
constexpr unsigned kShift = record_page_shift<Unit>;

class OwnedBlocksTest : public testing::Test {
 protected:
  void fill(std::size_t count) {
    array_.grow_to(count);
    for (std::size_t i = 0; i < count; ++i) write(i, i);
  }
  void write(std::size_t index, std::uint64_t value) {
    *reinterpret_cast<std::uint64_t*>(array_.edit(index)) = value;
  }
  FrozenArray freeze() { return array_.freeze(log_->open()); }
  static std::uint64_t captured(const FrozenArray& frozen, std::size_t index) {
    return frozen.as<Unit>(index).value;
  }

  std::shared_ptr<UndoLog> log_ = std::make_shared<UndoLog>(std::make_shared<PagePool>());
  FlatArray array_{log_, record_ops<Unit>()};
};

TEST_F(OwnedBlocksTest, ThePagesOfARecordTypeAreKnownToTheCompiler) {
  EXPECT_EQ(array_.shift(), kShift);
  EXPECT_EQ(std::size_t{1} << kShift, kPerBlock * kBlocksPerPage);
  EXPECT_EQ((std::size_t{1} << record_page_shift<Counted>), kBlocksPerPage);
}

TEST_F(OwnedBlocksTest, AWriteOwnsItsBlockAloneUntilAllOfThePageAreOwned) {
  fill(2u << kShift);
  const FrozenArray first = freeze();
  write(100, 1);
  EXPECT_TRUE(array_.is_private(100));
  EXPECT_FALSE(array_.is_private(100 + kPerBlock));
  EXPECT_FALSE(array_.is_page_private<kShift>(100)) << "others of the page are not owned";
  array_.make_private(0, std::size_t{1} << kShift);
  EXPECT_TRUE(array_.is_page_private<kShift>(100));
  EXPECT_FALSE(array_.is_page_private<kShift>(std::size_t{1} << kShift)) << "another page";
  const FrozenArray second = freeze();
  EXPECT_FALSE(array_.is_page_private<kShift>(100)) << "in a later epoch";
  write(101, 2);
  EXPECT_EQ(captured(first, 100), 100u);
  EXPECT_EQ(captured(second, 100), 1u);
  EXPECT_EQ(captured(second, 101), 101u);
}

TEST_F(OwnedBlocksTest, WritesToAThirdOfASmallArrayOwnTheRest) {
  fill(16 * kPerBlock);
  ASSERT_EQ(array_.capacity(), 16 * kPerBlock);
  const FrozenArray frozen = freeze();
  const auto write_block = [&](std::size_t block) { write(block * kPerBlock, 1000); };
  for (const std::size_t block : {0u, 2u, 4u, 6u, 8u}) write_block(block);
  EXPECT_FALSE(array_.is_private(15 * kPerBlock));
  write_block(10);
  EXPECT_TRUE(array_.is_page_private<kShift>(0));
  for (std::size_t i = 0; i < 16 * kPerBlock; ++i) ASSERT_EQ(captured(frozen, i), i);
}

TEST_F(OwnedBlocksTest, AWriteWithoutACaptureOwnsThePage) {
  fill(100);
  { const FrozenArray dropped = freeze(); }
  EXPECT_FALSE(array_.is_page_private<kShift>(0));
  write(50, 1);
  EXPECT_TRUE(array_.is_page_private<kShift>(0));
}

// A record that is made where there was no element at the capture ends with the restore.
TEST(OwnedBlocks, ElementsThatGrowthAddsToAnOwnedPageAreNotOwned) {
  Counted::alive = 0;
  {
    const auto log = std::make_shared<UndoLog>(std::make_shared<PagePool>());
    FlatArray array(log, record_ops<Counted>());
    array.grow_to(4);
    const std::size_t few = array.capacity();
    ASSERT_LT(few, kBlocksPerPage);
    const FrozenArray frozen = array.freeze(log->open());
    array.make_private(0, few);
    array.grow_to(few + 1);
    ASSERT_EQ(array.page_count(), 1u);
    EXPECT_FALSE(array.is_private(few));
    ::new (array.edit(few)) Counted(1);
    array.mark_constructed(few);
    array.prepare_thaw(frozen);
    log->prepare_restore(frozen.moment());
    log->commit_restore();
    array.commit_thaw();
    EXPECT_FALSE(array.is_constructed(few));
    EXPECT_EQ(Counted::alive, 0);
  }
  EXPECT_EQ(Counted::alive, 0);
}

}  // namespace
}  // namespace hdb
