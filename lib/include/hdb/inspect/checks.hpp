// The checks of the file format: row groups, slots, whole tables. load, validate and
// the writer use them; so can tools that make images of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb {

namespace format {
class ExtrasChecker;
}

/// Checks the columns of a row group against the grammar of FORMAT.md: sizes, shortest varints,
/// sums of lengths, trailing bits, tags, bools, and UTF-8 if the schema requires it.
/// Errors: bad_lengths, bad_value. Complexity: linear in the bytes of the columns.
[[nodiscard]] HDB_INSPECT_API Status check_group(const Field& root, const RowGroup& group);

/// Checks the slots of one row group: their number, states, generations and, in dense tables, the
/// number of positions. The generation of a live slot is from 1 to the highest ever issued, of a
/// free slot from 0 to the highest ever issued, of a retired slot the last of the layout.
/// Errors: bad_slots, bad_dense_order. Complexity: linear in the slots of the group.
[[nodiscard]] HDB_INSPECT_API Status check_group_slots(const TableDescriptor& table,
                                                       std::uint64_t group, const RowGroup& slots);

/// Checks the state and generation of one slot by the rules of check_group_slots.
/// Errors: bad_slots.
[[nodiscard]] HDB_INSPECT_API Status check_slot(const TableDescriptor& table, std::uint64_t slot,
                                                SlotState state, std::uint32_t generation);

/// Checks the rules of a whole table (FORMAT.md, "What a whole table must satisfy"). Add all row
/// groups and the whole free list, then call finish.
///
/// Threads: several threads may add groups and pieces of the free list, in any order.
/// Memory: up to 3 bits for each slot, about 32 bytes for each name, 16 bytes for each blob.
///
/// Example:
/// @code
/// const auto reader = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// if (!reader) return;
/// const hdb::TableDescriptor& table = (*reader)->tables()[1];  // has one row group
/// hdb::RowGroup group;
/// if (!(*reader)->read_group(1, 0, group)) return;
/// hdb::SlotChecker checker(table);
/// assert(hdb::check_group_slots(table, 0, group) && checker.add_group(0, group));
/// assert(checker.add_free((*reader)->read_free_list(1).value()));
/// assert(checker.finish());
/// @endcode
//
//   C1  The numbers of live, free and retired slots are those of the descriptor.
//   C2  The free list names every free slot exactly once, and no other slot.
//   C3  Dense positions are a permutation of 0 .. live - 1; with the holes of a component table, of
//       0 .. live + holes - 1.
//   C4  No two records have the same name.
//   C5  Blocks of a blob table are aligned, are inside its buffer, do not overlap, and, under
//       Compaction::at_release, leave no holes.
class HDB_INSPECT_API SlotChecker {
 public:
  /// A checker of a table with this descriptor.
  explicit SlotChecker(const TableDescriptor& table);
  ~SlotChecker();

  /// Adds a row group.
  /// Requires: the group passed check_group_slots, and in tables with names or blobs check_group
  /// with all columns. Errors: the first rule that the group breaks.
  [[nodiscard]] Status add_group(std::uint64_t group, const RowGroup& slots);
  /// Adds a piece of the free list or of the holes. Errors: bad_free_list.
  [[nodiscard]] Status add_free(std::span<const std::uint32_t> slots);
  /// Checks the whole table after everything was added. Errors: the first rule that is broken.
  [[nodiscard]] Status finish();

 private:
  using Bits = std::vector<std::uint64_t>;

  [[nodiscard]] Status add_holes(std::span<const std::uint32_t> positions);
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

/// Checks that each component of a file belongs to a live record of the owner (FORMAT.md,
/// "Components"). Add the row groups of component tables and their owners, in any order; groups of
/// other tables are passed over.
///
/// Threads: several threads may add different groups.
/// Memory: 4 bytes for each slot that was added.
class HDB_INSPECT_API ComponentChecker {
 public:
  /// Requires: `tables` outlives the checker.
  explicit ComponentChecker(const std::vector<TableDescriptor>& tables);

  /// Whether the groups of a table matter here.
  [[nodiscard]] bool needs(std::size_t table) const noexcept { return !seen_[table].empty(); }
  /// Adds a row group, of which only the slots are looked at.
  /// Requires: the group passed check_group_slots.
  void add_group(std::size_t table, std::uint64_t group, const RowGroup& slots);
  /// The first slot of a component table whose component has no record, among the groups that were
  /// added. Complexity: linear in the slots.
  [[nodiscard]] std::optional<std::uint64_t> find_orphan(std::size_t table) const;
  /// Table and number of the groups that were not added although a group of a component table or an
  /// owner over the same slots was. Add them unless both are known to fit.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::uint64_t>> missing() const;
  /// What to report of such a slot: bad_components.
  [[nodiscard]] Error error_of(std::size_t table, std::uint64_t slot) const;
  /// Errors: bad_components for the first table that has such a slot.
  [[nodiscard]] Status finish() const;

 private:
  // By group: the generations of live slots, 0 for others. Empty: was not added.
  using Seen = std::vector<std::vector<std::uint32_t>>;

  [[nodiscard]] std::optional<std::uint64_t> find_orphan(std::size_t table,
                                                         std::uint64_t group) const;
  void add_missing(std::size_t of, std::size_t other,
                   std::vector<std::pair<std::size_t, std::uint64_t>>& out) const;

  const std::vector<TableDescriptor>* tables_;
  std::vector<std::optional<std::size_t>> owners_;  // by component table
  std::vector<Seen> seen_;                          // empty where nothing matters
};

/// Compares the state hash that a file stores with one that was computed from its content.
/// Errors: state_hash_mismatch.
[[nodiscard]] HDB_INSPECT_API Status check_state_hash(const FileInfo& file,
                                                      const Hash128& computed);

/// Checks the hashes of all blocks that do not belong to tables: the thumbnail and unknown blocks.
[[nodiscard]] HDB_INSPECT_API Status check_other_blocks(const Reader& reader);

}  // namespace hdb
