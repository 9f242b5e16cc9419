// Row hashes of records of fixed size: many rows are put together at once, field by field.
#pragma once

#include <optional>

#include "hdb/inspect/image.hpp"

namespace hdb::format {

/// Sum of the row hashes of the live slots of a group whose columns passed the grammar; nothing
/// when the records have no fixed size, or very many values.
[[nodiscard]] std::optional<Hash128> hash_fixed_rows(const Field& root, const RowGroup& group);

}  // namespace hdb::format
