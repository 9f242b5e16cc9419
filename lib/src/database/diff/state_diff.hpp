// Goes through the tables of two states by name.
#pragma once

#include <functional>
#include <vector>

#include "hdb/database/diff.hpp"

namespace hdb::diffing {

/// Calls `compare` for each table that either state has and the options ask for, with its name set, in rising order of names.
[[nodiscard]] Result<StateDiff> diff_tables(const std::vector<TableDescriptor>& a,
                                            const std::vector<TableDescriptor>& b,
                                            const DiffOptions& options,
                                            const std::function<Status(TableDiff&)>& compare);

}  // namespace hdb::diffing
