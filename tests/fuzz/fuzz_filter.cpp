// Any text as a filter and as a glob, against schemas with every kind of field: nothing crashes,
// what parses is printed as what parses to the same, and what is bound tells of every record.
#include <random>
#include <string>
#include <vector>

#include "format/sample.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/paths.hpp"
#include "inspect/filter_rows.hpp"
#include "require.hpp"

namespace hdb::fuzz {
namespace {

void check_glob(const std::string& text, const Field& root) {
  for (const auto& glob : {Glob::of_name(text), Glob::of_path(text)}) {
    if (!glob) {
      require(!glob.error().what.empty(), "F10: a fault of a glob is told", text.c_str());
      continue;
    }
    static_cast<void>(glob->matches("items[3].name"));
    static_cast<void>(glob->matches(text));
    std::uint32_t end = 0;
    for (const FieldPlace& place : match_fields(root, *glob)) {
      require(place.first_column >= end, "F10: fields are matched once, in order", text.c_str());
      end = place.first_column + place.column_count;
    }
    require(end <= count_columns(root), "F10: fields have columns", text.c_str());
  }
}

void check_rows(const RecordFilter& filter, const Field& root,
                const std::vector<test::FilterRecord>& records) {
  const std::vector<Bytes> columns = test::filter_columns(records);
  RowDecoder decoder(root, filter.columns());
  decoder.begin(columns);
  Value row;
  for (std::size_t i = 0; i < records.size(); ++i) {
    require(decoder.next(row).has_value(), "F11: the columns of a filter are read");
    static_cast<void>(filter.matches(row, i, 1));
  }
}

}  // namespace
}  // namespace hdb::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hdb;
  using namespace hdb::test;
  static const Field small = filter_schema();
  static const Field large = every_kind();
  static const std::vector<TableDescriptor> tables = filter_tables();
  static const std::vector<FilterRecord> records = [] {
    std::mt19937 random(1);
    std::vector<FilterRecord> made;
    for (int i = 0; i < 20; ++i) made.push_back(random_filter_record(random));
    return made;
  }();
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::check_glob(text, large);
  const auto parsed = FilterExpression::parse(text);
  if (!parsed) {
    const auto& error = parsed.error();
    fuzz::require(error.offset <= size && !error.what.empty(), "F8: a fault has its place",
                  text.c_str());
    static_cast<void>(point_at(text, static_cast<std::size_t>(error.offset)));
    return 0;
  }
  const std::string printed = parsed->print();
  const auto again = FilterExpression::parse(printed);
  fuzz::require(again && *again == *parsed, "F9: parse(print(e)) == e", printed.c_str());
  fuzz::require(again->print() == printed, "F9: one spelling", printed.c_str());
  static_cast<void>(RecordFilter::bind(*parsed, large, tables));
  if (const auto filter = RecordFilter::bind(*parsed, small, tables))
    fuzz::check_rows(*filter, small, records);
  return 0;
}
