// G6, G7, G8: every flipped bit, every length, swapped and foreign blocks are noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "format/forge.hpp"
#include "format/small_file.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "support/scale.hpp"

namespace hdb::test {
namespace {

// Reads damaged files, and counts which check noticed them.
class Tally {
 public:
  [[nodiscard]] bool notices(const Bytes& damaged) {
    const Status status = read_everything(damaged);
    if (status) return false;
    ++counts_[std::string(code_name(status.error().code))];
    return true;
  }
  void print(const char* what) const {
    std::printf("%s, noticed by:", what);
    for (const auto& [code, count] : counts_) std::printf(" %s %zu", code.c_str(), count);
    std::printf("\n");
  }

 private:
  std::map<std::string, std::size_t> counts_;
};

TEST(SmallFile, HasEveryBlockTypeCodecAndFilter) {
  const Bytes bytes = written(small_image());
  auto reader = open_bytes(bytes);
  ASSERT_TRUE(reader) << reader.error().message();
  std::set<unsigned> types;
  std::set<unsigned> codecs;
  std::set<unsigned> filters;
  for (const BlockInfo& block : (*reader)->blocks()) types.insert(block.type);
  const std::uint64_t groups = (*reader)->tables()[0].group_count();
  EXPECT_GE(groups, 3U);
  for (std::uint64_t group = 0; group < groups; ++group) {
    const auto chunks = (*reader)->chunks(0, group);
    for (const ChunkInfo& chunk : *chunks) {
      codecs.insert(chunk.codec);
      filters.insert(chunk.filter);
    }
  }
  EXPECT_EQ(types, (std::set<unsigned>{1, 2, 3, 4, 5, 201}));
  EXPECT_EQ(codecs, (std::set<unsigned>{0, 1}));
  EXPECT_EQ(filters, (std::set<unsigned>{0, 1, 2, 3}));
}

TEST(Damage, EveryFlippedBitIsNoticed) {
  Bytes bytes = written(small_image());
  ASSERT_TRUE(read_everything(bytes));
  std::size_t cases = 0;
  std::size_t failures = 0;
  Tally tally;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const std::byte flip{static_cast<unsigned char>(1U << bit)};
      bytes[at] ^= flip;
      ++cases;
      if (!tally.notices(bytes)) {
        ++failures;
        ADD_FAILURE() << "bit " << bit << " of byte " << at;
      }
      bytes[at] ^= flip;
    }
  }
  std::printf("G6 every bit of a small file: cases=%zu failures=%zu\n", cases, failures);
  tally.print("G6 every bit of a small file");
}

TEST(Damage, DamagedChunksAreToldWithPlaceAndHashes) {
  Bytes bytes = written(small_image());
  auto sound = open_bytes(bytes);
  ASSERT_TRUE(sound) << sound.error().message();
  std::size_t cases = 0;
  for (std::uint64_t group = 0; group < (*sound)->tables()[0].group_count(); ++group) {
    const auto chunks = (*sound)->chunks(0, group);
    ASSERT_TRUE(chunks) << chunks.error().message();
    for (const ChunkInfo& chunk : *chunks) {
      if (chunk.stored_bytes == 0) continue;
      bytes[static_cast<std::size_t>(chunk.offset)] ^= std::byte{1};
      const auto reader = open_bytes(bytes);
      ASSERT_TRUE(reader) << reader.error().message();
      std::vector<DamagedChunk> all;
      for (std::size_t block = 0; block < (*reader)->blocks().size(); ++block) {
        const auto damaged = (*reader)->damaged_chunks(block);
        ASSERT_TRUE(damaged) << damaged.error().message();
        EXPECT_EQ(damaged->empty(), (*reader)->check_block(block).has_value());
        all.insert(all.end(), damaged->begin(), damaged->end());
      }
      ASSERT_EQ(all.size(), 1U) << "column " << chunk.column;
      EXPECT_EQ(all[0].chunk.offset, chunk.offset);
      EXPECT_EQ(all[0].chunk.column, chunk.column);
      EXPECT_NE(all[0].stored_hash, all[0].computed_hash);
      bytes[static_cast<std::size_t>(chunk.offset)] ^= std::byte{1};
      ++cases;
    }
  }
  EXPECT_GT(cases, 10U);
  std::printf("cases=%zu failures=0\n", cases);
}

// Whole blocks have a hash of their own; who reads one column has the chunk's alone.
TEST(Damage, AColumnReadAloneIsCheckedByItsChunk) {
  Bytes bytes = written(small_image());
  const auto sound = open_bytes(bytes);
  ASSERT_TRUE(sound) << sound.error().message();
  std::size_t cases = 0;
  for (std::uint64_t group = 0; group < (*sound)->tables()[0].group_count(); ++group) {
    const auto chunks = (*sound)->chunks(0, group);
    ASSERT_TRUE(chunks) << chunks.error().message();
    for (const ChunkInfo& chunk : *chunks) {
      std::vector<std::uint32_t> wanted;
      if (chunk.column >= format::kFirstSchemaColumn) {
        wanted.push_back(chunk.column - format::kFirstSchemaColumn);
      }
      for (std::uint64_t at = chunk.offset; at < chunk.offset + chunk.stored_bytes; ++at) {
        bytes[static_cast<std::size_t>(at)] ^= std::byte{4};
        RowGroup out;
        const auto reader = open_bytes(bytes);
        ASSERT_TRUE(reader) << reader.error().message();
        const Status read = (*reader)->read_columns(0, group, wanted, out);
        EXPECT_FALSE(read) << "byte " << at << " of column " << chunk.column;
        bytes[static_cast<std::size_t>(at)] ^= std::byte{4};
        ++cases;
      }
    }
  }
  EXPECT_GT(cases, 100U);
  std::printf("cases=%zu failures=0\n", cases);
}

// Only `validate` asks for it: what one of two catalogs, or the metadata, has lost is no reason to
// leave the rest unchecked.
TEST(Damage, OneDamagedCopyIsAcceptedWhereThatIsAskedFor) {
  using namespace format;
  const Bytes sound = written(small_image());
  const auto reader = open_bytes(sound);
  ASSERT_TRUE(reader) << reader.error().message();
  std::vector<std::size_t> copies;
  for (const BlockInfo& block : (*reader)->blocks()) {
    if (block.type == type_number(BlockType::metadata) ||
        block.type == type_number(BlockType::catalog))
      copies.push_back(static_cast<std::size_t>(block.offset) + kBlockHeadBytes + 4);
  }
  ASSERT_EQ(copies.size(), 3U);
  ReadOptions accepting;
  accepting.accept_damaged_copies = true;
  for (const std::size_t at : copies) {
    Bytes bytes = sound;
    bytes[at] ^= std::byte{1};
    EXPECT_FALSE(open_bytes(bytes));
    const auto opened = open_bytes(bytes, accepting);
    ASSERT_TRUE(opened) << opened.error().message();
    ASSERT_EQ((*opened)->open_faults().size(), 1U);
    EXPECT_EQ((*opened)->open_faults()[0].code, ErrorCode::block_checksum);
    EXPECT_EQ((*opened)->tables().size(), (*reader)->tables().size());
    RowGroup group;
    EXPECT_TRUE((*opened)->read_group(0, 0, group));
  }
  Bytes bytes = sound;
  bytes[copies[1]] ^= std::byte{1};
  bytes[copies[2]] ^= std::byte{1};
  EXPECT_FALSE(open_bytes(bytes, accepting));
}

TEST(Damage, LimitsAreToldWithTheirValue) {
  const Bytes bytes = written(small_image());
  ReadOptions options;
  options.limits.max_blocks = 3;
  const auto opened = open_bytes(bytes, options);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::limit_exceeded);
  EXPECT_TRUE(opened.error().what.ends_with("; the limit is 3")) << opened.error().what;
}

TEST(Damage, EveryTruncationIsNoticed) {
  const Bytes bytes = written(small_image());
  Tally tally;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_TRUE(tally.notices(cut)) << "cut at " << size;
  }
  tally.print("G7 every length");
}

TEST(Damage, ExtensionsConcatenationsAndHolesAreNoticed) {
  const Bytes bytes = written(small_image());
  Tally tally;
  for (std::size_t more = 1; more < 300; ++more) {
    Bytes longer = bytes;
    longer.resize(bytes.size() + more, std::byte{0});
    ASSERT_TRUE(tally.notices(longer)) << more << " bytes more";
  }
  Bytes twice = bytes;
  twice.insert(twice.end(), bytes.begin(), bytes.end());
  EXPECT_TRUE(tally.notices(twice));
  for (std::size_t at = 0; at + 512 <= bytes.size(); at += 64) {
    Bytes hole = bytes;
    std::fill_n(hole.begin() + static_cast<std::ptrdiff_t>(at), 512, std::byte{0});
    if (hole != bytes) {
      ASSERT_TRUE(tally.notices(hole)) << "hole at " << at;
    }
  }
  tally.print("G7 extensions and holes");
}

TEST(Damage, RandomBurstsAreNoticed) {
  const Bytes bytes = written(small_image());
  std::mt19937 random(1);
  const std::size_t cases = scaled(100'000);
  Tally tally;
  for (std::size_t i = 0; i < cases; ++i) {
    Bytes hurt = bytes;
    const std::size_t size = 1 + random() % 64;
    const std::size_t at = random() % (bytes.size() - size);
    for (std::size_t k = 0; k < size; ++k) hurt[at + k] = static_cast<std::byte>(random());
    if (hurt == bytes) continue;
    ASSERT_TRUE(tally.notices(hurt)) << size << " bytes at " << at << ", case " << i;
  }
  std::printf("G8 random bursts: cases=%zu failures=0\n", cases);
  tally.print("G8 random bursts");
}

// Swaps also the directory's entries, so that only the order of blocks is wrong.
TEST(Damage, SwappedBlocksAreRefused) {
  const ForgedFile file(written(small_image()));
  std::size_t cases = 0;
  for (std::size_t a = 0; a < file.blocks.size(); ++a) {
    for (std::size_t b = a + 1; b < file.blocks.size(); ++b) {
      ForgedFile swapped = file;
      std::swap(swapped.blocks[a], swapped.blocks[b]);
      // Only the unknown ancillary block may stand in several places.
      const bool harmless = b == a + 1 && file.blocks[a].head.info.type == 201;
      const bool harmless_too = b == a + 1 && file.blocks[b].head.info.type == 201;
      EXPECT_EQ(read_everything(swapped.sealed()).has_value(), harmless || harmless_too)
          << a << " and " << b;
      ++cases;
    }
  }
  std::printf("G8 swapped blocks: cases=%zu failures=%d\n", cases, HasFailure() ? 1 : 0);
}

TEST(Damage, MissingAndRepeatedBlocksAreRefused) {
  const ForgedFile file(written(small_image()));
  for (std::size_t i = 0; i < file.blocks.size(); ++i) {
    const std::uint8_t type = file.blocks[i].head.info.type;
    ForgedFile without = file;
    without.blocks.erase(without.blocks.begin() + static_cast<std::ptrdiff_t>(i));
    const bool may_go = type == 201 || type == 2;
    EXPECT_EQ(read_everything(without.sealed()).has_value(), may_go) << "without block " << i;
    ForgedFile twice = file;
    twice.blocks.insert(twice.blocks.begin() + static_cast<std::ptrdiff_t>(i), file.blocks[i]);
    EXPECT_EQ(read_everything(twice.sealed()).has_value(), type == 201) << "twice block " << i;
  }
}

// Two saves of one game with the same sequence number have the same file id; the directory tells
// their blocks apart.
TEST(Damage, RolledBackBlockIsRefused) {
  const MemoryImage before = small_image();
  MemoryImage after = small_image();
  RowGroup& slots = after.data[0].groups[0];
  const auto free_slot =
      std::find(slots.states.begin(), slots.states.end(), 0) - slots.states.begin();
  slots.generations[static_cast<std::size_t>(free_slot)] ^= 1;
  const Bytes old_bytes = written(before, {.codec = Codec::none});
  Bytes new_bytes = written(after, {.codec = Codec::none});
  ASSERT_EQ(old_bytes.size(), new_bytes.size());
  const BlockInfo block = (*open_bytes(new_bytes))->blocks()[3];
  ASSERT_EQ(block.type, 4);
  const auto from = old_bytes.begin() + static_cast<std::ptrdiff_t>(block.offset);
  const Bytes untouched = new_bytes;
  std::copy_n(from, block.total_bytes,
              new_bytes.begin() + static_cast<std::ptrdiff_t>(block.offset));
  ASSERT_NE(new_bytes, untouched);
  const Status status = read_everything(new_bytes);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::unexpected_block) << status.error().message();
  // Partial reads notice too.
  RowGroup group;
  EXPECT_FALSE((*open_bytes(new_bytes))->read_columns(0, 0, {}, group));
}

TEST(Damage, ForeignBlockIsRefused) {
  const Bytes foreign = written(small_image(), {.file_id = Hash128{7, 7}});
  Bytes bytes = written(small_image());
  ASSERT_EQ(bytes.size(), foreign.size());
  const BlockInfo block = (*open_bytes(bytes))->blocks()[3];
  const auto from = foreign.begin() + static_cast<std::ptrdiff_t>(block.offset);
  std::copy_n(from, block.total_bytes, bytes.begin() + static_cast<std::ptrdiff_t>(block.offset));
  const Status status = read_everything(bytes);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::foreign_block);
}

TEST(Damage, ErrorsTellWhereAndWhat) {
  Bytes bytes = written(small_image());
  const BlockInfo block = (*open_bytes(bytes))->blocks()[4];
  bytes[block.offset + 200] ^= std::byte{1};
  const Status status = read_everything(bytes);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::block_checksum);
  EXPECT_EQ(status.error().offset, block.offset + format::kBlockHeadBytes);
  EXPECT_EQ(status.error().where, "group 1 of table 'units'");
}

}  // namespace
}  // namespace hdb::test
