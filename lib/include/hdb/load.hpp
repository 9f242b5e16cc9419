// The options of Database::restore and Database::load, and the report of a load.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/executor.hpp"
#include "hdb/file_info.hpp"
#include "hdb/fwd.hpp"
#include "hdb/load_change.hpp"

namespace hdb {

/// Which handles the game issues after a restore or load. The timeline that the game leaves is
/// called abandoned.
enum class TimelineMode : std::uint8_t {
  /// The same handles that the captured or saved game would have issued next. The abandoned
  /// timeline may have issued the same bits for other records: a handle kept from it can then
  /// resolve to a new record.
  exact,
  /// Only handles that no timeline of this process has issued: neither the abandoned timelines of
  /// all restores and loads so far, nor tables dropped since. A handle kept from any of them never
  /// names a record inserted after the fork. Limits: the database remembers in memory what it
  /// issued, so another process that continues from the same file can issue the same handles; and a
  /// handle of a record in the snapshot or file names that record.
  /// Errors: fork_under_wrap if a table's generations wrap; fork_exhausted if no generation is
  /// left.
  fork,
};

/// The options of Database::restore.
struct RestoreOptions {
  TimelineMode mode = TimelineMode::exact;
  /// Receives the handles that the restore created, erased and changed (hdb/changes.hpp), unless it
  /// is null. An error leaves it unchanged. Complexity: as changes_between.
  Changes* changes = nullptr;
};

/// The options of Database::load.
///
/// Example:
/// @code
/// hdb::Database db;
/// db.create_table<Monster>("monsters").insert({.name = "imp"});
/// if (!hdb::save(db.capture(), "slot3.hdb")) return;
/// db.create_table<Weapon>("weapons");  // newer than the save
/// hdb::Changes changes;
/// const auto report = db.load("slot3.hdb", {.threads = 2, .changes = &changes});
/// if (!report) return;  // report.error().message() says why; db is unchanged
/// assert(report->tables.at(0).live_count == 1 && report->tables.at(0).changes.empty());
/// assert(report->summary() == "monsters: 1 record; not in the file, now empty: weapons");
/// assert(report->missing_tables == std::vector<std::string>{"weapons"});
/// assert(changes.empty());  // the loaded state equals the current state
/// @endcode
struct LoadOptions {
  TimelineMode mode = TimelineMode::exact;
  unsigned threads = 1;
  bool allow_missing_tables =
      true;  ///< A table that is not in the file becomes empty (and is reported).
  bool allow_unknown_tables =
      true;  ///< A table that the program does not have is skipped (and is reported). A table that
             ///< is made later under its name issues none of its handles.
  /// Keeps what the program does not know, and saves it again
  /// (lib/docs/guide/09-newer-saves.md). A save that visits an older build then loses nothing.
  ///
  /// - Tables of the file that the program does not have stay beside the database until the next
  ///   load. If the program creates a table of the same name, the kept table is gone.
  /// - Fields that the records do not have keep their values as long as their record lives under
  ///   the same handle. Records inserted since have zeros there, empty texts and lists.
  ///
  /// Snapshots, restores, saves and state hashes include what is kept; imports keep nothing. Class
  /// versions, lists and what cannot be kept: see the same chapter.
  /// Errors: damage of a kept table; read_only_feature if hdb must not rewrite the file.
  /// Complexity: of a load and a save of kept fields, linear in the values of all rows of their
  /// tables; of a capture, nothing. Memory: the values as bytes, and 12 bytes for each slot of a
  /// table with kept fields, charged to `limits`.
  bool keep_unknown = false;
  /// What to do with values that the program does not have: enumerators without its names and
  /// alternatives of variants, for example of a mod that was removed. The report counts them
  /// (LoadChange::Kind::unknown, TableLoadReport::unknown_records). With keep_unknown, values that
  /// can be kept need no answer (lib/docs/guide/07-enums-variants.md).
  UnknownValue unknown_values = UnknownValue::refuse;
  /// The same for single tables, by their names in the program.
  std::map<std::string, UnknownValue> unknown_values_of = {};
  /// A table that has another storage, free list, handle layout or other policy in the file is
  /// loaded with its handles valid (and is reported: TableLoadReport::policy_changes). False: only
  /// files that can be continued exactly are loaded; others are refused with layout_mismatch or
  /// storage_mismatch.
  bool allow_policy_changes = true;
  /// Also compute the state hash of what the file holds, and compare it with the one that it was
  /// saved with. The loaded state may have another: where the load changes records (see the
  /// report), or a container of the program orders its elements otherwise than that of the writer.
  bool verify_state_hash = false;
  Changes* changes = nullptr;  ///< As RestoreOptions::changes; all records are compared.
  ReadLimits limits = {};
  FileSystem* file_system = nullptr;  ///< null: the operating system's.
  Executor executor = {};             ///< Runs the decoding tasks; empty: threads of hdb.
};

/// What a load promises about the handles of one table.
enum class HandlePromise : std::uint8_t {
  /// Every handle of the file is as valid or stale as it was, and the table issues the handles that
  /// the saved game would have issued.
  exact,
  /// Every handle of the file is as valid or stale as it was, after translate_handle if the layout
  /// changed; a handle that the saved game issued never names a record inserted after the load
  /// (except under Overflow::wrap). Other handles are issued than in the saved game:
  /// `policy_changes`, a fork, or migrations that created or dropped records are the reason.
  handles_valid,
};

/// An extension of a file that a load leaves out.
struct DroppedExtension {
  std::uint8_t tag = 0;
  std::string field;  ///< The path of the field in the file; empty: an extension of the table or
                      ///< of the database.

  friend bool operator==(const DroppedExtension&, const DroppedExtension&) = default;
};

/// What migrations did with the records of one table.
struct MigrationReport {
  std::uint32_t from_version = 0;  ///< The class version of the stored records.
  std::uint32_t to_version = 0;    ///< The class version of the program.
  std::uint64_t migrated = 0;      ///< Stored records, those that were dropped too.
  std::uint64_t dropped = 0;
  std::uint64_t created = 0;

  friend bool operator==(const MigrationReport&, const MigrationReport&) = default;
};

/// The result for one table.
struct TableLoadReport {
  std::string name;
  std::string old_name;  ///< What the file calls the table, if a rename was declared; else empty.
  std::uint64_t live_count = 0;
  /// Stored and own schema are equal; tables that handles refer to may be renamed.
  bool exact_schema = true;
  /// What was defaulted, dropped, converted and renamed, in the order of the program's fields; of
  /// each structure the dropped fields come last.
  std::vector<LoadChange> changes;
  /// Additions by later versions of hdb, to the table or to the schema of its fields, that are not
  /// loaded (FORMAT.md, "Extensions"). If they are part of the state, only a fork loads the file;
  /// else it is refused with unknown_feature. Every load drops the progress of a sort (tag 1) that
  /// this version cannot continue, or whose records it changes: the next sort_step begins again.
  std::vector<DroppedExtension> dropped_extensions;
  /// What declared migrations did (Database::declare_migration); none if they had nothing to do.
  /// `changes` then lists how their results differ from the program's records.
  std::optional<MigrationReport> migration = {};
  /// Records that were erased because they hold values that the program does not have
  /// (UnknownValue::drop_record).
  std::uint64_t unknown_records = 0;
  HandlePromise promise = HandlePromise::exact;
  /// The options that the program changed since the file was written, in the order of
  /// PolicyChange::Kind; empty if there are none.
  std::vector<PolicyChange> policy_changes = {};
};

/// What a load found and did.
struct HDB_API LoadReport {
  FileInfo info;
  std::vector<TableLoadReport> tables;
  std::vector<std::string> missing_tables;  ///< In the program, not in the file: now empty.
  std::vector<std::string> unknown_tables;  ///< In the file, not in the program: skipped.
  std::vector<std::string> kept_tables;     ///< As unknown_tables, but kept (keep_unknown).
  /// In the file, but the program's table has Scope::unsaved or Scope::uncaptured: skipped; the
  /// program's table is unchanged.
  std::vector<std::string> skipped_tables;
  /// Names that migrations or LoadOptions::unknown_values_of give, but which neither the program
  /// (with its families) nor the file has: probably misspelt. In ascending order.
  std::vector<std::string> absent_tables;
  /// Additions by later versions of hdb to the database itself, as those of a table.
  std::vector<DroppedExtension> dropped_extensions = {};

  // Not inline, so that the code of calls that return one is small.
  LoadReport();
  LoadReport(const LoadReport& other);
  LoadReport(LoadReport&& other) noexcept;
  LoadReport& operator=(const LoadReport& other);
  LoadReport& operator=(LoadReport&& other) noexcept;
  ~LoadReport();

  /// All but `info` in one line for a log; control characters in names are escaped. Example:
  /// "monsters (was enemies): 120 records, mana defaulted (x120), hp converted from i16 to i32
  /// (x120); doors: 3 records, handles valid (free list lifo -> fifo); not in the file, now empty:
  /// weapons".
  [[nodiscard]] std::string summary() const;
};

}  // namespace hdb
