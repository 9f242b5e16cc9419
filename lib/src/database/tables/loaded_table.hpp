// New contents for tables, prepared aside and then installed all together.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/using_detail.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/changes.hpp"
#include "hdb/database.hpp"

namespace hdb {

/// A table's next state.
struct LoadedTable {
  TableEntry* entry = nullptr;
  std::unique_ptr<TableContent> content;
  std::uint16_t type_id = 0;
  /// The content is what a new table has: nothing or, in a singleton, a default record (made by
  /// `prepare_install`).
  bool is_new = false;
  std::shared_ptr<const KeptRows> kept = {};       ///< Of the records.
  std::shared_ptr<const ErasedSlots> erased = {};  ///< See TableEntry.
  std::shared_ptr<Issued> issued =
      {};  ///< Where the table notes its handles from then on; set by prepare_install.

  /// The state of a table as if it were made in the timeline that begins.
  [[nodiscard]] static LoadedTable initial(TableEntry& entry);
};

/// Does all that can fail; afterwards install cannot. Under `exact`, a new table starts above what
/// `dropped`, that of the timeline to come, says of its handles. Under `fork` all tables start
/// above everything that was `ever` issued, and `dropped` becomes that.
/// Errors: fork_under_wrap, fork_exhausted; then the tables are as they were.
[[nodiscard]] Status prepare_install(std::vector<LoadedTable>& replacements, TimelineMode mode,
                                     DroppedTables& dropped, IssuedHandles& ever);
/// Puts the contents in place. Requires: prepare_install.
void install(std::vector<LoadedTable>& replacements) noexcept;

/// The tables as they will be once replacements are installed: what the caller is told to have
/// changed is found out before anything does, because it takes memory.
class TablesAfterLoad {
 public:
  /// A table that stays as it was captured, or becomes that.
  void add(const SnapshotTable& table) { tables_.push_back(&table); }
  /// A table that gets another content; `now` is the running one, captured.
  void add(LoadedTable& replacement, const SnapshotTable& now);
  /// What differs from an earlier state.
  [[nodiscard]] Changes changes_since(const Snapshot& before);

 private:
  struct Made {
    TableDescriptor descriptor;
    Field schema;
    SnapshotTable table;
  };
  std::vector<const SnapshotTable*> tables_;
  std::deque<Made> made_;  // what tables_ names of them does not move
};

}  // namespace hdb
