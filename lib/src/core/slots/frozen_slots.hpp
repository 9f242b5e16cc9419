// What captures see of the slots of a table.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/arrays/frozen_array.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/slots/slots.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

/// The gaps of a captured free list.
struct FrozenGaps {
  std::uint64_t count = 0;
  std::once_flag counted;             ///< Whether `before` is known: the first reader counts.
  std::vector<std::uint64_t> before;  ///< For each part of the array: the slots before it.
};

/// The slots of a table at one moment, immutable.
struct HDB_API FrozenSlots {
  TablePolicy policy;
  SlotCounters counters;
  std::uint64_t free_head = 0;  ///< FIFO: elements at the begin of the list that are used up.
  std::uint64_t first_unissued = 0;
  std::uint64_t hole_count = 0;      ///< H9
  std::shared_ptr<FrozenGaps> gaps;  ///< H11; null: none.
  FrozenArray entries;
  FrozenArray live_bits;
  FrozenArray free_list;

  /// See FrozenArray::see.
  void see(const std::shared_ptr<const Moment>& moment, bool is_now);
  /// Whether all is equal but for the content of the arrays, which are the same.
  [[nodiscard]] bool is_same_state(const FrozenSlots& other) const noexcept;
  [[nodiscard]] SlotEntry entry(std::uint64_t slot) const noexcept {
    SlotEntry entry;
    entries.read(slot, 1, &entry);
    return entry;
  }
  [[nodiscard]] std::uint32_t tag(std::uint64_t slot) const noexcept { return entry(slot).tag; }
  /// The entries of the list that read_free_list reads: free slots or, in a component table, holes.
  [[nodiscard]] std::uint64_t list_size() const noexcept {
    return policy.is_component ? hole_count : counters.free_count;
  }
  /// Copies the entries of slots [first, first + out.size()).
  void read_entries(std::uint64_t first, std::span<SlotEntry> out) const noexcept;
  /// Copies entries [first, first + out.size()) of the list in the order of use. Requires: LIFO or
  /// FIFO.
  void read_free_list(std::uint64_t first, std::span<std::uint32_t> out) const noexcept;
  /// Copies the entries from `rank` on in the order of the array, whose gaps do not count.
  /// Requires: as read_free_list.
  void read_list_array(std::uint64_t rank, std::span<std::uint32_t> out) const noexcept;
};

}  // namespace hdb::detail
