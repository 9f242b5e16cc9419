// The pages of the heap: many at once, of several sizes, given back in any order; none shares a
// byte with another.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hdb/detail/core/arrays/page_pool.hpp"
#include "hdb/table.hpp"
#include "support/sees_detail.hpp"

namespace hdb {
namespace {

struct Held {
  std::byte* page;
  std::size_t size_bytes;
  int value;
};

// Every byte of the page is its own.
void expect_untouched(const Held& held) {
  for (std::size_t i = 0; i < held.size_bytes; ++i) {
    ASSERT_EQ(std::to_integer<int>(held.page[i]), held.value);
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
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(held.page) % kPageAlignment, 0u);
        std::memset(held.page, held.value, size);
        pages.push_back(held);
      } else {
        std::swap(pages[static_cast<std::size_t>(random() % pages.size())], pages.back());
        ASSERT_NO_FATAL_FAILURE(expect_untouched(pages.back()));
        pool.recycle(pages.back().page, pages.back().size_bytes);
        pages.pop_back();
      }
    }
    if (round % 5 == 4) {
      while (pages.size() > 200) {
        std::swap(pages[static_cast<std::size_t>(random() % pages.size())], pages.back());
        pool.recycle(pages.back().page, pages.back().size_bytes);
        pages.pop_back();
      }
      pool.trim();
    }
  }
  for (const Held& held : pages) {
    ASSERT_NO_FATAL_FAILURE(expect_untouched(held));
    pool.recycle(held.page, held.size_bytes);
  }
  pool.trim();
  EXPECT_EQ(pool.memory_bytes(), 0u);
}

// Under the leak sanitizer: it does not report a table that lives until the program ends, nor what
// its records own.
TEST(HeapPageSource, ATableThatLivesUntilTheEndOfTheProgramIsNoLeak) {
  static auto* const table = new Table<std::string>;
  for (std::size_t i = 0; i < 4 * kDefaultPageBytes; i += sizeof(std::string))
    table->insert(std::string(100, 'x'));
  EXPECT_EQ(table->begin()->size(), 100u);
}

}  // namespace
}  // namespace hdb
