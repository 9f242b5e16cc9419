// Values that are too large to be shown whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::test::cut_values_test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::vector<TableDescriptor> kNoTables;
const HandleNamer kNamer(kNoTables);

Field list_of_bytes() {
  Field list;
  list.kind = FieldKind::list;
  list.children.emplace_back().kind = FieldKind::u8;
  return list;
}

Value value_of(const Field& field, const Bytes& bytes) {
  Value value;
  value.field = &field;
  value.bits = bytes.size();
  value.bytes = bytes;
  return value;
}

TEST(CutValues, AreShownByTheirBeginTheirSizeAndAHash) {
  const Field list = list_of_bytes();
  Bytes bytes(60'000);
  const auto text = [&] { return value_text(value_of(list, bytes), kNamer, 5); };
  const std::string zeros = text();
  EXPECT_THAT(zeros, StartsWith("[0, 0, 0, 0, 0] ... 60000 elements, hash "));
  bytes.back() = std::byte{1};
  EXPECT_NE(text(), zeros) << "values that differ never look the same";
  const std::string json = value_json(value_of(list, bytes), kNamer, 5);
  EXPECT_THAT(json, StartsWith("{\"cut\":\"[0, 0"));
  EXPECT_EQ(value_text(value_of(list, Bytes(4)), kNamer, 5), "[0, 0, 0, 0]");
  EXPECT_THAT(value_text(value_of(list, bytes), kNamer), EndsWith("0, 1]"));
}

TEST(CutValues, TextsAreCutBetweenLetters) {
  Field field;
  field.kind = FieldKind::string;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\u00e9";
  const Bytes bytes(bytes_of(text).begin(), bytes_of(text).end());
  for (std::uint64_t most = 4; most < 20; ++most) {
    const std::string shown = value_text(value_of(field, bytes), kNamer, most);
    EXPECT_THAT(shown, HasSubstr("\u00e9\" ... 200 bytes, hash "));
  }
}

TEST(CutValues, AnyPartOfAValueCounts) {
  Field map;
  map.kind = FieldKind::map;
  map.children.resize(2);
  map.children[0].kind = FieldKind::u8;
  map.children[1].kind = FieldKind::string;
  const Bytes bytes(100, std::byte{'x'});
  Value value;
  value.field = &map;
  value.bits = 50;
  for (std::uint64_t i = 0; i < value.bits; ++i) {
    value.children.emplace_back().field = &map.children[0];
    value.children.back().bits = i;
    value.children.push_back(value_of(map.children[1], bytes));
  }
  const std::string shown = value_text(value, kNamer, 110);
  EXPECT_THAT(shown, StartsWith("{0: \"xxx"));
  EXPECT_THAT(shown, HasSubstr(" ... 50 pairs, hash "));
  EXPECT_LT(shown.size(), 300u);
  EXPECT_EQ(value_text(value, kNamer, 10'000), value_text(value, kNamer));
}

TEST(Pieces, OfATextAreEscapedAsTheWholeText) {
  std::string text = "a\xff\xc3\xa9\xf0\x9f\x98\x80\x80\x80\x80\x80\x80\xe2\x82\"\\\n";
  text += text + "\xe2\x82\xac end";
  for (std::size_t most = 4; most < 20; ++most) {
    std::string escaped;
    std::size_t pieces = 0;
    std::string_view rest = text;
    for (std::string_view piece; !(piece = take_piece(rest, most)).empty(); ++pieces) {
      EXPECT_LE(piece.size(), most);
      escaped += escape_text(piece);
    }
    EXPECT_EQ(escaped, escape_text(text)) << most;
    EXPECT_GE(pieces, text.size() / most);
  }
}

}  // namespace
}  // namespace hdb::test::cut_values_test
