// G6, G7: every flipped bit and every truncation of files with every block type, codec and filter
// is noticed by load(), and the database is as it was.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <set>
#include <vector>

#include "base/sanitizers.hpp"
#include "hdb/hdb.hpp"
#include "hdb/inspect/reader.hpp"
#include "inspect/swept_file.hpp"
#include "support/records.hpp"
#include "support/scale.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

class Sweep : public testing::Test {
 protected:
  void SetUp() override {
    declare_swept(db_);
    db_.find_table<Hero>("heroes")->insert({.name = "untouched"});
    hash_ = db_.state_hash();
  }
  // Loads a damaged file; true when it is refused and nothing changed.
  bool refused(std::span<const std::byte> bytes) {
    const auto loaded = db_.load(std::make_unique<MemorySource>(MemorySource::borrowing(bytes)));
    if (loaded) return false;
    if (loaded.error().message().empty()) return false;
    return true;
  }
  Database db_;
  Hash128 hash_;
};

// Bits tried under sanitizers: every 41st. Odd, so that bits of all places are tried.
std::size_t stride() { return HDB_HAS_ASAN ? 41 : 2 * test::scaled_stride() - 1; }

// The one with a block for each part of a table, and the one with packs.
std::vector<Bytes> swept_files() { return {build_swept({.packs = false}), build_swept()}; }

// The sweeps prove what they say only if the files have it all.
TEST_F(Sweep, UndamagedFilesLoadAndHoldEveryBlockTypeCodecAndFilter) {
  std::set<int> types;
  std::set<int> codecs;
  std::set<int> filters;
  std::uint64_t most_groups = 0;
  for (const Bytes& file : swept_files()) {
    Database db;
    declare_swept(db);
    ASSERT_TRUE(db.load(std::make_unique<MemorySource>(file), {.verify_state_hash = true}));
    const auto reader = Reader::open(std::make_unique<MemorySource>(file));
    ASSERT_TRUE(reader);
    for (const BlockInfo& block : (*reader)->blocks()) types.insert(block.type);
    for (std::size_t table = 0; table < (*reader)->tables().size(); ++table) {
      const std::uint64_t groups = (*reader)->tables()[table].group_count();
      most_groups = std::max(most_groups, groups);
      for (std::uint64_t group = 0; group < groups; ++group) {
        const auto chunks = (*reader)->chunks(table, group);
        ASSERT_TRUE(chunks);
        for (const ChunkInfo& chunk : *chunks) {
          codecs.insert(chunk.codec);
          filters.insert(chunk.filter);
        }
      }
    }
  }
  EXPECT_EQ(types, (std::set<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(codecs, (std::set<int>{0, 1}));
  EXPECT_EQ(filters, (std::set<int>{0, 1, 2, 3}));
  EXPECT_GE(most_groups, 3u);
}

TEST_F(Sweep, EveryFlippedBitIsNoticed) {  // G6
  std::vector<Bytes> swept = swept_files();
  const std::size_t step = stride();
  std::size_t cases = 0;
  std::size_t failures = 0;
  for (Bytes& file : swept) {
    for (std::size_t bit = 0; bit < file.size() * 8; bit += step) {
      file[bit / 8] ^= std::byte{1} << (bit % 8);
      ++cases;
      if (!refused(file)) {
        ++failures;
        ADD_FAILURE() << "bit " << bit % 8 << " of byte " << bit / 8 << " of " << file.size();
      }
      file[bit / 8] ^= std::byte{1} << (bit % 8);
      if (failures > 10) break;
    }
  }
  EXPECT_EQ(db_.state_hash(), hash_);
  std::printf("G6: cases=%zu failures=%zu (files of %zu and %zu bytes)\n", cases, failures,
              swept[0].size(), swept[1].size());
}

TEST_F(Sweep, EveryTruncationAndExtensionIsNoticed) {  // G7
  std::size_t cases = 0;
  std::size_t failures = 0;
  for (const Bytes& file : swept_files()) {
    for (std::size_t size = 0; size < file.size(); ++size) {
      ++cases;
      if (!refused(std::span(file).first(size))) {
        ++failures;
        ADD_FAILURE() << "cut at " << size << " of " << file.size();
      }
    }
    for (std::size_t extra = 1; extra <= 64; ++extra) {
      Bytes longer = file;
      longer.resize(file.size() + extra);
      ++cases;
      if (!refused(longer)) ++failures;
    }
    Bytes twice = file;
    twice.insert(twice.end(), file.begin(), file.end());
    ++cases;
    if (!refused(twice)) ++failures;
  }
  EXPECT_EQ(failures, 0u);
  EXPECT_EQ(db_.state_hash(), hash_);
  std::printf("G7: cases=%zu failures=%zu\n", cases, failures);
}

TEST_F(Sweep, EveryZeroedHoleIsNoticed) {  // G7
  std::size_t cases = 0;
  for (const Bytes& file : swept_files()) {
    for (const std::size_t size : {std::size_t{8}, std::size_t{64}, std::size_t{512}}) {
      for (std::size_t at = 0; at + size <= file.size(); at += size) {
        Bytes damaged = file;
        std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at), size, std::byte{0});
        if (damaged == file) continue;
        ++cases;
        EXPECT_TRUE(refused(damaged)) << "hole of " << size << " at " << at;
      }
    }
  }
  EXPECT_GT(cases, 500u);
  EXPECT_EQ(db_.state_hash(), hash_);
  std::printf("G7: holes cases=%zu\n", cases);
}

}  // namespace
}  // namespace hdb::test
