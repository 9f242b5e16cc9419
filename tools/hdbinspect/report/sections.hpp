// The parts of a report, from top to bottom.
#pragma once

#include <string>
#include <vector>

#include "hdb/inspect/overview.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/validate.hpp"
#include "report/html.hpp"

namespace hdb::inspect {

/// A file that a report is about.
struct ReportFile {
  std::string path;
  Validation validation;  ///< Deep. Its reader is null if the file cannot be opened.
  FileOverview overview;  ///< Of a file that can be opened.

  [[nodiscard]] const Reader* reader() const { return validation.reader.get(); }
  [[nodiscard]] bool is_sound() const { return validation.is_valid() && overview.faults.empty(); }
};

/// One file, or two and where they differ.
struct Report {
  std::vector<ReportFile> files;
  std::vector<TableChangeMap> changes;  ///< Of two files.
  std::string not_compared;             ///< Why two files were not compared; empty: they were.

  /// The file whose tables are shown: the later one, unless only the other can be opened.
  [[nodiscard]] const ReportFile& shown() const {
    return files.back().reader() != nullptr ? files.back() : files.front();
  }
};

/// The most tables that have pictures; the others are in the lists alone. The size of a page is
/// bounded by it.
inline constexpr std::size_t kMaxPictures = 40;
/// Slot bins of all tables together.
inline constexpr std::size_t kMaxBinsOfPage = 16384;

/// How finely to look at a file with that many tables.
[[nodiscard]] OverviewOptions overview_options(std::size_t tables);
/// The whole page.
[[nodiscard]] std::string report_page(const Report& report);

// Its parts.
void write_head(Html& page, const Report& report);
void write_changes(Html& page, const Report& report);
void write_sizes(Html& page, const Report& report);
void write_tables(Html& page, const Report& report);
void write_references(Html& page, const Report& report);

/// The tables, those with the most stored bytes first.
[[nodiscard]] std::vector<std::size_t> tables_by_size(const FileOverview& overview);
/// The tables that have pictures: those with the most stored bytes, in the order of the file.
[[nodiscard]] std::vector<std::size_t> pictured_tables(const FileOverview& overview);

/// A table with the counts of a difference.
void begin_difference_table(Html& page);
/// A row of it; `link`: the id that the name of the table leads to, or empty.
void write_difference_row(Html& page, const TableDiff& table, std::string_view link);
/// The sum over tables, in large numbers.
void write_difference_sum(Html& page, const std::vector<const TableDiff*>& tables);
/// Notes and schema changes of one table.
void write_difference_notes(Html& page, const TableDiff& table);

}  // namespace hdb::inspect
