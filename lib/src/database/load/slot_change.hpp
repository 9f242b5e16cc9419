// SlotChange: how the slots of a stored table become those of a table with other policies.
#pragma once

#include <cstdint>
#include <vector>

#include "base/sees_detail.hpp"
#include "hdb/detail/core/slots/slots.hpp"
#include "hdb/schema.hpp"
#include "hdb/table_options.hpp"

namespace hdb {

/// What the policies of the program make of the slots of a file. Live slots keep their index and
/// generation.
//
//   PC1  A handle that is stale in the file is stale after the load.
//   PC2  A handle that the saved game issued never names a record inserted after the load, except
//        under Overflow::wrap, which does not promise it.
//
// PC2 holds slot by slot where generations stay per slot. A table counter begins at the highest
// generation of the file. Where generations may have begun again (wrap), new ones begin above the
// last one of the file's layout; evolve::match_tables refuses a file of which none is left.
class SlotChange {
 public:
  /// Requires: evolve::match_tables has no objection.
  SlotChange(const TableDescriptor& stored, const TablePolicy& own) noexcept;

  /// The policies are equal, and so are the slots.
  [[nodiscard]] bool is_exact() const noexcept { return stored_.policy == own_; }
  /// For TableBody::begin_fill: room for every slot that may become free.
  [[nodiscard]] SlotCounters room() const noexcept;

  struct Slot {
    SlotState state = SlotState::free;
    std::uint32_t generation = 0;
  };
  /// What a stored slot becomes. A slot that retired becomes free if the layout has generations
  /// that it never had; a free slot that has none left retires.
  [[nodiscard]] Slot of(SlotState state, std::uint32_t generation) const noexcept;

  /// The counters of the filled slots.
  [[nodiscard]] SlotCounters counters(const Slots& filled) const noexcept;
  /// The free slots in the order of use. `stored`: the order of use in the file. Slots keep the
  /// order in which they were freed, so under FIFO those come first that come last under LIFO.
  /// FreeList::lowest has no such order: the lowest slot comes first. Slots that were not listed
  /// come last, the lowest of them first.
  [[nodiscard]] std::vector<std::uint32_t> order_of_use(std::vector<std::uint32_t> stored,
                                                        const Slots& filled) const;

 private:
  const TableDescriptor& stored_;
  TablePolicy own_;
  std::uint32_t stored_last_;  // generations of the layouts
  std::uint32_t own_last_;
  bool frees_retired_;
};

}  // namespace hdb
