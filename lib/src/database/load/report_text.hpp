// The parts of a report in one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hdb/load.hpp"

namespace hdb {

/// "extension 99 of field 'hp'".
[[nodiscard]] std::string extension_text(const DroppedExtension& extension);
/// "monsters (was enemies): 120 records, mana defaulted (x120)".
[[nodiscard]] std::string table_text(const TableLoadReport& table);
/// The title and the names; empty if `names` is empty.
[[nodiscard]] std::string names_text(std::string_view title, const std::vector<std::string>& names);

/// Parts joined by "; ", with control characters escaped.
class ReportLine {
 public:
  /// Adds a part unless it is empty.
  void add(const std::string& part);
  /// The line; "no tables" if it has no part.
  [[nodiscard]] std::string text() const { return line_.empty() ? "no tables" : line_; }

 private:
  std::string line_;
};

}  // namespace hdb
