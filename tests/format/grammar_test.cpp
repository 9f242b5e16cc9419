// F12: the grammar of nested columns, on hand-made groups.
#include <gtest/gtest.h>

#include "format/sample.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/inspect/checks.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test {
namespace {

Bytes bytes(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

// A group of `live` live slots and these columns.
RowGroup group_of(std::size_t live, std::vector<Bytes> columns) {
  RowGroup group;
  group.states.assign(live, 1);
  group.generations.assign(live, 1);
  group.columns = std::move(columns);
  return group;
}

void expect_code(const Field& root, const RowGroup& group, ErrorCode code) {
  const Status status = check_group(root, group);
  ASSERT_FALSE(status);
  EXPECT_EQ(code_name(status.error().code), code_name(code)) << status.error().message();
}

TEST(Grammar, RandomGroupsOfEveryKindPass) {
  const Field root = every_kind();
  for (unsigned seed = 0; seed < 20; ++seed) {
    for (const RowGroup& group : random_table(root, {.seed = seed}).groups) {
      const Status status = check_group(root, group);
      EXPECT_TRUE(status) << status.error().message();
    }
  }
}

// Whatever is cut off or added anywhere, the columns no longer fit.
TEST(Grammar, NoColumnMayBeShorterOrLonger) {
  const Field root = every_kind();
  const SampleTable table = random_table(root, {});
  for (std::size_t i = 0; i < table.groups[0].columns.size(); ++i) {
    RowGroup group = table.groups[0];
    group.columns[i].push_back(std::byte{0});
    EXPECT_FALSE(check_group(root, group)) << "column " << i << " longer";
    group = table.groups[0];
    ASSERT_FALSE(group.columns[i].empty());
    group.columns[i].pop_back();
    EXPECT_FALSE(check_group(root, group)) << "column " << i << " shorter";
  }
  RowGroup group = table.groups[0];
  group.columns.emplace_back();
  EXPECT_FALSE(check_group(root, group));
}

TEST(Grammar, PresenceBitsAfterTheLastAreZero) {
  const Field root = record({node(FieldKind::optional, "o", {leaf(FieldKind::u8)})});
  EXPECT_TRUE(check_group(root, group_of(3, {bytes({0b101}), bytes({1, 2})})));
  expect_code(root, group_of(3, {bytes({0b1101}), bytes({1, 2, 3})}), ErrorCode::bad_value);
  expect_code(root, group_of(3, {bytes({0b101}), bytes({1})}), ErrorCode::bad_lengths);
  EXPECT_TRUE(check_group(root, group_of(8, {bytes({0xff}), bytes({1, 2, 3, 4, 5, 6, 7, 8})})));
  expect_code(root, group_of(8, {bytes({0xff, 0}), bytes({1, 2, 3, 4, 5, 6, 7, 8})}),
              ErrorCode::bad_lengths);
}

TEST(Grammar, TagsNameAlternatives) {
  const Field root = record(
      {node(FieldKind::variant, "v", {leaf(FieldKind::u8), record({}), leaf(FieldKind::u16)})});
  EXPECT_TRUE(check_group(root, group_of(4, {bytes({0, 1, 2, 0}), bytes({7, 8}), bytes({1, 2})})));
  expect_code(root, group_of(1, {bytes({3}), {}, {}}), ErrorCode::bad_value);
  expect_code(root, group_of(1, {bytes({255}), {}, {}}), ErrorCode::bad_value);
  expect_code(root, group_of(2, {bytes({0, 2}), bytes({7, 7}), bytes({1, 2})}),
              ErrorCode::bad_lengths);
}

TEST(Grammar, LengthsAreShortestVarintsThatAddUp) {
  const Field root = record({node(FieldKind::list, "l", {leaf(FieldKind::u16)})});
  EXPECT_TRUE(check_group(root, group_of(2, {bytes({1, 2}), bytes({1, 1, 2, 2, 3, 3})})));
  expect_code(root, group_of(1, {bytes({0x81, 0}), bytes({1, 1})}), ErrorCode::bad_lengths);
  expect_code(root, group_of(1, {bytes({0x81}), bytes({1, 1})}), ErrorCode::bad_lengths);
  expect_code(root, group_of(2, {bytes({1}), bytes({1, 1})}), ErrorCode::bad_lengths);
  expect_code(root, group_of(1, {bytes({1, 1}), bytes({1, 1, 1, 1})}), ErrorCode::bad_lengths);
  // 20 lengths of 2^63 add up to 0 modulo 2^64.
  Bytes lengths;
  ByteWriter out(lengths);
  for (int i = 0; i < 20; ++i) out.varint(std::uint64_t{1} << 63);
  expect_code(root, group_of(20, {lengths, {}}), ErrorCode::bad_lengths);
}

TEST(Grammar, ManyShortLengthsAreSummedAsOneByOne) {
  const Field root = record({leaf(FieldKind::opaque, "b")});
  for (std::size_t count = 0; count < 40; ++count) {
    Bytes lengths;
    ByteWriter out(lengths);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t length = (i * 37) % 200;
      out.varint(length);
      sum += length;
    }
    EXPECT_TRUE(check_group(root, group_of(count, {lengths, Bytes(sum)}))) << count;
    expect_code(root, group_of(count, {lengths, Bytes(sum + 1)}), ErrorCode::bad_lengths);
  }
}

TEST(Grammar, Utf8IsCheckedStringByString) {
  Field text = leaf(FieldKind::string, "s");
  const RowGroup cut = group_of(2, {bytes({1, 1}), bytes({0xc3, 0xa9})});
  EXPECT_TRUE(check_group(record({text}), cut));  // not marked
  text.utf8_checked = true;
  expect_code(record({text}), cut, ErrorCode::bad_value);
  EXPECT_TRUE(check_group(record({text}), group_of(2, {bytes({2, 0}), bytes({0xc3, 0xa9})})));
}

TEST(Grammar, ArraysMultiplyWithoutOverflow) {
  Field inner = node(FieldKind::array, {}, {leaf(FieldKind::u8)});
  inner.count = 4;
  Field outer = node(FieldKind::array, "a", {inner});
  outer.count = 3;
  EXPECT_TRUE(check_group(record({outer}), group_of(2, {Bytes(24)})));
  expect_code(record({outer}), group_of(2, {Bytes(25)}), ErrorCode::bad_lengths);
  // 2^20 * 2^20 * 2^20 * 2^20 optionals a record cannot be counted in 64 bits.
  Field huge = node(FieldKind::optional, {}, {record({})});
  for (int i = 0; i < 4; ++i) {
    huge = node(FieldKind::array, {}, {huge});
    huge.count = format::kMaxArrayCount;
  }
  huge.name = "huge";
  expect_code(record({huge}), group_of(1, {Bytes{}}), ErrorCode::bad_lengths);
}

}  // namespace
}  // namespace hdb::test
