// Packs: small tables that share a block, and what damage of one costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "format/columns/compress.hpp"
#include "format/forge.hpp"
#include "format/sample.hpp"
#include "hdb/inspect/salvage.hpp"
#include "support/scale.hpp"

namespace hdb::test {
namespace {

using format::BlockType;

/// `count` tables of a few records, every tenth one too large for a pack, every seventh one empty.
MemoryImage many_tables(unsigned count) {
  MemoryImage image;
  image.schema_list = {every_kind()};
  if (count > 1) image.schema_list.push_back(plain_schema());
  for (unsigned i = 0; i < count; ++i) {
    SampleOptions options;
    options.name = std::to_string(1000 + i);
    options.schema = i % 2;
    options.policy.storage = i % 3 == 0 ? Storage::stable : Storage::dense;
    options.slots = i % 10 == 3 ? 2000 : i % 7 == 2 ? 0 : 1 + i % 5;
    options.seed = i;
    image.add(random_table(image.schema_list[options.schema], options));
  }
  return image;
}

std::vector<BlockInfo> blocks_of_type(const Reader& reader, BlockType type) {
  std::vector<BlockInfo> found;
  for (const BlockInfo& block : reader.blocks()) {
    if (static_cast<BlockType>(block.type) == type) found.push_back(block);
  }
  return found;
}

TEST(Packs, HoldSmallTablesAndTheOthersHaveBlocksOfTheirOwn) {
  for (const unsigned count : {1U, 2U, 10U, 95U}) {
    const MemoryImage image = many_tables(count);
    for (const WriteOptions& options :
         {WriteOptions{}, WriteOptions{.codec = Codec::none}, WriteOptions{.filters = false},
          WriteOptions{.threads = 3}, WriteOptions{.packs = false}}) {
      const Bytes bytes = written(image, options);
      ReadOptions read;
      read.verify_raw_hashes = true;
      const Status status = read_everything(bytes, read);
      ASSERT_TRUE(status) << status.error().message();
      auto reader = open_bytes(bytes);
      ASSERT_TRUE(reader) << reader.error().message();
      std::set<std::uint32_t> seen;
      std::set<std::uint32_t> packed;
      for (std::size_t i = 0; i < (*reader)->blocks().size(); ++i) {
        const bool is_pack = static_cast<BlockType>((*reader)->blocks()[i].type) == BlockType::pack;
        for (const std::uint32_t table : (*reader)->tables_in(i)) {
          seen.insert(table);
          if (!is_pack) continue;
          EXPECT_TRUE(packed.insert(table).second) << "in two packs";
        }
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint64_t slots = image.data[i].descriptor.slot_count;
        EXPECT_EQ(seen.contains(i), slots != 0) << i;
        EXPECT_EQ(packed.contains(i), options.packs && slots != 0 && slots < 10) << i;
      }
      expect_equal(image, *image_of(std::move(*reader)));
    }
  }
}

TEST(Packs, TheBytesDoNotDependOnTheThreads) {
  const MemoryImage image = many_tables(95);
  EXPECT_EQ(written(image, {.threads = 4}), written(image));
}

TEST(Packs, AreSmall) {
  const Bytes bytes = written(many_tables(900), {.codec = Codec::none});
  const auto reader = open_bytes(bytes);
  const auto packs = blocks_of_type(**reader, BlockType::pack);
  EXPECT_GT(packs.size(), 3U);
  for (const BlockInfo& pack : packs) {
    EXPECT_TRUE(pack.raw_bytes <= format::kPackBytes || pack.group == 1) << pack.raw_bytes;
  }
}

// Below 64 KiB of data. A catalog of one or two tables has too few bytes to become half as large.
TEST(Packs, ASmallSaveTakesHardlyMoreThanItsData) {
  std::size_t cases = 0;
  for (const unsigned tables : {1U, 2U, 5U, 20U, 60U}) {
    for (const std::uint64_t slots : {1U, 3U, 10U, 40U}) {
      MemoryImage image;
      image.schema_list = {plain_schema()};
      for (unsigned i = 0; i < tables; ++i) {
        image.add(
            random_table(image.schema_list[0],
                         {.name = "table " + std::to_string(100 + i), .slots = slots, .seed = i}));
      }
      std::uint64_t raw = 0;
      for (const SampleTable& table : image.data) {
        for (const RowGroup& group : table.groups) {
          raw += 5 * group.states.size() + 4 * group.positions.size();
          for (const Bytes& column : group.columns) raw += column.size();
        }
        raw += 4 * table.free_list.size();
      }
      if (raw >= 65536) continue;
      ++cases;
      for (const Codec codec : {Codec::none, Codec::zstd}) {
        const Bytes bytes = written(image, {.codec = codec});
        const auto reader = open_bytes(bytes);
        std::uint64_t catalogs = 0;
        std::uint64_t raw_catalogs = 0;
        for (const BlockInfo& block : blocks_of_type(**reader, BlockType::catalog)) {
          catalogs += block.stored_bytes;
          raw_catalogs += block.raw_bytes;
        }
        EXPECT_LE(bytes.size(), raw * 3 / 2 + catalogs + 1024)
            << tables << " tables of " << slots << " slots";
        EXPECT_LE(2 * catalogs,
                  codec == Codec::zstd && tables > 2 ? raw_catalogs : 2 * raw_catalogs);
      }
    }
  }
  std::printf("cases=%zu failures=0\n", cases);
}

TEST(Packs, EveryFlippedBitIsNoticed) {
  Bytes bytes = written(many_tables(9));
  ASSERT_TRUE(read_everything(bytes));
  std::size_t cases = 0;
  for (std::size_t at = 0; at < bytes.size(); at += test::scaled_stride(), ++cases) {
    const std::byte flip{static_cast<unsigned char>(1U << at % 8)};
    bytes[at] ^= flip;
    EXPECT_FALSE(read_everything(bytes)) << "byte " << at;
    bytes[at] ^= flip;
  }
  std::printf("cases=%zu failures=0\n", cases);
}

// A pack whose hashes are right but whose content breaks a rule.
TEST(Packs, ContentThatDoesNotFitIsRefused) {
  const Bytes bytes = written(many_tables(9), {.codec = Codec::none});
  const ForgedFile sound(bytes);
  const std::size_t pack = sound.find(BlockType::pack, 0, 7);
  ASSERT_EQ(sound.sealed(), bytes);
  const Bytes& content = sound.blocks[pack].payload;
  const auto refusal_of = [&](const auto& change) -> std::optional<Error> {
    ForgedFile forged = sound;
    change(forged.blocks[pack]);
    Status read = read_everything(forged.sealed());
    if (read) return std::nullopt;
    return read.error();
  };
  const auto resized = [](ForgedBlock& block, std::ptrdiff_t more) {
    const auto size = static_cast<std::ptrdiff_t>(block.payload.size()) + more;
    block.payload.resize(static_cast<std::size_t>(size));
    block.head.info.raw_bytes = block.payload.size();
  };
  std::size_t cases = 0;
  for (std::ptrdiff_t size = 1; size < static_cast<std::ptrdiff_t>(content.size()); ++size) {
    const auto error = refusal_of([&](ForgedBlock& block) { resized(block, -size); });
    ASSERT_TRUE(error) << "cut off by " << size;
    EXPECT_EQ(error->code, ErrorCode::bad_pack) << error->message();
    ++cases;
  }
  const auto longer = refusal_of([&](ForgedBlock& block) { resized(block, 1); });
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->code, ErrorCode::bad_pack) << longer->message();
  const auto other = refusal_of([](ForgedBlock& block) { block.payload[0] = std::byte{1}; });
  ASSERT_TRUE(other);
  EXPECT_EQ(other->code, ErrorCode::bad_pack) << other->message();
  EXPECT_THAT(other->message(), testing::HasSubstr("table 1 of the catalog is not expected here"));
  const auto head = refusal_of([](ForgedBlock& block) { block.head.info.group = 6; });
  ASSERT_TRUE(head) << "a pack that counts a table less";
  const auto fewer = refusal_of([&](ForgedBlock& block) { block.head.info.raw_bytes += 1; });
  ASSERT_TRUE(fewer) << "a frame that is none";
  std::printf("cases=%zu failures=0\n", cases + 4);
}

// Of what a compressed pack or catalog says of its size.
TEST(Packs, AFrameOfAnotherSizeIsRefused) {
  const Bytes bytes = written(many_tables(9));
  const ForgedFile sound(bytes, false);
  for (const BlockType type : {BlockType::pack, BlockType::catalog}) {
    ForgedFile forged = sound;
    unsigned found = 0;
    for (ForgedBlock& block : forged.blocks) {
      if (static_cast<BlockType>(block.head.info.type) != type) continue;
      if (block.payload.size() == block.head.info.raw_bytes) continue;
      block.head.info.raw_bytes += 1;
      ++found;
    }
    EXPECT_GT(found, 0U);
    const Status read = read_everything(forged.sealed());
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::bad_compression) << read.error().message();
  }
}

TEST(Packs, DamageOfOneCostsItsTablesAlone) {
  const MemoryImage image = many_tables(95);
  const Bytes bytes = written(image);
  const auto reader = open_bytes(bytes);
  ASSERT_TRUE(reader) << reader.error().message();
  for (std::size_t i = 0; i < (*reader)->blocks().size(); ++i) {
    const BlockInfo& block = (*reader)->blocks()[i];
    if (static_cast<BlockType>(block.type) != BlockType::pack) continue;
    for (const bool with_directory : {true, false}) {
      Bytes damaged = bytes;
      damaged[static_cast<std::size_t>(block.offset) + format::kBlockHeadBytes + 5] ^=
          std::byte{64};
      if (!with_directory) damaged.resize(damaged.size() - format::kFooterBytes);
      const auto salvaged = salvage(std::make_unique<MemorySource>(std::move(damaged)));
      ASSERT_TRUE(salvaged) << salvaged.error().message();
      const std::vector<std::uint32_t> lost = (*reader)->tables_in(i);
      for (std::uint32_t t = 0; t < image.data.size(); ++t) {
        const TableSalvage& table = salvaged->tables[t];
        const bool is_lost = std::binary_search(lost.begin(), lost.end(), t);
        EXPECT_EQ(table.records_after, is_lost ? 0 : image.data[t].descriptor.live_count) << t;
      }
    }
  }
}

}  // namespace
}  // namespace hdb::test
