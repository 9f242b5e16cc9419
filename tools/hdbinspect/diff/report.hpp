// Prints a comparison as text (summary first, details after it) or as NDJSON.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "diff/schema_diff.hpp"
#include "diff/table_diff.hpp"
#include "output.hpp"

namespace hdb::inspect {

/// What became of one table name.
struct TableEntryDiff {
  std::string name;
  const TableDescriptor* a = nullptr;  ///< null: only in the second file.
  const TableDescriptor* b = nullptr;  ///< null: only in the first file.
  std::vector<SchemaChange> schema;
  TableDiff diff;

  [[nodiscard]] bool differs() const noexcept {
    return a == nullptr || b == nullptr || !schema.empty() || diff.differs();
  }
};

class DiffReport {
 public:
  virtual ~DiffReport() = default;
  /// A record, in order, before its table.
  virtual void record(const TableDescriptor& a, const TableDescriptor& b,
                      const RecordDiff& record) = 0;
  virtual void table(TableEntryDiff entry) = 0;
  virtual void finish(std::uint64_t records_not_shown) = 0;
};

/// Text as in the manual: tables that differ, then records, then the sum. Details wait in a
/// temporary file once they are large.
[[nodiscard]] std::unique_ptr<DiffReport> text_report(Output& out, bool verbose);
/// One object a line: diff_record, diff_table, diff_summary.
[[nodiscard]] std::unique_ptr<DiffReport> json_report(Output& out);

}  // namespace hdb::inspect
