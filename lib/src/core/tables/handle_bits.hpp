// Handles as bits: for code that knows a table but not the type of its handles.
#pragma once

#include <cstdint>
#include <optional>

#include "base/using_detail.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/handle.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb {

/// The table that issued the handles of `core`: itself, or the owner of a component table.
[[nodiscard]] inline const TableCore& issuer_of(const TableCore& core) noexcept {
  return core.owner() != nullptr ? *core.owner() : core;
}

/// The slot of the record that the handle names in this table; none if it names none.
/// Complexity: constant.
[[nodiscard]] inline std::optional<std::uint32_t> find_slot(const TableCore& core,
                                                            std::uint64_t handle) noexcept {
  const HandleLayout& layout = core.policy().layout;
  const auto parts = split_handle(layout, handle);
  if (!parts || !core.slots().matches(parts->index, parts->generation)) return std::nullopt;
  if (layout.type_bits != 0 && parts->type_id != issuer_of(core).options().type_id)
    return std::nullopt;
  return parts->index;
}

/// The bits of the handle of a slot with this generation.
[[nodiscard]] inline std::uint64_t bits_of(const TableCore& core, std::uint32_t slot,
                                           std::uint32_t generation) noexcept {
  return pack_handle(core.policy().layout, slot, generation, issuer_of(core).options().type_id);
}

}  // namespace hdb
