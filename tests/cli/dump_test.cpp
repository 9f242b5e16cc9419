// dump prints very large records in parts, and cells of CSV.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dump/csv.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::test::dump_test {
namespace {

using namespace hdb::inspect;

TEST(Dump, AVeryLargeRecordIsWrittenInParts) {
  Field root;
  root.kind = FieldKind::list;
  root.children.resize(1);
  root.children[0].kind = FieldKind::u64;
  const std::vector<std::byte> bytes(std::size_t{8} << 20, std::byte{0xff});
  const Value value{&root, bytes.size() / 8, bytes, {}};
  std::size_t written = 0;
  std::string out;
  const std::vector<TableDescriptor> tables;
  JsonValueWriter writer(HandleNamer(tables), JsonValueWriter::Form::plain, [&] {
    EXPECT_LT(out.size(), std::size_t{9} << 20);
    written += out.size();
    out.clear();
  });
  writer.append(value, out);
  // 20 digits, two quotes, a comma or bracket.
  EXPECT_EQ(written + out.size(), value.bits * 23 + 1);
  EXPECT_GT(written, out.size());
}

std::string cell(std::string_view text) {
  std::string out;
  append_csv_text(text, out);
  return out;
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
  // Spreadsheets pass over spaces and quotes, and take wide signs for the ordinary ones.
  EXPECT_EQ(cell(" =1"), "' =1");
  EXPECT_EQ(cell("\u00a0\u3000=1"), "'\u00a0\u3000=1");
  EXPECT_EQ(cell("\"=1"), "\"'\"\"=1\"");
  EXPECT_EQ(cell("' +1"), "'' +1");
  for (const std::string sign : {"\uff1d", "\uff0b", "\uff0d", "\uff20"})
    EXPECT_EQ(cell(sign + "1"), "'" + sign + "1");
  EXPECT_EQ(cell("a =1"), "a =1");
  EXPECT_EQ(cell("\uff21"), "\uff21");
  EXPECT_EQ(cell("  "), "  ");
}

}  // namespace
}  // namespace hdb::test::dump_test
