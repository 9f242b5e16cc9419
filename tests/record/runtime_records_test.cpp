// Records of a type that exists only at run time: what their codec does besides saving and loading,
// which tests/c/ shows.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "record/decoder.hpp"
#include "record/runtime_records.hpp"
#include "support/using_detail.hpp"

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

Field number(std::string name, FieldKind kind = FieldKind::u8) {
  Field field;
  field.kind = kind;
  field.name = std::move(name);
  return field;
}
/// A map whose keys are an enum, and a variant of a number and what is given.
Field changing(std::vector<Enumerator> enumerators, std::vector<Field> alternatives) {
  Field key = number("", FieldKind::enumeration);
  key.children = {number("")};
  set_enumerators(key, std::move(enumerators));
  Field map = number("map", FieldKind::map);
  map.children = {key, number("")};
  Field variant = number("variant", FieldKind::variant);
  variant.children = std::move(alternatives);
  Field root;
  root.children = {map, variant};
  return root;
}

TEST(RuntimeRecords, AlternativesAndUnknownValuesFollowTheRulesOfLoads) {
  const Field text = number("", FieldKind::string);
  const auto own = RuntimeRecords::discover(
      {.root = changing({{0, "man"}, {1, "elf"}}, {number(""), number("", FieldKind::f32)})});
  ASSERT_TRUE(own.has_value()) << own.error().message();
  const Field stored = changing({{0, "man"}, {1, "robot"}, {2, "elf"}},
                                {number("", FieldKind::f32), number(""), text});
  const RecordCodec codec(*own);
  auto decoder = codec.decoder_for(stored, {});
  ASSERT_TRUE(decoder.has_value()) << decoder.error().message();
  (*decoder)->set_unknown_value(UnknownValue::use_default);
  const auto bytes = [](std::initializer_list<int> values) {
    Bytes made;
    for (const int value : values) made.push_back(static_cast<std::byte>(value));
    return made;
  };
  // Two records: {robot: 7, elf: 8} and the number 9; {} and a text.
  const std::vector<Bytes> columns{bytes({2, 0}), bytes({1, 2}), bytes({7, 8}), bytes({1, 2}),
                                   bytes({}),     bytes({9}),    bytes({1}),    bytes({'x'})};
  PackedRecord first;
  PackedRecord second;
  const std::array<void*, 2> records{&first, &second};
  MemoryBudget budget(1 << 20);
  const Status decoded = (*decoder)->decode(columns, records, budget);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
  EXPECT_EQ(first.row, bytes({1, 1, 8, 0, 9})) << "{elf: 8} and alternative 0, a number";
  EXPECT_EQ(second.row, bytes({0, 0, 0})) << "the default record";
  std::uint64_t unknown = 0;
  for (const LoadChange& change : (*decoder)->changes())
    unknown += change.kind == LoadChange::Kind::unknown ? change.count : 0;
  EXPECT_EQ(unknown, 2U);
}

TEST(RuntimeRecords, AListBecomesAnArrayByItsLength) {
  Field own_field = number("v", FieldKind::array);
  own_field.count = 2;
  own_field.children = {number("")};
  Field stored_field = number("v", FieldKind::list);
  stored_field.children = {number("")};
  Field root;
  root.children = {own_field};
  const auto own = RuntimeRecords::discover({.root = root});
  ASSERT_TRUE(own.has_value()) << own.error().message();
  Field stored;
  stored.children = {stored_field};
  const RecordCodec codec(*own);
  auto decoder = codec.decoder_for(stored, {});
  ASSERT_TRUE(decoder.has_value()) << decoder.error().message();
  const auto bytes = [](std::initializer_list<int> values) {
    Bytes made;
    for (const int value : values) made.push_back(static_cast<std::byte>(value));
    return made;
  };
  const std::vector<Bytes> columns{bytes({3, 1}), bytes({1, 2, 3, 7})};
  PackedRecord first;
  PackedRecord second;
  const std::array<void*, 2> records{&first, &second};
  MemoryBudget budget(1 << 20);
  const Status decoded = (*decoder)->decode(columns, records, budget);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
  EXPECT_EQ(first.row, bytes({1, 2}));
  EXPECT_EQ(second.row, bytes({7, 0}));
  std::string changes;
  for (const LoadChange& change : (*decoder)->changes()) changes += to_text(change) + ' ';
  EXPECT_EQ(changes, "v[] dropped (x1) v[] defaulted (x1) ");
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
