// Filling a table slot by slot, as a load does it group by group. In a dense table, slot 0 alone
// may be live, at position 0.
#pragma once

#include <cstdint>
#include <vector>

#include "hdb/detail/core/slots/slots.hpp"
#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb {

inline void fill_slot(detail::TableCore& core, std::uint32_t slot, SlotState kind,
                      std::uint32_t generation) {
  const auto state = static_cast<std::uint8_t>(kind);
  const std::uint32_t position = 0;
  core.fill_slots(slot, {&state, 1}, {&generation, 1}, {&position, 1}, {});
}
inline void fill_slot(detail::Slots& slots, std::uint32_t slot, SlotState kind,
                      std::uint32_t generation) {
  const auto state = static_cast<std::uint8_t>(kind);
  const std::uint32_t position = 0;
  slots.fill_slots(slot, {&state, 1}, {&generation, 1}, {&position, 1});
}

/// A default record in the place of its slot, to be filled.
[[nodiscard]] inline void* fill_record(detail::TableCore& core, std::uint32_t slot) {
  std::vector<void*> made;
  core.fill_records({&slot, 1}, made);
  return made[0];
}

}  // namespace hdb
