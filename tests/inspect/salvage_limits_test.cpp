// What a repair refuses, and files made to be slow or large.
#include <gtest/gtest.h>

#include <algorithm>

#include "format/forge.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"
#include "inspect/salvage_tools.hpp"
#include "inspect/swept_file.hpp"
#include "support/using_detail.hpp"

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

TEST(SalvageLimits, EachLimitIsKept) {
  const Bytes& file = swept();
  const auto refusal = [&](const auto& change) {
    SalvageOptions options;
    change(options.limits);
    const Repaired repaired = repair(file, options);
    return repaired.error ? std::string(code_name(repaired.error->code)) : "none";
  };
  EXPECT_EQ(refusal([](ReadLimits&) {}), "none");
  EXPECT_EQ(refusal([](ReadLimits& l) { l.max_file_bytes = 100; }), "limit_exceeded");
  EXPECT_EQ(refusal([](ReadLimits& l) { l.max_directory_bytes = 100; }), "limit_exceeded");
  EXPECT_EQ(refusal([](ReadLimits& l) { l.max_blocks = 3; }), "limit_exceeded");
  EXPECT_EQ(refusal([](ReadLimits& l) { l.max_metadata_bytes = 3; }), "limit_exceeded");
  EXPECT_EQ(refusal([](ReadLimits& l) { l.max_thumbnail_bytes = 3; }), "limit_exceeded");
  EXPECT_EQ(refusal([](ReadLimits& l) { l.max_memory_bytes = 10; }), "memory_budget");
  // Blocks that no directory lists count, too.
  SalvageOptions few;
  few.limits.max_blocks = 3;
  const Repaired found = repair(std::span(file).first(file.size() - format::kFooterBytes), few);
  ASSERT_TRUE(found.error);
  EXPECT_EQ(found.error->code, ErrorCode::limit_exceeded);
}

// Lengths may say anything: what a column needs by them is not made up for a small block.
TEST(SalvageLimits, DefaultsAreNotLargerThanTheirBlockMayBe) {
  ForgedFile forged(plain());
  const auto reader = Reader::open(std::make_unique<MemorySource>(plain())).value();
  const auto& tables = reader->tables();
  const auto heroes = std::find_if(tables.begin(), tables.end(),
                                   [](const auto& table) { return table.name == "heroes"; });
  const std::vector<Column> columns = columns_of(reader->schemas()[heroes->schema]);
  const auto items = std::find_if(columns.begin(), columns.end(), [](const Column& column) {
    return column.path == "items" && column.role == ColumnRole::lengths;
  });
  ASSERT_NE(items, columns.end());
  Bytes lengths(static_cast<std::size_t>(heroes->live_count) - 1, std::byte{0});
  lengths.insert(lengths.begin(), {std::byte{0x80}, std::byte{0x80}, std::byte{0x80},
                                   std::byte{0x08}});  // 2^24 elements in the first list
  forged.set_column(
      forged.find(format::BlockType::rows, static_cast<std::uint32_t>(heroes - tables.begin())),
      static_cast<std::uint32_t>(items - columns.begin()) + format::kFirstSchemaColumn, lengths);
  const Repaired result = repair(forged.sealed());
  ASSERT_EQ(result.fault, "");
  EXPECT_EQ(result.table("heroes").lost_groups.size(), 1U);
}

// To the head of a block without extensions.
void add_critical_extension(ForgedBlock& block) {
  constexpr std::uint8_t kTag = 77;
  const Bytes list{
      std::byte{1}, std::byte{kTag}, std::byte{format::kExtensionCritical}, {}, {}, {}, {}, {}};
  block.head.info.extension_bytes = static_cast<std::uint32_t>(list.size());
  block.payload.insert(block.payload.begin(), list.begin(), list.end());
}

TEST(SalvageLimits, FilesOfNewerProgramsAreNotRewritten) {
  const ForgedFile sound(swept());
  const auto refusal = [&](const auto& change) {
    ForgedFile forged = sound;
    change(forged);
    const Repaired repaired = repair(forged.sealed());
    return repaired.error ? std::string(code_name(repaired.error->code)) : "none";
  };
  EXPECT_EQ(refusal([](ForgedFile&) {}), "none");
  EXPECT_EQ(refusal([](ForgedFile& file) { file.header.features.read_only = 2; }),
            "read_only_feature");
  EXPECT_EQ(refusal([](ForgedFile& file) { file.header.features.incompatible = 1; }),
            "unknown_feature");
  EXPECT_EQ(refusal([](ForgedFile& file) { file.header.version_major = 2; }), "newer_version");
  EXPECT_EQ(refusal([](ForgedFile& file) {
              ForgedBlock block = file.blocks[1];
              block.head.info.type = 201;
              block.head.info.flags = format::kBlockCritical;
              file.blocks.insert(file.blocks.end() - 1, block);
            }),
            "unknown_block");
  std::size_t extended = 0;
  for (std::size_t i = 0; i < sound.blocks.size(); ++i) {
    if (sound.blocks[i].head.info.extension_bytes != 0) continue;
    ++extended;
    EXPECT_EQ(refusal([&](ForgedFile& file) { add_critical_extension(file.blocks[i]); }),
              "unknown_feature")
        << i;
  }
  EXPECT_GT(extended, 4U);
  EXPECT_EQ(refusal([](ForgedFile& file) {
              for (ForgedBlock& block : file.blocks) {
                if (block.head.info.type == format::type_number(format::BlockType::catalog))
                  add_critical_extension(block);
              }
            }),
            "unknown_feature");
}

// What the hashes do not notice.
TEST(SalvageLimits, FaultsOutsideOfTablesAreReportedAndLoseNoRecord) {
  const ForgedFile sound(swept());
  const auto faults = [&](const auto& change) {
    ForgedFile forged = sound;
    Bytes file = change(forged);
    const Repaired repaired = repair(file);
    EXPECT_FALSE(repaired.error) << repaired.error->message();
    EXPECT_EQ(repaired.fault, "");
    std::string found;
    for (const FrameFault& fault : repaired.faults)
      found += std::string(code_name(fault.error.code)) + (fault.is_loss ? " lost " : " ");
    for (const TableSalvage& table : repaired.tables) {
      EXPECT_FALSE(table.has_loss()) << table.name;
      for (const LostGroups& lost : table.lost_groups)
        ADD_FAILURE() << lost.error.message() << lost.first_group;
      for (const Error& fault : table.free_list_faults) ADD_FAILURE() << fault.message();
    }
    return found;
  };
  EXPECT_EQ(faults([](ForgedFile& file) { return file.sealed(); }), "");
  EXPECT_EQ(faults([](ForgedFile& file) {
              file.blocks[0].payload.pop_back();  // of metadata
              return file.sealed();
            }),
            "bad_metadata lost ");
  EXPECT_EQ(faults([](ForgedFile& file) {
              store_le(file.blocks[2].payload.data(), ~std::uint32_t{0});  // of the first catalog
              return file.sealed();
            }),
            "bad_schema ");
  EXPECT_EQ(faults([](ForgedFile& file) {
              file.claimed_entries = 1;
              return file.sealed();
            }),
            "bad_directory ");
  EXPECT_EQ(faults([](ForgedFile& file) {
              file.change_entries = [](std::vector<BlockInfo>& all) {
                all[3].offset = std::uint64_t{1} << 40;  // after the end
                all[4].offset += 4;                      // no multiple of 8
              };
              return file.sealed();
            }),
            "");
  EXPECT_EQ(faults([](ForgedFile& file) {
              Bytes bytes = file.sealed();
              file.header.file_id.low ^= 1;
              const auto header = format::encode_header(file.header);
              std::copy(header.begin(), header.end(), bytes.begin());
              return bytes;
            }),
            "foreign_block ");
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
