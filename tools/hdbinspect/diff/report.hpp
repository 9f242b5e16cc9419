// Prints a comparison as text (summary first, details after it) or as NDJSON.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "diff/first_difference.hpp"
#include "hdb/inspect/diff.hpp"
#include "output.hpp"

namespace hdb::inspect {

class DiffReport {
 public:
  virtual ~DiffReport() = default;
  /// Which pair of two folders is compared, before anything else.
  virtual void first(const SavePairs& pairs, const FirstDifference& found) = 0;
  /// A record, in order, before its table.
  virtual void record(const RecordDiff& record) = 0;
  virtual void table(const TableDiff& table) = 0;
  /// What differs beside the tables, after all of them; not called if nothing does.
  virtual void database(const std::vector<TableNote>& notes) = 0;
  virtual void finish(std::uint64_t records_not_shown) = 0;
};

/// The numbers of records that differ: "+3 -4 ~117 R1".
[[nodiscard]] std::string marks_of(const TableDiff& table);

/// Text as in the manual: tables that differ, then records, then the sum. Details wait in a
/// temporary file once they are large.
[[nodiscard]] std::unique_ptr<DiffReport> text_report(Output& out, bool verbose);
/// Takes a line without its end.
using LineSink = std::function<void(std::string_view)>;
/// One object a line: diff_record, diff_table, diff_database, diff_summary.
[[nodiscard]] std::unique_ptr<DiffReport> json_report(LineSink line);
[[nodiscard]] std::unique_ptr<DiffReport> json_report(Output& out);

}  // namespace hdb::inspect
