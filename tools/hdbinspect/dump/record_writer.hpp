// Streams the records of selected tables to standard output.
#pragma once

#include <cstdint>

#include "dump/selection.hpp"
#include "hdb/inspect/values.hpp"
#include "output.hpp"

namespace hdb::inspect {
class CsvCells;
class RowOrder;
class RowReader;
}  // namespace hdb::inspect

namespace hdb::inspect::dumping {

enum class Form : std::uint8_t {
  ndjson,  ///< An object a line.
  json,    ///< One array of them.
  csv,     ///< A header and a line for each record (RFC 4180); of one table.
};

class RecordWriter {
 public:
  /// At most `limit` records in all.
  RecordWriter(Output& out, const Reader& reader, Form form, std::uint64_t limit);
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  void open();
  /// Writes a table's records, in the order of their slots; with an order those that come first in
  /// it, ties by slot. Memory: one row group and the values of one record, and, with an order, what
  /// is written.
  /// Errors: damage that is met, with the record's handle; memory_budget.
  [[nodiscard]] Status write(const Selection& selection, const RowOrder* order = nullptr);
  void close();

 private:
  void write_csv(const RowReader& rows, CsvCells& cells);
  void write_json(const RowReader& rows, const std::string& prefix, const std::string& suffix);
  void begin_record();
  void flush();

  Output& out_;
  const Reader& reader_;
  Form form_;
  std::uint64_t left_;
  bool first_ = true;
  bool is_sorting_ = false;  // the buffer holds one record
  std::string buffer_;
  JsonValueWriter json_;
};

/// How many records a selection has. Without a filter nothing is read.
[[nodiscard]] Result<std::uint64_t> count_records(const Reader& reader, const Selection& selection);

}  // namespace hdb::inspect::dumping
