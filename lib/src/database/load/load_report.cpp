// The report of a load in one line.
#include "hdb/inspect/text.hpp"
#include "hdb/load.hpp"

namespace hdb {
namespace {

std::string table_text(const TableLoadReport& table) {
  std::string text = table.name;
  if (!table.old_name.empty()) text += " (was " + table.old_name + ")";
  text +=
      ": " + std::to_string(table.live_count) + (table.live_count == 1 ? " record" : " records");
  for (const LoadChange& change : table.changes) text += ", " + to_text(change);
  for (const std::uint8_t tag : table.dropped_extensions)
    text += ", extension " + std::to_string(tag) + " dropped";
  return text;
}

std::string names_text(std::string_view title, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? text : std::string(title) + text;
}

}  // namespace

std::string LoadReport::summary() const {
  std::string line;
  const auto add = [&](const std::string& part) {
    if (part.empty()) return;
    if (!line.empty()) line += "; ";
    line += escape_text(part);
  };
  for (const TableLoadReport& table : tables) add(table_text(table));
  add(names_text("not in the file, now empty: ", missing_tables));
  add(names_text("not in the program, skipped: ", unknown_tables));
  add(names_text("left out of loads, unchanged: ", skipped_tables));
  return line.empty() ? "no tables" : line;
}

}  // namespace hdb
