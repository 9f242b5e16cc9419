// What a repair does with additions of later versions: to tables, and blocks that belong to tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/sample.hpp"
#include "hdb/inspect/constants.hpp"
#include "salvage_tools.hpp"

namespace hdb::test {
namespace {

using ::testing::ElementsAre;

constexpr std::uint8_t kHint = 70;
constexpr std::uint8_t kCopied = 71;

std::vector<std::uint8_t> tags_of(const TableDescriptor& table) {
  std::vector<std::uint8_t> tags;
  for (const Extension& extension : table.extensions) tags.push_back(extension.tag);
  return tags;
}

// Changes a byte of the first row group of a table.
Bytes damaged(Bytes bytes, std::uint32_t table) {
  for (const BlockInfo& block : blocks_of(bytes)) {
    if (block.type != static_cast<std::uint8_t>(format::BlockType::rows) || block.table != table)
      continue;
    bytes[static_cast<std::size_t>(block.offset + block.total_bytes - 8)] ^= std::byte{1};
    return bytes;
  }
  ADD_FAILURE() << "the table has no rows";
  return bytes;
}

TEST(SalvageExtensions, OfATableWithLossAreDroppedUnlessSafeToCopy) {
  MemoryImage image = sample_image();
  for (SampleTable& table : image.data) {
    table.descriptor.extensions = {{kHint, 0, {std::byte{1}}},
                                   {kCopied, format::kExtensionSafeToCopy, {std::byte{2}}}};
  }
  const Bytes file = written(image, {.packs = false});
  const Repaired result = repair(damaged(file, 0));
  ASSERT_FALSE(result.error);
  EXPECT_EQ(result.fault, "");
  const auto reader = open_bytes(result.bytes).value();
  std::size_t with_loss = 0;
  for (const TableDescriptor& table : reader->tables()) {
    const TableSalvage& report = result.table(table.name);
    if (report.has_loss()) {
      ++with_loss;
      EXPECT_THAT(tags_of(table), ElementsAre(kCopied)) << table.name;
      EXPECT_EQ(report.extensions_dropped, 1U);
    } else {
      EXPECT_THAT(tags_of(table), ElementsAre(kHint, kCopied)) << table.name;
      EXPECT_EQ(report.extensions_dropped, 0U);
    }
  }
  EXPECT_GE(with_loss, 1U);
  EXPECT_LT(with_loss, reader->tables().size());
}

TEST(SalvageExtensions, OfTheDatabaseAreDroppedWithAnyLossUnlessSafeToCopy) {
  MemoryImage image = sample_image();
  image.extensions = {{kHint, 0, {std::byte{1}}},
                      {kCopied, format::kExtensionSafeToCopy, {std::byte{2}}}};
  const Bytes file = written(image, {.packs = false});
  const auto kept_of = [](const Bytes& bytes) {
    auto salvaged = salvage(std::make_unique<MemorySource>(bytes)).value();
    return std::pair(salvaged.image->database().extensions, salvaged.extensions_dropped);
  };
  EXPECT_EQ(kept_of(file), std::pair(image.extensions, std::uint64_t{0}));
  EXPECT_EQ(kept_of(damaged(file, 0)),
            std::pair(std::vector{image.extensions[1]}, std::uint64_t{1}));
}

AncillaryBlock block_of(const std::string& table, std::uint8_t type) {
  const auto name = std::as_bytes(std::span(table));
  return {type,
          format::kBlockSafeToCopy,
          0,
          0,
          3,
          {{format::kExtensionTableName, format::kExtensionSafeToCopy,
            Bytes(name.begin(), name.end())}},
          Bytes(3, std::byte{1})};
}

TEST(SalvageExtensions, ABlockOfATableThatIsLeftOutIsNotCopied) {
  MemoryImage image;
  image.schema_list = {plain_schema()};
  SampleTable clock = random_table(
      plain_schema(), {.name = "clock", .slots = 1, .live_percent = 100, .retired_percent = 0});
  clock.descriptor.singleton = true;
  image.add(std::move(clock));
  image.add(random_table(plain_schema(), {.name = "things"}));
  image.extra = {block_of("clock", 200), block_of("things", 201)};
  const Bytes file = written(image, {.packs = false});
  const auto copied_types = [](const Bytes& bytes) {
    std::vector<std::uint8_t> types;
    for (const BlockInfo& block : blocks_of(bytes)) {
      if (block.type >= 200) types.push_back(block.type);
    }
    return types;
  };
  EXPECT_THAT(copied_types(repair(file).bytes), ElementsAre(200, 201)) << "nothing is damaged";
  const Repaired result = repair(damaged(file, 0), {.drops_damaged_records = true});
  ASSERT_FALSE(result.error);
  ASSERT_TRUE(result.table("clock").is_left_out);
  EXPECT_THAT(copied_types(result.bytes), ElementsAre(201));
}

TEST(SalvageExtensions, ABrokenBlockIsListedOnce) {
  MemoryImage image = sample_image();
  const std::string& table = image.data[0].descriptor.name;
  image.extra = {block_of(table, 200), block_of(table, 200)};
  Bytes file = written(image);
  for (const BlockInfo& block : blocks_of(file)) {
    if (block.type == 200)
      file[static_cast<std::size_t>(block.offset + format::kBlockHeadBytes)] ^= std::byte{1};
  }
  EXPECT_EQ(repair(file).faults.size(), 2U);
}

TEST(SalvageExtensions, ABlockThatWasOnlyInTheLostDirectoryMayBeLostWhateverElseIsDamaged) {
  MemoryImage image = sample_image();
  image.extra = {block_of(image.data[0].descriptor.name, 200)};
  Bytes file = written(image);
  const auto spoil = [](Bytes& bytes, std::uint64_t offset) {
    bytes[static_cast<std::size_t>(offset)] ^= std::byte{1};
  };
  std::vector<std::uint64_t> catalogs;
  std::uint64_t later = 0;
  for (const BlockInfo& block : blocks_of(file)) {
    if (block.type == static_cast<std::uint8_t>(format::BlockType::catalog))
      catalogs.push_back(block.offset);
    if (block.type == 200) later = block.offset;
  }
  ASSERT_EQ(catalogs.size(), 2U);
  ASSERT_LT(later, catalogs[1]);
  spoil(file, file.size() - 1);  // so that nothing says where the directory is
  EXPECT_FALSE(repair(file).has_loss);
  for (const std::uint64_t catalog : catalogs) {
    Bytes without_copy = file;
    spoil(without_copy, catalog);
    EXPECT_FALSE(repair(without_copy).has_loss) << "the other copy has its size";
  }
  spoil(file, later);
  EXPECT_TRUE(repair(file).has_loss);
  for (const std::uint64_t catalog : catalogs) {
    for (const std::uint64_t at : {catalog, catalog + format::kBlockHeadBytes}) {
      Bytes worse = file;
      spoil(worse, at);
      EXPECT_TRUE(repair(worse).has_loss) << at;
    }
  }
}

// Nothing says what a block was that follows the second catalog and has no head any more.
TEST(SalvageExtensions, ABlockAtTheEndMayBeLostWithTheDirectory) {
  const Bytes file = written(sample_image());
  const std::vector<BlockInfo> blocks = blocks_of(file);
  const auto end = static_cast<std::ptrdiff_t>(blocks.back().offset + blocks.back().total_bytes);
  Bytes damaged = file;
  damaged.back() ^= std::byte{1};
  EXPECT_FALSE(repair(damaged).has_loss) << "the directory fills the end";
  for (const std::size_t cut : {std::size_t{1}, std::size_t{64}, std::size_t{100}}) {
    const Bytes shorter(file.begin(), file.end() - static_cast<std::ptrdiff_t>(cut));
    EXPECT_FALSE(repair(shorter).has_loss) << cut;
  }
  EXPECT_FALSE(repair(Bytes(file.begin(), file.begin() + end)).has_loss) << "nothing follows";
  damaged.insert(damaged.begin() + end, 96, std::byte{0x41});
  EXPECT_TRUE(repair(damaged).has_loss);
}

}  // namespace
}  // namespace hdb::test
