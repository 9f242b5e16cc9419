// What files hold at a glance, in numbers of bounded size that can be drawn: slot maps,
// generations, orders, bytes by field, references; and where two files differ.
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

/// Neighbouring slots [first_slot, first_slot + slots), counted together: live + free + retired +
/// unread == slots.
struct SlotBin {
  std::uint64_t first_slot = 0;
  std::uint64_t slots = 0;
  std::uint64_t live = 0;
  std::uint64_t free = 0;
  std::uint64_t retired = 0;
  std::uint64_t unread = 0;              ///< In row groups that are damaged.
  std::uint32_t lowest_generation = 0;   ///< Of the live ones; 0: none is live.
  std::uint32_t highest_generation = 0;  ///< Of the live ones.
  double mean_generation = 0;            ///< Of the live ones.
};

/// Slots whose generation is in [lowest, highest].
struct GenerationBin {
  std::uint32_t lowest = 0;
  std::uint32_t highest = 0;
  std::uint64_t live = 0;
  std::uint64_t vacant = 0;  ///< Free or retired: the generation is that of the last tenant.
};

/// Neighbouring entries [first, first + entries) of an order, and the numbers that they name.
struct OrderBin {
  std::uint64_t first = 0;
  std::uint64_t entries = 0;
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  double mean = 0;
};

/// How an order of numbers moves: in runs of neighbours, or by jumps.
struct OrderProfile {
  std::uint64_t entries = 0;
  std::uint64_t runs = 0;  ///< Longest stretches in which all go up, or all down, by one.
  std::uint64_t longest_run = 0;
  std::uint64_t near_steps = 0;  ///< From one entry to the next by at most kNearStep.
  double mean_step = 0;          ///< Mean size of such a step, up or down.
  std::vector<OrderBin> bins;

  static constexpr std::uint64_t kNearStep = 64;
};

/// What bytes of a file are for.
enum class BytesOf : std::uint8_t { field, slots, positions, free_list, heads, whole_file };

/// What one field, or another part, takes in a file.
struct FieldBytes {
  BytesOf of = BytesOf::field;
  std::string path;          ///< "pos.x", "items[].name"; or what else it is: "slot states".
  std::uint64_t raw = 0;     ///< Before filters and compression.
  std::uint64_t stored = 0;  ///< In the file.
};

struct TableOverview {
  std::size_t table = 0;                   ///< Index in Reader::tables().
  std::vector<SlotBin> slots;              ///< Each of the same power of two of slots but the last.
  std::vector<GenerationBin> generations;  ///< Rising; the bins in between are there when empty.
  std::uint64_t never_used = 0;            ///< Free slots that had no tenant yet: in no generation.
  OrderProfile free_list;                  ///< Entry: place in the list; it names a slot.
  OrderProfile dense_order;  ///< Entry: live records by rising slot; it names a dense position.
  std::vector<FieldBytes> bytes;  ///< Most stored bytes first.
  std::uint64_t raw_bytes = 0;    ///< Sum of `bytes`.
  std::uint64_t stored_bytes = 0;
};

struct FileOverview {
  std::vector<TableOverview> tables;       ///< All of the file, by number.
  std::vector<FieldBytes> others;          ///< Metadata, schema, directory: of no table.
  std::vector<ReferenceCount> references;  ///< Of every handle field, when they are known.
  bool references_known = false;           ///< Asked for, and no damage met on the way.
  std::vector<Error> faults;               ///< Damage met on the way; what could be read is told.
  std::uint64_t faults_not_kept = 0;
};

struct OverviewOptions {
  std::size_t max_slot_bins = 1024;  ///< Of each table. These are at least 1.
  std::size_t max_order_bins = 256;
  std::size_t max_generation_bins = 16;
  std::size_t max_faults = 20;
  bool references = true;
};

/// Looks over a whole file. Damaged row groups and free lists are faults, and the rest is told.
/// Errors: what is no damage: I/O, limits.
/// Complexity: reads the slot columns of every row group twice, and with references the columns
/// that hold handles. Memory: the bins, a row group, one free list, and for references four bytes a
/// slot of the tables that handles name.
[[nodiscard]] Result<FileOverview> overview(const Reader& reader,
                                            const OverviewOptions& options = {});

/// Records that differ in neighbouring slots [first_slot, first_slot + slots).
struct ChangeBin {
  std::uint64_t first_slot = 0;
  std::uint64_t slots = 0;
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t changed = 0;
  std::uint64_t reused = 0;

  [[nodiscard]] std::uint64_t records() const noexcept {
    return added + removed + changed + reused;
  }
};

/// How many changed records differ in a field. Elements count together: "items[].name".
struct FieldChangeCount {
  std::string path;  ///< Escaped for a terminal, as in FieldChange.
  std::uint64_t records = 0;
};

struct TableChangeMap {
  TableDiff difference;                  ///< Without details.
  std::vector<ChangeBin> slots;          ///< Empty when one file has no such table.
  std::vector<FieldChangeCount> fields;  ///< Most records first; at most kMaxFields.

  static constexpr std::size_t kMaxFields = 256;
};

/// Where two files differ: one entry a table, in rising order of names. `options` as for `diff`;
/// its `on_record` and `on_table` are called too. Errors, complexity, memory: those of `diff`, and
/// the bins.
[[nodiscard]] Result<std::vector<TableChangeMap>> change_overview(const Reader& a, const Reader& b,
                                                                  const DiffOptions& options = {},
                                                                  std::size_t max_slot_bins = 1024);

}  // namespace hdb
