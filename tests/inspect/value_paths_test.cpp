// find_value and replace_value: values of a record by their paths.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>

#include "hdb/bytes.hpp"
#include "hdb/inspect/values.hpp"
#include "hdb/schema.hpp"

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
