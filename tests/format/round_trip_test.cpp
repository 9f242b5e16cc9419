// What is written is read back: every kind of field, storage, policy and state of a slot.
#include <gtest/gtest.h>

#include "format/sample.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::test {
namespace {

void expect_round_trip(const MemoryImage& image, const WriteOptions& options = {}) {
  const Bytes bytes = written(image, options);
  ReadOptions read;
  read.verify_raw_hashes = true;
  const Status status = read_everything(bytes, read);
  ASSERT_TRUE(status) << status.error().message();
  auto reader = open_bytes(bytes);
  ASSERT_TRUE(reader) << reader.error().message();
  expect_equal(image, *image_of(std::move(*reader)));
}

TEST(RoundTrip, EveryKindOfFieldStorageAndState) { expect_round_trip(sample_image()); }

TEST(RoundTrip, WithoutCompression) { expect_round_trip(sample_image(), {.codec = Codec::none}); }

TEST(RoundTrip, WithoutFilters) { expect_round_trip(sample_image(), {.filters = false}); }

TEST(RoundTrip, NoTablesAtAll) { expect_round_trip(MemoryImage{}); }

TEST(RoundTrip, TablesThatAreAllLiveAllFreeAllRetired) {
  MemoryImage image;
  image.schema_list = {every_kind()};
  image.add(random_table(image.schema_list[0],
                         {.name = "free", .live_percent = 0, .retired_percent = 0}));
  image.add(random_table(image.schema_list[0],
                         {.name = "live", .live_percent = 100, .retired_percent = 0}));
  image.add(random_table(image.schema_list[0],
                         {.name = "retired", .live_percent = 0, .retired_percent = 100}));
  expect_round_trip(image);
}

// A column of 9 MiB continues in a second piece, and the group in a second part.
TEST(RoundTrip, ColumnsAndGroupsThatContinue) {
  MemoryImage image;
  image.schema_list = {record(
      {leaf(FieldKind::opaque, "a"), leaf(FieldKind::u8, "b"), leaf(FieldKind::opaque, "c")})};
  SampleTable table = random_table(
      image.schema_list[0], {.name = "big", .slots = 1, .live_percent = 100, .retired_percent = 0});
  RowGroup& group = table.groups[0];
  for (const std::size_t column : {0U, 3U}) {
    const std::size_t size = (std::size_t{9} << 20) + column;
    group.columns[column].clear();
    ByteWriter(group.columns[column]).varint(size);
    group.columns[column + 1].assign(size, std::byte{'x'});
    group.columns[column + 1][size / 2] = std::byte{'y'};
  }
  group.record_hash.reset();
  image.add(std::move(table));
  expect_round_trip(image);
  expect_round_trip(image, {.codec = Codec::none});
  const Bytes bytes = written(image);
  auto reader = open_bytes(bytes);
  const auto chunks = (*reader)->chunks(0, 0);
  ASSERT_TRUE(chunks) << chunks.error().message();
  unsigned pieces = 0;
  for (const ChunkInfo& chunk : *chunks) pieces += chunk.piece;
  EXPECT_EQ(pieces, 2U);
  unsigned parts = 0;
  for (const BlockInfo& block : (*reader)->blocks()) parts += block.part;
  EXPECT_GE(parts, 2U);  // the second catalog, and a second part
}

TEST(RoundTrip, FreeListOfSeveralBlocks) {
  MemoryImage image;
  image.schema_list = {record({})};
  image.add(
      random_table(image.schema_list[0],
                   {.name = "many", .slots = 600000, .live_percent = 1, .retired_percent = 0}));
  expect_round_trip(image);
}

TEST(RoundTrip, StateHashIsTheSameFromRowBytesAndFromColumns) {
  MemoryImage image = sample_image();
  MemorySink sink;
  const auto given = write_image(image, sink);
  image.gives_hashes = false;
  const auto computed = write_image(image, sink);
  ASSERT_TRUE(given && computed);
  EXPECT_EQ(given->state_hash, computed->state_hash);
}

// A block of an unknown type that belongs to a table.
AncillaryBlock block_of(const std::string& table) {
  const auto name = std::as_bytes(std::span(table));
  const Extension table_name{
      format::kExtensionTableName, format::kExtensionSafeToCopy, {name.begin(), name.end()}};
  return {200, 2, 2, 3, 99, {table_name}, Bytes(5, std::byte{1})};
}

TEST(RoundTrip, RewritingAFileGivesTheSameBytes) {
  MemoryImage image = sample_image();
  image.extra.push_back(block_of(image.data[0].descriptor.name));
  const Bytes bytes = written(image);
  auto reader = open_bytes(bytes);
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(written(*image_of(std::move(*reader))), bytes);
}

TEST(RoundTrip, RewritingAFileLeavesOutBlocksOfTablesThatItDoesNotHave) {
  MemoryImage image = sample_image();
  const Bytes without = written(image);
  image.extra.push_back(block_of("no table"));
  auto reader = open_bytes(written(image));
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(written(*image_of(std::move(*reader))), without);
}

TEST(ReadInfo, TellsMetadataAndStateHash) {
  const MemoryImage image = sample_image();
  MemorySink sink;
  const auto report = write_image(image, sink);
  MemorySource source(sink.bytes());
  const auto info = read_info(source);
  ASSERT_TRUE(info) << info.error().message();
  EXPECT_EQ(info->metadata, image.meta);
  EXPECT_EQ(info->state_hash, report->state_hash);
  EXPECT_EQ(info->file_id, report->file_id);
  EXPECT_EQ(info->file_bytes, sink.bytes().size());
}

TEST(ReadInfo, EveryTruncationIsNoticed) {
  const Bytes bytes = written(MemoryImage{});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    MemorySource source = MemorySource::borrowing(std::span<const std::byte>(bytes).first(size));
    EXPECT_FALSE(read_info(source)) << "cut at " << size;
  }
}

TEST(ReadColumns, GivesTheWantedOnesAndNoOther) {
  const MemoryImage image = sample_image();
  const Bytes bytes = written(image);
  auto reader = open_bytes(bytes);
  ASSERT_TRUE(reader);
  const std::size_t columns = image.data[0].groups[0].columns.size();
  RowGroup group;
  for (std::uint32_t i = 0; i < columns; ++i) {
    const Status status = (*reader)->read_columns(0, 0, {&i, 1}, group);
    ASSERT_TRUE(status) << status.error().message();
    for (std::size_t k = 0; k < columns; ++k) {
      EXPECT_EQ(group.columns[k], k == i ? image.data[0].groups[0].columns[k] : Bytes{});
    }
    EXPECT_EQ(group.states, image.data[0].groups[0].states);
    EXPECT_EQ(group.positions, image.data[0].groups[0].positions);
  }
  const auto none = static_cast<std::uint32_t>(columns);
  EXPECT_FALSE((*reader)->read_columns(0, 0, {&none, 1}, group));
}

TEST(ReadColumns, ReadsLessThanTheGroup) {
  const MemoryImage image = sample_image();
  const Bytes bytes = written(image);
  auto reader = open_bytes(bytes);
  ASSERT_TRUE(reader);
  RowGroup group;
  std::uint64_t before = (*reader)->bytes_read();
  ASSERT_TRUE((*reader)->read_group(3, 0, group));
  const std::uint64_t whole = (*reader)->bytes_read() - before;
  before += whole;
  const std::uint32_t flags = 4;
  ASSERT_TRUE((*reader)->read_columns(3, 0, {&flags, 1}, group));
  EXPECT_LT((*reader)->bytes_read() - before, whole / 2);
}

}  // namespace
}  // namespace hdb::test
