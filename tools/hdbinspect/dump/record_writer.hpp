// Streams the records of selected tables to standard output.
#pragma once

#include <cstdint>

#include "dump/selection.hpp"
#include "dump/text_buffer.hpp"
#include "output.hpp"

namespace hdb::inspect::dumping {

enum class Form : std::uint8_t {
  ndjson,  ///< An object a line.
  json,    ///< One array of them.
  csv,     ///< A header and a line for each record (RFC 4180); of one table.
};

class RowPrinter;

class RecordWriter {
 public:
  /// At most `limit` records in all.
  RecordWriter(Output& out, const Reader& reader, Form form, std::uint64_t limit)
      : out_(out), reader_(reader), form_(form), left_(limit) {}

  void open();
  /// Writes a table's records, in the order of their slots. Memory: one row group.
  /// Errors: damage that is met, with the record's handle.
  [[nodiscard]] Status write(const Selection& selection);
  void close();

 private:
  void write_header(const TableDescriptor& table, const RowPrinter& printer);
  void begin_record(const TableDescriptor& table, std::uint64_t slot, std::uint32_t generation);
  void end_record();
  void flush();

  Output& out_;
  const Reader& reader_;
  Form form_;
  std::uint64_t left_;
  bool first_ = true;
  std::string prefix_;  // JSON: of the table's records, up to the slot
  TextBuffer buffer_;
};

/// How many records a selection means. Without a filter nothing is read.
[[nodiscard]] Result<std::uint64_t> count_records(const Reader& reader, const Selection& selection);

}  // namespace hdb::inspect::dumping
