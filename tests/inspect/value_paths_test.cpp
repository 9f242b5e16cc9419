// find_value and replace_value: values of a record by their paths.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>

#include "hdb/bytes.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::test::value_paths_test {
namespace {

Field made(FieldKind kind, const char* name, std::vector<Field> children = {}) {
  Field field;
  field.kind = kind;
  field.name = name;
  field.children = std::move(children);
  return field;
}

Value made(const Field& field, std::uint64_t bits = 0) {
  Value value;
  value.field = &field;
  value.bits = bits;
  return value;
}

/// {pos: {x: u32}, loot: [1, 2, 3], maybe: none}
class ValuePaths : public testing::Test {
 protected:
  ValuePaths() {
    for (std::size_t i = 0; i < 3; ++i) store_le(loot_.data() + 2 * i, std::uint16_t(i + 1));
    record_.field = &root_;
    Value pos = made(root_.children[0]);
    pos.children = {made(root_.children[0].children[0], 7)};
    Value loot = made(root_.children[1], 3);
    loot.bytes = loot_;
    record_.children = {pos, loot, made(root_.children[2])};
  }
  std::uint64_t bits(const char* path) const {
    const auto found = find_value(record_, path);
    return found ? found->bits : ~std::uint64_t{0};
  }

  const Field root_ = made(FieldKind::structure, "",
                           {made(FieldKind::structure, "pos", {made(FieldKind::u32, "x")}),
                            made(FieldKind::list, "loot", {made(FieldKind::u16, "")}),
                            made(FieldKind::optional, "maybe", {made(FieldKind::i32, "")})});
  std::array<std::byte, 6> loot_{};
  Value record_;
  Bytes memory_;
};

TEST_F(ValuePaths, AValueIsReplacedInItsPlace) {
  Value five;
  five.bits = 5;
  ASSERT_TRUE(replace_value(record_, "pos.x", five, memory_));
  ASSERT_TRUE(replace_value(record_, "loot[1]", five, memory_));
  EXPECT_EQ(bits("pos.x"), 5u);
  EXPECT_EQ(bits("loot[0]"), 1u);
  EXPECT_EQ(bits("loot[1]"), 5u);
  EXPECT_EQ(bits("loot[2]"), 3u);
  EXPECT_EQ(load_le<std::uint16_t>(loot_.data() + 2), 2u) << "the column is not the record's";
}

TEST(ValuePathsOfMaps, TheFirstOfEqualKeysIsMeantAndReplaced) {
  const Field map =
      made(FieldKind::map, "by_id",
           {made(FieldKind::i16, ""), made(FieldKind::optional, "", {made(FieldKind::u32, "n")})});
  const Field root = made(FieldKind::structure, "", {map});
  const Field& inner = root.children[0];
  const auto value_of = [&](std::uint64_t bits) {
    Value held = made(inner.children[1], 1);
    held.children = {made(inner.children[1].children[0], bits)};
    return held;
  };
  Value by_id = made(inner, 3);
  const std::uint64_t minus_two = 0xfffe;
  by_id.children = {made(inner.children[0], 7),         value_of(70),
                    made(inner.children[0], minus_two), value_of(20),
                    made(inner.children[0], minus_two), value_of(21)};
  Value record = made(root);
  record.children = {by_id};
  const auto any = FilterExpression::parse("by_id['-2'] == 20 and by_id['-2'] == 21");
  EXPECT_TRUE(RecordFilter::bind(*any, root, {})->matches(record, 0, 1)) << "filters mean all";
  Value five;
  five.bits = 5;
  Bytes memory;
  ASSERT_TRUE(replace_value(record, "by_id['-2']?", five, memory));
  EXPECT_EQ(find_value(record, "by_id[\"-2\"]?")->bits, 5u);
  EXPECT_EQ(find_value(record, "by_id[2].value?")->bits, 21u);
  EXPECT_EQ(find_value(record, "by_id['7']?")->bits, 70u);
  EXPECT_EQ(find_field(root, "by_id['7']?")->first_column, 3u);
  for (const char* path : {"by_id['8']", "by_id['x']", "by_id['7'", "by_id['7']x", "by_id[7]"})
    EXPECT_FALSE(replace_value(record, path, five, memory)) << path;
  EXPECT_EQ(find_value(record, "by_id['8']").error().what,
            "'by_id['8']': no key '8'; the map has 7, -2, -2");
  EXPECT_EQ(find_field(root, "by_id['x']").error().code, ErrorCode::type_mismatch);
}

TEST_F(ValuePaths, WhatIsNotThereIsRefusedAndTheRecordStays) {
  for (const char* path : {"loot[3]", "loot[]", "loot[1].x", "maybe?", "pos.y", "pos.x.y"}) {
    Value five;
    five.bits = 5;
    const Status replaced = replace_value(record_, path, five, memory_);
    ASSERT_FALSE(replaced) << path;
    EXPECT_EQ(replaced.error().code, ErrorCode::not_found);
    EXPECT_FALSE(find_value(record_, path)) << path;
    EXPECT_EQ(bits("pos.x"), 7u);
    EXPECT_EQ(bits("loot[1]"), 2u) << path;
  }
}

}  // namespace
}  // namespace hdb::test::value_paths_test
