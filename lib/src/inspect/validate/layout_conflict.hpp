// Handle fields that can name no record, because the table that they name has another layout.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {

/// The layout of the handles of a table; empty if the table does not exist.
using LayoutOfTable = std::function<std::optional<HandleLayout>(const std::string& table)>;

/// An error text if the layout of a handle field differs from that of the table that it names: by
/// FORMAT.md, "Handle layouts", its handles then belong to no table, and a load would not know what
/// they mean. Empty if the layouts are equal, or the table does not exist.
[[nodiscard]] HDB_INSPECT_API std::string layout_conflict_of(const Field& handle,
                                                             const std::string& path,
                                                             const LayoutOfTable& layout_of);

/// The same of the first such field of a record; empty if there is none.
[[nodiscard]] HDB_INSPECT_API std::string find_layout_conflict(const Field& root,
                                                               const LayoutOfTable& layout_of);

}  // namespace hdb
