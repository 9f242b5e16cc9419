// Removes rows from columns of which the record type is not known.
#pragma once

#include <cstdint>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {

/// Removes the rows that are not kept from the columns of a row group. `max_values` limits the
/// values of one row. Errors: those of RowDecoder; columns that passed the grammar have none.
[[nodiscard]] HDB_INSPECT_API Status keep_rows(const Field& schema, const std::vector<bool>& keep,
                                               std::uint64_t max_values,
                                               std::vector<Bytes>& columns);

}  // namespace hdb
