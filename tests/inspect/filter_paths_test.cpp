// Paths of filters: to the values of keys of maps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "format/sample.hpp"
#include "hdb/inspect/filter.hpp"

namespace hdb::test::filter_paths_test {
namespace {

using testing::HasSubstr;

// Keys of each kind, of one record with a pair in each map.
TEST(FilterPaths, KeysOfMapsAreNamedByTheirText) {
  Field mood = node(FieldKind::enumeration, "", {leaf(FieldKind::i8)});
  set_enumerators(mood, {{0, "calm"}, {255, "angry"}});
  const Field root =
      record({node(FieldKind::map, "ints", {leaf(FieldKind::i8), leaf(FieldKind::u8)}),
              node(FieldKind::map, "bools", {leaf(FieldKind::boolean), leaf(FieldKind::u8)}),
              node(FieldKind::map, "moods", {mood, leaf(FieldKind::u8)}),
              node(FieldKind::map, "letters", {leaf(FieldKind::char8), leaf(FieldKind::u8)})});
  std::vector<Bytes> columns;
  for (const unsigned key : {254U, 1U, 255U, 97U}) {
    for (const unsigned byte : {1U, key, 5U}) columns.push_back({static_cast<std::byte>(byte)});
  }
  const auto holds = [&](const std::string& text) {
    const auto filter = RecordFilter::bind(*FilterExpression::parse(text), root, {});
    if (!filter) return filter.error().what;
    RowDecoder decoder(root, filter->columns());
    decoder.begin(columns);
    Value row;
    EXPECT_TRUE(decoder.next(row));
    return std::string(filter->matches(row, 0, 1) ? "yes" : "no");
  };
  for (const char* const key :
       {"ints['-2']", "bools['true']", "moods['angry']", "moods[\"-1\"]", "letters['a']"})
    EXPECT_EQ(holds(std::string(key) + " == 5"), "yes") << key;
  for (const char* const key : {"ints['2']", "bools['false']", "moods['calm']", "letters['b']"}) {
    EXPECT_EQ(holds(std::string(key) + " == 5"), "no") << key;
    EXPECT_EQ(holds(std::string(key) + " != 5"), "no") << key;
    EXPECT_EQ(holds(std::string(key) + " is null"), "yes") << key;
  }
  EXPECT_THAT(holds("ints['x'] == 5"), HasSubstr("'ints[*].key' is an i8, which 'x' is not"));
  EXPECT_THAT(holds("ints['300'] == 5"), HasSubstr("never true"));
  EXPECT_THAT(holds("bools['1'] == 5"), HasSubstr("which '1' is not"));
  EXPECT_THAT(holds("moods['angy'] == 5"), HasSubstr("did you mean 'angry'?"));
  EXPECT_THAT(holds("letters['ab'] == 5"), HasSubstr("one character"));
  EXPECT_THAT(holds("moods[*].key == angry"), "yes");
  EXPECT_THAT(holds("moods[*].key in {calm, angry}"), "yes");
  EXPECT_THAT(holds("angry != moods[*].key"), "no");
  EXPECT_THAT(holds("moods[*].key == angy"), HasSubstr("did you mean 'angry'?"));
  EXPECT_THAT(holds("ints[*].key in {angry}"), HasSubstr("put texts in quotes"));
}

}  // namespace
}  // namespace hdb::test::filter_paths_test
