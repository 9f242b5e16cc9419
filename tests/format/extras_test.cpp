// C4 and C5 of SlotChecker: unique names, blocks that lie in their buffer without overlapping.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/sample.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test {
namespace {

// A table of live slots only, with nothing in its records but the extra columns.
struct ExtraTable {
  TableDescriptor table;
  RowGroup group;

  explicit ExtraTable(std::size_t live) {
    table.name = "extras";
    table.policy.storage = Storage::stable;
    table.slot_count = table.live_count = live;
    table.highest_generation = 1;
    table.group_shift = 16;
    group.states.assign(live, 1);
    group.generations.assign(live, 1);
  }
  [[nodiscard]] Status check() const {
    SlotChecker checker(table);
    if (auto added = checker.add_group(0, group); !added) return added;
    return checker.finish();
  }
  void add_texts(const std::vector<std::string>& texts) {
    Bytes lengths;
    Bytes bytes;
    for (const std::string& text : texts) {
      ByteWriter(lengths).varint(text.size());
      ByteWriter(bytes).raw(bytes_of(text));
    }
    group.columns.push_back(lengths);
    group.columns.push_back(bytes);
  }
};

Status check_names(RecordNames rule, const std::vector<std::string>& names) {
  ExtraTable table(names.size());
  table.table.policy.names = rule;
  table.add_texts(names);
  return table.check();
}

struct Block {
  std::uint64_t offset;
  std::size_t size;
};

Status check_blocks(Compaction compaction, const std::vector<Block>& blocks) {
  ExtraTable table(blocks.size());
  table.table.blobs = BlobPolicy{64, 16, compaction};
  Bytes offsets;
  std::vector<std::string> bytes;
  for (const Block& block : blocks) {
    ByteWriter(offsets).u64(block.offset);
    bytes.emplace_back(block.size, 'b');
  }
  table.group.columns.push_back(offsets);
  table.add_texts(bytes);
  return table.check();
}

void expect_code(const Status& status, ErrorCode code) {
  ASSERT_FALSE(status);
  EXPECT_EQ(code_name(status.error().code), code_name(code)) << status.error().message();
}

TEST(SlotChecker, NamesAreUniqueByTheRuleOfTheTable) {
  EXPECT_TRUE(check_names(RecordNames::exact, {"a", "A", "", "", "b"}));
  expect_code(check_names(RecordNames::exact, {"a", "b", "a"}), ErrorCode::bad_names);
  expect_code(check_names(RecordNames::ignore_case, {"brick", "x", "BRick"}), ErrorCode::bad_names);
  EXPECT_TRUE(check_names(RecordNames::ignore_case, {"\xc3\x84", "\xc3\xa4", "[", "{"}))
      << "only ASCII letters have a case";
}

TEST(SlotChecker, BlocksAreAlignedInTheBufferAndApart) {
  for (const Compaction compaction : {Compaction::at_release, Compaction::on_demand}) {
    EXPECT_TRUE(check_blocks(compaction, {{16, 0}, {0, 1}, {32, 32}}));
    expect_code(check_blocks(compaction, {{0, 16}, {8, 16}}), ErrorCode::bad_blobs);
    expect_code(check_blocks(compaction, {{0, 17}, {16, 1}}), ErrorCode::bad_blobs);
    expect_code(check_blocks(compaction, {{0, 65}}), ErrorCode::bad_blobs);
    expect_code(check_blocks(compaction, {{64, 0}}), ErrorCode::bad_blobs);
    expect_code(check_blocks(compaction, {{~std::uint64_t{15}, 16}}), ErrorCode::bad_blobs);
  }
  EXPECT_TRUE(check_blocks(Compaction::on_demand, {{32, 1}}));
  expect_code(check_blocks(Compaction::at_release, {{32, 1}}), ErrorCode::bad_blobs);
}

TEST(SlotChecker, TablesWithNamesOrBlobsNeedTheirColumns) {
  ExtraTable table(1);
  table.table.policy.names = RecordNames::exact;
  expect_code(table.check(), ErrorCode::bad_lengths);
}

}  // namespace
}  // namespace hdb::test
