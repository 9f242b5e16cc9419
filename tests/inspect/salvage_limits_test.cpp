// What a repair refuses, and files made to be slow or large.
#include <gtest/gtest.h>

#include <algorithm>

#include "format/forge.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "inspect/salvage_tools.hpp"
#include "inspect/swept_file.hpp"
#include "support/sees_detail.hpp"

namespace hdb::test {
namespace salvage_limits_test {
namespace {

const Bytes& swept() {
  static const Bytes kFile = build_swept({.packs = false});
  return kFile;
}

const Bytes& plain() {
  static const Bytes kFile = build_swept({.codec = Codec::none, .packs = false});
  return kFile;
}

void flip(Bytes& file, std::uint64_t at) { file[static_cast<std::size_t>(at)] ^= std::byte{0x40}; }

bool is_rows(const BlockInfo& block) {
  return static_cast<format::BlockType>(block.type) == format::BlockType::rows;
}

TEST(SalvageLimits, RefusesWhatNothingIsLeftOf) {
  Bytes file = swept();
  for (const BlockInfo& block : blocks_of(swept())) {
    if (static_cast<format::BlockType>(block.type) == format::BlockType::catalog)
      flip(file, block.offset + format::kBlockHeadBytes);
  }
  const Repaired lost = repair(file);
  ASSERT_TRUE(lost.error);
  EXPECT_EQ(lost.error->code, ErrorCode::missing_block);
  EXPECT_NE(lost.error->message().find("both copies of the catalog are lost"), std::string::npos);
  EXPECT_EQ(repair({}).error.value().code, ErrorCode::bad_signature);
  EXPECT_TRUE(repair(Bytes(100'000, std::byte{0xb1})).error);
}

TEST(SalvageLimits, SlotsThatNoBlockStandsForAreWithinTheLimits) {
  const Bytes& file = swept();
  std::uint64_t rows = 0;
  for (const BlockInfo& block : blocks_of(file)) {
    if (is_rows(block) && rows == 0) rows = block.offset;
  }
  const auto cut = std::span(file).first(static_cast<std::size_t>(rows));
  SalvageOptions options;
  options.limits.max_memory_bytes = 2000;
  const Repaired refused = repair(cut, options);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->code, ErrorCode::memory_budget);
  EXPECT_FALSE(repair(cut).error);
}

// A head may claim any size; looking at many that overlap must not take for ever.
TEST(SalvageLimits, ManyHeadsThatClaimMuchAreReadOnce) {
  const Bytes& file = plain();
  const std::vector<BlockInfo> blocks = blocks_of(file);
  const auto largest = std::max_element(
      blocks.begin(), blocks.end(),
      [](const BlockInfo& a, const BlockInfo& b) { return a.stored_bytes < b.stored_bytes; });
  const auto head =
      std::span(file).subspan(static_cast<std::size_t>(largest->offset), format::kBlockHeadBytes);
  Bytes hostile(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(blocks[3].offset));
  for (int i = 0; i < 20'000; ++i) hostile.insert(hostile.end(), head.begin(), head.end());
  hostile.resize(hostile.size() + static_cast<std::size_t>(largest->total_bytes));
  struct Counting final : ByteSource {
    Counting(std::span<const std::byte> bytes, std::uint64_t& sum)
        : source(MemorySource::borrowing(bytes)), read(sum) {}
    Result<std::uint64_t> size() override { return source.size(); }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) override {
      read += out.size();
      return source.read_at(offset, out);
    }
    MemorySource source;
    std::uint64_t& read;
  };
  std::uint64_t read = 0;
  const auto salvaged = salvage(std::make_unique<Counting>(hostile, read), {});
  ASSERT_TRUE(salvaged);
  EXPECT_LT(read, 20 * hostile.size());
}

// A head may also claim that little data becomes very much.
TEST(SalvageLimits, ContentOfImpossibleSizeIsLost) {
  const ForgedFile sound(build_swept({}), false);
  std::size_t cases = 0;
  for (const format::BlockType type : {format::BlockType::pack, format::BlockType::catalog}) {
    for (const std::uint64_t size : {format::kMaxCatalogBytes + 1, std::uint64_t{1} << 60,
                                     std::uint64_t{0x44ffffffffffffff}, ~std::uint64_t{0}}) {
      ForgedFile forged = sound;
      for (ForgedBlock& block : forged.blocks) {
        if (static_cast<format::BlockType>(block.head.info.type) != type) continue;
        if (block.payload.size() == block.head.info.raw_bytes) continue;
        block.head.info.raw_bytes = size;
        ++cases;
      }
      const Repaired repaired = repair(forged.sealed());
      if (type == format::BlockType::catalog) {
        ASSERT_TRUE(repaired.error);
        EXPECT_EQ(repaired.error->code, ErrorCode::bad_geometry);
      } else {
        EXPECT_FALSE(repaired.error) << repaired.error->message();
      }
    }
  }
  EXPECT_GE(cases, 8U);
}

TEST(SalvageLimits, AOneRecordTableWithoutItsRecordIsLeftOutSoThatTheFileLoads) {
  const Bytes& file = swept();
  const auto reader = Reader::open(std::make_unique<MemorySource>(file));
  ASSERT_TRUE(reader);
  Bytes damaged = file;
  for (const BlockInfo& block : (*reader)->blocks()) {
    for (const auto& [table, group] : groups_in(file, block)) {
      if ((*reader)->tables()[table].name == "clock")
        flip(damaged, block.offset + format::kBlockHeadBytes);
    }
  }
  const Repaired result = repair(damaged);
  EXPECT_TRUE(result.table("clock").is_left_out);
  Database db;
  declare_swept(db);
  const auto loaded =
      db.load(std::make_unique<MemorySource>(result.bytes), {.verify_state_hash = true});
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->missing_tables, std::vector<std::string>{"clock"});
}

}  // namespace
}  // namespace salvage_limits_test
}  // namespace hdb::test
