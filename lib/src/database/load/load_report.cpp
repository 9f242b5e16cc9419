// The report of a load in one line.
#include "database/load/report_text.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/load.hpp"

namespace hdb {

std::string migration_text(const MigrationReport& report) {
  std::string text;
  if (report.migrated != 0) {
    text += report.from_version == report.to_version
                ? ", migrated"
                : ", migrated from version " + std::to_string(report.from_version) + " to " +
                      std::to_string(report.to_version);
    text += " (x" + std::to_string(report.migrated) + ")";
  }
  if (report.dropped != 0)
    text += ", dropped by migrations (x" + std::to_string(report.dropped) + ")";
  if (report.created != 0)
    text += ", created by migrations (x" + std::to_string(report.created) + ")";
  return text;
}

// What a load that could not be exact kept, and why.
static std::string policy_text(const std::vector<PolicyChange>& changes) {
  std::string text;
  for (const PolicyChange& change : changes)
    text += (text.empty() ? ", handles valid (" : ", ") + to_text(change);
  return text.empty() ? text : text + ')';
}

std::string extension_text(const DroppedExtension& extension) {
  if (extension.tag == format::kExtensionSortWork && extension.field.empty())
    return "progress of a sort";
  return "extension " + std::to_string(extension.tag) +
         (extension.field.empty() ? "" : " of field '" + extension.field + "'");
}

std::string table_text(const TableLoadReport& table) {
  std::string text = table.name;
  if (!table.old_name.empty()) text += " (was " + table.old_name + ")";
  text +=
      ": " + std::to_string(table.live_count) + (table.live_count == 1 ? " record" : " records");
  if (table.migration) text += migration_text(*table.migration);
  text += policy_text(table.policy_changes);
  if (table.unknown_records != 0)
    text += ", dropped for unknown values (x" + std::to_string(table.unknown_records) + ")";
  for (const LoadChange& change : table.changes) text += ", " + to_text(change);
  for (const DroppedExtension& each : table.dropped_extensions)
    text += ", " + extension_text(each) + " dropped";
  return text;
}

std::string names_text(std::string_view title, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? text : std::string(title) + text;
}

void ReportLine::add(const std::string& part) {
  if (part.empty()) return;
  if (!line_.empty()) line_ += "; ";
  line_ += escape_text(part);
}

LoadReport::LoadReport() = default;
LoadReport::LoadReport(const LoadReport& other) = default;
LoadReport::LoadReport(LoadReport&& other) noexcept = default;
LoadReport& LoadReport::operator=(const LoadReport& other) = default;
LoadReport& LoadReport::operator=(LoadReport&& other) noexcept = default;
LoadReport::~LoadReport() = default;

std::string LoadReport::summary() const {
  ReportLine line;
  for (const TableLoadReport& table : tables) line.add(table_text(table));
  line.add(names_text("not in the file, now empty: ", missing_tables));
  line.add(names_text("not in the program, skipped: ", unknown_tables));
  line.add(names_text("not in the program, kept: ", kept_tables));
  line.add(names_text("left out of loads, unchanged: ", skipped_tables));
  line.add(names_text("named by migrations or options, but in neither: ", absent_tables));
  for (const DroppedExtension& each : dropped_extensions)
    line.add("extension " + std::to_string(each.tag) + " of the database dropped");
  return line.text();
}

}  // namespace hdb
