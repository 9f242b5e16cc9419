// Restoring a snapshot: tables are matched, everything that can fail is prepared, then all change
// together.
#include <algorithm>
#include <functional>
#include <utility>

#include "base/using_detail.hpp"
#include "database/tables/database_state.hpp"
#include "database/tables/loaded_table.hpp"
#include "database/tables/snapshot_data.hpp"
#include "database/tables/type_id_choice.hpp"
#include "hdb/changes.hpp"
#include "hdb/database.hpp"

namespace hdb {

namespace {

/// Captured tables refuse structural calls, which a record's copy or move might make: a settled
/// table looks at the log (TableCore::unsettle), `tables` are marked as busy.
class RestoredTables {
 public:
  RestoredTables(UndoLog& log, const std::vector<TableCore*>& tables) noexcept
      : log_(log), tables_(tables) {
    set(true);
  }
  ~RestoredTables() { set(false); }
  RestoredTables(const RestoredTables&) = delete;
  RestoredTables& operator=(const RestoredTables&) = delete;

 private:
  void set(bool restored) const noexcept {
    log_.set_restoring(restored);
    for (TableCore* const table : tables_) table->set_restored(restored);
  }
  UndoLog& log_;
  const std::vector<TableCore*>& tables_;
};

}  // namespace

/// One restore. Nothing of the database changes before `commit`.
class Restorer {
 public:
  Restorer(Database& database, const SnapshotData& data, std::size_t later,
           const std::function<void()>* drop_later)
      : database_(database), data_(data), later_(later), drop_later_(drop_later) {}

  Status run(const RestoreOptions& options) {
    const Snapshot before = options.changes != nullptr ? database_.capture() : Snapshot();
    database_.require_not_busy();
    if (finds_same_tables(options.mode)) return run_quick(options, before);
    if (auto prepared = prepare(options.mode); !prepared) return prepared;
    Changes changes;
    if (options.changes != nullptr) changes = changes_since(before);
    commit(options.mode);
    if (options.changes != nullptr) *options.changes = std::move(changes);
    return {};
  }

 private:
  // The tables and their type ids are those of the capture: only what changed since must go back.
  [[nodiscard]] bool finds_same_tables(TimelineMode mode) const noexcept;
  Status run_quick(const RestoreOptions& options, const Snapshot& before);
  void prepare_content(TableEntry& entry, const FrozenTable& frozen);
  void prepare_log();
  void commit_log() noexcept;
  Status match();
  Status check_type(const SnapshotTable& table) const;
  Status choose_type_ids();
  // A component table that stays as it is while its owner is restored: some components may lose
  // their records.
  static bool loses_orphans(const TableEntry& entry) noexcept {
    return entry.is_component() && !entry.is_captured() && entry.owner->is_captured();
  }
  Status prepare(TimelineMode mode);
  Changes changes_since(const Snapshot& before);
  void commit(TimelineMode mode) noexcept;

  Database& database_;
  const SnapshotData& data_;
  std::size_t later_;                               // captures ...
  const std::function<void()>* drop_later_;         // ... that this ends; null: none
  std::vector<TableCore*> restored_;                // whose state goes back
  TableList tables_;                                // that there will be
  std::vector<std::shared_ptr<TableEntry>> newer_;  // made since the capture; not those left out
  std::vector<LoadedTable> replacements_;
  std::vector<std::shared_ptr<Issued>>
      issued_;             // of the captured tables that get another type id; else null
  DroppedTables dropped_;  // of the timeline that begins
  std::shared_ptr<const KeptFile> kept_;  // what there will be beside the tables
};

bool Restorer::finds_same_tables(TimelineMode mode) const noexcept {
  const CapturedTables* const now = database_.state_->captured.get();
  return mode == TimelineMode::exact && now != nullptr && now->has_roll_of(*data_.states) &&
         !now->roll().has_outside_components && database_.state_->kept == data_.kept &&
         database_.state_->highest_type_id == data_.highest_type_id;
}

void Restorer::prepare_content(TableEntry& entry, const FrozenTable& frozen) {
  entry.content->prepare_thaw(frozen);
  restored_.push_back(&entry.core());
}

void Restorer::prepare_log() {
  UndoLog& log = *database_.state_->log;
  if (drop_later_ != nullptr && log.count_later(*data_.captured) == later_) (*drop_later_)();
  const RestoredTables restored(log, restored_);
  log.prepare_restore(*data_.captured);
}

void Restorer::commit_log() noexcept {
  const RestoredTables restored(*database_.state_->log, restored_);
  database_.state_->log->commit_restore();
}

Status Restorer::run_quick(const RestoreOptions& options, const Snapshot& before) {
  const TableRoll& roll = database_.state_->captured->roll();
  Marks differs = roll.marks->changed;
  database_.state_->captured->mark_differences(*data_.states, differs);
  differs.for_each([&](std::size_t i) {
    prepare_content(*roll.members[i].entry, seen_at((*data_.states)[i].frozen, data_.captured));
  });
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
  // A write through a pointer that was kept too long is found, wherever it was.
  for (const TableRoll::Member& member : roll.members) member.entry->content->check_unwritten();
#endif
  prepare_log();
  Changes changes;
  if (options.changes != nullptr) changes = changes_since(before);
  commit_log();
  differs.for_each([&](std::size_t i) {
    TableEntry& entry = *roll.members[i].entry;
    entry.content->commit_thaw((*data_.states)[i].frozen);
    entry.keep((*data_.states)[i].kept, (*data_.states)[i].erased);
  });
  ++database_.state_->version;
  database_.release_dropped();
  roll.marks->observed.for_each(
      [&](std::size_t i) { roll.members[i].entry->core().tell_replaced(); });
  if (options.changes != nullptr) *options.changes = std::move(changes);
  return {};
}

// Both lists rise by name.
Status Restorer::match() {
  std::vector<std::shared_ptr<TableEntry>> merged;
  merged.reserve(database_.tables_.size() + data_.tables().size());
  auto captured = data_.tables().begin();
  for (const auto& entry : database_.tables_) {
    for (; captured != data_.tables().end() && captured->entry->name < entry->name; ++captured) {
      merged.push_back(captured->entry);  // dropped since
    }
    merged.push_back(entry);
    if (captured != data_.tables().end() && captured->entry == entry) {
      ++captured;
    } else if (captured != data_.tables().end() && captured->entry->name == entry->name) {
      return fail(ErrorCode::foreign_snapshot,
                  "the table was dropped and created again after the capture",
                  "restore of table '" + entry->name + "'");
    } else if (entry->is_captured()) {
      newer_.push_back(entry);
    }
  }
  for (; captured != data_.tables().end(); ++captured) merged.push_back(captured->entry);
  for (const SnapshotTable& table : data_.tables()) {
    if (auto checked = check_type(table); !checked) return checked;
  }
  tables_ = TableList(std::move(merged));
  for (const SnapshotTable& table : data_.tables()) {
    if (database_.tables_.find(table.entry->name) != nullptr) continue;
    std::string conflict = tables_.find_layout_conflict(*table.entry);  // dropped since
    if (conflict.empty()) continue;
    return fail(ErrorCode::foreign_snapshot,
                std::move(conflict) + "; drop the table that was created after the capture",
                "restore of table '" + table.entry->name + "'");
  }
  return {};
}

// A table that was dropped may come back only where no other has handles of its type.
Status Restorer::check_type(const SnapshotTable& table) const {
  const TableEntry& back = *table.entry;
  if (back.core().policy().layout.type_bits != 0 || back.is_component()) return {};
  const TableEntry* const other = database_.tables_.find_key(back.key);
  if (other == nullptr || other == &back || data_.find(other->name)) return {};
  return fail(
      ErrorCode::foreign_snapshot,
      "table '" + other->name + "', created after the capture, has handles of the same type",
      "restore of table '" + back.name + "'");
}

// The captured tables get their type ids back. A table that has no records, or will have none,
// makes way.
Status Restorer::choose_type_ids() {
  TypeIdChoice ids(data_.highest_type_id);
  for (const SnapshotTable& table : data_.tables()) ids.take(table.descriptor->type_id);
  if (data_.kept != nullptr) {
    for (const auto& table : data_.kept->tables) ids.take(table->descriptor.type_id);
  }
  std::vector<std::size_t> moved;  // indexes of replacements_
  const auto keeps_id = [&](const TableEntry& entry) {
    const std::uint16_t type_id = entry.type_id();
    const bool is_free = !ids.is_taken(type_id);
    if (is_free) ids.take(type_id);
    return is_free;
  };
  for (const auto& entry : database_.tables_) {
    if (entry->is_captured() || keeps_id(*entry)) continue;
    if (entry->core().counters().live_count != 0) {
      return fail(ErrorCode::foreign_snapshot,
                  "a captured table needs type id " +
                      std::to_string(entry->core().options().type_id) +
                      ", which this table has; this table is not captured and has records, so its "
                      "id cannot change",
                  "restore, table '" + entry->name + "'");
    }
    moved.push_back(replacements_.size());
    replacements_.push_back(LoadedTable::initial(*entry));
  }
  for (const auto& entry : newer_) {
    if (!keeps_id(*entry)) moved.push_back(replacements_.size());
    replacements_.push_back(LoadedTable::initial(*entry));
  }
  for (const std::size_t i : moved) {
    auto chosen = ids.next(*replacements_[i].entry);
    if (!chosen) return fail(std::move(chosen.error()));
    replacements_[i].type_id = *chosen;
  }
  tables_.reserve_type_ids(ids.highest_taken());
  return {};
}

// All that can fail.
Status Restorer::prepare(TimelineMode mode) {
  if (auto matched = match(); !matched) return matched;
  if (auto chosen = choose_type_ids(); !chosen) return chosen;
  for (const SnapshotTable& table : data_.tables()) {
    if (mode == TimelineMode::exact) {
      const std::uint16_t type_id = table.descriptor->type_id;
      const bool keeps_id = type_id == table.entry->type_id();
      issued_.push_back(keeps_id ? nullptr
                                 : database_.state_->issued.of(table.entry->scope(),
                                                               table.entry->handle_space(type_id)));
      prepare_content(*table.entry, table.frozen);
      continue;
    }
    LoadedTable replacement{table.entry.get(),
                            table.entry->content->make_empty(),
                            table.descriptor->type_id,
                            false,
                            table.kept,
                            table.erased};
    replacement.content->copy(table.frozen);
    replacements_.push_back(std::move(replacement));
  }
  for (const auto& entry : tables_) {
    if (loses_orphans(*entry)) entry->core().prepare_drop_orphans();
  }
  const auto is_created_since = [this](const std::string& name) {
    return database_.tables_.find(name) != nullptr && !data_.find(name);
  };
  kept_ = without(data_.kept, [&](const TableDescriptor& table) {
    return is_created_since(table.name) || is_created_since(table.owner);
  });
  const bool exact = mode == TimelineMode::exact;
  dropped_ = exact ? database_.state_->dropped.restored(data_.dropped) : database_.state_->dropped;
  if (data_.kept != nullptr) {
    for (const auto& table : data_.kept->tables) {
      const TableDescriptor& kept = table->descriptor;
      if (!is_created_since(kept.name)) continue;
      // Its records are gone then, as those of a table that was dropped.
      dropped_ = dropped_.with(
          kept.scope, space_of_table(kept.name, kept.policy.layout, kept.type_id), table->issued());
    }
  }
  if (auto prepared = prepare_install(replacements_, mode, dropped_, database_.state_->issued);
      !prepared)
    return prepared;
  if (exact) prepare_log();
  return {};
}

Changes Restorer::changes_since(const Snapshot& before) {
  TablesAfterLoad future;
  for (const SnapshotTable& table : data_.tables()) future.add(table);
  for (LoadedTable& replacement : replacements_) {  // but those that a fork makes of these tables
    if (!replacement.entry->is_captured() || data_.find(replacement.entry->name)) continue;
    future.add(replacement,
               data_of(before)->tables()[*data_of(before)->find(replacement.entry->name)]);
  }
  return future.changes_since(before);
}

void Restorer::commit(TimelineMode mode) noexcept {
  if (mode == TimelineMode::exact) commit_log();
  install(replacements_);
  if (mode == TimelineMode::exact) {
    for (std::size_t i = 0; i < data_.tables().size(); ++i) {
      TableEntry& entry = *data_.tables()[i].entry;
      entry.content->commit_thaw(data_.tables()[i].frozen);
      entry.keep(data_.tables()[i].kept, data_.tables()[i].erased);
      if (issued_[i] == nullptr) continue;
      entry.content->set_type_id(data_.tables()[i].descriptor->type_id);
      entry.core().set_issued(std::move(issued_[i]));
    }
  }
  database_.state_->dropped = std::move(dropped_);
  database_.state_->kept = std::move(kept_);
  std::swap(database_.tables_, tables_);
  database_.type_ids_changed(
      mode == TimelineMode::exact
          ? data_.highest_type_id
          : std::max(database_.state_->issued.highest_type_id(), data_.highest_type_id));
  database_.release_dropped();
  for (const auto& entry : database_.tables_) {
    if (loses_orphans(*entry)) entry->core().drop_orphans(entry->owner->core().slots());
  }
  for (const auto& entry : database_.tables_) {
    if (entry->is_captured()) entry->core().tell_replaced();
  }
}

Status Database::restore(const Snapshot& snapshot, const RestoreOptions& options) {
  return restore_and_drop(snapshot, options, 0, nullptr);
}

Status Database::restore_and_drop(const Snapshot& snapshot, const RestoreOptions& options,
                                  std::size_t later, const std::function<void()>& drop) {
  const SnapshotData* const data = data_of(snapshot).get();
  if (data == nullptr) return fail(ErrorCode::foreign_snapshot, "the snapshot is empty", "restore");
  if (data->pool != state_->pool) {
    return fail(ErrorCode::foreign_snapshot,
                "the snapshot was captured from another database; save and load it", "restore");
  }
  return Restorer(*this, *data, later, drop ? &drop : nullptr).run(options);
}

}  // namespace hdb
