// Little-endian bytes, varints, UTF-8, and the reader that remembers its first failure.
#include "hdb/bytes.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hdb/byte_io.hpp"

namespace hdb {
namespace {

using testing::HasSubstr;

Bytes bytes(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

TEST(Bytes, IntegersAreStoredLeastSignificantByteFirst) {
  Bytes out;
  ByteWriter writer(out);
  writer.u8(0x01);
  writer.u16(0x0302);
  writer.u32(0x07060504);
  writer.u64(0x0f0e0d0c0b0a0908);
  EXPECT_EQ(out, bytes({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(Bytes, WhatIsWrittenIsReadBack) {
  rc::check([](std::uint8_t a, std::uint16_t b, std::uint32_t c, std::uint64_t d, std::uint64_t e) {
    Bytes out;
    ByteWriter writer(out);
    writer.u8(a);
    writer.varint(e);
    writer.u16(b);
    writer.u32(c);
    writer.u64(d);
    writer.text("imp");
    ByteReader reader(out);
    RC_ASSERT(reader.u8() == a);
    RC_ASSERT(reader.varint() == e);
    RC_ASSERT(reader.u16() == b);
    RC_ASSERT(reader.u32() == c);
    RC_ASSERT(reader.u64() == d);
    RC_ASSERT(reader.text(3) == "imp");
    reader.expect_end();
    RC_ASSERT(reader.ok());
  });
}

TEST(Varint, LengthsAreShortest) {
  std::byte buffer[kMaxVarintBytes];
  EXPECT_EQ(store_varint(buffer, 0), 1u);
  EXPECT_EQ(store_varint(buffer, 127), 1u);
  EXPECT_EQ(store_varint(buffer, 128), 2u);
  EXPECT_EQ(store_varint(buffer, std::numeric_limits<std::uint64_t>::max()), 10u);
}

TEST(Varint, OverlongCutOffAndTooLargeFormsAreRefused) {
  const auto refused = [](const Bytes& in) {
    std::uint64_t value = 0;
    return load_varint(in.data(), in.data() + in.size(), value) == nullptr;
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused(bytes({0x80})));
  EXPECT_TRUE(refused(bytes({0x80, 0x00})));
  EXPECT_TRUE(refused(bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02})));
  EXPECT_TRUE(refused(bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x00})));
  EXPECT_FALSE(refused(bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})));
}

TEST(Utf8, WellFormedTextsOnly) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("imp \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
  for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                          "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xff", "a\xe2\x82"}) {
    EXPECT_FALSE(is_utf8(bad)) << testing::PrintToString(std::string(bad));
  }
}

TEST(ByteReader, TheFirstFailureIsKeptAndEverythingAfterItIsZero) {
  const Bytes in = bytes({1, 2, 3});
  ByteReader reader(in, 100);
  EXPECT_EQ(reader.u16(), 0x0201u);
  EXPECT_EQ(reader.u32(), 0u);
  EXPECT_EQ(reader.u8(), 0u);
  reader.fail_here("a later failure");
  EXPECT_FALSE(reader.ok());
  const Error error = reader.error("header");
  EXPECT_EQ(error.code, ErrorCode::truncated);
  EXPECT_EQ(error.offset, 102u);
  EXPECT_THAT(error.what, HasSubstr("4 bytes are needed, 1 are left"));
  EXPECT_THAT(error.message(), HasSubstr("(byte 102, header)"));
}

TEST(ByteReader, PaddingThatIsNotZeroIsRefused) {
  const Bytes good = bytes({1, 0, 0, 0});
  ByteReader sound(good);
  sound.u8();
  sound.zero_padding_to(4);
  EXPECT_TRUE(sound.ok() && sound.at_end());

  const Bytes bad = bytes({1, 0, 7, 0});
  ByteReader broken(bad);
  broken.u8();
  broken.zero_padding_to(4);
  EXPECT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().offset, 2u);
}

TEST(ByteReader, TextLengthIsCheckedBeforeAnythingIsCopied) {
  Bytes in;
  ByteWriter(in).varint(1u << 30);
  ByteReader reader(in);
  EXPECT_EQ(reader.text(255), "");
  EXPECT_EQ(reader.error().offset, 0u);
}

TEST(ByteReader, RemainingBytesAreAnErrorWhereTheEndIsExpected) {
  const Bytes in = bytes({1, 2});
  ByteReader reader(in);
  reader.u8();
  reader.expect_end();
  EXPECT_FALSE(reader.ok());
  EXPECT_THAT(reader.error().what, HasSubstr("1 bytes are left over at the end"));
}

}  // namespace
}  // namespace hdb
