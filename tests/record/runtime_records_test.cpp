// Records of a type that exists only at run time: what their codec does besides saving and loading,
// which tests/c/ shows.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "record/runtime_records.hpp"
#include "support/sees_detail.hpp"

namespace hdb::test::runtime_records_test {
namespace {

using record::PackedRecord;
using record::RuntimeRecords;
using record::RuntimeType;

Field handle_field(const char* name, bool strong) {
  Field field;
  field.kind = FieldKind::handle;
  field.name = name;
  field.strong = strong;
  field.table = "doors";
  return field;
}
/// Two handles, of which one owns its door, and a list.
Field doors() {
  Field list;
  list.kind = FieldKind::list;
  list.name = "more";
  list.children = {handle_field("", true)};
  Field root;
  root.children = {handle_field("seen", false), handle_field("owned", true), list};
  return root;
}

TEST(RuntimeRecords, StrongHandlesOfRowsAreFound) {
  const auto found = RuntimeRecords::discover({.root = doors()});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  const RecordCodec codec(*found);
  PackedRecord one;
  one.row = Bytes(33);
  one.row[0] = std::byte{5};
  one.row[8] = std::byte{6};
  one.row[16] = std::byte{2};
  one.row[17] = std::byte{7};
  one.row[25] = std::byte{8};
  const PackedRecord empty;  // the default record
  ASSERT_TRUE((*found)->runtime->check(one.row).has_value());
  const std::array<const void*, 2> records{&one, &empty};
  const std::array<HandleKey, 1> keys{record::runtime_handle_key("doors", {})};
  EXPECT_TRUE(codec.has_strong(keys));
  const std::array<HandleKey, 1> others{record::runtime_handle_key("walls", {})};
  EXPECT_FALSE(codec.has_strong(others));
  std::vector<std::uint64_t> bits;
  ASSERT_TRUE(codec.gather_strong(records, keys, bits).has_value());
  EXPECT_EQ(bits, (std::vector<std::uint64_t>{6, 0, 7, 8}));
}

TEST(RuntimeRecords, PlacesOfAStructMayNotOverlapOrLeaveIt) {
  Field root;
  root.children = {handle_field("a", false), handle_field("b", false)};
  const auto discovered = [&](std::size_t a, std::size_t b) {
    return RuntimeRecords::discover(
               {.root = root,
                .is_struct = true,
                .size = 16,
                .alignment = 8,
                .places = {{a, 8, FieldKind::handle}, {b, 8, FieldKind::handle}}})
        .has_value();
  };
  EXPECT_TRUE(discovered(0, 8));
  EXPECT_TRUE(discovered(8, 0));
  EXPECT_FALSE(discovered(0, 7));
  EXPECT_FALSE(discovered(0, 9));
  EXPECT_FALSE(discovered(0, ~std::size_t{0}));
}

TEST(RuntimeRecords, AStructSaysWhatItsDefaultRecordIs) {
  Field number;
  number.kind = FieldKind::u32;
  number.name = "number";
  Field root;
  root.children = {number};
  const RuntimeType type{.root = root,
                         .is_struct = true,
                         .size = 8,
                         .alignment = 4,
                         .places = {{4, 4, FieldKind::u32}},
                         .initial = Bytes(8, std::byte{3})};
  const auto found = RuntimeRecords::discover(type);
  ASSERT_TRUE(found.has_value());
  const RecordOps ops = (*found)->runtime->ops();
  alignas(4) std::array<std::byte, 8> record{};
  ops.construct_default(record.data());
  EXPECT_EQ(record[7], std::byte{3});
  std::array<std::byte, 8> moved{};
  ops.move(moved.data(), record.data());
  EXPECT_EQ(moved, record);
}

}  // namespace
}  // namespace hdb::test::runtime_records_test
