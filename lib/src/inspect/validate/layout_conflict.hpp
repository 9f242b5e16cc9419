// Handle fields that can name no record, because the table that they name has another layout.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hdb/schema.hpp"

namespace hdb {

/// The layout of the handles of a table; none if there is no such table.
using LayoutOfTable = std::function<std::optional<HandleLayout>(const std::string& table)>;

/// What is wrong with a handle field: its layout is not that of the table that it names, so by
/// FORMAT.md, "Handle layouts", none of its handles belongs to a table, and a load cannot tell what
/// they mean. Empty if the layouts are equal, or it names no table that is there.
[[nodiscard]] std::string layout_conflict_of(const Field& handle, const std::string& path,
                                             const LayoutOfTable& layout_of);

/// The same of the first such field of a record; empty if there is none.
[[nodiscard]] std::string find_layout_conflict(const Field& root, const LayoutOfTable& layout_of);

}  // namespace hdb
