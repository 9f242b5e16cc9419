// Goes through the tables of two states by name.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/diff.hpp"

namespace hdb::diffing {

/// Compares the table that is named. False: it is left out, as the options' filter does not fit it;
/// why is in `misfit`.
using CompareTable = std::function<Result<bool>(TableDiff& table, std::optional<Error>& misfit)>;

/// What diff_tables compares of a state itself.
struct StateSide {
  const std::vector<TableDescriptor>& tables;
  const DatabaseDescriptor& database;
};

/// Calls `compare` for each table that either state has and the options ask for, with its name set,
/// in rising order of names.
/// Errors: the first misfit, when no table is left.
[[nodiscard]] HDB_INSPECT_API Result<StateDiff> diff_tables(const StateSide& a, const StateSide& b,
                                                            const DiffOptions& options,
                                                            const CompareTable& compare);

/// Drops what is ignored.
HDB_INSPECT_API void drop_ignored(const DiffOptions& options, const std::string& table,
                                  std::vector<SchemaChange>& changes);

}  // namespace hdb::diffing
