// The pinned error numbers and what a message looks like.
#include "hdb/error.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hdb {
namespace {

TEST(Error, MessageNamesWhatAndWhere) {
  const Error error{
      ErrorCode::bad_slots, "slot count 9 exceeds group", 112, "group 3 of table 'monsters'", {}};
  EXPECT_EQ(error.message(),
            "corrupt: slot count 9 exceeds group (byte 112, group 3 of table 'monsters')");
}

TEST(Error, MessageWithoutParticularsIsTheCodesOwnText) {
  EXPECT_EQ((Error{ErrorCode::cancelled, "", kNoOffset, "", {}}.message()), "cancelled: cancelled");
  EXPECT_EQ((Error{ErrorCode::file_not_found, "", kNoOffset, "opening", {}}.message()),
            "i/o: the file does not exist (opening)");
}

TEST(Error, MessageBeginsWithTheFileWhereOneIsKnown) {
  EXPECT_EQ((Error{ErrorCode::truncated, "it ends", 5, "footer", "slot1.hdb"}.message()),
            "slot1.hdb: corrupt: it ends (byte 5, footer)");
}

// Names in a file are anything; what a game prints or logs must not steer its terminal.
TEST(Error, MessageEscapesWhatCouldSteerATerminal) {
  const Error error{ErrorCode::bad_table, "no table '\x1b[31m\u202ered'", 5, "table 'a\nb\xff'",
                    "C:\\saves\\slot\x07.hdb"};
  EXPECT_EQ(error.message(),
            "C:\\saves\\slot\\u{7}.hdb: corrupt: no table '\\u{1b}[31m\\u{202e}red' (byte 5, table "
            "'a\\nb\\xff')");
}

TEST(Error, OuterPlacesAreAddedBehindInnerOnes) {
  const Error error =
      Error{ErrorCode::bad_value, "not a bool", 7, "column 'alive'", {}}.in("group 2").in(
          "table 'things'");
  EXPECT_EQ(error.where, "column 'alive' of group 2 of table 'things'");
}

TEST(Error, NumbersArePinned) {
  EXPECT_EQ(static_cast<int>(ErrorCode::bad_signature), 101);
  EXPECT_EQ(static_cast<int>(ErrorCode::block_checksum), 231);
  EXPECT_EQ(static_cast<int>(ErrorCode::bad_slots), 402);
  EXPECT_EQ(static_cast<int>(ErrorCode::bad_names), 406);
  EXPECT_EQ(static_cast<int>(ErrorCode::bad_blobs), 407);
  EXPECT_EQ(static_cast<int>(ErrorCode::dangling_strong), 408);
  EXPECT_EQ(static_cast<int>(ErrorCode::blob_full), 605);
  EXPECT_EQ(static_cast<int>(ErrorCode::blob_too_large), 606);
  EXPECT_EQ(static_cast<int>(ErrorCode::save_busy), 707);
  EXPECT_EQ(static_cast<int>(ErrorCode::not_an_archive), 1001);
  EXPECT_EQ(code_id(ErrorCode::block_checksum), "HDB-E0231");
  EXPECT_EQ(code_id(ErrorCode::not_an_archive), "HDB-E1001");
}

TEST(Error, EveryCodeHasOneNumberANameATextAndACategory) {
  std::set<int> numbers;
  std::set<std::string_view> names;
  for (const ErrorCode code : all_error_codes()) {
    EXPECT_TRUE(numbers.insert(static_cast<int>(code)).second) << code_id(code);
    EXPECT_TRUE(names.insert(code_name(code)).second) << code_id(code);
    EXPECT_FALSE(code_name(code).empty()) << code_id(code);
    EXPECT_FALSE(code_text(code).empty()) << code_id(code);
    EXPECT_NE(category_name(category_of(code)), "error") << code_id(code);
  }
  EXPECT_GT(numbers.size(), 50u);
}

}  // namespace
}  // namespace hdb
