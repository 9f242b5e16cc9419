// Loading: reads a file into separate tables, checks them all, then replaces the running ones.
#include <algorithm>
#include <map>
#include <new>
#include <unordered_map>
#include <utility>

#include "base/using_detail.hpp"
#include "database/load/hashed_image.hpp"
#include "database/load/load_file.hpp"
#include "database/load/migration_run.hpp"
#include "database/load/passed_tables.hpp"
#include "database/load/table_loads.hpp"
#include "database/tables/database_state.hpp"
#include "database/tables/family_tables.hpp"
#include "database/tables/loaded_table.hpp"
#include "database/tables/snapshot_data.hpp"
#include "database/tables/type_id_choice.hpp"
#include "hdb/changes.hpp"
#include "hdb/database.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/load.hpp"

namespace hdb {

/// One load. Nothing of the database changes before `install`.
class Loader {
 public:
  Loader(Database& database, const std::shared_ptr<const Reader>& reader,
         const LoadOptions& options)
      : database_(database),
        reader_(*reader),
        options_(options),
        file_(image_of(reader)),
        hashed_(*file_),
        incoming_(
            database, options.verify_state_hash ? hashed_ : *file_, reader_.info().file_bytes,
            options.limits, options.mode,
            [&options](const std::string& table) {
              const auto found = options.unknown_values_of.find(table);
              return found == options.unknown_values_of.end() ? options.unknown_values
                                                              : found->second;
            },
            options.keep_unknown),
        type_ids_(reader_.database().highest_type_id) {}

  static Result<LoadReport> load(Database& database, const std::shared_ptr<const Reader>& file,
                                 const LoadOptions& options) {
    const Snapshot before = options.changes != nullptr ? database.capture() : Snapshot();
    Database::FamilyTables made(database);
    if (auto status = made.make(*file); !status) return fail(std::move(status.error()));
    auto loaded = Loader(database, file, options).run(before);
    if (loaded) made.keep();
    return loaded;
  }

 private:
  /// `before`: the state that LoadOptions::changes begins with.
  Result<LoadReport> run(const Snapshot& before) {
    report_.info = reader_.info();
    for (const Extension& extension : reader_.database().extensions) {
      if (is_known(extension.tag, format::kKnownCatalogExtensions)) continue;
      auto dropped = incoming_.drop_extension(extension, {}, report_.dropped_extensions);
      if (!dropped) return fail(std::move(dropped.error()));
    }
    if (auto matched = match_tables(); !matched) return fail(std::move(matched.error()));
    if (auto checked = check_other_blocks(); !checked) return fail(std::move(checked.error()));
    if (auto read = incoming_.read(options_.threads, options_.executor); !read)
      return fail(std::move(read.error()));
    report_changes();
    if (auto finished = incoming_.finish(); !finished) return fail(std::move(finished.error()));
    if (auto kept = keep_file(); !kept) return fail(std::move(kept.error()));
    if (options_.verify_state_hash) {
      if (auto checked = check_state_hash(); !checked) return fail(std::move(checked.error()));
    }
    for (const auto& incoming : incoming_.list()) {
      replacements_.push_back({incoming->entry, std::move(incoming->content), incoming->type_id,
                               false, incoming->kept});
    }
    watch_erases();
    auto charged = charge_dropped_handles(reader_.database(), options_.limits, incoming_.budget());
    if (!charged) return fail(std::move(charged.error()));
    DroppedTables dropped =
        database_.state_->dropped.loaded(reader_.database(), database_.state_->renamed_tables);
    if (auto added =
            add_passed_tables(reader_, passed_, options_.limits, incoming_.budget(), dropped);
        !added)
      return fail(std::move(added.error()));
    database_.state_->issued.note(dropped);
    if (auto prepared =
            prepare_install(replacements_, options_.mode, dropped, database_.state_->issued);
        !prepared) {
      return fail(std::move(prepared.error()));
    }
    report_kept_fields();  // of records that migrations create, nothing is kept
    if (auto migrated = migrate(); !migrated) return fail(std::move(migrated.error()));
    settle_components();
    for (LoadedTable& replacement : replacements_) {
      if (const ErasedSlots* const erased = replacement.content->core().erased())
        replacement.erased = std::make_shared<const ErasedSlots>(*erased);
    }
    const std::uint16_t highest = highest_type_id();
    database_.tables_.reserve_type_ids(std::max(highest, type_ids_.highest_taken()));
    Changes changes;
    if (options_.changes != nullptr) changes = changes_since(before);
    commit(highest, std::move(dropped));
    if (options_.changes != nullptr) *options_.changes = std::move(changes);
    return std::move(report_);
  }

  // The file's number, but never below a table of the program: type_ids_changed ensures that.
  [[nodiscard]] std::uint16_t highest_type_id() const noexcept {
    const std::uint16_t stored = reader_.database().highest_type_id;
    return options_.mode == TimelineMode::fork
               ? std::max(stored, database_.state_->issued.highest_type_id())
               : stored;
  }
  Status match_tables();
  Status keep_file();
  void watch_erases();
  [[nodiscard]] Status check_kept_layouts(const KeptTable& table) const;
  void adapt_kept(KeptTable& table) const;
  [[nodiscard]] bool is_kept_whole(std::size_t stored) const;
  Status migrate();
  void settle_components();
  [[nodiscard]] const LoadedTable* replacement_of(const TableEntry& entry) const noexcept;
  // A component table that is not captured stays while its owner is loaded: some components may
  // lose their records.
  [[nodiscard]] bool loses_orphans(const TableEntry& entry) const noexcept {
    return entry.is_component() && !entry.is_captured() && replacement_of(*entry.owner) != nullptr;
  }
  void report_changes();
  void report_kept_fields();
  Status choose_type_ids();
  Result<std::uint16_t> choose_type_id(const TableEntry& entry, std::uint16_t own);
  Status check_other_blocks() const;
  Status check_state_hash();
  Changes changes_since(const Snapshot& before);
  void commit(std::uint16_t highest_type_id, DroppedTables dropped) noexcept {
    install(replacements_);
    database_.state_->dropped = std::move(dropped);
    database_.state_->kept = std::move(kept_file_);
    database_.type_ids_changed(highest_type_id);
    for (const auto& entry : database_.tables_) {
      if (loses_orphans(*entry)) entry->core().drop_orphans(entry->owner->core().slots());
    }
    for (const auto& entry : database_.tables_) {
      if (entry->is_saved()) entry->core().tell_replaced();
    }
  }

  Database& database_;
  const Reader& reader_;
  const LoadOptions& options_;
  const std::unique_ptr<const ImageSource> file_;
  HashedImage hashed_;
  TableLoads incoming_;  // in the order of the database's tables
  LoadReport report_;
  std::vector<LoadedTable> replacements_;
  std::vector<PassedTable> passed_;
  std::vector<std::size_t> kept_;  // the stored tables to keep, by their names in the program
  std::shared_ptr<const KeptFile> kept_file_;
  TypeIdChoice type_ids_;
};

// Components cannot be kept without their records: those of a table of the program that saves
// leave out are unknown.
bool Loader::is_kept_whole(std::size_t stored) const {
  const std::string& owner = reader_.tables()[stored].owner;
  if (owner.empty()) return true;
  const TableEntry* const entry = database_.tables_.find(database_.present_name(owner));
  return entry == nullptr ? !incoming_.is_left_out_family(owner) : entry->is_saved();
}

Status Loader::match_tables() {
  auto by_name = incoming_.stored_by_name();
  if (!by_name) return fail(std::move(by_name.error()));
  std::map<std::string_view, std::size_t>& stored = *by_name;
  for (const auto& entry : database_.tables_) {
    const auto found = stored.find(entry->name);
    if (!entry->is_saved()) {
      if (found == stored.end()) continue;
      report_.skipped_tables.push_back(entry->name);
      passed_.push_back({found->second, entry->name});
      stored.erase(found);
      continue;
    }
    if (found == stored.end()) {
      if (!options_.allow_missing_tables) {
        return fail(ErrorCode::missing_table, "the file has no " + quoted(entry->name), "load");
      }
      report_.missing_tables.push_back(entry->name);
      replacements_.push_back(LoadedTable::initial(*entry));
      continue;
    }
    auto added = incoming_.add(*entry, found->second, entry->core().options().max_records,
                               options_.allow_policy_changes);
    if (!added) return fail(std::move(added.error()));
    report_.tables.push_back(*std::move(added));
    stored.erase(found);
  }
  for (const auto& [name, index] : stored) {
    passed_.push_back({index, std::string(name)});
    if (incoming_.is_left_out_family(name)) {
      report_.skipped_tables.emplace_back(name);
      continue;
    }
    if (!options_.allow_unknown_tables) {
      return fail(ErrorCode::unknown_table, "the program has no " + quoted(name), "load");
    }
    if (options_.keep_unknown && is_kept_whole(index)) {
      passed_.pop_back();
      kept_.push_back(index);
      report_.kept_tables.emplace_back(name);
    } else {
      report_.unknown_tables.emplace_back(name);
    }
  }
  report_.absent_tables = incoming_.absent_tables(options_.unknown_values_of, stored);
  std::sort(report_.skipped_tables.begin(), report_.skipped_tables.end());
  if (incoming_.list().empty() && !reader_.tables().empty()) {
    return fail(ErrorCode::unknown_table,
                "file and program share no table; is the file a save of this game?", "load");
  }
  return choose_type_ids();
}

void Loader::report_changes() {
  for (std::size_t i = 0; i < incoming_.list().size(); ++i)
    report_.tables[i].changes = incoming_.changes(*incoming_.list()[i]);
}

// A kept table is written as it was read, so its handles must be those of the program.
Status Loader::check_kept_layouts(const KeptTable& table) const {
  Field schema = table.schema;
  std::string other;
  for (const evolve::AdaptedHandle& handle : evolve::adapt_handles(
           schema, [this](const std::string& name) { return incoming_.layout_of(name); })) {
    if (handle.stored != handle.own) other = handle.table;
  }
  if (table.descriptor.policy.is_component) {
    const std::string& owner = database_.present_name(table.descriptor.owner);
    const TableEntry* const entry = database_.tables_.find(owner);
    const bool is_same =
        entry == nullptr || entry->core().policy().layout == table.descriptor.policy.layout;
    if (!is_same) other = owner;
  }
  if (other.empty()) return {};
  return fail(ErrorCode::layout_mismatch,
              "it cannot be kept: its records name or belong to those of " + quoted(other) +
                  ", whose handles have another layout in the program "
                  "(LoadOptions::keep_unknown)",
              quoted(table.descriptor.name));
}

// A kept table has the table names of the program. Components are hashed only if their records are.
void Loader::adapt_kept(KeptTable& table) const {
  incoming_.rename_tables(table.schema);
  for (KeptHandles& each : table.strong_handles) each.table = database_.present_name(each.table);
  TableDescriptor& descriptor = table.descriptor;
  descriptor.name = database_.present_name(descriptor.name);
  if (!descriptor.policy.is_component) return;
  descriptor.owner = database_.present_name(descriptor.owner);
  const TableEntry* const owner = database_.tables_.find(descriptor.owner);
  if (owner != nullptr) descriptor.scope = std::max(descriptor.scope, owner->scope());
}

// Everything beside the program's tables.
Status Loader::keep_file() {
  if (!options_.keep_unknown) return {};
  const auto saved = std::count_if(database_.tables_.begin(), database_.tables_.end(),
                                   [](const auto& entry) { return entry->is_saved(); });
  if (static_cast<std::size_t>(saved) + kept_.size() > format::kMaxTables) {
    return fail(ErrorCode::limit_exceeded,
                "the tables of the program and the " + std::to_string(kept_.size()) +
                    " tables to keep are more than a file can hold (" +
                    std::to_string(format::kMaxTables) + ")",
                "load");
  }
  KeptFile kept;
  for (const std::size_t index : kept_) {
    auto table =
        KeptTable::read(reader_, index, options_.threads, options_.executor, incoming_.budget());
    if (!table) return fail(std::move(table.error()));
    if (auto fits = check_kept_layouts(**table); !fits) return fits;
    adapt_kept(**table);
    kept.tables.push_back(*std::move(table));
  }
  auto blocks = ancillary_blocks_of(reader_);
  if (!blocks) return fail(std::move(blocks.error()));
  for (const AncillaryBlock& block : *blocks) {
    if (auto charged = incoming_.charge(block.payload.size(), "blocks to keep"); !charged)
      return fail(std::move(charged.error()).in("load"));
  }
  kept.blocks = *std::move(blocks);
  if (kept.tables.empty() && kept.blocks.empty()) return {};
  kept_file_ = std::make_shared<const KeptFile>(std::move(kept));
  return {};
}

// Of the records that something is kept of, also of those that migrations will drop.
void Loader::watch_erases() {
  for (const LoadedTable& replacement : replacements_) {
    const std::string& name = replacement.entry->name;
    const bool has_components = kept_file_ != nullptr && kept_file_->has_components_of(name);
    if (replacement.kept == nullptr && !has_components) continue;
    TableCore& content = replacement.content->core();
    content.watch_erases(content.counters().slot_count);
    replacement.entry->core().watch_erases(content.counters().slot_count);
  }
}

void Loader::report_kept_fields() {
  for (std::size_t i = 0; i < incoming_.list().size(); ++i) {
    if (incoming_.list()[i]->kept == nullptr) continue;
    const std::vector<std::string>& paths = incoming_.list()[i]->kept->paths();
    for (LoadChange& change : report_.tables[i].changes) {
      const bool is_kept = std::find(paths.begin(), paths.end(), change.field) != paths.end();
      if (change.kind == LoadChange::Kind::dropped && is_kept) change.kind = LoadChange::Kind::kept;
    }
  }
}

Status Loader::migrate() {
  return MigrationRun(
             incoming_.evolved(), incoming_.budget(), incoming_.list(), replacements_,
             [this](const TableEntry& entry) { return incoming_.migration_of(entry, nullptr); })
      .run(report_);
}

const LoadedTable* Loader::replacement_of(const TableEntry& entry) const noexcept {
  const auto found = std::find_if(replacements_.begin(), replacements_.end(),
                                  [&](const LoadedTable& each) { return each.entry == &entry; });
  return found == replacements_.end() ? nullptr : &*found;
}

// Components of records that migrations dropped go with them. So do those that the load leaves
// alone (Scope::unsaved), where their records are not live any more.
void Loader::settle_components() {
  for (const auto& entry : database_.tables_) {
    const bool stays = entry->is_component() && entry->is_captured() &&
                       replacement_of(*entry) == nullptr &&
                       replacement_of(*entry->owner) != nullptr;
    if (!stays) continue;
    LoadedTable copy{entry.get(), entry->content->make_empty(), 0, false};
    copy.content->copy(entry->content->freeze());
    replacements_.push_back(std::move(copy));
    entry->content->prepare_adopt();
  }
  for (const LoadedTable& each : replacements_) {
    if (!each.entry->is_component()) continue;
    const LoadedTable* const owner = replacement_of(*each.entry->owner);
    if (owner == nullptr) continue;
    each.content->core().drop_orphans(owner->content->core().slots());
    for (TableLoadReport& table : report_.tables) {
      if (table.name == each.entry->name)
        table.live_count = each.content->core().counters().live_count;
    }
  }
  for (const auto& entry : database_.tables_) {
    if (loses_orphans(*entry)) entry->core().prepare_drop_orphans();
  }
}

// Adopts the file's type ids. A table that is not in the file keeps its type id only if the file's
// game never issued it: records of the file may hold handles to a dropped table.
Status Loader::choose_type_ids() {
  for (const auto& incoming : incoming_.list()) {
    type_ids_.take(reader_.tables()[incoming->stored].type_id);
  }
  for (const std::size_t index : kept_) type_ids_.take(reader_.tables()[index].type_id);
  for (const auto& entry : database_.tables_) {
    const std::uint16_t type_id = entry->type_id();
    if (entry->is_saved() || type_id == 0) continue;
    if (!type_ids_.is_taken(type_id)) {
      type_ids_.take(type_id);
    } else if (entry->core().counters().live_count == 0) {
      replacements_.push_back(LoadedTable::initial(*entry));
    } else {
      return fail(ErrorCode::layout_mismatch,
                  "the file gives its type id " + std::to_string(type_id) +
                      " to another table, but this table is left out of saves and has records; "
                      "create it with a type id that no saved table has",
                  quoted(entry->name));
    }
  }
  for (const auto& incoming : incoming_.list()) {  // tables whose handles get type ids now
    TableEntry& entry = *incoming->entry;
    if (incoming->type_id != 0 || entry.is_component()) continue;
    if (entry.core().policy().layout.type_bits == 0) continue;
    auto chosen = choose_type_id(entry, entry.core().options().type_id);
    if (!chosen) return fail(std::move(chosen.error()));
    incoming->type_id = *chosen;
  }
  for (LoadedTable& replacement : replacements_) {
    if (replacement.type_id == 0) continue;
    auto chosen = choose_type_id(*replacement.entry, replacement.type_id);
    if (!chosen) return fail(std::move(chosen.error()));
    replacement.type_id = *chosen;
    incoming_.set_type_id(*replacement.entry, *chosen);
  }
  return {};
}

// The table's own id, if no table of the saved game ever had it; else another one.
Result<std::uint16_t> Loader::choose_type_id(const TableEntry& entry, std::uint16_t own) {
  if (own <= reader_.database().highest_type_id || type_ids_.is_taken(own))
    return type_ids_.next(entry);
  type_ids_.take(own);
  return own;
}

// Checks every block, also those that this load does not need: thumbnail, unknown blocks, tables
// that the program does not have.
Status Loader::check_other_blocks() const {
  std::vector<bool> is_loaded(reader_.tables().size());
  for (const auto& incoming : incoming_.list()) is_loaded[incoming->stored] = true;
  for (std::size_t i = 0; i < reader_.blocks().size(); ++i) {
    const std::vector<std::uint32_t> tables = reader_.tables_in(i);
    const bool is_read = std::any_of(tables.begin(), tables.end(),
                                     [&](std::uint32_t table) { return is_loaded[table]; });
    if (is_read) continue;
    if (auto checked = reader_.check_block(i); !checked) return checked;
  }
  return {};
}

Status Loader::check_state_hash() {
  std::vector<TableHashes> hashes(reader_.tables().size());
  std::vector<bool> known(hashes.size());
  for (const auto& incoming : incoming_.list()) {
    hashes[incoming->stored] = hashed_.hashes(incoming->stored);
    known[incoming->stored] = true;
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    hashes[kept_[i]] = kept_file_->tables[i]->hashes;
    known[kept_[i]] = true;
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!known[i] && reader_.tables()[i].is_hashed()) return {};  // one that was passed by
  }
  const Hash128 hash =
      combine_state_hash(reader_.schemas(), reader_.tables(), hashes, reader_.database());
  if (hash == reader_.info().state_hash) return {};
  return fail(ErrorCode::state_hash_mismatch,
              "computed " + hash.hex() + ", but the footer has " + reader_.info().state_hash.hex(),
              "load");
}

Changes Loader::changes_since(const Snapshot& before) {
  const Snapshot now = database_.capture();  // with the tables of families that this load made
  std::unordered_map<const TableEntry*, LoadedTable*> replaced;
  for (LoadedTable& replacement : replacements_) replaced.emplace(replacement.entry, &replacement);
  TablesAfterLoad future;
  for (const SnapshotTable& table : data_of(now)->tables()) {
    const auto found = replaced.find(table.entry.get());
    if (found == replaced.end()) {
      future.add(table);
    } else {
      future.add(*found->second, table);
    }
  }
  return future.changes_since(before);
}

Result<LoadReport> load_file(Database& database, const std::shared_ptr<const Reader>& file,
                             const LoadOptions& options) {
  return Loader::load(database, file, options);
}

Result<LoadReport> Database::load(std::unique_ptr<ByteSource> source, const LoadOptions& options) {
  auto reader = Reader::open(std::move(source), {options.limits, false});
  if (!reader) return fail(std::move(reader.error()));
  return load_file(*this, *std::move(reader), options);
}

Result<LoadReport> Database::load(std::unique_ptr<ByteSource> source) {
  return load(std::move(source), LoadOptions());
}

Result<LoadReport> Database::load(const std::string& path) { return load(path, LoadOptions()); }

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
