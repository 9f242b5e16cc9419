// What differs between two states, handle by handle and field by field: of snapshots in memory, or
// of files.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb {

/// What became of a record. `reused`: its slot holds another object, of another generation.
enum class DiffMark : char { added = '+', removed = '-', changed = '~', reused = 'R' };

/// One field that differs, or the smallest part of it that does.
struct FieldChange {
  std::string path;                      ///< "pos.x", "items[3].name"; escaped for a terminal.
  std::optional<std::string> old_value;  ///< Nothing: an element that was not there.
  std::optional<std::string> new_value;  ///< Nothing: an element that is not there any more.
  std::string change;                    ///< "+2.75" between numbers.
  std::string note;                      ///< "monsters:77@2 was removed"; not escaped.
};

struct RecordDiff {
  DiffMark mark = DiffMark::changed;
  std::string table;
  std::uint64_t slot = 0;
  std::uint32_t old_generation = 0;  ///< 0: not there before.
  std::uint32_t new_generation = 0;  ///< 0: not there any more.
  std::vector<FieldChange> fields;   ///< Of a changed record.

  /// `monsters:1042@7`, as the later state calls it, or the earlier one where it is gone; not
  /// escaped.
  [[nodiscard]] std::string handle() const;
};

/// A difference of a table outside of its records.
struct TableNote {
  std::string what;  ///< "free list", "counter", "dense order", "overflow", ...
  std::string old_value;
  std::string new_value;
  std::string detail;  ///< "first difference at entry 3: slot 17 -> slot 22".
};

/// A field that was added, removed, or is of another type.
struct SchemaChange {
  char mark = '~';         ///< '+', '-' or '~'.
  std::string path;        ///< "stamina", "pos.x"; empty: the record as a whole.
  std::string old_type;    ///< Empty: not there before.
  std::string new_type;    ///< Empty: not there any more.
  bool compared = true;    ///< false: of such a different type that values are not compared.
  std::string value = {};  ///< Files: an added field that is the same in all records: its value.
};

/// What became of the table of one name.
struct TableDiff {
  std::string name;
  std::optional<std::uint64_t> old_live;  ///< Live records before; nothing: no such table.
  std::optional<std::uint64_t> new_live;  ///< Live records afterwards; nothing: no such table.
  std::vector<SchemaChange> schema;
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t changed = 0;
  std::uint64_t reused = 0;
  /// Records that differ by no more than tolerances allow; among none of those above.
  std::uint64_t within_tolerance = 0;
  std::vector<TableNote> notes;
  std::vector<RecordDiff> details;  ///< The first records that differ, unless on_record takes them.
  std::uint64_t blocks = 0;         ///< Files: blocks of row groups.
  std::uint64_t blocks_read = 0;    ///< Those that equal hashes did not let it pass over.
  std::uint64_t stored_differently = 0;  ///< Blocks of equal content whose stored bytes differ.

  [[nodiscard]] std::uint64_t records() const noexcept {
    return added + removed + changed + reused;
  }
  [[nodiscard]] bool differs() const noexcept {
    return !old_live || !new_live || !schema.empty() || records() != 0 || !notes.empty();
  }
};

struct StateDiff {
  std::vector<TableDiff> tables;  ///< All that were compared, in rising order of names.

  [[nodiscard]] bool differs() const noexcept;
  [[nodiscard]] std::uint64_t records() const noexcept;
  [[nodiscard]] std::uint64_t within_tolerance() const noexcept;
  /// The first difference in one line: "monsters:1042@7.hp: 40 -> 38", "table 'doors': counter 3 ->
  /// 4"; safe to print; empty when nothing differs.
  [[nodiscard]] std::string first() const;
};

/// How far numbers may differ and still count as equal. Of a number with both bounds, one is
/// enough.
struct Tolerance {
  Glob fields;                     ///< Of paths; the table's name comes first.
  std::optional<double> absolute;  ///< The distance of both.
  std::optional<double> relative;  ///< The distance by the larger magnitude of both.
};

struct DiffOptions {
  bool records = true;              ///< false: only how many records differ.
  bool fields = true;               ///< Which fields of a record differ, or only that it does.
  bool json = false;                ///< Values as JSON instead of as text.
  bool read_all = false;            ///< Files: read columns even where their hashes are equal.
  bool added_values = true;         ///< Files: look for SchemaChange::value.
  std::vector<std::string> tables;  ///< Only these; empty: all.
  /// Fields, and whole tables, that are not compared: globs of paths that begin with the table's
  /// name ("monsters.*.last_seen"). Columns of nothing else are not read.
  std::vector<Glob> ignore = {};
  /// For integers and floats, also in lists. Of several bounds of one sort for a field, the last
  /// one counts.
  std::vector<Tolerance> tolerances = {};
  bool nan_equal = false;  ///< Any NaN equals any other, as within a tolerance.
  /// Only records that this means, before or afterwards; then nothing else of tables is compared:
  /// neither free lists nor counters nor orders. Tables without its fields are left out; when all
  /// are, that is an error.
  std::optional<FilterExpression> where = {};
  /// The most records that TableDiff::details keeps, of each table.
  std::uint64_t max_details = 1000;
  /// Takes the records instead of TableDiff::details, in rising order of slots.
  std::function<void(const RecordDiff&)> on_record = {};
  /// Told of each table after its records.
  std::function<void(const TableDiff&)> on_table = {};
  /// Asked now and then: true ends the comparison early, with what was found so far.
  std::function<bool()> stop = {};
  /// What errors call the two files.
  std::array<std::string, 2> files = {};
};

/// Compares two files. Columns whose hashes are equal are not read.
/// Errors: damage that is met on the way; I/O.
/// Complexity: the block heads of both, and the columns that differ. Memory: one row group of each,
/// and the free lists where they differ.
[[nodiscard]] Result<StateDiff> diff(const Reader& a, const Reader& b,
                                     const DiffOptions& options = {});

}  // namespace hdb
