// Changes between snapshots, and histories of frames, for the C interface.
#include "c/objects.hpp"
#include "hdb/changes.hpp"
#include "hdb/history.hpp"

using namespace hdb::c;

extern "C" {

hdb_status hdb_changes_between(const hdb_snapshot* earlier, const hdb_snapshot* later,
                               hdb_changes** changes, hdb_error** error) {
  return guarded(error, [&] {
    require(changes, "changes");
    *changes = nullptr;
    require(earlier, "earlier");
    require(later, "later");
    auto made = std::make_unique<hdb_changes>();
    made->changes = hdb::changes_between(earlier->snapshot, later->snapshot);
    *changes = made.release();
  });
}

size_t hdb_changes_table_count(const hdb_changes* changes) {
  return changes == nullptr ? 0 : changes->changes.tables.size();
}

const char* hdb_changes_table(const hdb_changes* changes, size_t index) {
  if (changes == nullptr || index >= changes->changes.tables.size()) return nullptr;
  return changes->changes.tables[index].table.c_str();
}

const hdb_handle* hdb_changes_handles(const hdb_changes* changes, const char* table, int what,
                                      size_t* count) {
  if (count != nullptr) *count = 0;
  if (changes == nullptr || table == nullptr) return nullptr;
  const hdb::TableChanges& found = changes->changes.of(table);
  const std::vector<std::uint64_t>* handles = nullptr;
  switch (what) {
    case HDB_CREATED: handles = &found.created; break;
    case HDB_ERASED: handles = &found.erased; break;
    case HDB_CHANGED: handles = &found.changed; break;
    default: return nullptr;
  }
  if (handles->empty()) return nullptr;
  if (count != nullptr) *count = handles->size();
  return handles->data();
}

void hdb_changes_free(hdb_changes* changes) { delete changes; }

hdb_status hdb_history_create(hdb_database* database, const hdb_history_options* options,
                              hdb_history** history, hdb_error** error) {
  return guarded(error, [&] {
    require(history, "history");
    *history = nullptr;
    require(database, "database");
    const hdb_history_options known = known_options(options, kHistoryOptions);
    hdb::HistoryOptions made;
    if (known.frames != 0) made.frames = known.frames;
    made.max_bytes = known.max_bytes;
    *history = new hdb_history{database, hdb::History(database->database, made)};
  });
}

hdb_status hdb_history_record(hdb_history* history, uint64_t frame, hdb_error** error) {
  return guarded(error, [&] {
    require(history, "history");
    check(history->history.record(frame));
  });
}

hdb_status hdb_history_rewind(hdb_history* history, uint64_t frame, int fork, hdb_error** error) {
  return guarded(error, [&] {
    require(history, "history");
    hdb::RestoreOptions options;
    if (flag_of(fork, "fork")) options.mode = hdb::TimelineMode::fork;
    check(history->history.rewind(frame, options));
    history->database->refresh();
  });
}

hdb_status hdb_history_snapshot(const hdb_history* history, uint64_t frame, hdb_snapshot** snapshot,
                                hdb_error** error) {
  return guarded(error, [&] {
    require(snapshot, "snapshot");
    *snapshot = nullptr;
    require(history, "history");
    const hdb::Snapshot* const found = history->history.find(frame);
    if (found == nullptr) {
      refuse(hdb::ErrorCode::not_found,
             "frame " + std::to_string(frame) + " is not in the history");
    }
    *snapshot = new hdb_snapshot{*found};
  });
}

hdb_status hdb_history_since(hdb_history* history, uint64_t frame, hdb_changes** changes,
                             hdb_error** error) {
  return guarded(error, [&] {
    require(changes, "changes");
    *changes = nullptr;
    require(history, "history");
    auto made = std::make_unique<hdb_changes>();
    made->changes = value_of(history->history.since(frame));
    *changes = made.release();
  });
}

size_t hdb_history_frames(const hdb_history* history, uint64_t* oldest, uint64_t* newest) {
  if (oldest != nullptr) *oldest = 0;
  if (newest != nullptr) *newest = 0;
  if (history == nullptr) return 0;
  if (oldest != nullptr) *oldest = history->history.oldest().value_or(0);
  if (newest != nullptr) *newest = history->history.newest().value_or(0);
  return history->history.size();
}

int hdb_history_at_or_before(const hdb_history* history, uint64_t frame, uint64_t* found) {
  const auto number = history == nullptr ? std::nullopt : history->history.at_or_before(frame);
  if (number && found != nullptr) *found = *number;
  return number ? 1 : 0;
}

uint64_t hdb_history_bytes(const hdb_history* history) {
  return history == nullptr ? 0 : history->history.memory_bytes();
}

void hdb_history_clear(hdb_history* history) {
  if (history != nullptr) history->history.clear();
}

void hdb_history_free(hdb_history* history) { delete history; }

}  // extern "C"
