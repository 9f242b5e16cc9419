// Which slots of two captures of a table may differ, told by the pages that they do not share.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "database/tables/snapshot_data.hpp"

namespace hdb {

/// A set of slots.
class SlotSet {
 public:
  explicit SlotSet(std::uint64_t slot_count)
      : words_(static_cast<std::size_t>((slot_count + 63) / 64)) {}

  void add(std::uint64_t slot) noexcept {
    words_[static_cast<std::size_t>(slot / 64)] |= std::uint64_t{1} << slot % 64;
  }
  /// Calls `visit(slot)` for each, in rising order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t word = 0; word < words_.size(); ++word) {
      for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        visit(
            static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits))));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// Whether both have the same schema but for kept fields, and the same storage, names and handle
/// layout: then pages can be compared.
[[nodiscard]] bool have_same_shape(const SnapshotTable& a, const SnapshotTable& b);

/// The slots whose state, record, name or place are not proved equal by pages that both share; all
/// where the shapes differ.
/// Complexity: a look at each page, and at the slots of those that are not shared.
[[nodiscard]] SlotSet changed_slots(const SnapshotTable& a, const SnapshotTable& b);

/// Whether two records at one slot, live in both, are equal byte by byte, so that nothing else need
/// be compared. Requires: the same shape. False when that cannot be told.
[[nodiscard]] bool have_same_bytes(const SnapshotTable& a, const SnapshotTable& b,
                                   std::uint32_t slot) noexcept;

}  // namespace hdb
