// PolicyConversion: converts the slots of a stored table for a table with other policies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::detail::evolve {

/// What the policies of a program make of the slots of an image: states, generations, positions,
/// counters and free list. Live slots keep their index and generation.
//
//   PC1  A handle that is stale in the image is stale after the change.
//   PC2  A handle that the saved game issued never names a record inserted after the change, except
//        under Overflow::wrap, which does not promise it.
//
// PC2 holds slot by slot where generations stay per slot. A table counter begins at the highest
// generation of the image. Where generations may have begun again (wrap), new ones begin above the
// last one of the image's layout; match_tables refuses an image of which none is left.
class PolicyConversion {
 public:
  /// Whether slots differ between these policies.
  [[nodiscard]] HDB_INSPECT_API static bool are_needed(const TablePolicy& stored,
                                                       const TablePolicy& own) noexcept;
  /// What `read` takes at most, the lists of its reader included.
  [[nodiscard]] static std::uint64_t memory_for(const TableDescriptor& stored) noexcept {
    return 12 * (stored.free_count + stored.retired_count) + 8 * stored.group_count() +
           stored.slot_count / 2;
  }
  /// Reads and checks all slots of a table. Requires: match_tables has no objection.
  /// Errors: of the image; bad_slots, bad_dense_order, bad_free_list.
  /// Complexity: linear in the slots. Memory: 4 bytes a free slot, 8 bytes a row group.
  [[nodiscard]] static Result<PolicyConversion> read(const ImageSource& image, std::size_t table,
                                                     const TablePolicy& own);

  /// The table with the program's policies, and the counters that follow.
  [[nodiscard]] const TableDescriptor& table() const noexcept { return table_; }
  /// The free slots in the order of use. Slots keep the order in which they were freed, so under
  /// FIFO those come first that come last under LIFO. FreeList::lowest has no such order: the
  /// lowest slot comes first. Slots that were not listed come last, the lowest of them first.
  [[nodiscard]] const std::vector<std::uint32_t>& free_list() const noexcept { return free_list_; }
  /// Changes the slots of a row group. A table that becomes dense has its records in slot order.
  void change(std::uint64_t group, RowGroup& rows) const;

 private:
  struct Slot {
    SlotState state = SlotState::free;
    std::uint32_t generation = 0;
  };

  PolicyConversion(const TableDescriptor& stored, const TablePolicy& own);
  // What a stored slot becomes. A slot that retired becomes free if the layout has generations that
  // it never had; a free slot that has none left retires.
  [[nodiscard]] Slot of(SlotState state, std::uint32_t generation) const noexcept;
  void count(std::uint64_t retired, std::uint64_t free) noexcept;
  void order(std::vector<std::uint32_t> stored, const std::vector<bool>& is_free);

  TableDescriptor stored_;
  TableDescriptor table_;
  std::uint32_t stored_last_;  // generations of the layouts
  std::uint32_t own_last_;
  bool frees_retired_;
  std::vector<std::uint64_t> first_positions_;  // of each group, of a table that becomes dense
  std::vector<std::uint32_t> free_list_;
};

}  // namespace hdb::detail::evolve
