// What ExactImporter refuses, and where it says that it is: line, table, slot, field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "exact/exact_lines.hpp"
#include "exact/importer.hpp"
#include "format/example_image.hpp"
#include "format/sample.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::test::import_refusals_test {
namespace {

using ::testing::HasSubstr;

// 1 header, 2 schema, 3 table, 4 to 7 slots (live, free, live, retired), 8 free list, 9 end.
std::vector<std::string> example_lines() {
  auto lines = dumped_lines(example_image(), inspect::DumpedFile{{1, 2}, {3, 4}});
  EXPECT_TRUE(lines && lines->size() == 9);
  return *lines;
}

std::string refusal(const std::vector<std::string>& lines) {
  const auto image = imported(lines);
  if (image) return "accepted";
  EXPECT_EQ(code_name(image.error().code), code_name(ErrorCode::bad_exact_dump))
      << image.error().message();
  return image.error().message();
}

struct Edit {
  std::size_t line;
  std::string from;
  std::string to;
  std::string message;  // a part of it, with the place
};

std::string refusal(const Edit& edit) {
  std::vector<std::string> lines = example_lines();
  std::string& line = lines[edit.line - 1];
  const std::size_t at = line.find(edit.from);
  EXPECT_NE(at, std::string::npos) << edit.from << " is not in " << line;
  if (at == std::string::npos) return {};
  line.replace(at, edit.from.size(), edit.to);
  return refusal(lines);
}

TEST(ImportRefusals, NameLineTableSlotAndField) {
  const std::vector<Edit> edits{
      {4, "\"hp\":100", "\"hp\":2147483648",
       "a whole number from -2147483648 to 2147483647 is needed, not \"2147483648\" (field hp of "
       "slot 0 of "
       "table 'units' of line 4)"},
      {4, "\"hp\":100", "\"hp\":1.5", "not \"1.5\" (field hp of slot 0"},
      {4, "\"hp\":100", "\"hp\":true", "is needed, not a boolean (field hp of slot 0"},
      {4, "\"hp\":100", "\"hq\":100", "unknown member 'hq'; did you mean 'hp'? (fields of slot 0"},
      {4, "\"hp\":100,", "", "the member 'hp' is missing (fields of slot 0"},
      {4, "\"hp\":100", "\"hp\":100,\"hp\":100",
       "the member 'hp' is there twice (fields of slot 0"},
      {6, "\"name\":\"", "\"name\":5,\"x\":\"",
       "a text or {\"hex\": \"...\"} is needed, not \"5\" (field name of slot 2"},
      {6, "\"name\":\"", "\"name\":{\"hex\":\"ff\"},\"x\":\"",
       "the schema requires the text to be UTF-8 (field name of slot 2"},
      {6, "\"name\":\"", "\"name\":{\"hex\":\"f\"},\"x\":\"",
       "is needed, not an object (field name"},
      {6, "\"name\":\"", "\"name\":\"\\udc00",
       "half of a surrogate pair is missing (byte 127 of the line) (table 'units' of line 6)"},
      {4, "\"hp\":100", "\"h\xe6", "the line is not UTF-8 (table 'units' of line 4)"},
      {4, "\"generation\":1", "\"generation\":0", "'generation': slot 0 is live with generation 0"},
      {5, "\"generation\":2", "\"generation\":4294967296",
       "'generation': a whole number from 0 to 4294967295 is needed (slot 1 of table 'units' of "
       "line "
       "5)"},
      {7, "\"generation\":2147483646", "\"generation\":3", "slot 3 is retired with generation 3"},
      {4, "\"position\":1", "\"position\":2",
       "'position': a whole number below 2, the number of the table's positions, is needed (slot "
       "0"},
      {4, "\"position\":1,", "", "the member 'position' is missing: the table is dense (slot 0"},
      {6, "\"position\":0", "\"position\":1",
       "dense position 1 of group 0 is used twice (table 'units' of line 7)"},
      {5, "\"state\":\"free\"", "\"state\":\"gone\"",
       "'state': 'gone' is not one of free, live, retired, unissued (slot 1"},
      {5, "\"state\":\"free\"", "\"state\":\"live\"",
       "the member 'fields' is missing: a live slot needs a record (slot 1"},
      {4, "\"state\":\"live\"", "\"state\":\"free\"", "a free slot cannot have 'fields' (slot 0"},
      {5, "\"slot\":1", "\"slot\":2", "'slot': 1 is expected here, not 2 (slot 1"},
      {5, "\"table\":\"units\"", "\"table\":\"unit\"",
       "'table': 'units' is expected here, not 'unit' (slot 1"},
      {5, "\"state\"", "\"stat\"", "the member 'state' is missing (slot 1"},
      {5, "\"slot\":1", "\"slot\":1,\"note\":0",
       "unknown member 'note' (slot 1 of table 'units' of line 5)"},
      {5, "\"slot\":1", "\"slot\":1,\"slot\":1", "the member 'slot' is there twice (slot 1"},
      {5, "{", "", "the line is not valid JSON: "},
      {5, "}", "} x", "the line is not valid JSON: "},
      {5, "}", "\xff}", "the line is not UTF-8"},
      {5, "}", std::string("}\0", 2), "the line is not valid JSON: "},
      {5, "exact_slot", "exact_slots",
       "a line of type exact_slot is expected here, not \"exact_slots\" (table 'units' of line 5)"},
      {8, "[1]", "[0]", "slot 0 is in the free list but is not free (table 'units' of line 8)"},
      {8, "[1]", "[1,1]",
       "'slots': the line has 2 entries, but 1 of the free list are left (table 'units' of line "
       "8)"},
      {8, "[1]", "[]", "'slots': the line has 0 entries"},
      {8, "[1]", "[-1]", "'slots': slot numbers from 0"},
      {8, "\"first\":0", "\"first\":1",
       "'first': entry 0 of the free list is expected here, not 1 (table 'units' of line 8)"},
      {3, "\"live\":2", "\"live\":3",
       "table 'units': live, retired and free slots are more than 4 (line 3)"},
      {3, "\"storage\":\"dense\"", "\"storage\":\"dens\"",
       "'storage': 'dens' is not one of dense, stable; did you mean 'dense'? (line 3)"},
      {3, "<32,31>", "<31,32>",
       "'layout': '<31,32>' is not a handle layout: <index bits,generation bits> or "
       "<index bits,generation bits,type id bits> (line 3)"},
      {3, "\"schema\":0", "\"schema\":1", "'schema': there is no schema 1 (line 3)"},
      {3, "\"names\":\"none\"", "\"names\":\"exact\"", "its records lack the field @name (line 3)"},
      {3, "\"singleton\":false", "\"singleton\":0",
       "'singleton': true or false is needed, not a number (line 3)"},
      {3, "\"type_id\":0", "\"type_id\":1",
       "table 'units': the table has a type id, but its handle layout has none (line 3)"},
      {3, "\"group_slots\":",
       "\"extensions\":[{\"tag\":1,\"flags\":0,\"bytes\":\"01\"}],\"group_slots\":",
       "the unfinished sort work does not fit the table (line 3)"},
      {3, "\"group_slots\":",
       "\"extensions\":[{\"tag\":9,\"flags\":0,\"bytes\":\"0\"}],\"group_slots\":",
       "hexadecimal digits are needed, two per byte"},
      {3, "\"group_slots\":",
       "\"extensions\":[{\"tag\":9,\"flags\":1,\"bytes\":\"\"}],\"group_slots\":",
       "extension 9 is critical"},
      {2, "\"kind\":\"i32\"", "\"kind\":\"i33\"", "'kind': 'i33' is not one of"},
      {2, "\"name\":\"hp\"", "\"name\":\"name\"",
       "two fields are named 'name' (schema 0 of line 2)"},
      {2, "\"schema\":0", "\"schema\":1", "schema 0 is expected here, not 1 (line 2)"},
      {2, "\"utf8\":true", "\"utf9\":true", "the member 'utf8' is missing (field name of line 2)"},
      {1, "\"type\":\"exact\"", "\"type\":\"record\"", "the first line must have type exact"},
      {1, "\"tables\":1", "\"tables\":2",
       "a line of type exact_table is expected here, not \"exact_slot\" (line 4)"},
      {1, "\"thumbnail_bytes\":0", "\"thumbnail_bytes\":5",
       "a line of type exact_thumbnail is expected here"},
      {1, "\"play_time_ms\":61000", "\"play_time_ms\":-1",
       "'metadata': 'play_time_ms': a whole number from 0"},
      {1, "\"v\":1", "\"v\":0", "version 0 of a line does not exist (line 1)"},
      {9, "\"records\":2", "\"records\":3",
       "the last line states 4 slots and 3 records, but the dump has 4 and 2 (line 9)"},
      {9, "\"state_hash\":\"00", "\"state_hash\":\"0",
       "'state_hash': 32 hexadecimal digits are needed (line 9)"},
  };
  for (const Edit& edit : edits) {
    EXPECT_THAT(refusal(edit), HasSubstr(edit.message))
        << "line " << edit.line << ": " << edit.from << " -> " << edit.to;
  }
}

TEST(ImportRefusals, NewerLinesAskForANewerReader) {
  std::vector<std::string> lines = example_lines();
  for (std::string& line : lines) {
    const std::string whole = line;
    line.replace(line.find("\"v\":1"), 5, "\"v\":2");
    const auto image = imported(lines);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().code, ErrorCode::newer_version);
    line = whole;
  }
}

TEST(ImportRefusals, ADumpCutOffAnywhereIsRefused) {
  const std::vector<std::string> lines = example_lines();
  for (std::size_t count = 1; count < lines.size(); ++count) {
    const auto some =
        std::vector(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count));
    EXPECT_THAT(refusal(some), HasSubstr("cut off")) << count << " lines";
  }
  EXPECT_THAT(refusal(std::vector<std::string>{}), HasSubstr("the input is empty"));
  EXPECT_EQ(refusal(lines), "accepted");
}

TEST(ImportRefusals, ASaveFileIsToldFromLines) {
  EXPECT_THAT(refusal(std::vector<std::string>{"\x89HDB\r"}),
              HasSubstr("the input is a save file"));
}

TEST(ImportRefusals, LinesLeftOutDoubledOrExchangedAreRefused) {
  const std::vector<std::string> lines = example_lines();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> fewer = lines;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(refusal(fewer), "accepted") << "without line " << i + 1;
    std::vector<std::string> more = lines;
    more.insert(more.begin() + static_cast<std::ptrdiff_t>(i), lines[i]);
    EXPECT_NE(refusal(more), "accepted") << "line " << i + 1 << " twice";
    if (i + 1 == lines.size()) continue;
    std::vector<std::string> exchanged = lines;
    std::swap(exchanged[i], exchanged[i + 1]);
    EXPECT_NE(refusal(exchanged), "accepted") << "line " << i + 2 << " before " << i + 1;
  }
}

TEST(ImportRefusals, EmptyLinesAndCarriageReturnsArePassedBy) {
  std::vector<std::string> lines = example_lines();
  for (std::string& line : lines) line += "\r";
  lines.insert(lines.begin() + 4, "");
  lines.emplace_back("  ");
  EXPECT_EQ(refusal(lines), "accepted");
}

// Every kind of field: a value of each other JSON kind where one is expected.
TEST(ImportRefusals, ValuesOfAnotherKind) {
  MemoryImage image;
  image.schema_list = {every_kind()};
  image.add(
      random_table(image.schema_list[0], {.slots = 1, .live_percent = 100, .retired_percent = 0}));
  const auto lines = dumped_lines(image);
  ASSERT_TRUE(lines);
  const std::size_t slot_line = 3;
  const std::string fields = (*lines)[slot_line].substr((*lines)[slot_line].find("\"fields\":"));
  for (const Field& field : image.schema_list[0].children) {
    const std::string begin = '"' + field.name + "\":";
    std::size_t refused = 0;
    for (const char* value :
         {"{\"what\":1}", "[[[[1]]]]", "\"zz:1@1\"", "1e300", "[null,null,null]"}) {
      std::vector<std::string> edited = *lines;
      std::string& line = edited[slot_line];
      // A second member of this name, before the sound one, is met first.
      line.insert(line.find(begin, line.find("\"fields\":")), begin + value + ",");
      const std::string message = refusal(edited);
      EXPECT_THAT(message, HasSubstr("of slot 0 of table 'things' of line 4")) << field.name;
      refused += message.find("field " + field.name) != std::string::npos ? 1 : 0;
    }
    EXPECT_GE(refused, 3U) << field.name << ": the path names the field";
  }
}

TEST(ImportRefusals, LimitsHold) {
  const auto lines = dumped_lines(sample_image());
  ASSERT_TRUE(lines);
  ReadLimits limits;
  limits.max_slots_per_table = 100;
  auto image = imported(*lines, limits);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::limit_exceeded);
  EXPECT_THAT(image.error().message(), HasSubstr("at most 100 are allowed (line "));
  limits = {};
  limits.max_thumbnail_bytes = 99;
  image = imported(*lines, limits);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::limit_exceeded);
}

// Whatever byte of a dump is changed: refused, or an image that can be written, dumped and imported
// again.
TEST(ImportRefusals, ChangedBytesGiveARefusalOrASoundImage) {
  const std::vector<std::string> lines = example_lines();
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (std::size_t number = 0; number < lines.size(); ++number) {
    for (std::size_t at = 0; at < lines[number].size(); ++at) {
      for (const char byte : {'0', '9', '"', '}', ',', 'x', '\x80'}) {
        std::vector<std::string> edited = lines;
        if (edited[number][at] == byte) continue;
        edited[number][at] = byte;
        const auto image = imported(edited);
        if (!image) {
          ++refused;
          continue;
        }
        MemorySink sink;
        const auto report = write_image(**image, sink, {.file_id = Hash128{1, 2}});
        if (!report) continue;  // what only the whole file shows: a type id, a size
        ++accepted;
        const auto again = dumped_lines(**image);
        ASSERT_TRUE(again) << edited[number];
        const auto back = imported(*again);
        ASSERT_TRUE(back) << back.error().message() << "\n" << edited[number];
        EXPECT_EQ(written(**back), sink.bytes()) << edited[number];
      }
    }
  }
  EXPECT_GE(accepted, 100U);  // texts and numbers
  EXPECT_GE(refused, 3000U);
}

}  // namespace
}  // namespace hdb::test::import_refusals_test
