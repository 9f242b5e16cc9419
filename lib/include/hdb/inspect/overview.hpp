// Overview: the content of a file, and the differences of two files, as a bounded number of values
// to draw: slot maps, generations, orders, bytes by field, references. For hdbinspect report and
// editors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/references.hpp"

namespace hdb {

/// The slots [first_slot, first_slot + slots), counted together: live + free + retired + unread ==
/// slots.
struct SlotBin {
  std::uint64_t first_slot = 0;
  std::uint64_t slots = 0;
  std::uint64_t live = 0;
  std::uint64_t free = 0;
  std::uint64_t retired = 0;
  std::uint64_t unissued = 0;
  std::uint64_t unread = 0;              ///< Slots in damaged row groups.
  std::uint32_t lowest_generation = 0;   ///< Lowest one of live slots; 0 if none is live.
  std::uint32_t highest_generation = 0;  ///< Highest one of live slots.
  double mean_generation = 0;            ///< Mean of live slots.
};

/// The slots whose generation is in [lowest, highest].
struct GenerationBin {
  std::uint32_t lowest = 0;
  std::uint32_t highest = 0;
  std::uint64_t live = 0;
  std::uint64_t vacant = 0;  ///< Free or retired; the generation is that of the last record.
};

/// The entries [first, first + entries) of an order, and the range of the numbers in them.
struct OrderBin {
  std::uint64_t first = 0;
  std::uint64_t entries = 0;
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  double mean = 0;
};

/// How scattered an order of numbers is.
struct OrderProfile {
  std::uint64_t entries = 0;
  std::uint64_t runs = 0;  ///< Stretches in which each entry is the one before plus 1, or minus 1.
  std::uint64_t longest_run = 0;
  std::uint64_t near_steps = 0;  ///< Steps between neighbours of at most kNearStep, up or down.
  double mean_step = 0;          ///< The mean size of all steps, up or down.
  std::vector<OrderBin> bins;

  /// The greatest step that counts as near.
  static constexpr std::uint64_t kNearStep = 64;
};

/// The kinds of parts that take bytes in a file.
enum class BytesOf : std::uint8_t { field, slots, positions, free_list, heads, whole_file };

/// The bytes that a field or another part takes in a file.
struct FieldBytes {
  BytesOf of = BytesOf::field;
  std::string path;          ///< "pos.x", "items[].name"; another part: "slot states".
  std::uint64_t raw = 0;     ///< Bytes before filters and compression.
  std::uint64_t stored = 0;  ///< Bytes in the file.
};

/// The overview of one table.
struct TableOverview {
  std::size_t table = 0;       ///< The index in Reader::tables().
  std::vector<SlotBin> slots;  ///< All but the last have the same power of two of slots.
  std::vector<GenerationBin> generations;  ///< Ascending, without gaps; some may be empty.
  /// The slots in the order of the free list; empty for a component table, which has none.
  OrderProfile free_list;
  OrderProfile dense_order;        ///< The dense positions of live records by slot.
  std::vector<FieldBytes> bytes;   ///< Most stored bytes first.
  std::uint64_t raw_bytes = 0;     ///< The sum over `bytes`.
  std::uint64_t stored_bytes = 0;  ///< The sum over `bytes`.
};

/// The overview of a file.
struct FileOverview {
  std::vector<TableOverview> tables;       ///< In the order of Reader::tables().
  std::vector<FieldBytes> others;          ///< Parts of no table: metadata, schemas, directory.
  std::vector<ReferenceCount> references;  ///< The handles of each field, if known.
  bool references_known = false;           ///< They were requested, and no damage was found.
  std::vector<Error> faults;               ///< Damage found; the numbers cover the sound rest.
  std::uint64_t faults_not_kept = 0;       ///< Faults beyond OverviewOptions::max_faults.
};

/// The limits of an overview. Each number of bins is for one table and at least 1.
struct OverviewOptions {
  std::size_t max_slot_bins = 1024;
  std::size_t max_order_bins = 256;
  std::size_t max_generation_bins = 16;
  std::size_t max_faults = 20;
  bool references = true;  ///< Whether to count references.
};

/// Makes the overview of a file. Damaged row groups and free lists become faults, not errors.
///
/// Errors: I/O; limits.
/// Complexity: reads the slot columns of all row groups twice and, with references, the columns
/// that hold handles. Memory: the bins, a row group, a free list and, with references, 4 bytes for
/// each slot of tables that handles name.
///
/// Example:
/// @code
/// const auto reader = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// if (!reader) return;
/// const auto seen = hdb::overview(**reader, {.max_slot_bins = 64});
/// if (!seen) return;
/// const hdb::TableOverview& monsters = seen->tables.at(1);
/// assert(monsters.slots.size() == 12 && monsters.stored_bytes > 0);  // one bin for each slot
/// std::printf("the largest part is %s\n", monsters.bytes.front().path.c_str());
/// @endcode
[[nodiscard]] Result<FileOverview> overview(const Reader& reader,
                                            const OverviewOptions& options = {});

/// The numbers of records that differ in the slots [first_slot, first_slot + slots).
struct ChangeBin {
  std::uint64_t first_slot = 0;
  std::uint64_t slots = 0;
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t changed = 0;
  std::uint64_t reused = 0;

  /// The number of records that differ.
  [[nodiscard]] std::uint64_t records() const noexcept {
    return added + removed + changed + reused;
  }
};

/// The number of changed records that differ in one field. All elements count as one field:
/// "items[].name".
struct FieldChangeCount {
  std::string path;  ///< Escaped for a terminal, as in FieldChange.
  std::uint64_t records = 0;
};

/// Where the records of one table differ.
struct TableChangeMap {
  TableDiff difference;                  ///< Without details.
  std::vector<ChangeBin> slots;          ///< Empty when one file has no such table.
  std::vector<FieldChangeCount> fields;  ///< Most records first; at most kMaxFields.

  /// The most entries of `fields`.
  static constexpr std::size_t kMaxFields = 256;
};

/// Where two files differ: one entry for each table, in ascending order of names. Compares as diff
/// with `options`, and also calls their on_record and on_table.
/// Errors and complexity: as diff. Memory: also the bins.
[[nodiscard]] Result<std::vector<TableChangeMap>> change_overview(const Reader& a, const Reader& b,
                                                                  const DiffOptions& options = {},
                                                                  std::size_t max_slot_bins = 1024);

}  // namespace hdb
