// Checks of whole tables while their row groups pass by: slots, names, blobs, dense order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb {

namespace format {
class ExtrasChecker;
}

/// Checks the columns of a whole group against the grammar of FORMAT.md: sizes, shortest varints,
/// sums of lengths, trailing bits, tags, bools, UTF-8 where the schema says so. Errors:
/// bad_lengths, bad_value.
[[nodiscard]] Status check_group(const Field& root, const RowGroup& group);

/// Checks the slots of one group by themselves: as many as the descriptor says, known states,
/// positions for dense tables, and generations: a live slot's 1 to the highest ever issued; a free
/// slot's 0 to that; a retired slot's the last of the layout (which the highest ever issued need
/// not have reached: a repaired table retires slots early). Errors: bad_slots, bad_dense_order.
[[nodiscard]] Status check_group_slots(const TableDescriptor& table, std::uint64_t group,
                                       const RowGroup& slots);

/// Checks state and generation of one slot by the same rules. Errors: bad_slots.
[[nodiscard]] Status check_slot(const TableDescriptor& table, std::uint64_t slot, SlotState state,
                                std::uint32_t generation);

/// Checks what no single group can show of a table. Feed it every group and the whole free list,
/// then `finish`. Groups and pieces of the free list may come in any order and from several
/// threads.
///
///   C1  Live, free and retired slots are as many as the descriptor says.
///   C2  The free list names every free slot exactly once, and no other slot.
///   C3  Dense positions are a permutation of 0 .. live - 1.
///   C4  No two records have one name.
///   C5  Blocks of a blob table are aligned, lie in its buffer, and neither overlap nor, packed at
///       release, leave holes.
class SlotChecker {
 public:
  /// Memory: up to three bits a slot; some 32 bytes a name; 16 bytes a block.
  explicit SlotChecker(const TableDescriptor& table);
  ~SlotChecker();

  /// Requires: the group passed check_group_slots, and in tables with names or blobs check_group
  /// with all columns.
  [[nodiscard]] Status add_group(std::uint64_t group, const RowGroup& slots);
  [[nodiscard]] Status add_free(std::span<const std::uint32_t> slots);
  [[nodiscard]] Status finish();

 private:
  using Bits = std::vector<std::uint64_t>;

  std::size_t take_whole_words(const std::vector<std::uint32_t>& positions, std::size_t first);

  TableDescriptor table_;
  std::mutex mutex_;
  Bits seen_groups_;
  Bits free_by_state_;
  Bits free_by_list_;
  Bits positions_;
  std::unique_ptr<format::ExtrasChecker> extras_;  // null where there are neither names nor blobs
  std::uint64_t live_ = 0;
  std::uint64_t retired_ = 0;
  std::uint64_t free_ = 0;
  std::uint64_t listed_ = 0;
};

/// Checks the hashes of all blocks that reading tables does not touch: the thumbnail and unknown
/// ancillary blocks.
[[nodiscard]] Status check_other_blocks(const Reader& reader);

/// XXH3-128 over slot numbers as little-endian u32: of a free list, of a dense order.
[[nodiscard]] Hash128 hash_slots(std::span<const std::uint32_t> slots);

/// Reads the slot columns of one group.
using ReadSlots = std::function<Status(std::uint64_t group, RowGroup& out)>;

/// Groups say at which dense position each record is; the hash goes over the slots in the order of
/// positions. Some of them (a window) are kept at once; a table with more is read again, window by
/// window.
///
/// Memory: 32 MiB at most, four bytes a live record in smaller tables; nothing for stable tables.
class DenseOrder {
 public:
  static constexpr std::uint64_t kDefaultWindow = std::uint64_t{8} << 20;

  /// `window`: positions kept at once.
  explicit DenseOrder(const TableDescriptor& table, std::uint64_t window = kDefaultWindow);

  /// Takes the first window's part of a group. May be called from several threads at once for
  /// different groups, whose positions must then be known to be distinct.
  /// Errors: bad_dense_order where a position is too large, or there are fewer positions than
  /// records.
  [[nodiscard]] Status add(const RowGroup& group);
  /// The hash, when all groups were added; `read` reads them again where there is more than one
  /// window.
  /// Errors: those of `read` and `add`. Complexity: the groups times the windows.
  [[nodiscard]] Result<Hash128> finish(const ReadSlots& read);

 private:
  const TableDescriptor& table_;
  std::uint64_t window_;
  std::uint64_t first_ = 0;  // position where the window begins
  std::vector<std::uint32_t> slots_;
};

/// The hash over the dense order of a table (slot numbers as little-endian u32), zero for stable
/// tables.
/// Errors: those of `read`; bad_dense_order.
[[nodiscard]] Result<Hash128> hash_dense_order(const TableDescriptor& table, const ReadSlots& read);

}  // namespace hdb
