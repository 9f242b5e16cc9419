// Canonical row bytes put together again from columns, for hashes.
#pragma once

#include "hdb/inspect/image.hpp"

namespace hdb::format {

/// Sum of the row hashes of all slots of a group whose columns passed the grammar.
[[nodiscard]] Hash128 hash_rows_of(const Field& root, const RowGroup& group);

}  // namespace hdb::format
