// What is left of one table: the fate of every slot, and the state that is made of it.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "hdb/inspect/salvage.hpp"
#include "inspect/salvage/group_source.hpp"

namespace hdb::salvaging {

/// A SlotState, or what a lost block leaves of one.
enum class Fate : std::uint8_t {
  free = static_cast<std::uint8_t>(SlotState::free),
  live = static_cast<std::uint8_t>(SlotState::live),
  retired = static_cast<std::uint8_t>(SlotState::retired),
  unissued = static_cast<std::uint8_t>(SlotState::unissued),
  lost = 4,       ///< Its record is lost; its generation is known.
  unknown = 5,    ///< Its group is lost: it may have held a record.
  lost_free = 6,  ///< Its group is lost, but the free list names it: it held none.
};

/// First `survey`, then any number of `lose` and `lose_orphans`, then `settle`; after that it is
/// only read.
class SalvagedTable {
 public:
  SalvagedTable(const format::DamagedFile& file, GroupSource& groups, std::size_t number,
                const SalvageOptions& options);

  /// Reads all groups and the free list. Errors: limits, I/O.
  [[nodiscard]] Status survey();
  /// Makes a live record a lost one.
  void lose(std::uint64_t slot, LossCause cause);
  /// Of a component table: loses the components whose records `owner` does not have.
  void lose_orphans(const SalvagedTable& owner);
  /// Makes the new state: slots, free list, dense order, places of blobs, descriptor.
  void settle();

  [[nodiscard]] const TableDescriptor& stored() const noexcept { return stored_; }
  [[nodiscard]] Fate fate(std::uint64_t slot) const noexcept {
    return static_cast<Fate>(fates_[static_cast<std::size_t>(slot)]);
  }
  [[nodiscard]] std::uint32_t generation(std::uint64_t slot) const noexcept {
    return generations_[static_cast<std::size_t>(slot)];
  }
  [[nodiscard]] bool group_is_sound(std::uint64_t group) const noexcept {
    return sound_groups_[static_cast<std::size_t>(group)];
  }
  /// Some slot's fate is that of a lost one.
  [[nodiscard]] bool has_lost_slots() const noexcept { return has_lost_slots_; }

  // After `settle`:
  [[nodiscard]] const TableDescriptor& descriptor() const noexcept { return settled_; }
  [[nodiscard]] const std::vector<std::uint32_t>& free_list() const noexcept { return free_list_; }
  /// Fills states, generations and positions of a group.
  void fill_slots(std::uint64_t group, RowGroup& out) const;
  /// The new offset of each block of a blob table; empty: all offsets are unchanged.
  [[nodiscard]] const std::vector<std::uint64_t>& offsets() const noexcept { return offsets_; }

  TableSalvage report;

 private:
  struct Block {  // of a blob table
    std::uint64_t offset;
    std::uint64_t end;
    std::uint64_t slot;
  };

  [[nodiscard]] Status read_free_list();
  void take_group(std::uint64_t number, const RowGroup& group);
  void take_names(const RowGroup& group, const std::vector<std::uint64_t>& slots);
  void take_blocks(const RowGroup& group, const std::vector<std::uint64_t>& slots);
  [[nodiscard]] Status lose_group(std::uint64_t number, Error error);
  void lose_overlapping_blocks();
  void lose_further_records();
  void report_lost_slots();
  void settle_free_list();
  void settle_order();
  void settle_holes();
  void settle_blocks();
  [[nodiscard]] bool is_free(std::uint64_t slot) const noexcept;

  const format::DamagedFile& file_;
  GroupSource& groups_;
  std::size_t number_;
  const SalvageOptions& options_;
  const TableDescriptor& stored_;
  TableDescriptor settled_;
  Fate lost_fate_ = Fate::free;  // of slots whose record is lost, or of which nothing is known
  bool has_lost_slots_ = false;
  std::vector<std::uint8_t> fates_;
  std::vector<std::uint32_t> generations_;
  std::vector<bool> sound_groups_;
  std::vector<std::uint32_t> listed_;  // entries of the surviving free list or holes, not checked
  std::vector<std::uint32_t> free_list_;
  std::vector<std::uint32_t> order_;  // the slot at each position, kNoSlot where none is
  std::vector<std::pair<std::uint32_t, std::uint32_t>> misplaced_;  // position, slot: contradicting
  std::vector<std::uint32_t> positions_;                            // by slot, after settle
  std::set<Hash128> names_;
  std::vector<Block> blocks_;
  std::vector<std::uint64_t> offsets_;
  RowGroup group_;
};

}  // namespace hdb::salvaging
