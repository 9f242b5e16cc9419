// Canonical bytes worked out by hand: columns, rows and their hashes.
#include "helpers.hpp"

#include "support/using_detail.hpp"

namespace hdb::test {
namespace {

enum class Rank : std::uint16_t { orc = 0x0102 };

struct Small {
  std::uint8_t a = 1;
  std::uint32_t b = 0x01020304;
  bool c = true;
  float d = 1;
  Rank kind = Rank::orc;
  Handle<Small, Layout<16, 16>> h = Handle<Small, Layout<16, 16>>::from_bits(0xa1b2c3d4);
  std::uint8_t pair[2] = {8, 9};
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(a), CEREAL_NVP(b), CEREAL_NVP(c), CEREAL_NVP(d), CEREAL_NVP(kind), CEREAL_NVP(h),
       CEREAL_NVP(pair));
  }
};

struct Nested {
  std::string s = "hi";
  std::vector<std::uint16_t> list = {1, 2};
  std::map<std::uint8_t, std::string> map = {{5, "x"}, {6, ""}};
  std::optional<std::uint8_t> some = 7, none;
  std::variant<std::uint32_t, std::uint8_t> var = std::uint8_t{9};
  std::vector<std::optional<std::uint8_t>> opts = {std::nullopt, 3, 4};
  template <class A>
  void serialize(A& ar) {
    ar(CEREAL_NVP(s), CEREAL_NVP(list), CEREAL_NVP(map), CEREAL_NVP(some), CEREAL_NVP(none),
       CEREAL_NVP(var), CEREAL_NVP(opts));
  }
};

struct NotPlainSmall : Small {};

}  // namespace
}  // namespace hdb::test
template <>
struct hdb::NotPlain<hdb::test::NotPlainSmall> : std::true_type {};
namespace hdb::test {
namespace {

const Bytes kSmallRow = bytes(0x01, 0x04, 0x03, 0x02, 0x01, 0x01, 0x00, 0x00, 0x80, 0x3f, 0x02,
                              0x01, 0xd4, 0xc3, 0xb2, 0xa1, 0x08, 0x09);

TEST(Rows, APlainRowIsItsFieldsInOrder) {
  const Encoded encoded = encode(std::vector<Small>(2));
  EXPECT_TRUE(make_codec<Small>()->is_plain());
  Hash128 expected = row_hash(slot_of(0), generation_of(0), kSmallRow);
  expected += row_hash(slot_of(1), generation_of(1), kSmallRow);
  EXPECT_EQ(encoded.hash, expected);
}

TEST(Rows, ARowThroughTheArchiveIsTheSame) {
  EXPECT_FALSE(make_codec<NotPlainSmall>()->is_plain());
  const Encoded encoded = encode(std::vector<NotPlainSmall>(1));
  EXPECT_EQ(encoded.hash, row_hash(slot_of(0), generation_of(0), kSmallRow));
}

TEST(Rows, ColumnsOfAPlainRecordHoldItsValues) {
  std::vector<Small> records(2);
  records[1].b = 5;
  records[1].pair[0] = 0x10;
  EXPECT_THAT(
      hex(encode(records).columns),
      testing::ElementsAre("01 01", "04 03 02 01 05 00 00 00", "01 01", "00 00 80 3f 00 00 80 3f",
                           "02 01 02 01", "d4 c3 b2 a1 d4 c3 b2 a1", "08 09 10 09"));
}

TEST(Rows, ColumnsOfNestedRecords) {
  std::vector<Nested> records(2);
  records[1].s = std::string(200, 'z');
  records[1].list.clear();
  records[1].map.clear();
  records[1].some.reset();
  records[1].var = std::uint32_t{1};
  records[1].opts = {std::nullopt};
  auto lines = hex(encode(records).columns);
  ASSERT_EQ(lines.size(), 18u);
  lines[1] = lines[1].substr(0, 8);  // "hi" and 200 times z
  EXPECT_THAT(lines,
              testing::ElementsAre("02 c8 01", "68 69 7a", "02 00", "01 00 02 00",  // s, list
                                   "02 00", "05 06", "01 00", "78",                 // map
                                   "01", "07", "00", "",                            // some, none
                                   "01 00", "01 00 00 00", "09",                    // var
                                   "03 01", "06", "03 04"));                        // opts
}

TEST(Rows, RowOfANestedRecord) {
  const Bytes row = bytes(2, 'h', 'i',         // s
                          2, 1, 0, 2, 0,       // list
                          2, 5, 1, 'x', 6, 0,  // map
                          1, 7,                // some
                          0,                   // none
                          1, 9,                // var
                          3, 0, 1, 3, 1, 4);   // opts
  const std::vector<Nested> records(1);
  const Hash128 expected = row_hash(slot_of(0), generation_of(0), row);
  EXPECT_EQ(encode(records).hash, expected);
  EXPECT_EQ(*make_codec<Nested>()->hash_rows(batch_of(records)), expected);
}

template <class R>
void check_replacing(std::size_t before, std::size_t after) {
  const auto codec = make_codec<R>();
  const Encoded expected = encode(std::vector<R>(after));
  std::vector<Bytes> columns = encode(std::vector<R>(before)).columns;
  for (Bytes& column : columns) std::fill(column.begin(), column.end(), std::byte{0xee});
  const std::vector<R> records(after);
  ASSERT_TRUE(codec->encode(batch_of(records), columns, nullptr).has_value());
  EXPECT_EQ(columns, expected.columns) << before << " rows, then " << after;
}

TEST(Rows, EncodingReplacesWhatWasThere) {
  for (const std::size_t before : {0u, 1u, 5u, 3000u}) {
    for (const std::size_t after : {0u, 1u, 4u, 2999u}) {
      check_replacing<Nested>(before, after);
      check_replacing<std::pair<std::int32_t, double>>(before, after);
    }
  }
}

}  // namespace
}  // namespace hdb::test
