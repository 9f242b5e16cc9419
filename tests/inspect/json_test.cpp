// JSON texts as trees.
#include "hdb/inspect/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hdb::test::json_test {
namespace {

TEST(JsonDocument, KeepsNumbersAsTheyAreWritten) {
  std::string text =
      R"( {"a": -0, "b": [1e-400, 123456789012345678901234567890], "\u00e9": "\u0000x", "d": {}} )";
  JsonDocument line;
  ASSERT_TRUE(line.parse(text.data(), text.size()));
  const JsonNode& a = line.first(line.root());
  EXPECT_EQ(line.root().count, 4U);
  EXPECT_EQ(a.text, "-0");
  const JsonNode& b = line.next(a);
  EXPECT_EQ(line.first(b).text, "1e-400");
  EXPECT_EQ(line.next(line.first(b)).text, "123456789012345678901234567890");
  const JsonNode& c = line.next(b);
  EXPECT_EQ(c.name, "\xc3\xa9");
  EXPECT_EQ(c.text, std::string("\0x", 2));
  EXPECT_EQ(line.next(c).count, 0U);
}

TEST(JsonDocument, RefusesDeepNestingWithoutUsingTheStack) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 1000000; ++i) text += bracket;
    JsonDocument line;
    const Status parsed = line.parse(text.data(), text.size());
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error().message(), testing::HasSubstr("nested too deeply"));
  }
}

}  // namespace
}  // namespace hdb::test::json_test
