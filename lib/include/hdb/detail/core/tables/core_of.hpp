// The untyped table inside a Table or BlobTable, for the layers above.
#pragma once

namespace hdb::detail {

struct CoreOf {
  template <class TableType>
  [[nodiscard]] static auto& of(TableType& table) noexcept {
    return table.core_;
  }
};

/// The TableCore of a Table, the BlobCore of a BlobTable; const when `table` is.
template <class TableType>
[[nodiscard]] auto& core_of(TableType& table) noexcept {
  return CoreOf::of(table);
}

}  // namespace hdb::detail
