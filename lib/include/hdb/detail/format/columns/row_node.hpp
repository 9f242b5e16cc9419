// A schema as a tree in which each field knows its columns: what walks over rows.
#pragma once

#include <cstdint>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::detail {

/// A field, and where its values are in columns_of(root).
struct RowNode {
  const Field* field = nullptr;
  std::uint32_t column = 0;  ///< The first one of its own.
  unsigned width = 0;        ///< Of a scalar, in bytes.
  bool packed = false;       ///< A list or array of fixed-width elements.
  bool wanted = false;       ///< For decoders that skip fields.
  std::vector<RowNode> children;
};

/// The tree of `field`, whose first column is `next_column`; that is raised by as many as it has.
/// `field` must outlive it.
[[nodiscard]] HDB_INSPECT_API RowNode make_row_node(const Field& field, std::uint32_t& next_column);

}  // namespace hdb::detail
