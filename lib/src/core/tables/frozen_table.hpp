// What captures see of one table.
#pragma once

#include <cstdint>
#include <memory>

#include "core/arrays/frozen_array.hpp"
#include "core/names/frozen_names.hpp"
#include "core/slots/frozen_slots.hpp"
#include "hdb/detail/core/tables/sort_progress.hpp"

namespace hdb::detail {

struct FrozenBlobs;

/// A table at one moment: immutable, shared by snapshots, readable from any thread.
struct FrozenTable {
  std::shared_ptr<const Moment> moment;
  FrozenSlots slots;
  FrozenArray records;
  FrozenArray slot_of;  ///< Dense tables: dense position -> slot.
  FrozenNames names;    ///< Tables with names.
  std::uint32_t flush_cursor = 0;
  SortProgress sort;
  std::shared_ptr<const FrozenBlobs> blobs;  ///< Blob tables: their bytes; otherwise null.

  [[nodiscard]] const SlotCounters& counters() const noexcept { return slots.counters; }
  [[nodiscard]] const TablePolicy& policy() const noexcept { return slots.policy; }
  [[nodiscard]] bool is_dense() const noexcept { return policy().storage == Storage::dense; }
  /// One past the last place in `records`: dense positions, holes included, or slots.
  [[nodiscard]] std::uint64_t end_place() const noexcept {
    return is_dense() ? counters().live_count + slots.hole_count : counters().slot_count;
  }
  /// Where the record of a live slot lies in `records`.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t slot) const noexcept {
    return is_dense() ? slots.entry(slot).position : slot;
  }
};

}  // namespace hdb::detail
