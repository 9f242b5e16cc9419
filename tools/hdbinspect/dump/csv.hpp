// Records as cells of CSV (RFC 4180).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb::inspect {

/// Appends a text as one cell: escaped as on a terminal, quoted where needed, and with ' before
/// what a spreadsheet would take for a formula (=, +, -, @, also wide and after spaces or quotes).
void append_csv_text(std::string_view text, std::string& out);

/// The cells of a table: one for each field; structures are flattened ("pos.x"), also those in an
/// optional.
class CsvCells {
 public:
  /// `columns`: of the fields that rows have; nothing: all fields. `spill`: as of JsonValueWriter.
  /// `root` and `tables` must outlive the cells.
  CsvCells(const Field& root, std::optional<std::span<const std::uint32_t>> columns,
           const std::vector<TableDescriptor>& tables, std::function<void()> spill = {});

  [[nodiscard]] std::vector<std::string> names() const;
  /// Appends the cells of a record, each after a comma.
  void append(const Value& row, std::string& out) { append(shown_, &row, out); }

 private:
  void append(const Field& shown, const Value* value, std::string& out);
  void append_cell(const Value& value, std::string& out);
  void append_large_text(std::string_view text, std::string& out);
  void spill_cell();

  Field shown_;  // the root without the fields that rows do not have
  HandleNamer namer_;
  JsonValueWriter json_;
  std::function<void()> spill_;
  std::string cell_;  // the cell at hand
  std::string* out_ = nullptr;
  bool is_spilled_ = false;  // the begin of the cell is in `out_`, after a quote
};

}  // namespace hdb::inspect
