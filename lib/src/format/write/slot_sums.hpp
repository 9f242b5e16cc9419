// Sums over the slots of a row group. With them, a save through a cache checks a whole table
// without reading the slots of groups that did not change.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hdb/inspect/reader.hpp"

namespace hdb::format {

/// Counts of slots, and sums over hashed numbers. Two different sets of numbers have the same sum
/// with a probability of about 2^-64.
struct SlotSums {
  std::uint64_t live = 0;
  std::uint64_t free = 0;
  std::uint64_t retired = 0;
  std::uint64_t free_slots = 0;          ///< Sum over the free slots, hashed.
  std::uint64_t positions = 0;           ///< Sum over the dense positions, hashed.
  std::uint32_t highest_generation = 0;  ///< Of all slots.

  /// Requires: the group passed check_group_slots. Complexity: linear in its slots.
  [[nodiscard]] static SlotSums of(const RowGroup& slots) noexcept;
};

/// Sum over the numbers, hashed.
[[nodiscard]] std::uint64_t mixed_sum(std::span<const std::uint32_t> numbers) noexcept;

/// The sums over 0 .. n - 1, hashed, for any n. Remembers what it has computed.
class PositionSums {
 public:
  /// Complexity: O(2^14), and once for each number.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

 private:
  std::vector<std::uint64_t> steps_ = {0};  // [i]: of all numbers below i << 14
};

/// The rules C1 to C3 of SlotChecker for one table without names and blobs, from the sums of its
/// groups.
class SlotSumCheck {
 public:
  void add_group(const SlotSums& sums) noexcept;
  /// Adds a piece of the free list or of the holes.
  void add_free(std::span<const std::uint32_t> numbers) noexcept;
  /// Whether the table that was added is sound. Requires: everything was added.
  [[nodiscard]] bool is_sound(const TableDescriptor& table, PositionSums& positions) const;

 private:
  SlotSums total_;
  std::uint64_t listed_ = 0;
  std::uint64_t list_ = 0;
};

}  // namespace hdb::format
