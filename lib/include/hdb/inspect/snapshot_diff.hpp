// What differs between two captured states, handle by handle and field by field.
#pragma once

#include "hdb/error.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {

/// Compares two captured states. Records are equal when their fields are: floats by their bits,
/// padding never. An empty snapshot has no tables. What is captured is compared, also tables that
/// files or the state hash leave out.
/// Errors: a record's `serialize` that fails.
/// Complexity: of two snapshots of one database, a look at each page and at the records in those
/// that are not shared; of blob tables, and of snapshots of two databases, all records.
[[nodiscard]] Result<StateDiff> diff(const Snapshot& a, const Snapshot& b,
                                     const DiffOptions& options = {});

}  // namespace hdb
