// What restore and load can be told, and what load reports.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hdb/executor.hpp"
#include "hdb/file_info.hpp"

namespace hdb {

class FileSystem;
struct Changes;

/// Which handles the restored or loaded game issues next. The timeline that it leaves is called
/// abandoned.
enum class TimelineMode : std::uint8_t {
  /// The same handles that the captured or saved game would have issued next. The abandoned
  /// timeline may have issued the same bits for other records: a handle kept from it can then
  /// resolve to a new record.
  exact,
  /// Only handles that no timeline of this process has issued: not the abandoned one, nor any that
  /// an earlier restore or load abandoned, nor a table dropped meanwhile. So a handle kept from any
  /// of them never resolves to a record that is inserted after the fork. Limits: the database
  /// remembers what it issued in memory only, so another process that goes on from the same file
  /// can issue the same handles; and a handle of a record that the snapshot or file holds resolves
  /// to that record.
  /// Errors: fork_under_wrap where a table's generations wrap; fork_exhausted where none is left.
  fork,
};

struct RestoreOptions {
  TimelineMode mode = TimelineMode::exact;
  /// Gets the handles that the restore created, erased and changed (hdb/database/changes.hpp);
  /// null: not asked for. An error leaves it as it was. Costs what changes_between costs.
  Changes* changes = nullptr;
};

struct LoadOptions {
  TimelineMode mode = TimelineMode::exact;
  unsigned threads = 1;
  bool allow_missing_tables =
      true;  ///< A table that the file lacks becomes empty (and is reported).
  bool allow_unknown_tables =
      true;                        ///< A table that the program lacks is skipped (and is reported).
  bool verify_state_hash = false;  ///< Also recompute the state hash from what was read.
  Changes* changes = nullptr;      ///< As RestoreOptions::changes; all records are compared.
  ReadLimits limits = {};
  FileSystem* file_system = nullptr;  ///< null: the operating system's.
  Executor executor = {};             ///< Runs the decoding tasks; empty: threads of our own.
};

/// What became of one table.
struct TableLoadReport {
  std::string name;
  std::uint64_t live_count = 0;
  bool exact_schema = true;                 ///< Stored and own schema are equal.
  std::vector<std::string> missing_fields;  ///< Kept their defaults.
  std::vector<std::string> unknown_fields;  ///< Were skipped.
};

struct LoadReport {
  FileInfo info;
  std::vector<TableLoadReport> tables;
  std::vector<std::string> missing_tables;  ///< In the program, not in the file: now empty.
  std::vector<std::string> unknown_tables;  ///< In the file, not in the program: skipped.
  /// In the file, but left out of saves by the program (Scope::unsaved, uncaptured): skipped, the
  /// program's stay as they are.
  std::vector<std::string> skipped_tables;
};

}  // namespace hdb
