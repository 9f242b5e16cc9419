// Additions of later versions: read past, kept by rewriters, hashed if they are state, refused if
// they are critical.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/blake2b.hpp"
#include "format/forge.hpp"
#include "format/small_file.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/validate.hpp"

namespace hdb::test {
namespace {

using namespace format;
using ::testing::HasSubstr;

constexpr std::uint8_t kTag = 77;

Extension extension(std::uint8_t flags, std::string_view bytes = "later") {
  const auto raw = std::as_bytes(std::span(bytes.data(), bytes.size()));
  return {kTag, flags, Bytes(raw.begin(), raw.end())};
}

// The small image with extensions of its table and of a nested field.
MemoryImage extended_image(std::uint8_t table_flags, std::uint8_t field_flags) {
  MemoryImage image = small_image();
  image.data[0].descriptor.extensions = {extension(table_flags)};
  image.schema_list[0].children[2].children[0].extensions = {extension(field_flags)};
  return image;
}

Hash128 hash_of(const MemoryImage& image) {
  MemorySink sink;
  return write_image(image, sink).value().state_hash;
}

TEST(Extensions, OfTablesAndFieldsAreReadAndKept) {
  const MemoryImage image = extended_image(kExtensionHashed, kExtensionSafeToCopy);
  const Bytes bytes = written(image);
  EXPECT_TRUE(read_everything(bytes));
  auto reader = open_bytes(bytes);
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ((*reader)->tables()[0], image.tables()[0]);
  EXPECT_EQ((*reader)->schemas()[0], image.schema_list[0]);
  EXPECT_EQ(written(*image_of(std::move(*reader))), bytes);
}

TEST(Extensions, CountForTheStateHashOnlyIfTheySaySo) {
  const Hash128 plain = hash_of(small_image());
  EXPECT_EQ(hash_of(extended_image(0, 0)), plain);
  EXPECT_NE(hash_of(extended_image(kExtensionHashed, 0)), plain);
  EXPECT_NE(hash_of(extended_image(0, kExtensionHashed)), plain);
  MemoryImage other = extended_image(kExtensionHashed, 0);
  other.data[0].descriptor.extensions = {extension(kExtensionHashed, "other")};
  EXPECT_NE(hash_of(other), hash_of(extended_image(kExtensionHashed, 0)));
}

MemoryImage image_with(Extension of_database) {
  MemoryImage image = small_image();
  image.extensions = {std::move(of_database)};
  return image;
}

TEST(Extensions, OfTheDatabaseAreReadKeptAndHashedIfTheySaySo) {
  const MemoryImage image = image_with(extension(kExtensionHashed));
  const Bytes bytes = written(image);
  EXPECT_TRUE(read_everything(bytes));
  auto reader = open_bytes(bytes);
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ((*reader)->database(), image.database());
  EXPECT_EQ(written(*image_of(std::move(*reader))), bytes);
  const Hash128 plain = hash_of(small_image());
  EXPECT_EQ(hash_of(image_with(extension(0))), plain);
  EXPECT_NE(hash_of(image), plain);
  EXPECT_NE(hash_of(image), hash_of(image_with(extension(kExtensionHashed, "other"))));
}

TEST(Extensions, CriticalOnesNeedANewerReader) {
  for (const MemoryImage& image :
       {extended_image(kExtensionSafeToCopy, 0), extended_image(0, kExtensionSafeToCopy),
        image_with(extension(kExtensionSafeToCopy))}) {
    // The writer refuses what the reader refuses, so the flag is set in the written catalogs.
    ForgedFile file(written(image));
    for (ForgedBlock& block : file.blocks) {
      if (block.head.info.type != static_cast<std::uint8_t>(BlockType::catalog)) continue;
      const Bytes stored{std::byte{kTag}, std::byte{kExtensionSafeToCopy}, std::byte{5}};
      const auto at =
          std::search(block.payload.begin(), block.payload.end(), stored.begin(), stored.end());
      ASSERT_NE(at, block.payload.end());
      at[1] = std::byte{kExtensionCritical};
    }
    const auto reader = open_bytes(file.sealed());
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, ErrorCode::unknown_feature) << reader.error().message();
    EXPECT_THAT(reader.error().message(), HasSubstr("extension 77 is critical"));
  }
}

TEST(Extensions, TheWriterRefusesCriticalOnes) {
  MemorySink sink;
  EXPECT_FALSE(write_image(extended_image(kExtensionCritical, 0), sink));
  EXPECT_FALSE(write_image(extended_image(0, kExtensionCritical), sink));
}

// --- block heads

Bytes region_of(const std::vector<Extension>& extensions) {
  Bytes bytes;
  ByteWriter out(bytes);
  write_extensions(extensions, out);
  out.pad_to(kAlignment);
  return bytes;
}

// Puts a region in front of the content of a block.
void extend(ForgedBlock& block, const Bytes& region) {
  block.head.info.extension_bytes = static_cast<std::uint32_t>(region.size());
  block.payload.insert(block.payload.begin(), region.begin(), region.end());
}

TEST(Extensions, OfAllHeadsAreReadPast) {
  for (const bool packs : {true, false}) {
    const MemoryImage image = sample_image();
    const Bytes plain = written(image, {.packs = packs});
    ForgedFile file(plain, false);
    for (ForgedBlock& block : file.blocks) extend(block, region_of({extension(0)}));
    const Bytes bytes = file.sealed();
    const Status read = read_everything(bytes);
    ASSERT_TRUE(read) << read.error().message();
    auto reader = open_bytes(bytes);
    ASSERT_TRUE(reader) << reader.error().message();
    expect_equal(image, *image_of(std::move(*reader)));
  }
}

Bytes ids_of(std::size_t count) { return Bytes(32 * count, std::byte{5}); }

TEST(Extensions, OfHeadsMustBePossible) {
  const auto fault_of = [](BlockType type, const Bytes& region) -> std::string {
    ForgedFile file(written(small_image(), {.packs = false}));
    extend(file.blocks[file.find(type)], region);
    const Status read = read_everything(file.sealed());
    return read ? "sound" : std::string(code_name(read.error().code)) + ": " + read.error().what;
  };
  const auto raw = [](std::initializer_list<int> bytes) {
    Bytes region;
    for (const int byte : bytes) region.push_back(static_cast<std::byte>(byte));
    return region;
  };
  const BlockType rows = BlockType::rows;
  EXPECT_EQ(fault_of(rows, region_of({extension(0)})), "sound");
  EXPECT_THAT(fault_of(rows, region_of({extension(kExtensionCritical)})),
              HasSubstr("unknown_feature: extension 77 is critical"));
  EXPECT_THAT(fault_of(rows, region_of({extension(8)})), HasSubstr("reserved flags"));
  EXPECT_THAT(fault_of(rows, region_of({})), HasSubstr("no extension"));
  EXPECT_THAT(fault_of(rows, raw({1, 9, 0, 0, 1, 0, 0, 0})), HasSubstr("not zero"));
  EXPECT_THAT(fault_of(rows, raw({1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})),
              HasSubstr("more bytes follow"));
  EXPECT_THAT(fault_of(rows, raw({2, 9, 0, 0, 9, 0, 0, 0})), HasSubstr("rising order"));
  EXPECT_THAT(fault_of(rows, raw({1, 0, 0, 0, 0, 0, 0, 0})), HasSubstr("rising order"));
  EXPECT_THAT(fault_of(rows, raw({9, 9, 0, 0, 0, 0, 0, 0})), HasSubstr("do not fit"));
  EXPECT_THAT(fault_of(rows, raw({1, 9, 0, 100, 0, 0, 0, 0})), HasSubstr("bad_block_head"));

  const Extension name{kExtensionTableName, kExtensionSafeToCopy, {std::byte{'a'}}};
  EXPECT_THAT(fault_of(rows, region_of({name})), HasSubstr("does not name its table"));
  const auto other = static_cast<BlockType>(201);
  EXPECT_EQ(fault_of(other, region_of({name})), "sound");
  EXPECT_THAT(fault_of(other, region_of({{kExtensionTableName, kExtensionSafeToCopy, {}}})),
              HasSubstr("not possible"));
  EXPECT_THAT(fault_of(other, region_of({{kExtensionTableName, 0, {std::byte{'a'}}}})),
              HasSubstr("not possible"));

  ForgedFile file(written(small_image(), {.packs = false}));
  const std::size_t count = file.chunks(file.find(rows)).size();
  EXPECT_EQ(fault_of(rows, region_of({{kExtensionChunkIds, 0, ids_of(count)}})), "sound");
  EXPECT_THAT(fault_of(rows, region_of({{kExtensionChunkIds, 0, ids_of(count + 1)}})),
              HasSubstr("do not fit the index"));
  EXPECT_THAT(fault_of(BlockType::metadata, region_of({{kExtensionChunkIds, 0, ids_of(1)}})),
              HasSubstr("without chunks"));
}

TEST(Extensions, IdsOfChunksAreCompared) {
  ForgedFile file(written(sample_image(), {.packs = false}));
  const std::size_t rows = file.find(BlockType::rows);
  Bytes ids;
  ChunkDecoder decoder;
  for (const ForgedChunk& chunk : file.chunks(rows)) {
    Bytes raw(static_cast<std::size_t>(chunk.entry.info.raw_bytes));
    ASSERT_TRUE(decoder.decode(chunk.entry, chunk.stored, raw, true));
    const auto id = detail::blake2b_256(raw);
    ids.insert(ids.end(), id.begin(), id.end());
  }
  const auto checked = [&](const Bytes& stored) -> std::string {
    ForgedFile forged = file;
    extend(forged.blocks[rows], region_of({{kExtensionChunkIds, 0, stored}}));
    const Validation found =
        validate(std::make_unique<MemorySource>(forged.sealed()), {.level = ValidationLevel::full});
    return found.findings.empty() ? "sound" : found.findings.front().error.message();
  };
  EXPECT_EQ(checked(ids), "sound");
  for (const std::size_t at : {std::size_t{0}, ids.size() - 1}) {
    Bytes wrong = ids;
    wrong[at] ^= std::byte{1};
    EXPECT_THAT(checked(wrong), HasSubstr("do not match its BLAKE2b id"));
  }
}

TEST(Extensions, OfHeadsMustFitThePayload) {
  ForgedFile file(written(small_image()));
  file.blocks[0].head.info.extension_bytes = 8 * 0xffff;
  const auto reader = open_bytes(file.sealed());
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().message(), HasSubstr("do not fit the payload"));
}

TEST(Extensions, UnknownBlocksNameTheirTableNotByItsIndex) {
  ForgedFile file(written(small_image()));
  file.blocks[file.find(static_cast<BlockType>(201))].head.info.table = 1;
  const auto reader = open_bytes(file.sealed());
  ASSERT_FALSE(reader);
  EXPECT_THAT(reader.error().message(), HasSubstr("names a table by its index"));
}

}  // namespace
}  // namespace hdb::test
