// Prints the rows of row groups, as JSON objects or as cells of CSV, straight from their columns.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dump/column_cursors.hpp"
#include "dump/print_field.hpp"
#include "dump/text_buffer.hpp"
#include "hdb/inspect/handle_names.hpp"

namespace hdb::inspect::dumping {

class RowPrinter {
 public:
  /// `root` and `tables` must outlive the printer. `spill` is told when the buffer should be
  /// written and cleared in the midst of a very large record.
  RowPrinter(const PrintField& root, const std::vector<TableDescriptor>& tables, TextBuffer& out,
             std::function<void()> spill);

  /// Starts with the first row of a row group.
  void begin(std::span<const Bytes> columns) { cursors_.begin(columns); }
  /// Prints the next row as one JSON object: what value_json prints of it.
  [[nodiscard]] Status json();
  /// Prints the next row as cells, each behind a comma.
  [[nodiscard]] Status csv();
  [[nodiscard]] Status skip();

  /// The names of the cells: fields of structures and of optional ones apart ("pos.x"), all others
  /// whole.
  [[nodiscard]] std::vector<std::string> csv_header() const;

 private:
  template <bool kPrint>
  void value(const PrintField& node);
  template <bool kPrint>
  void structure(const PrintField& node);
  template <bool kPrint>
  void elements(const PrintField& node, std::uint64_t count);
  template <bool kPrint>
  void pairs(const PrintField& node);
  template <bool kPrint>
  void held_or_null(const PrintField& node);
  template <bool kPrint>
  void alternative(const PrintField& node);
  template <bool kPrint>
  void opaque(const PrintField& node);
  void handle(const PrintField& node, std::uint64_t bits);
  void big_number(std::uint64_t bits, bool is_signed);
  void not_finite(double value, const PrintField& node);
  void cells(const PrintField& node, bool absent);
  void cell(const PrintField& node);
  bool charge();
  [[nodiscard]] Status end_row();
  [[nodiscard]] std::uint64_t take_bits(const PrintField& node);
  /// Those of the value that was taken last.
  [[nodiscard]] std::uint64_t last_bits(const PrintField& node) const;
  void spill_if_large();

  const PrintField& root_;
  HandleNamer namer_;
  std::vector<Column> columns_;
  TextBuffer& out_;
  std::function<void()> spill_;
  ColumnCursors cursors_;
  TextBuffer cell_;
  std::uint64_t values_ = 0;  // of the present row
  bool too_many_ = false;
  bool may_spill_ = true;
};

/// A text as one cell: escaped as on a terminal, quoted where needed, and with ' before what a
/// spreadsheet would take for a formula (=, +, -, @).
void put_csv_text(TextBuffer& out, std::string_view text);
/// Text without anything unsafe or formula-like, quoted where needed.
void put_csv_cell(TextBuffer& out, std::string_view text);

}  // namespace hdb::inspect::dumping
