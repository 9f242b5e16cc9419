// What becomes of the address range of an array that ends: the next array gets it with its memory.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/sanitizers.hpp"
#include "core/arrays/page_pool.hpp"
#include "core/test_records.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"
#include "support/meagre_source.hpp"
#include "support/using_detail.hpp"

#if HDB_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace hdb::test::spare_ranges_test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::uint64_t kNoLimitOfElements = std::uint64_t{1} << 40;

class SpareRangesTest : public testing::Test {
 protected:
  void SetUp() override {
#if !defined(__linux__) || UINTPTR_MAX <= 0xffffffff
    GTEST_SKIP() << "arrays have no address ranges here";
#endif
  }
  // An array of `bytes` bytes that keeps its address.
  [[nodiscard]] std::unique_ptr<FlatArray> make(std::size_t bytes,
                                                std::uint64_t most = kNoLimitOfElements) {
    auto array =
        std::make_unique<FlatArray>(log_, trivial_ops<std::uint64_t>(), Addresses::stay, most);
    grow(*array, bytes);
    return array;
  }
  static void grow(FlatArray& array, std::size_t bytes) {
    array.grow_to(bytes / 8);
    for (std::size_t i = 0; i < bytes / 8; i += 64) array.owned_as<std::uint64_t>(i) = i;
  }
  [[nodiscard]] std::size_t in_use() const {
    return pool_->memory_bytes() - pool_->spare_range_bytes();
  }

  std::shared_ptr<PagePool> pool_ = std::make_shared<PagePool>();
  std::shared_ptr<UndoLog> log_ = std::make_shared<UndoLog>(pool_);
};

TEST_F(SpareRangesTest, TheNextArrayGetsTheMemoryOfTheLast) {
  auto array = make(4096);
  const std::byte* const address = array->data();
  const std::size_t bytes = pool_->memory_bytes();
  EXPECT_EQ(pool_->spare_range_bytes(), 0u);
  array.reset();
  EXPECT_EQ(pool_->memory_bytes(), bytes) << "spare memory counts";
  EXPECT_EQ(pool_->spare_range_bytes(), bytes);
  array = make(4096);
  EXPECT_EQ(array->data(), address);
  EXPECT_EQ(pool_->memory_bytes(), bytes);
  EXPECT_EQ(pool_->spare_range_bytes(), 0u);
  const auto other = make(4096);
  EXPECT_NE(other->data(), address) << "one range, two arrays";
  EXPECT_EQ(pool_->memory_bytes(), 2 * bytes);
}

TEST_F(SpareRangesTest, AnArrayThatGrowsInASpareRangeCountsWhatIsNew) {
  make(8192).reset();
  const std::size_t spare = pool_->memory_bytes();
  const auto array = make(4096);
  EXPECT_EQ(pool_->memory_bytes(), spare) << "the range keeps what it has";
  grow(*array, 300'000);
  EXPECT_GE(pool_->memory_bytes(), 300'000u);
  EXPECT_LT(pool_->memory_bytes(), 700'000u);
  EXPECT_EQ(pool_->spare_range_bytes(), 0u);
}

TEST_F(SpareRangesTest, TakeAQuarterMoreThanThoseInUseAtMost) {  // P2
  const auto expect_bounded = [&] {
    ASSERT_LE(pool_->spare_range_bytes(),
              std::max<std::size_t>(PagePool::kMostSpare, in_use() + in_use() / 4));
  };
  const auto kept = make(8 * kMiB);
  auto large = make(10 * kMiB);
  auto larger = make(40 * kMiB);
  larger.reset();
  EXPECT_EQ(pool_->spare_range_bytes(), 0u) << "too large to be kept";
  large.reset();
  EXPECT_GE(pool_->spare_range_bytes(), 10 * kMiB);
  expect_bounded();
  // However many there are.
  std::mt19937_64 random(1);
  std::vector<std::unique_ptr<FlatArray>> arrays;
  for (int i = 0; i < 200; ++i) arrays.push_back(make(std::size_t{1} << (10 + random() % 10)));
  std::shuffle(arrays.begin(), arrays.end(), random);
  while (!arrays.empty()) {
    arrays.pop_back();
    ASSERT_NO_FATAL_FAILURE(expect_bounded());
  }
}

TEST_F(SpareRangesTest, GoBackToTheSystemOnRequest) {
  const auto kept = make(100'000);
  const std::size_t bytes = pool_->memory_bytes();
  for (int i = 0; i < 5; ++i) {
    const auto first = make(1000);
    const auto second = make(200'000);
  }
  EXPECT_GT(pool_->spare_range_bytes(), 0u);
  pool_->release_spare_ranges();
  EXPECT_EQ(pool_->spare_range_bytes(), 0u);
  EXPECT_EQ(pool_->memory_bytes(), bytes);
  EXPECT_EQ(kept->as<std::uint64_t>(64), 64u) << "that of an array stays";
}

TEST_F(SpareRangesTest, AShortRangeIsNotGivenToAnArrayThatMayGrowBeyondIt) {
  make(4096, 1000).reset();
  const auto array = make(4096);
  const std::byte* const address = array->data();
  grow(*array, 16 * kMiB);
  EXPECT_EQ(array->data(), address) << "elements do not move";
  EXPECT_GT(pool_->spare_range_bytes(), 0u);
}

TEST_F(SpareRangesTest, ASmallArrayDoesNotTakeTheMemoryOfALargeOne) {
  const auto kept = make(4 * kMiB);
  auto large = make(4 * kMiB);
  const std::byte* const address = large->data();
  large.reset();
  const auto small = make(4096);
  EXPECT_NE(small->data(), address);
  large = make(4 * kMiB);
  EXPECT_EQ(large->data(), address);
}

TEST_F(SpareRangesTest, ABlobInASpareRangeIsZero) {  // V2
  const auto blobs = [&] {
    return std::make_unique<BlobTable<Unit>>(BlobOptions{.capacity_bytes = 65536}, log_);
  };
  const std::byte* address = nullptr;
  {
    const auto table = blobs();
    const auto blob = table->insert({}, 60'000);
    for (std::byte& byte : table->edit(*blob)) byte = std::byte{0xff};
    address = table->find(*blob).data();
  }
  const auto table = blobs();
  const auto blob = table->insert({}, 60'000);
  const auto bytes = table->find(*blob);
  EXPECT_EQ(bytes.data(), address);
  EXPECT_TRUE(
      std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{0}; }));
  EXPECT_EQ(table->check_invariants(), nullptr);
}

TEST_F(SpareRangesTest, ACaptureKeepsTheMemoryOfAnArrayThatEnded) {
  auto array = make(4096);
  const std::byte* const address = array->data();
  auto frozen = std::make_unique<FrozenArray>(array->freeze(log_->open()));
  array.reset();
  array = make(4096);
  EXPECT_NE(array->data(), address);
  array->owned_as<std::uint64_t>(64) = 7;
  EXPECT_EQ(frozen->as<std::uint64_t>(64), 64u);
  frozen.reset();
  array = make(4096);
  EXPECT_EQ(array->data(), address) << "the capture is gone";
}

// Snapshots end on any thread, and with them arrays.
TEST_F(SpareRangesTest, ThreadsTakeAndGiveBackAtTheSameTime) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::uint64_t thread = 1; thread <= 3; ++thread) {
    threads.emplace_back([&, thread] {
      const auto log = std::make_shared<UndoLog>(pool_);
      for (int round = 0; round < 200; ++round) {
        FlatArray array(log, trivial_ops<std::uint64_t>(), Addresses::stay, kNoLimitOfElements);
        const std::size_t count = 100 + 500 * static_cast<std::size_t>(round % 7);
        array.grow_to(count);
        for (std::size_t i = 0; i < count; ++i) array.owned_as<std::uint64_t>(i) = thread;
        for (std::size_t i = 0; i < count; ++i) wrong += array.as<std::uint64_t>(i) != thread;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(pool_->memory_bytes(), pool_->spare_range_bytes());
  pool_->release_spare_ranges();
  EXPECT_EQ(pool_->memory_bytes(), 0u);
}

#if HDB_HAS_ASAN
TEST_F(SpareRangesTest, NobodyMayReadThem) {
  auto array = make(4096);
  const std::byte* const address = array->data();
  array.reset();
  EXPECT_TRUE(__asan_address_is_poisoned(address + 4000));
  array = make(4096);
  EXPECT_FALSE(__asan_address_is_poisoned(address + 4000));
}
#endif

TEST(SpareRanges, AProgramThatGivesItsOwnMemoryGetsAllBack) {
  const auto source = std::make_shared<MeagreSource>();
  const auto pool = std::make_shared<PagePool>(source);
  {
    FlatArray array(std::make_shared<UndoLog>(pool), trivial_ops<std::uint64_t>(), Addresses::stay);
    array.grow_to(10'000);
  }
  EXPECT_EQ(pool->spare_range_bytes(), 0u);
  EXPECT_EQ(source->given, 0);
}

}  // namespace
}  // namespace hdb::test::spare_ranges_test
