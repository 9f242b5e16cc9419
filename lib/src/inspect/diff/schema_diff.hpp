// Two schemas of one table: fields added, removed, and of another type.
#pragma once

#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::diffing {

/// What differs, in the order of the old schema, then of the new one. Fields are matched by name.
[[nodiscard]] HDB_INSPECT_API std::vector<SchemaChange> schema_changes(const Field& a,
                                                                       const Field& b);

}  // namespace hdb::diffing
