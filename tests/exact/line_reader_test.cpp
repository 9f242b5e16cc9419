// Lines of text.
#include "exact/line_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace hdb::test::line_reader_test {
namespace {

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

}  // namespace
}  // namespace hdb::test::line_reader_test
