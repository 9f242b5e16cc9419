// What a repair found and did, as text and as JSON.
#pragma once

#include <string>

#include "hdb/inspect/image.hpp"
#include "hdb/inspect/salvage.hpp"
#include "output.hpp"
#include "repair/lost_file.hpp"

namespace hdb::inspect {

struct RepairReport {
  std::string file;
  std::string output;  ///< Empty: nothing was written.
  const Salvage& salvage;
  WriteReport written;
  /// Nothing was found damaged, but the content does not have the state hash of the footer.
  bool hash_differs = false;
  Unlisted unlisted;  ///< Of the file of --lost.
};

/// The number of values that a table lost in records that are kept.
[[nodiscard]] std::uint64_t lost_values(const TableSalvage& table) noexcept;
void print_repair(const RepairReport& report, Output& out);
void print_repair_json(const RepairReport& report, Output& out);

}  // namespace hdb::inspect
