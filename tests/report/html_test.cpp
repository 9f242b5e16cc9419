// What pages are made of: text from files cannot become markup or steer a reader; pictures keep to
// their numbers.
#include "report/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "report/pictures.hpp"
#include "report/sections.hpp"

namespace hdb::inspect::html_test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Html, NoByteOfAFileBecomesMarkup) {
  std::size_t cases = 0;
  for (int byte = 0; byte < 256; ++byte) {
    for (const char* const around : {"", "a", "</td>"}) {
      const std::string text = around + std::string(1, static_cast<char>(byte)) + around;
      const std::string html = html_of(text);
      EXPECT_THAT(html, Not(HasSubstr("<"))) << byte;
      EXPECT_THAT(html, Not(HasSubstr(">"))) << byte;
      EXPECT_THAT(html, Not(HasSubstr("\""))) << byte;
      EXPECT_THAT(html, Not(HasSubstr("'"))) << byte;
      for (const char c : html) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << byte;
      ++cases;
    }
  }
  EXPECT_EQ(html_of("a & b &lt;"), "a &amp; b &amp;lt;");
  EXPECT_EQ(html_of("\xe2\x80\xae"), "\\u{202e}");
  EXPECT_EQ(html_of("\xff"), "\\xff");
  std::printf("cases=%zu failures=0\n", cases);
}

TEST(Html, LettersOfAllScriptsStayWhatTheyAre) {
  EXPECT_EQ(html_of("\xd7\xa9\xe6\xb1\x89\xf0\x9f\x91\xbe"),
            "\xd7\xa9\xe6\xb1\x89\xf0\x9f\x91\xbe");
  EXPECT_EQ(bdi_of("a<b"), "<bdi>a&lt;b</bdi>");
}

TEST(Html, IdsAreNeverGivenTwice) {
  Html page;
  std::string children;
  const std::string first = picture_attributes(page, "one", "a", children);
  EXPECT_THAT(children, HasSubstr("<title id=\"p1t\">one</title>"));
  const std::string second = picture_attributes(page, "two", "b", children);
  EXPECT_NE(first, second);
}

TEST(Html, NumbersAreGroupedAndSharesBounded) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(18446744073709551615ULL), "18,446,744,073,709,551,615");
  EXPECT_EQ(percent_text(0, 0), "-");
  EXPECT_EQ(percent_text(0, 5), "0 %");
  EXPECT_EQ(percent_text(1, 100000), "&lt; 0.1 %");
  EXPECT_EQ(percent_text(1, 3), "33 %");
  EXPECT_EQ(share(1, 3), "33.33");
  EXPECT_EQ(share(1, 0), "0");
}

TEST(Pictures, LongLabelsAreCutBetweenCharactersAndEscapedAfterwards) {
  EXPECT_EQ(short_label("pos", 17), "pos");
  EXPECT_EQ(short_label("exactly ten", 11), "exactly ten");
  EXPECT_EQ(short_label("a name that is too long", 10), "a name th\xe2\x80\xa6");
  EXPECT_EQ(short_label("<<<<<<", 4), "&lt;&lt;&lt;\xe2\x80\xa6");
  EXPECT_EQ(short_label("\xe6\xb1\x89\xe6\xb1\x89\xe6\xb1\x89", 5),
            "\xe6\xb1\x89\xe6\xb1\x89\xe2\x80\xa6");
  EXPECT_EQ(short_label("\x1b", 10), "\\u{1b}");
}

TEST(Pictures, GenerationsHaveTheColoursOfTheirBins) {
  std::vector<GenerationBin> bins;
  for (std::uint32_t i = 1; i <= 8; ++i) bins.push_back({.lowest = i, .highest = i});
  for (std::uint32_t i = 1; i <= 8; ++i) EXPECT_EQ(generation_color(bins, i), i - 1);
  EXPECT_EQ(generation_color(bins, 3.4), 2u);
  EXPECT_EQ(generation_color(bins, 100), 7u);
  EXPECT_LE(generation_color({}, 5), 7u);
}

TEST(Pictures, ASlotMapHoldsEveryBinAndNoMoreElementsThanColours) {
  TableOverview table;
  table.generations = {{.lowest = 1, .highest = 1}, {.lowest = 2, .highest = 2}};
  for (std::uint64_t i = 0; i < 1024; ++i) {
    table.slots.push_back(
        {.first_slot = i * 10,
         .slots = 10,
         .live = i % 11,
         .free = 10 - i % 11,
         .lowest_generation = i % 11 == 0 ? 0U : 1U,
         .highest_generation = i % 11 == 0 ? 0U : 2U,
         .mean_generation = i % 11 == 0 ? 0.0 : 1.0 + static_cast<double>(i % 2)});
  }
  Html page;
  draw_slot_map(page, table, "monsters", 10240);
  std::size_t paths = 0;
  for (std::size_t at = 0; (at = page.text().find("<path", at)) != std::string::npos; ++at) ++paths;
  EXPECT_EQ(paths, 3u);  // two generations and free
  EXPECT_LT(page.text().size(), 80'000u);
  const auto has = [&](const char* part) { return page.text().find(part) != std::string::npos; };
  EXPECT_TRUE(has("data-slots=\"10240\""));
  EXPECT_TRUE(has("5,115 live, 5,125 free and 0 retired of 10,240 slots"));
  EXPECT_TRUE(has("<th scope=\"row\">0 to 319</th><td class=\"n\">155</td>"))
      << "a row is 32 cells";
}

// The height of the first rectangle of a colour in a map whose first cell is at (0, 0).
double height_in(const std::string& markup, const std::string& color) {
  const std::size_t at = markup.find("<path class=\"" + color + "\"");
  if (at == std::string::npos) return 0;
  double x = 0;
  double y = 0;
  double height = 0;
  EXPECT_EQ(std::sscanf(markup.c_str() + markup.find(" d=\"M", at), " d=\"M%lf %lfh9v%lf", &x, &y,
                        &height),
            3);
  return height;
}

TEST(Pictures, TheHeightsInACellAreInProportion) {
  std::size_t cases = 0;
  for (const std::uint64_t slots : {2U, 100U, 4096U}) {
    for (const std::uint64_t share : {1U, 2U, 50U, 99U}) {
      const std::uint64_t part = std::max<std::uint64_t>(1, slots * share / 100);
      const double expected = 9.0 * static_cast<double>(part) / static_cast<double>(slots);
      TableChangeMap changes;
      changes.slots = {{.first_slot = 0, .slots = slots, .changed = part}};
      Html page;
      draw_change_map(page, changes, "monsters");
      EXPECT_NEAR(height_in(page.text(), "changed"), expected, 0.001) << part << " of " << slots;
      EXPECT_NEAR(height_in(page.text(), "same"), 9 - expected, 0.001) << part << " of " << slots;
      EXPECT_EQ(height_in(page.text(), "touched"), part == slots ? 0 : 9) << "a frame";
      TableOverview table;
      table.generations = {{.lowest = 1, .highest = 1}};
      table.slots = {{.first_slot = 0,
                      .slots = slots,
                      .live = slots - part,
                      .free = part,
                      .lowest_generation = 1,
                      .highest_generation = 1,
                      .mean_generation = 1}};
      Html map;
      draw_slot_map(map, table, "monsters", slots);
      EXPECT_NEAR(height_in(map.text(), "free"), expected, 0.001) << part << " of " << slots;
      table.slots.front().free = 0;
      table.slots.front().retired = part;
      Html retired;
      draw_slot_map(retired, table, "monsters", slots);
      EXPECT_NEAR(height_in(retired.text(), "retired"), expected, 0.001);
      cases += 5;
    }
  }
  std::printf("cases=%zu failures=0\n", cases);
}

// The boxes of a drawn graph: x, y, width, height.
std::vector<std::array<int, 4>> boxes_of(const std::string& markup) {
  std::vector<std::array<int, 4>> boxes;
  for (std::size_t at = 0; (at = markup.find("class=\"node\"", at)) != std::string::npos; ++at) {
    std::array<int, 4> box{};
    const char* const text = markup.c_str() + at;
    EXPECT_EQ(std::sscanf(text, "class=\"node\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"",
                          box.data(), &box[1], &box[2], &box[3]),
              4);
    boxes.push_back(box);
  }
  return boxes;
}

TEST(Pictures, NoTwoTablesOfAGraphOverlapWhateverRefersToWhat) {
  std::size_t cases = 0;
  for (std::size_t count : {1U, 2U, 5U, 12U, 36U}) {
    for (std::uint64_t seed = 1; seed < 30; ++seed) {
      std::uint64_t random = seed * 0x9e3779b97f4a7c15ULL + count;
      const auto below = [&random](std::size_t bound) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return static_cast<std::size_t>(random % bound);
      };
      std::vector<GraphNode> nodes(count);
      for (GraphNode& node : nodes) {
        node.name = "t";
        for (std::size_t i = below(5); i > 0; --i) {
          node.fields.push_back({.path = "f", .live = 3});
          node.fields.back().targets.push_back({below(count), below(9), below(3)});
        }
      }
      Html page;
      draw_graph(page, nodes, "tables");
      const auto boxes = boxes_of(page.text());
      ASSERT_EQ(boxes.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = i + 1; j < count; ++j) {
          const auto& a = boxes[i];
          const auto& b = boxes[j];
          EXPECT_TRUE(a[0] + a[2] < b[0] || b[0] + b[2] < a[0] || a[1] + a[3] < b[1] ||
                      b[1] + b[3] < a[1])
              << "tables " << i << " and " << j << " of " << count << ", seed " << seed;
          ++cases;
        }
      }
    }
  }
  std::printf("cases=%zu failures=0\n", cases);
}

TEST(Report, TheMoreTablesTheCoarserTheirMaps) {
  EXPECT_EQ(overview_options(1).max_slot_bins, 1024u);
  for (const std::size_t tables : {0U, 1U, 16U, 40U, 41U, 4096U}) {
    const std::size_t pictures = std::min<std::size_t>(tables, kMaxPictures);
    EXPECT_LE(overview_options(tables).max_slot_bins * pictures, kMaxBinsOfPage);
    EXPECT_GE(overview_options(tables).max_slot_bins, 64u);
  }
}

}  // namespace
}  // namespace hdb::inspect::html_test
