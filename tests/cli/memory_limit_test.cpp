// --max-memory: what a size is, and what it lowers. --no-limits: what it raises.
#include "memory_limit.hpp"

#include <array>
#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command.hpp"
#include "hdb/hdb.hpp"
#include "support/folder.hpp"

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
        const bool printed = inspect::memory_limit_text() == "64M";
        std::_Exit(lower && printed && inspect::worker_threads() == 1 ? 0 : 1);
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

// A file as a game with higher limits writes it.
void write_beyond_the_limits(const std::string& path) {
  Database db;
  db.create_table<std::uint8_t>("t").insert(1);
  SaveOptions options;
  options.metadata.title.assign(2 << 20, 'x');
  EXPECT_FALSE(save(db.capture(), path, options)) << "the default limits hold";
  options.write.limits = ReadLimits::highest();
  EXPECT_TRUE(save(db.capture(), path, options));
}

int run(std::vector<const char*> words) {
  words.insert(words.begin(), "hdbinspect");
  return inspect::run_command_line(static_cast<int>(words.size()), words.data());
}

TEST(NoLimitsDeathTest, WhatAGameMayWriteIsReadAndWritten) {
  const Folder folder;
  const std::string path = folder / "save.hdb";
  const std::string copy = folder / "copy.hdb";
  write_beyond_the_limits(path);
  EXPECT_EXIT(std::_Exit(run({"ls", path.c_str()})), ::testing::ExitedWithCode(2),
              "next    give --no-limits if you trust the file");
  for (const std::vector<const char*>& words :
       {std::vector{"ls", path.c_str()},
        {"validate", path.c_str()},
        {"diff", path.c_str(), path.c_str()},
        {"convert", path.c_str(), "-o", copy.c_str(), "--force"}}) {
    EXPECT_EXIT(
        {
          std::vector<const char*> all = words;
          all.push_back("--no-limits");
          std::_Exit(run(all));
        },
        ::testing::ExitedWithCode(0), "")
        << words.front();
  }
}

TEST(NoLimitsDeathTest, EveryLimitIsRaisedAndMemoryStaysBounded) {
  using Limits = std::array<std::uint64_t, sizeof(ReadLimits) / sizeof(std::uint64_t)>;
  EXPECT_EXIT(
      {
        static_cast<void>(run({"explain", "--no-limits"}));
        ReadLimits now = inspect::read_limits();
        const bool bounded = now.max_memory_bytes == inspect::kDefaultMemoryBytes;
        now.max_memory_bytes = ReadLimits::highest().max_memory_bytes;
        const auto limits = std::bit_cast<Limits>(now);
        const auto usual = std::bit_cast<Limits>(ReadLimits());
        unsigned raised = 0;
        for (std::size_t i = 0; i < limits.size(); ++i) raised += limits[i] > usual[i] ? 1 : 0;
        // The number of tables is limited by the format alone.
        std::_Exit(bounded && raised == limits.size() - 1 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace hdb::test::memory_limit_test
