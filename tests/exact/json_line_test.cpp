// Lines of text and of JSON.
#include "exact/json_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "exact/line_reader.hpp"

namespace hdb::test::json_line_test {
namespace {

using inspect::JsonLine;
using inspect::JsonNode;
using inspect::LineReader;

std::vector<std::string> split(const std::string& text, std::size_t piece) {
  std::size_t given = 0;
  LineReader reader([&](std::span<std::byte> out) -> Result<std::size_t> {
    const std::size_t size = std::min({piece, out.size(), text.size() - given});
    std::memcpy(out.data(), text.data() + given, size);
    given += size;
    return size;
  });
  std::vector<std::string> lines;
  for (;;) {
    const auto line = reader.next();
    EXPECT_TRUE(line);
    if (!line || line->data() == nullptr) return lines;
    EXPECT_EQ(line->data()[line->size()], '\0');
    lines.emplace_back(line->data(), line->size());
  }
}

TEST(LineReader, GivesEveryLineWhateverThePiecesAre) {
  const std::string longest(700000, 'x');
  const std::vector<std::string> lines{"a", "", "bc", longest, "", longest + "y", "z"};
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{99999}, std::size_t{1} << 30}) {
    EXPECT_EQ(split(text, piece), lines) << piece;
    EXPECT_EQ(split(text.substr(0, text.size() - 1), piece), lines)
        << "without the last line's end";
  }
  EXPECT_EQ(split("a\n\nb", 1), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_TRUE(split("", 1).empty());
}

TEST(LineReader, TellsWhenReadingFails) {
  LineReader reader([](std::span<std::byte>) -> Result<std::size_t> {
    return fail(ErrorCode::io_failed, "cannot read");
  });
  const auto line = reader.next();
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::io_failed);
}

TEST(JsonLine, KeepsNumbersAsTheyAreWritten) {
  std::string text =
      R"( {"a": -0, "b": [1e-400, 123456789012345678901234567890], "\u00e9": "\u0000x", "d": {}} )";
  JsonLine line;
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

TEST(JsonLine, RefusesDeepNestingWithoutUsingTheStack) {
  for (const char* bracket : {"[", "{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 1000000; ++i) text += bracket;
    JsonLine line;
    const Status parsed = line.parse(text.data(), text.size());
    ASSERT_FALSE(parsed);
    EXPECT_THAT(parsed.error().message(), testing::HasSubstr("nested too deeply"));
  }
}

}  // namespace
}  // namespace hdb::test::json_line_test
