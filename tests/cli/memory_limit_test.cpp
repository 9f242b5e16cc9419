// --max-memory: what a size is, and what it lowers.
#include "memory_limit.hpp"

#include <array>

#include <gtest/gtest.h>

#include "command.hpp"

namespace hdb::test::memory_limit_test {
namespace {

using hdb::inspect::parse_size;

constexpr std::uint64_t kKiB = 1024;

TEST(MemoryLimit, SizesHaveUnitsOrNone) {
  EXPECT_EQ(parse_size("0"), 0U);
  EXPECT_EQ(parse_size("65536"), 65536U);
  EXPECT_EQ(parse_size("64K"), 64 * kKiB);
  EXPECT_EQ(parse_size("64k"), 64 * kKiB);
  EXPECT_EQ(parse_size("64KiB"), 64 * kKiB);
  EXPECT_EQ(parse_size("64 MiB"), 64 * kKiB * kKiB);
  EXPECT_EQ(parse_size("3GB"), 3 * kKiB * kKiB * kKiB);
  EXPECT_EQ(parse_size("1T"), kKiB * kKiB * kKiB * kKiB);
}

TEST(MemoryLimit, WhatIsNoSizeIsRefused) {
  for (const char* text : {"", "M", "-1", "1.5G", "64X", "64MM", "64 ", "0x10", "64iB", "1 G B"})
    EXPECT_EQ(parse_size(text), std::nullopt) << text;
}

TEST(MemoryLimit, SizesThatOverflowAreRefused) {
  EXPECT_EQ(parse_size("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_size("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_size("16777215T"), 16777215 * (std::uint64_t{1} << 40));
  EXPECT_EQ(parse_size("16777216T"), std::nullopt);
}

// In a process of its own: the limit holds for the rest of it.
TEST(MemoryLimitDeathTest, LowersEveryLimitOfReadersAndRaisesNone) {
  EXPECT_EXIT(
      {
        inspect::limit_memory(std::uint64_t{64} << 20);
        const ReadLimits usual;
        const ReadLimits now = inspect::read_limits();
        const bool lower = now.max_memory_bytes == std::uint64_t{64} << 20 &&
                           now.max_column_bytes < usual.max_column_bytes &&
                           now.max_directory_bytes < usual.max_directory_bytes &&
                           now.max_column_bytes <= now.max_memory_bytes;
        ReadLimits strict;
        strict.max_column_bytes = 1;
        const bool kept = inspect::read_limits(strict).max_column_bytes == 1;
        const bool printed = inspect::memory_limit_text() == "64M";
        std::_Exit(lower && kept && printed && inspect::worker_threads() == 1 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(MemoryLimitDeathTest, WithoutTheOptionOneGibibyteOfMemoryIsTheOnlyLimit) {
  constexpr std::array<const char*, 2> kWords = {"hdbinspect", "explain"};
  EXPECT_EXIT(
      {
        static_cast<void>(inspect::run_command_line(2, kWords.data()));
        const ReadLimits usual;
        const ReadLimits now = inspect::read_limits();
        const bool bounded = now.max_memory_bytes == std::uint64_t{1} << 30;
        const bool same = now.max_column_bytes == usual.max_column_bytes &&
                          now.max_directory_bytes == usual.max_directory_bytes &&
                          now.max_thumbnail_bytes == usual.max_thumbnail_bytes;
        std::_Exit(bounded && same && inspect::memory_limit_text() == "1G" ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hdb::test::memory_limit_test
