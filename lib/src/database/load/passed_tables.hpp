// What the tables issued that a load passes by.
#pragma once

#include <cstddef>
#include <vector>

#include "base/using_detail.hpp"
#include "database/tables/issued_handles.hpp"
#include "hdb/database.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/load.hpp"

namespace hdb {

/// The table of this name that the program makes later must not issue what the loaded records hold.
struct PassedTable {
  std::size_t stored = 0;  ///< In the file.
  std::string name;        ///< In the program.
};

/// Adds to `dropped` what these tables issued. Component tables and tables whose generations wrap
/// leave nothing there, as when they are dropped.
/// Errors: memory_budget, limit_exceeded; those of reading a file.
/// Complexity: constant for each table in the first half of its generations, then linear in its
/// slots.
[[nodiscard]] Status add_passed_tables(const Reader& reader, const std::vector<PassedTable>& passed,
                                       const ReadLimits& limits, MemoryBudget& budget,
                                       DroppedTables& dropped);
/// Takes memory for what the dropped tables of a file issued: for each slot up to the last one.
/// Errors: memory_budget, limit_exceeded.
[[nodiscard]] Status charge_dropped_handles(const DatabaseDescriptor& file,
                                            const ReadLimits& limits, MemoryBudget& budget);

}  // namespace hdb
