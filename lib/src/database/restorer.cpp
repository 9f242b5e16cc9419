// Restoring a snapshot: tables are matched, everything that can fail is prepared, then all change together.
#include <algorithm>
#include <utility>

#include "hdb/database/changes.hpp"
#include "hdb/database/database.hpp"
#include "replacement.hpp"
#include "snapshot_data.hpp"

namespace hdb {

/// One restore. Nothing of the database changes before `commit`.
class Restorer {
 public:
  Restorer(Database& database, const SnapshotData& data) : database_(database), data_(data) {}

  Status run(TimelineMode mode) {
    if (auto matched = match(); !matched) return matched;
    for (const auto& entry : newer_) replacements_.push_back(Replacement::initial(*entry));
    return mode == TimelineMode::exact ? run_exact() : run_fork();
  }

 private:
  Status match();
  Status check_types() const;
  Status run_exact();
  Status run_fork();
  void commit(TimelineMode mode);

  Database& database_;
  const SnapshotData& data_;
  std::vector<std::shared_ptr<TableEntry>> tables_;  // that there will be, in rising order of names
  std::vector<std::shared_ptr<TableEntry>> newer_;   // made since the capture; not those left out
  std::vector<Replacement> replacements_;
  DroppedTables dropped_;  // of the timeline that begins
};

Status Restorer::match() {
  for (const SnapshotTable& table : data_.tables) tables_.push_back(table.entry);
  for (const auto& entry : database_.tables_) {
    const auto index = data_.find(entry->name);
    if (!index) {
      if (entry->is_captured()) newer_.push_back(entry);
      tables_.push_back(entry);
    } else if (data_.tables[*index].entry != entry) {
      return fail(ErrorCode::foreign_snapshot,
                  "the table was dropped and made anew since the capture",
                  "restore of table '" + entry->name + "'");
    }
  }
  std::sort(tables_.begin(), tables_.end(),
            [](const auto& a, const auto& b) { return a->name < b->name; });
  return check_types();
}

// A table that was dropped may come back only where nothing took its place.
Status Restorer::check_types() const {
  for (const SnapshotTable& table : data_.tables) {
    const auto& back = table.entry;
    for (const auto& other : tables_) {
      if (data_.find(other->name)) continue;  // captured with it
      const bool same_key = back->key == other->key && back->core->policy().layout.type_bits == 0;
      const bool same_id = table.descriptor->type_id != 0 &&
                           table.descriptor->type_id == other->core->options().type_id;
      if (!same_key && !same_id) continue;
      return fail(ErrorCode::foreign_snapshot,
                  "table '" + other->name + "', made since the capture, has its handles",
                  "restore of table '" + back->name + "'");
    }
  }
  return {};
}

Status Restorer::run_exact() {
  for (const SnapshotTable& table : data_.tables) prepare_thaw(table);
  dropped_ = database_.dropped_.restored(data_.dropped);
  if (auto installed = install(replacements_, TimelineMode::exact, dropped_, database_.issued_);
      !installed) {
    return installed;
  }
  for (const SnapshotTable& table : data_.tables) {
    thaw(table);
    table.entry->core->set_type_id(table.descriptor->type_id);
  }
  commit(TimelineMode::exact);
  return {};
}

Status Restorer::run_fork() {
  for (const SnapshotTable& table : data_.tables) {
    Replacement replacement{table.entry.get(), TableContent::empty_of(*table.entry),
                            table.descriptor->type_id, false};
    replacement.content.thaw(table);
    replacements_.push_back(std::move(replacement));
  }
  dropped_ = database_.dropped_;
  if (auto installed = install(replacements_, TimelineMode::fork, dropped_, database_.issued_);
      !installed) {
    return installed;
  }
  commit(TimelineMode::fork);
  return {};
}

void Restorer::commit(TimelineMode mode) {
  database_.highest_type_id_ = mode == TimelineMode::exact
                                   ? data_.highest_type_id
                                   : std::max(database_.highest_type_id_, data_.highest_type_id);
  database_.dropped_ = std::move(dropped_);
  database_.tables_.swap(tables_);
  database_.tables_changed();
  for (const auto& entry : database_.tables_) {
    if (entry->is_captured()) entry->core->tell_replaced();
  }
}

Status Database::restore(const Snapshot& snapshot, const RestoreOptions& options) {
  const SnapshotData* const data = snapshot.data().get();
  if (data == nullptr) return fail(ErrorCode::foreign_snapshot, "the snapshot is empty", "restore");
  if (data->pool != pool_) {
    return fail(ErrorCode::foreign_snapshot,
                "the snapshot was captured from another database; save and load it", "restore");
  }
  const Snapshot before = options.changes != nullptr ? capture() : Snapshot();
  Status restored = Restorer(*this, *data).run(options.mode);
  if (restored && options.changes != nullptr) {
    *options.changes = changes_between(before, capture());
  }
  return restored;
}

}  // namespace hdb
