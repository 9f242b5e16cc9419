// Issued: the generations that handles of one kind have used, whatever became of the timelines that
// issued them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hdb/detail/core/slots/slots.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb::detail {

/// What tables whose handles cannot be told apart have issued. Not part of any state: kept beside
/// the tables, so that a table can start above it (Slots::rise_above).
//
//   I1  A handle that was noted has a generation of at most floor(), or at most by_slot()[its
//       slot].
//   I2  A number of by_slot() is 0 or above floor(): equal content is described alike.
//
// One number is enough, and costs a restore nothing, as long as a table is in the first half of its
// generations. After that one busy slot would use up the generations of all others, so each slot is
// noted by itself.
class Issued {
 public:
  Issued() noexcept = default;
  /// As it was described.
  explicit Issued(const DroppedHandles& described);
  /// As a file has it.
  [[nodiscard]] DroppedHandles described(const HandleSpace& space) const;

  /// Adds all that a table of these slots has issued. Tables whose generations wrap are not noted:
  /// no generation is above all of theirs. Throws nothing but std::bad_alloc, and has then noted a
  /// part.
  /// Complexity: constant in the first half of the generations, then linear in the slots.
  void note(const Slots& slots) { note(slots, nullptr); }
  /// The same, when the slots are about to go back to `next`: what that issued need not be noted.
  /// Complexity: as note, but linear in the slots of pages that differ.
  void note_before(const Slots& slots, const FrozenSlots& next) { note(slots, &next); }
  void merge(const Issued& other);

  /// Nothing was issued.
  [[nodiscard]] bool empty() const noexcept { return highest_ == 0; }
  /// No generation above this one was issued.
  [[nodiscard]] std::uint32_t highest() const noexcept { return highest_; }
  /// In the first half of the generations.
  [[nodiscard]] std::uint32_t floor() const noexcept { return floor_; }
  /// Slots behind the last have nothing above floor().
  [[nodiscard]] std::span<const std::uint32_t> by_slot() const noexcept { return by_slot_; }

 private:
  void note(const Slots& slots, const FrozenSlots* next);
  // I2
  void forget_below_floor() noexcept;

  std::uint32_t floor_ = 0;
  std::uint32_t highest_ = 0;
  std::vector<std::uint32_t> by_slot_;
};

}  // namespace hdb::detail
