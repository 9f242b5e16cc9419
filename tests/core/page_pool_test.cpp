// The page pool: recycling, stamps, reserving ahead, and what it gives back.
#include "core/arrays/page_pool.hpp"

#include "support/using_detail.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
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
  std::vector<std::byte*> pages;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 10; ++i) {
      pages.push_back(pool.acquire(1024));
      EXPECT_TRUE(in_use.insert(pages.back()).second) << "given twice";
    }
    EXPECT_EQ(pool.pages_in_use(), pages.size());
    for (int i = 0; i < 7; ++i) {
      in_use.erase(pages.back());
      pool.recycle(pages.back(), 1024);
      pages.pop_back();
    }
  }
  for (std::byte* const page : pages) pool.recycle(page, 1024);
  EXPECT_EQ(pool.pages_in_use(), 0u);
}

TEST(PagePool, PagesAreRecycledBySize) {
  auto source = std::make_shared<CountingSource>();
  PagePool pool(source);
  std::byte* const small = pool.acquire(64);
  std::byte* const large = pool.acquire(4096);
  pool.recycle(small, 64);
  pool.recycle(large, 4096);
  EXPECT_EQ(pool.acquire(4096), large);
  EXPECT_EQ(pool.acquire(64), small);
  EXPECT_EQ(source->allocations, 2u);
  pool.recycle(large, 4096);
  pool.recycle(small, 64);
}

TEST(PagePool, AnArrayNumberIsGivenOnce) {
  PagePool pool;
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(numbers.insert(pool.next_array_number()).second);
}

TEST(PagePool, ReservedPagesNeedNoMemoryLater) {
  auto source = std::make_shared<CountingSource>();
  PagePool pool(source);
  pool.reserve(4096, 8);
  EXPECT_EQ(pool.memory_bytes(), 8u * 4096);
  EXPECT_EQ(pool.pages_in_use(), 0u);
  std::vector<std::byte*> pages;
  for (int i = 0; i < 8; ++i) pages.push_back(pool.acquire(4096));
  EXPECT_EQ(source->allocations, 8u);
  for (std::byte* const page : pages) pool.recycle(page, 4096);
}

TEST(PagePool, AllMemoryGoesBackAtTheEnd) {
  auto source = std::make_shared<CountingSource>();
  {
    PagePool pool(source);
    pool.reserve(1024, 4);
    pool.recycle(pool.acquire(1024), 1024);
    pool.recycle(pool.acquire(64), 64);
    EXPECT_EQ(source->bytes, 4 * 1024u + 64u);
  }
  EXPECT_EQ(source->bytes, 0u);
}

// Many pages of one size come in chunks.
TEST(PagePool, PagesOfManySizesDoNotOverlap) {
  struct Held {
    std::byte* page;
    std::size_t size_bytes;
    int mark;
  };
  const auto expect_untouched = [](const Held& held) {
    ASSERT_EQ(held.page[0], static_cast<std::byte>(held.mark));
    // Each byte equals the one before it.
    ASSERT_EQ(std::memcmp(held.page, held.page + 1, held.size_bytes - 1), 0);
  };
  std::mt19937_64 random(1);
  PagePool pool;
  std::vector<Held> pages;
  constexpr std::size_t kSizes[] = {64, 4096, 16448, 65600, 1 << 20, 3 << 20};
  for (int step = 0; step < 3000; ++step) {
    if (pages.empty() || random() % 3 != 0) {
      // Rather few large ones.
      const std::size_t size = kSizes[std::min(random() % 6, random() % 6)];
      pages.push_back({pool.acquire(size), size, static_cast<int>(random() % 256)});
      std::memset(pages.back().page, pages.back().mark, size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.back().page) % kPageAlignment, 0u);
    } else {
      std::swap(pages[random() % pages.size()], pages.back());
      ASSERT_NO_FATAL_FAILURE(expect_untouched(pages.back()));
      pool.recycle(pages.back().page, pages.back().size_bytes);
      pages.pop_back();
    }
  }
  EXPECT_EQ(pool.pages_in_use(), pages.size());
  for (const Held& held : pages) {
    ASSERT_NO_FATAL_FAILURE(expect_untouched(held));
    pool.recycle(held.page, held.size_bytes);
  }
}

TEST(PagePool, ABlockGoesBackToItsSource) {
  auto source = std::make_shared<CountingSource>();
  PagePool pool(source);
  std::byte* const block = pool.allocate_block(8192);
  EXPECT_EQ(pool.memory_bytes(), 8192u);
  pool.deallocate_block(block, 8192);
  EXPECT_EQ(pool.memory_bytes(), 0u);
  EXPECT_EQ(source->bytes, 0u);
}

}  // namespace
}  // namespace hdb
