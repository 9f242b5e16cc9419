// Numbers read from text.
#include "hdb/inspect/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

namespace hdb::test::text_test {
namespace {

TEST(Text, DoublesAreReadAsFromCharsReadsThem) {
  std::size_t cases = 0;
  const auto check = [&](const std::string& text) {
    double expected = 42;
    double found = 42;
    const auto wanted = std::from_chars(text.data(), text.data() + text.size(), expected);
    const auto got = parse_double(text, found);
    EXPECT_EQ(got.ec, wanted.ec) << text;
    EXPECT_EQ(got.ptr - text.data(), wanted.ptr - text.data()) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected)) << text;
    ++cases;
  };
  for (const char* const text : {"",
                                 "-",
                                 ".",
                                 "-.",
                                 "e5",
                                 "+1",
                                 " 1",
                                 "1",
                                 "-1",
                                 "0",
                                 "-0",
                                 "00.500",
                                 ".5",
                                 "5.",
                                 "-.5e1x",
                                 "1e",
                                 "1e+",
                                 "1e-",
                                 "1e5",
                                 "1E+5",
                                 "1e5.5",
                                 "1.2.3",
                                 "0x10",
                                 "1,5",
                                 "1'000",
                                 "0e999999",
                                 "0.0e-999",
                                 "1.7976931348623157e308",
                                 "1.7976931348623159e308",
                                 "-1e309",
                                 "1e999999999",
                                 "4.9e-324",
                                 "5e-324",
                                 "2.2250738585072011e-308",
                                 "1e-400",
                                 "-1e-400",
                                 "9007199254740993",
                                 "0.1",
                                 "123456789012345678901234567890",
                                 "179769313486231580793728971405301e276"}) {
    check(text);
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (value != value || value - value != 0) continue;
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value);
    check(std::string(text, end.ptr));
    check(std::string(text, text + random() % static_cast<std::size_t>(end.ptr - text)));
    check(std::string(text, end.ptr) + "7");
  }
  std::printf("doubles: cases=%zu failures=0\n", cases);
}

}  // namespace
}  // namespace hdb::test::text_test
