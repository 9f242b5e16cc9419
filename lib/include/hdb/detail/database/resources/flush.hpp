// Destroys the records of a resource table that nothing refers to, whatever their type.
#pragma once

#include <cstdint>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/tables/ref_counts.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/error.hpp"

namespace hdb {
class Database;
struct FlushOptions;
struct FlushReport;
}  // namespace hdb

namespace hdb::detail {

/// A resource table.
struct Resources {
  Database& database;
  TableCore& core;
  HandleKey key;  ///< Of the handles by which its records are found.
  const RefCounts& references;
};

/// What a flush calls for a record in this slot that it is about to destroy.
struct BeforeDestroy {
  void (*call)(void* context, std::uint32_t slot) = nullptr;  ///< Null: nothing is called.
  void* context = nullptr;
};

/// ResourceTable::flush, whose rules these are. Requires: no flush of the table is running.
[[nodiscard]] HDB_API Result<FlushReport> flush_resources(const Resources& resources,
                                                          const FlushOptions& options,
                                                          const BeforeDestroy& before);

/// The slots of ResourceTable::unreferenced, in ascending order.
[[nodiscard]] HDB_API Result<std::vector<std::uint32_t>> unreferenced_slots(
    const Resources& resources);

}  // namespace hdb::detail
