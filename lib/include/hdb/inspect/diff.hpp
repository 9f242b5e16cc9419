// The differences between two files, by table, handle and field. For hdbinspect diff and editors;
// hdb/inspect/snapshot_diff.hpp compares states in memory with the same results.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/filter.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

/// How a record differs. `reused`: the slot holds another record, of another generation.
enum class DiffMark : char { added = '+', removed = '-', changed = '~', reused = 'R' };

/// One field that differs, or the smallest part of a field that differs.
struct FieldChange {
  std::string path;                      ///< "pos.x", "items[3].name"; escaped for a terminal.
  std::optional<std::string> old_value;  ///< None if the element was added.
  std::optional<std::string> new_value;  ///< None if the element was removed.
  std::string change;                    ///< The difference of two numbers: "+2.75".
  std::string note;                      ///< "monsters:77@2 was removed"; not escaped.
};

/// One record that differs.
struct RecordDiff {
  DiffMark mark = DiffMark::changed;
  std::string table;
  std::uint64_t slot = 0;
  std::uint32_t old_generation = 0;  ///< 0: added.
  std::uint32_t new_generation = 0;  ///< 0: removed.
  std::vector<FieldChange> fields;   ///< The fields that differ, if the record changed.
  std::string owner = {};            ///< Component tables: the table that owns the record.

  /// The handle as text, `monsters:1042@7` or `entities:1042@7.Position`: that of the later state,
  /// or of the earlier state if the record was removed. Not escaped.
  [[nodiscard]] HDB_INSPECT_API std::string handle() const;
  /// The same with this generation.
  [[nodiscard]] HDB_INSPECT_API std::string handle_of(std::uint32_t generation) const;
};

/// A difference of a table that is not in its records, or of the database beside its tables.
struct TableNote {
  std::string what;  ///< "free list", "counter", "dense order", "highest type id", ...
  std::string old_value;
  std::string new_value;
  std::string detail;  ///< "first difference at entry 3: slot 17 -> slot 22".
};

/// A field that was added ('+'), removed ('-') or has another type ('~').
struct SchemaChange {
  char mark = '~';
  std::string path;        ///< "stamina", "pos.x"; empty: the record as a whole.
  std::string old_type;    ///< Empty if the field was added.
  std::string new_type;    ///< Empty if the field was removed.
  bool compared = true;    ///< false: the types differ so much that values are not compared.
  std::string value = {};  ///< Files: the value of an added field that is equal in all records.
};

/// The differences of one table.
struct TableDiff {
  std::string name;
  std::optional<std::uint64_t> old_live;  ///< Live records before; none: the table was added.
  std::optional<std::uint64_t> new_live;  ///< Live records now; none: the table was removed.
  std::vector<SchemaChange> schema;
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
  std::uint64_t changed = 0;
  std::uint64_t reused = 0;
  /// Records that differ, but within the tolerances. Not counted in the numbers above.
  std::uint64_t within_tolerance = 0;
  std::vector<TableNote> notes;
  std::vector<RecordDiff> details;  ///< The first records that differ, unless on_record is set.
  std::uint64_t blocks = 0;         ///< Files: blocks of row groups.
  std::uint64_t blocks_read = 0;    ///< Blocks that were read, because hashes differed.
  std::uint64_t stored_differently = 0;  ///< Blocks of equal content whose stored bytes differ.

  /// The number of records that differ.
  [[nodiscard]] std::uint64_t records() const noexcept {
    return added + removed + changed + reused;
  }
  /// Whether anything differs.
  [[nodiscard]] bool differs() const noexcept {
    return !old_live || !new_live || !schema.empty() || records() != 0 || !notes.empty();
  }
};

/// The differences between two states.
struct HDB_INSPECT_API StateDiff {
  std::vector<TableDiff> tables;  ///< All compared tables, in ascending order of names.
  /// The differences beside the tables, if all tables are compared: the highest type id, and what
  /// dropped tables issued.
  std::vector<TableNote> notes = {};

  /// Whether anything differs.
  [[nodiscard]] bool differs() const noexcept;
  /// The number of records that differ.
  [[nodiscard]] std::uint64_t records() const noexcept;
  /// The number of records that differ, but within the tolerances.
  [[nodiscard]] std::uint64_t within_tolerance() const noexcept;
  /// The first difference in one line: "monsters:1042@7.hp: 40 -> 38", "table 'doors': counter 3 ->
  /// 4". Empty if nothing differs. Safe to print.
  [[nodiscard]] std::string first() const;
};

/// How much numbers may differ and still count as equal. A number within one of both bounds counts
/// as equal.
struct Tolerance {
  Glob fields;                     ///< Which fields: a path glob that begins with the table's name.
  std::optional<double> absolute;  ///< The greatest |a - b|.
  std::optional<double> relative;  ///< The greatest |a - b| / max(|a|, |b|).
};

/// The options of a comparison.
struct DiffOptions {
  bool records = true;  ///< false: only the numbers of records that differ.
  bool fields = true;   ///< false: do not list the fields that differ.
  bool json = false;    ///< Values as JSON instead of text.
  std::uint64_t max_value_bytes = kWholeValues;           ///< As for value_text.
  std::uint64_t max_row_values = RowDecoder::kMaxValues;  ///< As for RowDecoder.
  bool read_all = false;            ///< Files: also read columns whose hashes are equal.
  bool added_values = true;         ///< Files: look for SchemaChange::value.
  std::vector<std::string> tables;  ///< Only these tables; empty: all.
  /// Fields and tables that are not compared: path globs that begin with the table's name
  /// ("monsters.*.last_seen"). Columns that hold only ignored fields are not read.
  std::vector<Glob> ignore = {};
  /// For integers and floats, also in lists. If several tolerances set the same bound for a field,
  /// the last one counts.
  std::vector<Tolerance> tolerances = {};
  bool nan_equal = false;  ///< Any NaN equals any other NaN, as if within a tolerance.
  /// Compares only records that match before or now; free lists, counters and orders are then not
  /// compared. Skips tables without the fields of the filter; an error if that is every table.
  std::optional<FilterExpression> where = {};
  /// The most records in TableDiff::details of one table.
  std::uint64_t max_details = 1000;
  /// Receives the records in ascending order of slots; TableDiff::details stays empty then.
  std::function<void(const RecordDiff&)> on_record = {};
  /// Called with each table after its records.
  std::function<void(const TableDiff&)> on_table = {};
  /// Called from time to time; true ends the comparison with the differences found so far.
  std::function<bool()> stop = {};
  /// The names of the two files in errors.
  std::array<std::string, 2> files = {};
};

/// Compares two files. Does not read columns whose hashes are equal.
///
/// Errors: damage in the parts that are read; I/O; limits; not_found or type_mismatch if
/// DiffOptions::where fits no table.
/// Complexity: linear in the block heads of both files and in the columns that differ. Memory: a
/// row group of each file, and free lists that differ.
///
/// Example:
/// @code
/// const auto a = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// const auto b = hdb::Reader::open(hdb::FileSource::open("slot2.hdb").value());
/// if (!a || !b) return;
/// hdb::DiffOptions options;
/// options.ignore.push_back(hdb::Glob::of_path("clock").value());
/// options.ignore.push_back(hdb::Glob::of_path("**.pos").value());
/// const auto difference = hdb::diff(**a, **b, options);
/// if (!difference) return;
/// assert(difference->records() == 6);  // as hdbinspect diff --ignore clock --ignore '**.pos'
/// @endcode
[[nodiscard]] HDB_INSPECT_API Result<StateDiff> diff(const Reader& a, const Reader& b,
                                                     const DiffOptions& options = {});

}  // namespace hdb
