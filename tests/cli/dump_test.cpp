// dump prints straight from columns what the library makes of records: values, floats, texts; and
// cells of CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

#include "dump/row_printer.hpp"
#include "dump/text_buffer.hpp"
#include "format/sample.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::test::dump_test {
namespace {

using namespace hdb::inspect::dumping;

// The rows of a row group as the library's decoder and value_json tell them.
std::vector<std::string> told(const Field& root, const std::vector<Bytes>& columns,
                              std::span<const std::uint32_t> wanted, std::size_t rows,
                              const std::vector<TableDescriptor>& tables) {
  RowDecoder decoder(root, wanted);
  decoder.begin(columns);
  const HandleNamer namer(tables);
  std::vector<std::string> texts;
  Value row;
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(decoder.next(row));
    texts.push_back(value_json(row, namer));
  }
  return texts;
}

TEST(Dump, PrintsWhatTheLibraryTellsForAnyChoiceOfColumns) {
  const Field root = every_kind();
  const std::size_t count = columns_of(root).size();
  std::mt19937 random(3);
  std::size_t cases = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const SampleTable table = random_table(root, {.slots = 40, .seed = seed});
    const std::vector<TableDescriptor> tables{table.descriptor};
    const RowGroup& group = table.groups[0];
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t column = 0; column < count; ++column) {
      if (seed % 3 == 0 || random() % 4 == 0) wanted.push_back(column);
    }
    const PrintField fields = print_field(root, wanted, false, tables);
    RowDecoder decoder(root, wanted);
    EXPECT_EQ(columns_of_print(fields), decoder.needed_columns());
    const std::size_t rows = group.live_count();
    const auto expected = told(root, group.columns, wanted, rows, tables);
    TextBuffer out;
    RowPrinter printer(fields, tables, out, [] { FAIL() << "no record here is so large"; });
    printer.begin(group.columns);
    for (std::size_t i = 0; i < rows; ++i) {
      out.clear();
      if (random() % 3 == 0) {
        ASSERT_TRUE(printer.skip());
        continue;
      }
      ASSERT_TRUE(printer.json());
      ASSERT_EQ(out.view(), expected[i]) << "seed " << seed << ", row " << i;
      ++cases;
    }
  }
  std::printf("cases=%zu failures=0\n", cases);
}

TEST(Dump, AColumnThatEndsEarlyIsAnErrorAndNoMoreIsRead) {
  const Field root = plain_schema();
  SampleTable table = random_table(root, {.slots = 10, .live_percent = 100, .retired_percent = 0});
  table.groups[0].columns[3].resize(10);  // two records and a half
  const std::vector<TableDescriptor> tables{table.descriptor};
  const PrintField fields = print_field(root, {}, true, tables);
  TextBuffer out;
  RowPrinter printer(fields, tables, out, [] {});
  printer.begin(table.groups[0].columns);
  EXPECT_TRUE(printer.json());
  EXPECT_TRUE(printer.json());
  const Status third = printer.json();
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().where, "column hp");
}

TEST(Dump, FloatsAreThoseOfValueText) {
  std::mt19937_64 random(5);
  TextBuffer out;
  const auto check = [&](auto value, auto bits, FieldKind kind) {
    if (!std::isfinite(value)) return;
    out.clear();
    put_float(out, value);
    ASSERT_EQ(out.view(), float_text(kind, bits)) << std::hex << bits;
  };
  const auto check_f32 = [&](std::uint32_t bits) {
    check(std::bit_cast<float>(bits), bits, FieldKind::f32);
  };
  const auto check_f64 = [&](std::uint64_t bits) {
    check(std::bit_cast<double>(bits), bits, FieldKind::f64);
  };
  for (const double edge : {0.0, 1.0, 1e-4, 9.999e-5, 0.1, 16777216.0, 16777215.5,
                            4503599627370496.0, 4503599627370495.5, 1e15, 1e16, 123456.789}) {
    for (int step = -3; step <= 3; ++step) {
      for (const double sign : {1.0, -1.0}) {
        check_f32(std::bit_cast<std::uint32_t>(static_cast<float>(sign * edge)) +
                  static_cast<std::uint32_t>(step));
        check_f64(std::bit_cast<std::uint64_t>(sign * edge) + static_cast<std::uint64_t>(step));
      }
    }
  }
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t bits = random();
    check_f32(static_cast<std::uint32_t>(bits));
    check_f64(bits);
    // Of the sizes that games use.
    const double real = static_cast<double>(static_cast<std::int64_t>(bits) >> 20) / (1 << 16);
    check_f32(std::bit_cast<std::uint32_t>(static_cast<float>(real)));
    check_f64(std::bit_cast<std::uint64_t>(real));
  }
}

TEST(Dump, TextsAreThoseOfJsonText) {
  std::mt19937 random(9);
  TextBuffer out;
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 30, 'a');
    for (char& c : text) {
      if (random() % 12 == 0) c = static_cast<char>(random() % 256);
    }
    if (random() % 4 == 0) text += "\xe2\x80\xae";
    out.clear();
    put_json_text(out, text);
    ASSERT_EQ(out.view(), json_text(text));
  }
}

std::string cell(std::string_view text) {
  TextBuffer out;
  put_csv_text(out, text);
  return std::string(out.view());
}

TEST(Dump, CellsAreNoFormulasAndCarryNoControls) {
  EXPECT_EQ(cell("imp"), "imp");
  EXPECT_EQ(cell("=cmd()"), "'=cmd()");
  EXPECT_EQ(cell("+1"), "'+1");
  EXPECT_EQ(cell("-1"), "'-1");
  EXPECT_EQ(cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(cell("\t=1"), "'\\t=1");
  EXPECT_EQ(cell("a,b"), "\"a,b\"");
  EXPECT_EQ(cell("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(cell("=\"a\",b"), "\"'=\"\"a\"\",b\"");
  EXPECT_EQ(cell("two\r\nlines"), "two\\u{d}\\nlines");
  EXPECT_EQ(cell("\x1b[31m"), "\\u{1b}[31m");
  EXPECT_EQ(cell(""), "");
}

}  // namespace
}  // namespace hdb::test::dump_test
