// Files of later versions: what a reader of today must not look at, and which verdict comes first.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/forge.hpp"
#include "format/read/damaged_file.hpp"
#include "format/small_file.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/validate.hpp"

namespace hdb::test {
namespace {

using format::BlockType;

constexpr auto kLater = static_cast<BlockType>(7);

ForgedFile plain_file() { return ForgedFile(written(small_image(), {.packs = false})); }

// A block of a type that does not exist yet, which may be ignored.
ForgedBlock later_block(const ForgedFile& file, std::uint8_t flags = 0) {
  ForgedBlock block;
  block.head.file_id = file.header.file_id;
  block.head.info.type = format::type_number(kLater);
  block.head.info.flags = flags;
  block.payload = Bytes(40, std::byte{9});
  block.head.info.raw_bytes = block.payload.size();
  return block;
}

std::string verdict_of(const Bytes& bytes, const ReadLimits& limits = {}) {
  const Validation found = validate(std::make_unique<MemorySource>(bytes),
                                    {.level = ValidationLevel::deep, .limits = limits});
  if (found.trouble) return std::string(code_name(found.trouble->code));
  return found.findings.empty() ? "sound" : std::string(code_name(found.findings[0].error.code));
}

// An indexed block whose chunks have a filter, a codec and widths of a later version.
ForgedFile with_later_chunks() {
  ForgedFile file = plain_file();
  ForgedBlock block = file.blocks[file.find(BlockType::rows)];
  block.head.info.type = format::type_number(kLater);
  block.head.info.flags = format::kBlockIndexed;
  file.blocks.insert(file.blocks.begin() + 1, block);
  std::vector<ForgedChunk> chunks = file.chunks(1);
  chunks[0].entry.info.filter = 77;
  chunks[0].entry.info.codec = 78;
  chunks[0].entry.width = 3;
  chunks[1].entry.info.raw_bytes = format::kMaxChunkRawBytes + 1;
  file.set_chunks(1, chunks);
  return file;
}

TEST(LaterFiles, ChunksOfUnknownBlocksMayHaveAnyFilterCodecAndWidth) {
  const ForgedFile file = with_later_chunks();
  EXPECT_EQ(verdict_of(file.sealed()), "sound");
}

TEST(LaterFiles, SizesAndHashesOfUnknownChunksAreChecked) {
  const auto changed = [](const auto& change) {
    ForgedFile file = with_later_chunks();
    change(file);
    return verdict_of(file.sealed());
  };
  const auto entry = format::kChunkIndexHeadBytes + format::kChunkEntryBytes;
  EXPECT_EQ(changed([](ForgedFile& file) { file.blocks[1].payload.back() ^= std::byte{1}; }),
            "block_checksum");
  EXPECT_EQ(changed([](ForgedFile& file) { ++file.blocks[1].head.info.raw_bytes; }), "bad_chunk");
  EXPECT_EQ(changed([&](ForgedFile& file) { file.blocks[1].payload[entry + 12] = std::byte{1}; }),
            "bad_chunk");
  for (const std::size_t field : {16U, 24U}) {  // stored and raw size: as large as can be
    EXPECT_EQ(changed([&](ForgedFile& file) {
                std::fill_n(
                    file.blocks[1].payload.begin() + static_cast<std::ptrdiff_t>(entry + field), 8,
                    std::byte{0xff});
              }),
              "bad_chunk");
  }
  EXPECT_EQ(changed([](ForgedFile& file) {  // three times 2^63 is 2^63 again, in 64 bits
              constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
              const std::size_t count = file.chunks(1).size();
              for (std::size_t i = 0; i < count; ++i) {
                store_le(file.blocks[1].payload.data() + format::kChunkIndexHeadBytes +
                             i * format::kChunkEntryBytes + 24,
                         i < 3 ? kHalf : std::uint64_t{0});
              }
              file.blocks[1].head.info.raw_bytes = kHalf;
            }),
            "bad_chunk");
}

TEST(LaterFiles, UnknownBlocksNeedNoKeysOfTheirOwn) {
  ForgedFile file = plain_file();
  file.blocks.insert(file.blocks.begin() + 1, 2, later_block(file, format::kBlockSafeToCopy));
  file.blocks[2].payload[0] = std::byte{1};  // of another table
  const Bytes bytes = file.sealed();
  EXPECT_EQ(verdict_of(bytes), "sound");
  const auto repaired = format::DamagedFile::open(std::make_unique<MemorySource>(bytes), {});
  ASSERT_TRUE(repaired) << repaired.error().message();
  const auto is_later = [](const AncillaryBlock& block) {
    return block.type == format::type_number(kLater);
  };
  const auto& kept = (*repaired)->ancillary_blocks();
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(), is_later), 2);
}

// What else is wrong with a file that needs a newer reader.
using Fault = void (*)(ForgedFile& file);

void spoil_metadata(ForgedFile& file) { file.blocks[0].payload.push_back(std::byte{1}); }
void spoil_title(ForgedFile& file) { file.blocks[0].payload[24] = std::byte{0x7f}; }
void remove_last_block(ForgedFile& file) { file.blocks.pop_back(); }
void claim_reserved_flags(ForgedFile& file) { file.blocks[1].head.info.flags |= 8; }
void leave_a_gap(ForgedFile& file) {
  file.change_entries = [](std::vector<BlockInfo>& entries) { entries.back().offset += 8; };
}
void claim_much_content(ForgedFile& file) {
  const std::size_t rows = file.find(BlockType::rows);
  for (int i = 0; i < 80; ++i) file.blocks.insert(file.blocks.begin(), file.blocks[rows]);
  for (ForgedBlock& block : file.blocks) {
    if (block.head.info.type == format::type_number(BlockType::rows))
      block.head.info.raw_bytes = format::kMaxPartRawBytes;
  }
}

TEST(LaterFiles, AMissingCriticalBlockTypeIsTheFirstVerdict) {
  const ReadLimits few_blocks{.max_blocks = 3};
  for (const Fault fault :
       {spoil_metadata, remove_last_block, claim_reserved_flags, leave_a_gap, claim_much_content}) {
    ForgedFile file = plain_file();
    file.blocks.insert(file.blocks.begin() + 1, later_block(file, format::kBlockCritical));
    fault(file);
    EXPECT_EQ(verdict_of(file.sealed()), "unknown_block");
    EXPECT_EQ(verdict_of(file.sealed(), few_blocks), "unknown_block");
  }
  ForgedFile file = plain_file();
  file.blocks.insert(file.blocks.begin() + 1, later_block(file, 0xff));
  EXPECT_EQ(verdict_of(file.sealed()), "unknown_block") << "reserved flags of the block itself";
  const auto repaired =
      format::DamagedFile::open(std::make_unique<MemorySource>(file.sealed()), {});
  ASSERT_FALSE(repaired);
  EXPECT_EQ(repaired.error().code, ErrorCode::unknown_block);
}

// The small image in two tables, whose second table needs a newer reader.
ForgedFile with_critical_extension() {
  constexpr std::uint8_t kLaterTag = 77;
  MemoryImage image = small_image();
  SampleTable second = image.data[0];
  second.descriptor.name += '2';
  second.descriptor.extensions = {{kLaterTag, format::kExtensionSafeToCopy, Bytes(5)}};
  image.add(std::move(second));
  ForgedFile file(written(image, {.packs = false}));
  for (ForgedBlock& block : file.blocks) {
    if (block.head.info.type != format::type_number(BlockType::catalog)) continue;
    const Bytes stored{std::byte{kLaterTag}, std::byte{format::kExtensionSafeToCopy}, std::byte{5}};
    const auto at =
        std::search(block.payload.begin(), block.payload.end(), stored.begin(), stored.end());
    at[1] = std::byte{format::kExtensionCritical};
  }
  return file;
}

// Of the first table, whose descriptor follows its name: type id, schema, layout, storage.
void set_unknown_storage(ForgedFile& file) {
  for (ForgedBlock& block : file.blocks) {
    if (block.head.info.type != format::type_number(BlockType::catalog)) continue;
    const std::string name = small_image().data[0].descriptor.name;
    const auto wanted = std::as_bytes(std::span(name));
    const auto at =
        std::search(block.payload.begin(), block.payload.end(), wanted.begin(), wanted.end());
    at[static_cast<std::ptrdiff_t>(name.size() + 2 + 4 + 3)] = std::byte{9};
  }
}
// The field type of the first field of the first schema.
void set_unknown_field_type(ForgedFile& file) {
  for (ForgedBlock& block : file.blocks) {
    if (block.head.info.type == format::type_number(BlockType::catalog))
      block.payload[4 + 4 + 4] = std::byte{99};
  }
}

TEST(LaterFiles, ACriticalExtensionOfATableIsTheFirstVerdict) {
  EXPECT_EQ(verdict_of(with_critical_extension().sealed()), "unknown_feature");
  for (const Fault fault : {spoil_title, set_unknown_storage, set_unknown_field_type}) {
    ForgedFile file = with_critical_extension();
    fault(file);
    EXPECT_EQ(verdict_of(file.sealed()), "unknown_feature");
    const auto reader = open_bytes(file.sealed());
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, ErrorCode::unknown_feature);
    ForgedFile sound = plain_file();
    fault(sound);
    EXPECT_NE(verdict_of(sound.sealed()), "sound");
  }
}

TEST(LaterFiles, OneSoundCopyOfTheCatalogIsEnoughToKnow) {
  Bytes bytes = with_critical_extension().sealed();
  const ForgedFile file = with_critical_extension();
  const auto reader = open_bytes(plain_file().sealed());
  ASSERT_TRUE(reader);
  std::size_t at = format::kHeaderBytes;
  for (std::size_t i = 0; i < file.find(BlockType::catalog); ++i)
    at += format::block_bytes(file.blocks[i].payload.size());
  bytes[at + format::kBlockHeadBytes] ^= std::byte{1};
  EXPECT_EQ(verdict_of(bytes), "unknown_feature");
}

TEST(LaterFiles, AGroupMayBeAsDenseAsTheFile) {
  MemoryImage image;
  image.schema_list = {record({node(FieldKind::list, "list", {leaf(FieldKind::u8)})})};
  SampleTable table;
  table.descriptor.name = "t";
  table.descriptor.policy.storage = Storage::stable;
  table.descriptor.slot_count = table.descriptor.live_count = 1;
  table.descriptor.highest_generation = 1;
  RowGroup group;
  group.states = {1};
  group.generations = {1};
  constexpr std::uint64_t kBytes = 70'000'000;
  group.columns.resize(2);
  ByteWriter(group.columns[0]).varint(kBytes);
  group.columns[1].resize(kBytes);
  table.groups.push_back(std::move(group));
  image.add(std::move(table));
  image.gives_hashes = false;
  WriteOptions options;
  options.limits.max_content_ratio = ~std::uint64_t{0};
  const Bytes file = written(image, options);
  EXPECT_LT(file.size(), 10'000u);
  EXPECT_TRUE(open_bytes(file));
}

}  // namespace
}  // namespace hdb::test
