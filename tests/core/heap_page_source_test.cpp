// The pages of the heap: many at once, of several sizes, given back in any order; none shares a
// byte with another.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hdb/detail/core/arrays/page_pool.hpp"
#include "hdb/table.hpp"
#include "support/sees_detail.hpp"

namespace hdb {
namespace {

struct Held {
  Page page;
  std::size_t size_bytes;
  int value;
};

void give_back(PagePool& pool, const Held& held) {
  ASSERT_TRUE(pool.drop_reference(held.page.id));
  pool.recycle(held.page, held.size_bytes);
}

// Every byte of the page is its own.
void expect_untouched(const Held& held) {
  for (std::size_t i = 0; i < held.size_bytes; ++i) {
    ASSERT_EQ(std::to_integer<int>(held.page.data[i]), held.value);
  }
}

TEST(HeapPageSource, PagesKeepTheirBytesWhileOthersComeAndGo) {
  PagePool pool;
  std::mt19937_64 random(3);
  std::vector<Held> pages;
  for (int round = 0; round < 40; ++round) {
    const bool grows = round % 4 != 3;
    for (int i = 0; i < 60; ++i) {
      if (grows || pages.empty()) {
        // Below and above what chunks serve, and sizes that do not divide a chunk.
        constexpr std::size_t kSizes[] = {64, 4096, 49152, 65536, 65536, 1 << 20, 3 << 20};
        const std::size_t size = kSizes[random() % (round % 8 == 0 ? 7 : 5)];
        Held held{pool.acquire(size), size, static_cast<int>(random() % 256)};
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(held.page.data) % kPageAlignment, 0u);
        std::memset(held.page.data, held.value, size);
        pages.push_back(held);
      } else {
        std::swap(pages[static_cast<std::size_t>(random() % pages.size())], pages.back());
        ASSERT_NO_FATAL_FAILURE(expect_untouched(pages.back()));
        ASSERT_NO_FATAL_FAILURE(give_back(pool, pages.back()));
        pages.pop_back();
      }
    }
    if (round % 5 == 4) {
      while (pages.size() > 200) {
        std::swap(pages[static_cast<std::size_t>(random() % pages.size())], pages.back());
        ASSERT_NO_FATAL_FAILURE(give_back(pool, pages.back()));
        pages.pop_back();
      }
      pool.trim();
    }
  }
  for (const Held& held : pages) {
    ASSERT_NO_FATAL_FAILURE(expect_untouched(held));
    ASSERT_NO_FATAL_FAILURE(give_back(pool, held));
  }
  pool.trim();
  EXPECT_EQ(pool.memory_bytes(), 0u);
}

// Under the leak sanitizer: it does not report the pages of a table that lives until the program
// ends.
TEST(HeapPageSource, PagesInUseAtTheEndOfTheProgramAreNoLeaks) {
  static auto* const table = new Table<std::uint64_t>;
  for (std::size_t i = 0; i < 4 * kDefaultPageBytes / sizeof(std::uint64_t); ++i) table->insert(7);
  EXPECT_EQ(*table->begin(), 7u);
}

}  // namespace
}  // namespace hdb
