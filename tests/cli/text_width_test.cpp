// Columns of text on a terminal: wide characters take two, combining ones none.
#include <gtest/gtest.h>

#include "text.hpp"

namespace hdb::test::text_width_test {
namespace {

using hdb::inspect::cut_text;
using hdb::inspect::display_width;
using hdb::inspect::TextTable;

TEST(Width, OfLettersIsTheirNumber) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("monsters"), 8U);
  EXPECT_EQ(display_width("\xc3\xbc"), 1U);  // u with dots, in one
}

TEST(Width, OfWideCharactersIsTwo) {
  EXPECT_EQ(display_width("\xe9\xbe\x8d"), 2U);      // a Chinese dragon
  EXPECT_EQ(display_width("\xf0\x9f\x90\x89"), 2U);  // one that is a picture
}

TEST(Width, OfCombiningCharactersIsNothing) {
  EXPECT_EQ(display_width("u\xcc\x88"), 1U);
  EXPECT_EQ(display_width("a\xe2\x80\x8b"), 1U);  // a zero-width blank
}

TEST(Width, OfBytesThatAreNoTextIsOneEach) {
  EXPECT_EQ(display_width("\xff\xfe"), 2U);
  EXPECT_EQ(display_width("a\xe9"), 2U);
}

TEST(Width, ATextIsCutToTheColumnsThatItHas) {
  EXPECT_EQ(cut_text("monsters", 8), "monsters");
  EXPECT_EQ(cut_text("monsters", 7), "mons...");
  EXPECT_EQ(cut_text("\xe9\xbe\x8d\xe9\xbe\x8d\xe9\xbe\x8d", 5), "\xe9\xbe\x8d...");
  EXPECT_EQ(cut_text("au\xcc\x88xyz", 4), "a...");
}

TEST(Width, ColumnsOfATableAreAlignedByWhatTheTerminalShows) {
  TextTable table({false, true});
  table.add({"\xe9\xbe\x8d", "1"});
  table.add({"u\xcc\x88", "22"});
  table.add({"abcd", "3"});
  EXPECT_EQ(table.text(0), "\xe9\xbe\x8d     1\nu\xcc\x88     22\nabcd   3\n");
}

TEST(Width, ATableThatDoesNotFitIsSetAsParagraphs) {
  TextTable table({false, true, false});
  table.add({"TABLE", "LIVE", "POLICIES"});
  table.add({"monsters", "12", "lifo per_slot retire"});
  EXPECT_EQ(table.fitted(40), table.text(0));
  EXPECT_EQ(
      table.fitted(24),
      "monsters\n  LIVE      12\n  POLICIES  lifo\n            per_slot\n            retire\n");
  table.add({"names", "1", "lifo per_slot retire names exact"});
  EXPECT_EQ(table.fitted(40),
            "TABLE     LIVE  POLICIES\n"
            "monsters    12  lifo per_slot retire\n"
            "names        1  lifo per_slot retire\n"
            "                names exact\n");
}

}  // namespace
}  // namespace hdb::test::text_width_test
