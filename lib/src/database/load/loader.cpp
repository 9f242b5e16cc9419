// Loading: reads a file into separate tables, checks them all, then replaces the running ones.
#include <algorithm>
#include <map>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/ordered_work.hpp"
#include "base/sees_detail.hpp"
#include "database/load/incoming_table.hpp"
#include "database/tables/family_tables.hpp"
#include "database/tables/replacement.hpp"
#include "database/tables/row_extras.hpp"
#include "database/tables/snapshot_data.hpp"
#include "database/tables/type_id_choice.hpp"
#include "hdb/changes.hpp"
#include "hdb/database.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/compat.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/load.hpp"
#include "hdb/schema.hpp"
#include "record/table_match.hpp"

namespace hdb {

/// One load. Nothing of the database changes before `install`.
class Loader {
 public:
  Loader(Database& database, const Reader& reader, const LoadOptions& options)
      : database_(database),
        reader_(reader),
        options_(options),
        budget_(options.limits.max_memory_bytes),
        type_ids_(reader.highest_type_id()) {}

  /// `before`: the state that LoadOptions::changes begins with.
  Result<LoadReport> run(const Snapshot& before) {
    report_.info = reader_.info();
    if (auto matched = match_tables(); !matched) return fail(std::move(matched.error()));
    if (auto checked = check_other_blocks(); !checked) return fail(std::move(checked.error()));
    if (auto read = read_groups(); !read) return fail(std::move(read.error()));
    report_changes();
    for (const auto& incoming : incoming_) {
      if (auto finished = incoming->finish(reader_); !finished) {
        return fail(std::move(finished.error()));
      }
    }
    if (options_.verify_state_hash) {
      if (auto checked = check_state_hash(); !checked) return fail(std::move(checked.error()));
    }
    for (const auto& incoming : incoming_) {
      replacements_.push_back({incoming->entry, std::move(incoming->content),
                               reader_.tables()[incoming->stored].type_id, false});
    }
    DroppedTables dropped = database_.dropped_.loaded();
    if (auto prepared = prepare_install(replacements_, options_.mode, dropped, database_.issued_);
        !prepared) {
      return fail(std::move(prepared.error()));
    }
    const std::uint16_t highest = highest_type_id();
    database_.tables_.reserve_type_ids(std::max(highest, type_ids_.highest_taken()));
    Changes changes;
    if (options_.changes != nullptr) changes = changes_since(before);
    commit(highest, std::move(dropped));
    if (options_.changes != nullptr) *options_.changes = std::move(changes);
    return std::move(report_);
  }

 private:
  // The file's number, but never below a table of the program: type_ids_changed ensures that.
  [[nodiscard]] std::uint16_t highest_type_id() const noexcept {
    const std::uint16_t stored = reader_.highest_type_id();
    return options_.mode == TimelineMode::fork
               ? std::max(stored, database_.issued_.highest_type_id())
               : stored;
  }
  Status match_tables();
  Status match(TableEntry& entry, std::size_t stored);
  Result<SortWork> take_extensions(const TableDescriptor& table, TableLoadReport& report) const;
  void rename_tables(Field& field) const;
  void report_changes();
  Status choose_type_ids();
  Status check_other_blocks() const;
  Status read_groups();
  Status check_state_hash();
  Changes changes_since(const Snapshot& before);
  void commit(std::uint16_t highest_type_id, DroppedTables dropped) noexcept {
    install(replacements_);
    database_.dropped_ = std::move(dropped);
    database_.type_ids_changed(highest_type_id);
    for (const auto& entry : database_.tables_) {
      if (entry->is_saved()) entry->core().tell_replaced();
    }
  }

  Database& database_;
  const Reader& reader_;
  const LoadOptions& options_;
  MemoryBudget budget_;
  LoadReport report_;
  std::vector<std::unique_ptr<IncomingTable>> incoming_;  // in the order of the database's tables
  std::vector<Replacement> replacements_;
  TypeIdChoice type_ids_;
};

Status Loader::match_tables() {
  std::map<std::string_view, std::size_t> stored;  // by present names
  for (std::size_t i = 0; i < reader_.tables().size(); ++i) {
    const std::string& name = reader_.tables()[i].name;
    const auto [other, is_new] = stored.emplace(database_.present_name(name), i);
    if (!is_new) {
      return fail(ErrorCode::rename_conflict,
                  "the file has both " + quoted(reader_.tables()[other->second].name) + " and " +
                      quoted(name) + ", but the program declares that both are " +
                      quoted(other->first) + " now",
                  "load");
    }
  }
  for (const auto& entry : database_.tables_) {
    const auto found = stored.find(entry->name);
    if (!entry->is_saved()) {
      if (found == stored.end()) continue;
      report_.skipped_tables.push_back(entry->name);
      stored.erase(found);
      continue;
    }
    if (found == stored.end()) {
      if (!options_.allow_missing_tables) {
        return fail(ErrorCode::missing_table, "the file has no " + quoted(entry->name), "load");
      }
      report_.missing_tables.push_back(entry->name);
      replacements_.push_back(Replacement::initial(*entry));
      continue;
    }
    if (auto matched = match(*entry, found->second); !matched) return matched;
    stored.erase(found);
  }
  for (const auto& [name, index] : stored) {
    const auto is_left_out = [&, &name = name](const Database::Family& family) {
      return family.has(name) && family.scope >= Scope::unsaved;
    };
    if (std::any_of(database_.families_.begin(), database_.families_.end(), is_left_out)) {
      report_.skipped_tables.emplace_back(name);
      continue;
    }
    if (!options_.allow_unknown_tables) {
      return fail(ErrorCode::unknown_table, "the program has no " + quoted(name), "load");
    }
    report_.unknown_tables.emplace_back(name);
  }
  std::sort(report_.unknown_tables.begin(), report_.unknown_tables.end());
  std::sort(report_.skipped_tables.begin(), report_.skipped_tables.end());
  if (incoming_.empty() && !reader_.tables().empty()) {
    return fail(ErrorCode::unknown_table,
                "file and program share no table; is the file a save of this game?", "load");
  }
  return choose_type_ids();
}

Status Loader::match(TableEntry& entry, std::size_t stored) {
  const TableDescriptor& table = reader_.tables()[stored];
  const std::string where = quoted(entry.name);
  for (CompatFinding& finding :
       record::match_tables(descriptor_of(entry), entry.core().options().max_records, table)) {
    if (finding.effect == Compatibility::incompatible)
      return fail(finding.code.value(), std::move(finding.what), where);
  }
  Field stored_record = table_schema(table, reader_.schemas()[table.schema]).record;
  rename_tables(stored_record);
  auto decoder = entry.codec->decoder_for(
      stored_record, [this](HandleKey key) { return database_.table_name(key); });
  if (!decoder) return fail(std::move(decoder.error()).in(where));
  const std::uint64_t places =
      table.policy.storage == Storage::dense ? table.live_count : table.slot_count;
  const std::uint64_t bytes = places * entry.core().ops().size_bytes + table.slot_count * 8 +
                              table.free_count * 4 +
                              (table.blobs ? table.blobs->capacity_bytes : 0);
  if (!budget_.charge(bytes)) {
    return fail(ErrorCode::memory_budget,
                "slots and records need " + std::to_string(bytes) + " bytes", where);
  }

  auto incoming = std::make_unique<IncomingTable>();
  incoming->entry = &entry;
  incoming->stored = stored;
  incoming->content = entry.body->make_empty();
  incoming->content->begin_fill(table);
  incoming->content->core().set_flush_cursor(table.flush_cursor);
  TableLoadReport report;
  const auto sort_work = take_extensions(table, report);
  if (!sort_work) return fail(Error(sort_work.error()).in(where));
  incoming->content->core().set_sort_work(*sort_work);
  if (table.policy.storage == Storage::dense) {
    incoming->taken_positions = std::vector<std::atomic<std::uint64_t>>(
        static_cast<std::size_t>(table.live_count / 64 + 1));
  }
  report.name = entry.name;
  report.live_count = table.live_count;
  report.exact_schema = (*decoder)->exact();
  if (table.name != entry.name) report.old_name = table.name;
  report_.tables.push_back(std::move(report));
  incoming->decoder = *std::move(decoder);
  incoming_.push_back(std::move(incoming));
  return {};
}

// The progress of a sort. Of what this version does not know, state must not get lost unnoticed: a
// fork begins a future of its own without it.
Result<SortWork> Loader::take_extensions(const TableDescriptor& table,
                                         TableLoadReport& report) const {
  SortWork sort_work;
  for (const Extension& extension : table.extensions) {
    const bool is_sort_work = extension.tag == format::kExtensionSortWork;
    if (is_sort_work && extension.bytes.at(0) == SortWork::kAlgorithm) {
      const auto stored = SortWork::from_bytes(extension.bytes);
      if (!stored || !stored->is_sound(table.live_count))
        return fail(ErrorCode::bad_table, "the progress of its unfinished sort is not possible");
      sort_work = *stored;
      continue;
    }
    const bool is_state = (extension.flags & format::kExtensionHashed) != 0;
    if (is_state && options_.mode == TimelineMode::exact) {
      return fail(ErrorCode::unknown_feature,
                  is_sort_work ? std::string("another version of hdb began to sort it")
                               : "its state has an addition of a later version of hdb, extension " +
                                     std::to_string(extension.tag) +
                                     "; a load with TimelineMode::fork goes on without it");
    }
    report.dropped_extensions.push_back(extension.tag);
  }
  return sort_work;
}

// Handle fields of the file name tables as the file does.
void Loader::rename_tables(Field& field) const {
  if (!field.table.empty()) field.table = database_.present_name(field.table);
  for (Field& child : field.children) rename_tables(child);
}

void Loader::report_changes() {
  for (std::size_t i = 0; i < incoming_.size(); ++i)
    report_.tables[i].changes = incoming_[i]->decoder->changes();
}

// Adopts the file's type ids. A table that is not in the file keeps its type id only if the file's
// game never issued it: records of the file may hold handles to a dropped table.
Status Loader::choose_type_ids() {
  for (const auto& incoming : incoming_) {
    type_ids_.take(reader_.tables()[incoming->stored].type_id);
  }
  for (const auto& entry : database_.tables_) {
    const std::uint16_t type_id = entry->core().options().type_id;
    if (entry->is_saved() || type_id == 0) continue;
    if (!type_ids_.is_taken(type_id)) {
      type_ids_.take(type_id);
    } else if (entry->core().counters().live_count == 0) {
      replacements_.push_back(Replacement::initial(*entry));
    } else {
      return fail(ErrorCode::layout_mismatch,
                  "the file gives its type id " + std::to_string(type_id) +
                      " to another table, but this table is left out of saves and has records; "
                      "create it with a type id that no saved table has",
                  quoted(entry->name));
    }
  }
  for (Replacement& replacement : replacements_) {
    std::uint16_t& type_id = replacement.type_id;
    if (type_id == 0) continue;
    if (type_id > reader_.highest_type_id() && !type_ids_.is_taken(type_id)) {
      type_ids_.take(type_id);
      continue;
    }
    auto chosen = type_ids_.next(*replacement.entry);
    if (!chosen) return fail(std::move(chosen.error()));
    type_id = *chosen;
  }
  return {};
}

// Checks every block, also those that this load does not need: thumbnail, unknown blocks, tables
// that the program does not have.
Status Loader::check_other_blocks() const {
  std::vector<bool> is_loaded(reader_.tables().size());
  for (const auto& incoming : incoming_) is_loaded[incoming->stored] = true;
  for (std::size_t i = 0; i < reader_.blocks().size(); ++i) {
    const std::vector<std::uint32_t> tables = reader_.tables_in(i);
    const bool is_read = std::any_of(tables.begin(), tables.end(),
                                     [&](std::uint32_t table) { return is_loaded[table]; });
    if (is_read) continue;
    if (auto checked = reader_.check_block(i); !checked) return checked;
  }
  return {};
}

Status Loader::read_groups() {
  struct Task {
    IncomingTable* incoming;
    std::uint64_t group;
  };
  std::vector<Task> tasks;
  for (const auto& incoming : incoming_) {
    const std::uint64_t groups = reader_.tables()[incoming->stored].group_count();
    for (std::uint64_t group = 0; group < groups; ++group) tasks.push_back({incoming.get(), group});
  }
  OrderedWork work;
  work.total = tasks.size();
  work.workers = static_cast<unsigned>(std::min<std::size_t>(
      std::max(options_.threads, 1u), std::max<std::size_t>(tasks.size(), 1)));
  work.slots = std::max<std::size_t>(tasks.size(), 1);  // nothing waits for an order
  work.executor = options_.executor;
  std::vector<RowGroup> buffers(work.workers);
  work.produce = [&](unsigned worker, std::uint64_t index, std::size_t) {
    const Task& task = tasks[static_cast<std::size_t>(index)];
    return task.incoming->read_group(reader_, task.group, buffers[worker], budget_,
                                     options_.verify_state_hash);
  };
  return work.run();
}

Status Loader::check_state_hash() {
  std::vector<TableHashes> hashes(reader_.tables().size());
  std::vector<bool> known(hashes.size());
  for (const auto& incoming : incoming_) {
    incoming->hashes.free_list = free_list_hash(incoming->content->core().freeze());
    hashes[incoming->stored] = incoming->hashes;
    known[incoming->stored] = true;
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!known[i] && reader_.tables()[i].is_hashed()) return {};  // one that was passed by
  }
  const Hash128 hash =
      combine_state_hash(reader_.schemas(), reader_.tables(), hashes, reader_.highest_type_id());
  if (hash == reader_.info().state_hash) return {};
  return fail(ErrorCode::state_hash_mismatch,
              "computed " + hash.hex() + ", but the footer has " + reader_.info().state_hash.hex(),
              "load");
}

Changes Loader::changes_since(const Snapshot& before) {
  const Snapshot now = database_.capture();  // with the tables of families that this load made
  std::unordered_map<const TableEntry*, Replacement*> replaced;
  for (Replacement& replacement : replacements_) replaced.emplace(replacement.entry, &replacement);
  FutureTables future;
  for (const SnapshotTable& table : data_of(now)->tables) {
    const auto found = replaced.find(table.entry.get());
    if (found == replaced.end()) {
      future.add(table);
    } else {
      future.add(*found->second, table);
    }
  }
  return future.changes_since(before);
}

Result<LoadReport> Database::load(std::unique_ptr<ByteSource> source, const LoadOptions& options) {
  auto reader = Reader::open(std::move(source), {options.limits, false});
  if (!reader) return fail(std::move(reader.error()));
  const Snapshot before = options.changes != nullptr ? capture() : Snapshot();
  FamilyTables made(*this);
  if (auto status = made.make(**reader); !status) return fail(std::move(status.error()));
  auto loaded = Loader(*this, **reader, options).run(before);
  if (loaded) made.keep();
  return loaded;
}

Result<LoadReport> Database::load(const std::string& path, const LoadOptions& options) {
  const auto named = [&](Error error) {
    error.file = path;
    return fail(std::move(error));
  };
  auto source = FileSource::open(path, options.file_system);
  if (!source) return named(std::move(source.error()));
  auto loaded = load(std::unique_ptr<ByteSource>(*std::move(source)), options);
  if (!loaded) return named(std::move(loaded.error()));
  return loaded;
}

}  // namespace hdb
