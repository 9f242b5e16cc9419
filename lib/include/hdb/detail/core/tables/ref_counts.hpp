// References from outside of the records: how many there are to each handle of one table, kept
// beside the database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/to_size.hpp"

namespace hdb::detail {

/// How often each handle of a table is held from outside: neither captured, hashed, saved nor
/// rewound. Counts belong to handles, not to slots: after a restore, references to the slot's
/// earlier and later tenants do not mix.
//
//   R1  by_slot_[s] counts one generation of slot s, that which was held first; counts of others
//       are in others_.
//   R2  It lives until the table and all references are gone.
class HDB_API RefCounts {
 public:
  explicit RefCounts(void* table) noexcept : table_(table) {}
  RefCounts(const RefCounts&) = delete;
  RefCounts& operator=(const RefCounts&) = delete;

  /// Complexity: constant. Throws nothing but std::bad_alloc, with nothing changed.
  void add(std::uint32_t slot, std::uint32_t generation) {
    if (slot >= by_slot_.size()) grow(slot);
    Count& own = by_slot_[slot];
    if (own.count == 0 && !has_other(slot, generation)) own.generation = generation;
    if (own.generation == generation) {
      ++own.count;
    } else {
      add_other(slot, generation);
    }
    ++total_;
  }
  /// False, and nothing changed, when the handle is not held. Any numbers are safe.
  bool release(std::uint64_t slot, std::uint32_t generation) noexcept {
    if (slot >= by_slot_.size()) return false;
    Count& own = by_slot_[to_size(slot)];
    if (own.count != 0 && own.generation == generation) {
      --own.count;
    } else {
      if (!release_other(slot, generation)) return false;
    }
    --total_;
    ++releases_;
    return true;
  }
  /// Any numbers are safe.
  [[nodiscard]] std::uint32_t count(std::uint64_t slot, std::uint32_t generation) const noexcept {
    if (slot >= by_slot_.size()) return 0;
    const Count& own = by_slot_[to_size(slot)];
    if (own.generation == generation && own.count != 0) return own.count;
    return others_.empty() ? 0 : count_other(slot, generation);
  }
  /// A bit for each of up to 64 neighbouring slots, with the generations they have: whether the
  /// handle is held. No branch on what differs from slot to slot: it would be mispredicted.
  [[nodiscard]] std::uint64_t held_among(
      std::uint32_t first, std::span<const std::uint32_t> generations) const noexcept {
    std::uint64_t held = 0;
    for (std::size_t i = 0; i < generations.size() && first + i < by_slot_.size(); ++i) {
      const Count& own = by_slot_[first + i];
      const bool is_held = own.generation == generations[i] && own.count != 0;
      held |= static_cast<std::uint64_t>(is_held) << i;
    }
    for (std::size_t i = 0; i < generations.size() && !others_.empty(); ++i) {
      const auto slot = static_cast<std::uint32_t>(first + i);
      held |= std::uint64_t{count(slot, generations[i]) != 0} << i;
    }
    return held;
  }
  /// References of all handles.
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  /// How many were ever released.
  [[nodiscard]] std::uint64_t releases() const noexcept { return releases_; }
  /// The Table<...>; null when it is gone.
  [[nodiscard]] void* table() const noexcept { return table_; }

  /// The owners: the table side, and each Ref through add and release.
  void leave_table() noexcept {
    table_ = nullptr;
    drop_if_unused();
  }
  /// The same, where all references are only counted here and end with the table.
  void leave_table_with_all() noexcept {
    total_ = 0;
    leave_table();
  }
  void drop_if_unused() noexcept {
    if (table_ == nullptr && total_ == 0) delete this;
  }

 private:
  struct Count {
    std::uint32_t generation = 0;
    std::uint32_t count = 0;
  };
  void grow(std::uint32_t slot);
  void add_other(std::uint32_t slot, std::uint32_t generation);
  [[nodiscard]] bool release_other(std::uint64_t slot, std::uint32_t generation) noexcept;
  [[nodiscard]] std::uint32_t count_other(std::uint64_t slot,
                                          std::uint32_t generation) const noexcept;
  [[nodiscard]] bool has_other(std::uint32_t slot, std::uint32_t generation) const noexcept {
    return !others_.empty() && count_other(slot, generation) != 0;
  }
  ~RefCounts();

  std::vector<Count> by_slot_;
  std::unordered_map<std::uint64_t, std::uint32_t> others_;
  std::uint64_t total_ = 0;
  std::uint64_t releases_ = 0;
  void* table_;
};

}  // namespace hdb::detail
