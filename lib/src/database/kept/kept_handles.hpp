// The strong handles in what a load kept: they own their records, as those of the program do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/using_detail.hpp"
#include "hdb/bytes.hpp"
#include "hdb/detail/database/tables/table_entry.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {

/// Handles that are not null, of one layout and for one table.
struct KeptHandles {
  HandleLayout layout;
  std::string table;  ///< As Field::table.
  std::vector<std::uint64_t> bits;
};

/// Adds the strong handles in the columns of a field, which begin with its first one. Returns how
/// many bytes they take in memory.
std::uint64_t add_strong_handles(const Field& field, std::span<const Bytes> columns,
                                 std::vector<KeptHandles>& handles);

/// Calls `visit(bits)` with each handle that can name a record of a table.
template <class Visit>
void for_each_handle_to(const TableEntry& table, const std::vector<KeptHandles>& handles,
                        const Visit& visit) {
  const HandleLayout& layout = table.core().policy().layout;
  for (const KeptHandles& each : handles) {
    const bool is_typed = each.layout.type_bits != 0;
    if (each.layout != layout || (!is_typed && each.table != table.name)) continue;
    for (const std::uint64_t bits : each.bits) visit(bits);
  }
}

}  // namespace hdb
