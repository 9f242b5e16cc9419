// The page pool: recycling, stamps, reserving ahead, and what it gives back.
#include "hdb/detail/core/arrays/page_pool.hpp"

#include "support/sees_detail.hpp"

#include <memory>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace hdb {
namespace {

// Counts what it gave.
class CountingSource final : public PageSource {
 public:
  void* allocate(std::size_t size_bytes) noexcept override {
    bytes += size_bytes;
    ++allocations;
    return ::operator new (size_bytes, std::align_val_t{kPageAlignment}, std::nothrow);
  }
  void deallocate(void* memory, std::size_t size_bytes) noexcept override {
    bytes -= size_bytes;
    ::operator delete (memory, std::align_val_t{kPageAlignment});
  }
  std::size_t bytes = 0;
  std::size_t allocations = 0;
};

TEST(PagePool, APageIsInUseOrFreeButNeverBoth) {  // P1
  PagePool pool;
  std::set<const std::byte*> in_use;
  std::vector<Page> pages;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 10; ++i) {
      pages.push_back(pool.acquire(1024));
      EXPECT_TRUE(in_use.insert(pages.back().data).second) << "given twice";
      EXPECT_EQ(pool.references(pages.back().id), 1u);
    }
    EXPECT_EQ(pool.pages_in_use(), pages.size());
    for (int i = 0; i < 7; ++i) {
      ASSERT_TRUE(pool.drop_reference(pages.back().id));
      in_use.erase(pages.back().data);
      pool.recycle(pages.back(), 1024);
      pages.pop_back();
    }
  }
  for (const Page& page : pages) {
    ASSERT_TRUE(pool.drop_reference(page.id));
    pool.recycle(page, 1024);
  }
  EXPECT_EQ(pool.pages_in_use(), 0u);
}

TEST(PagePool, PagesAreRecycledBySize) {
  auto source = std::make_shared<CountingSource>();
  PagePool pool(source);
  const Page small = pool.acquire(64);
  const Page large = pool.acquire(4096);
  EXPECT_TRUE(pool.drop_reference(small.id));
  pool.recycle(small, 64);
  EXPECT_TRUE(pool.drop_reference(large.id));
  pool.recycle(large, 4096);
  EXPECT_EQ(pool.acquire(4096).data, large.data);
  EXPECT_EQ(pool.acquire(64).data, small.data);
  EXPECT_EQ(source->allocations, 2u);
  pool.recycle(large, 4096);
  pool.recycle(small, 64);
}

TEST(PagePool, AStampIsGivenToOneContentOnly) {  // P2
  PagePool pool;
  std::set<std::uint64_t> stamps;
  Page page = pool.acquire(64);
  EXPECT_TRUE(stamps.insert(pool.stamp(page.id)).second);
  for (int i = 0; i < 100; ++i) {
    pool.renew_stamp(page.id);
    EXPECT_TRUE(stamps.insert(pool.stamp(page.id)).second);
    pool.recycle(page, 64);
    page = pool.acquire(64);
    EXPECT_TRUE(stamps.insert(pool.stamp(page.id)).second);
  }
  pool.recycle(page, 64);
}

TEST(PagePool, ReservedPagesNeedNoMemoryLater) {
  auto source = std::make_shared<CountingSource>();
  PagePool pool(source);
  pool.reserve(4096, 8);
  EXPECT_EQ(pool.memory_bytes(), 8u * 4096);
  EXPECT_EQ(pool.pages_in_use(), 0u);
  std::vector<Page> pages;
  for (int i = 0; i < 8; ++i) pages.push_back(pool.acquire(4096));
  EXPECT_EQ(source->allocations, 8u);
  for (const Page& page : pages) pool.recycle(page, 4096);
}

TEST(PagePool, TrimGivesFreePagesBackAndTheirIdsAreUsedAgain) {
  auto source = std::make_shared<CountingSource>();
  {
    PagePool pool(source);
    pool.reserve(1024, 4);
    const Page kept = pool.acquire(1024);
    pool.trim();
    EXPECT_EQ(pool.memory_bytes(), 1024u);
    EXPECT_EQ(source->bytes, 1024u);
    pool.reserve(2048, 3);
    const Page next = pool.acquire(2048);
    EXPECT_LT(next.id, 4u);
    EXPECT_NE(next.id, kept.id);
    pool.recycle(kept, 1024);
    pool.recycle(next, 2048);
  }
  EXPECT_EQ(source->bytes, 0u) << "everything went back";
}

TEST(PagePool, AHashIsFoundOnlyUnderItsKey) {
  PagePool pool;
  const Page page = pool.acquire(64);
  Hash128 sum;
  EXPECT_FALSE(pool.find_hash(page.id, {1, 2, 3}, sum));
  pool.store_hash(page.id, {1, 2, 3}, {7, 8});
  EXPECT_TRUE(pool.find_hash(page.id, {1, 2, 3}, sum));
  EXPECT_EQ(sum, (Hash128{7, 8}));
  EXPECT_FALSE(pool.find_hash(page.id, {1, 2, 4}, sum));
  pool.recycle(page, 64);
}

}  // namespace
}  // namespace hdb
