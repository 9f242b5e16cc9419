// FreePlaces: finds a slot in the middle of a free list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"

namespace hdb::detail {

/// Remembers where slots were seen in a free list. No call that changes the list needs to say so,
/// nor does a restore: what is remembered is compared with the list before it is used.
///
/// Memory: none until a slot is looked up far from the end, then 4 bytes for each slot of the
/// table, until forget().
class FreePlaces {
 public:
  /// The index of the entry `slot` among the entries [begin, end) of the list.
  /// Requires: it is there once. Errors: std::bad_alloc.
  /// Complexity: constant, amortized over the lookups and over what was added at the end.
  [[nodiscard]] HDB_API std::size_t find(const FlatArray& list, std::size_t begin, std::size_t end,
                                         std::uint32_t slot, std::uint64_t slot_count);
  /// The slot is at `index` now; ignored if nothing is remembered.
  void note(std::uint32_t slot, std::size_t index) noexcept {
    if (slot < place_of_.size()) place_of_[slot] = static_cast<std::uint32_t>(index);
  }
  void forget() noexcept { std::vector<std::uint32_t>().swap(place_of_); }

 private:
  std::vector<std::uint32_t> place_of_;  // by slot; any number where nothing is known
};

}  // namespace hdb::detail
