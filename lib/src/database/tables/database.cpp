// Making, finding and dropping tables, and capture.
#include "hdb/database.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/using_detail.hpp"
#include "core/arrays/page_pool.hpp"
#include "core/arrays/undo_log.hpp"
#include "core/slots/issued.hpp"
#include "core/tables/erased_slots.hpp"
#include "database/debug/known_databases.hpp"
#include "database/kept/kept_components.hpp"
#include "database/load/declared_migrations.hpp"
#include "database/tables/database_state.hpp"
#include "database/tables/quoted.hpp"
#include "database/tables/snapshot_data.hpp"
#include "format/columns/compress.hpp"
#include "hdb/assert.hpp"
#include "hdb/inspect/constants.hpp"
#include "inspect/validate/layout_conflict.hpp"
#include "record/codec.hpp"

namespace hdb {

Database::Database(const DatabaseOptions& options)
    : state_(std::make_unique<State>(options.page_source)) {
  note_database(tables_);
}

Database::~Database() {
  forget_database(tables_);
  for (const auto& entry : tables_) entry->core().release_observers();
  for (const auto& entry : state_->dropped_entries) entry->core().release_observers();
}

Database::KnownCodec Database::codec_of(const TableKind& kind) const {
  const auto known = state_->codecs.find(kind.record_type.key);
  if (known != state_->codecs.end()) return {known->second, true};
  return {kind.make_codec(), false};
}

Status Database::check_new_name(std::string_view name, const HandleLayout& layout,
                                const std::string& where) const {
  if (std::string fault = find_name_fault(name); !fault.empty())
    return fail(ErrorCode::bad_name, std::move(fault), where);
  if (tables_.find(name) != nullptr)
    return fail(ErrorCode::duplicate_name, "the database already has a table of this name", where);
  if (const auto renamed = state_->renamed_tables.find(name);
      renamed != state_->renamed_tables.end()) {
    return fail(ErrorCode::rename_conflict,
                "the name is declared to be the old name of " + quoted(renamed->second), where);
  }
  if (state_->kept == nullptr) return {};
  for (const auto& table : state_->kept->tables) {
    if (table->descriptor.name == name || table->descriptor.owner == name) continue;  // goes
    const std::string conflict = find_layout_conflict(table->schema, [&](const std::string& named) {
      return named == name ? std::optional(layout) : std::nullopt;
    });
    if (conflict.empty()) continue;
    return fail(ErrorCode::bad_options,
                quoted(table->descriptor.name) + ", which the last load kept: " + conflict +
                    "; create the table before the load",
                where);
  }
  return {};
}

Status Database::check_new_record(const KnownCodec& codec, const std::string& where) {
  if (codec.is_checked) return {};
  auto schema = codec.codec->schema([](HandleKey) { return std::string(); });
  if (!schema) return fail(std::move(schema.error()).in(where));
  if (std::string fault = find_prefix_fault({}, *schema); !fault.empty())
    return fail(ErrorCode::refused_type, std::move(fault), where);
  if (auto checked = check_schema(*schema); !checked)
    return fail(std::move(checked.error()).in(where));
  for (const std::string& warning : codec.codec->warnings()) warn((where + ": " + warning).c_str());
  return {};
}

// What a new table of this space and name may not issue.
static Issued issued_before(const DroppedTables& dropped, const KeptFile* kept_file,
                            const HandleSpace& space, const std::string& name) {
  Issued issued = dropped.of(space, name);
  const KeptTable* const kept = kept_file != nullptr ? kept_file->find(name) : nullptr;
  const bool is_same = kept != nullptr && kept->descriptor.policy.layout == space.layout &&
                       kept->descriptor.type_id == space.type_id;
  if (is_same) issued.merge(kept->issued());
  return issued;
}

Status Database::check_new_table(std::string_view name, TableOptions& options,
                                 const TableKind& kind, const KnownCodec& codec) const {
  const HandleLayout& layout = kind.layout;
  const std::string where = "creating " + quoted(name);
  if (auto checked = check_new_name(name, layout, where); !checked) return checked;
  if (!kind.type_name.empty()) {
    if (const std::string fault = find_name_fault(kind.type_name); !fault.empty())
      return fail(ErrorCode::bad_options, "hdb::TypeName of the tag of its handles: " + fault,
                  where);
  }
  if (const TableEntry* const other =
          layout.type_bits == 0 ? tables_.find_key(kind.key) : nullptr) {
    return fail(ErrorCode::bad_options,
                "table '" + other->name +
                    "' has handles of the same type; give this table a tag type, or give both "
                    "tables handles that carry a type id",
                where);
  }
  if (const TableEntry* const other = tables_.find_type_id(options.type_id)) {
    return fail(
        ErrorCode::bad_options,
        "table '" + other->name + "' already has type id " + std::to_string(options.type_id),
        where);
  }
  if (const KeptTable* const kept =
          state_->kept ? state_->kept->find_type_id(options.type_id) : nullptr;
      kept != nullptr && kept->descriptor.name != name) {
    return fail(ErrorCode::bad_options,
                "table '" + kept->descriptor.name + "', which the last load kept, has type id " +
                    std::to_string(options.type_id),
                where);
  }
  if (layout.type_bits != 0) {
    // Those of dropped tables are not given again: old handles hold them.
    const std::uint32_t type_id =
        options.type_id != 0 ? options.type_id : std::uint32_t{state_->highest_type_id} + 1;
    if (type_id >> layout.type_bits != 0) {
      return fail(ErrorCode::bad_options,
                  "type id " + std::to_string(type_id) + " does not fit the handle layout", where);
    }
    options.type_id = static_cast<std::uint16_t>(type_id);
  } else if (options.type_id != 0) {
    return fail(ErrorCode::bad_options,
                "a type id was given, but handles of this layout carry none", where);
  }
  const HandleSpace space{options.type_id, layout,
                          std::string(layout.type_bits != 0 ? "" : kind.type_name)};
  if (options.overflow == Overflow::retire && options.generations == Generations::table_counter &&
      issued_before(state_->dropped, state_->kept.get(), space, std::string(name)).highest() >=
          layout.max_generation()) {
    return fail(
        ErrorCode::fork_exhausted,
        "a dropped or kept table with handles of the same type issued the last generation of the "
        "layout",
        where);
  }
  return check_new_record(codec, where);
}

Status Database::check_new_blob_table(std::string_view name, BlobOptions& options,
                                      const TableKind& kind, const KnownCodec& codec) const {
  if (const char* const problem = options.problem())
    return fail(ErrorCode::bad_options, problem, "creating " + quoted(name));
  TableOptions table{.storage = Storage::stable,
                     .generations = options.generations,
                     .overflow = options.overflow,
                     .type_id = options.type_id};
  auto checked = check_new_table(name, table, kind, codec);
  options.type_id = table.type_id;
  return checked;
}

Status Database::check_new_component_table(std::string_view name, const TableCore& owner,
                                           const ComponentOptions& options,
                                           const KnownCodec& codec) const {
  const std::string where = "creating component " + quoted(name);
  if (auto checked = check_new_name(name, owner.policy().layout, where); !checked) return checked;
  const auto bad = [&](std::string what) {
    return fail(ErrorCode::bad_options, std::move(what), where);
  };
  const auto entry = entry_of(owner);
  if (entry == nullptr) return bad("the owner is not a table of this database");
  if (entry->is_singleton)
    return bad("its owner, " + quoted(entry->name) + ", is a singleton, which keeps its record");
  if (options.scope < entry->scope()) {
    return bad("its scope is wider than that of its owner, " + quoted(entry->name) +
               "; a file or capture would have components of records that it does not have");
  }
  if (options.removal == Removal::in_place && options.storage == Storage::stable)
    return bad("Removal::in_place needs dense storage; in stable storage no component ever moves");
  return check_new_record(codec, where);
}

TableEntry Database::make_entry(std::string_view name, const void* options, Scope scope,
                                const TableKind& kind, KnownCodec codec) const {
  TableEntry entry;
  const auto& log = scope == Scope::uncaptured ? state_->uncaptured_log : state_->log;
  entry.table = std::shared_ptr<void>(kind.make(options, log, entry.content), kind.destroy);
  entry.name = name;
  entry.codec = std::move(codec.codec);
  if (!entry.is_component()) entry.key = kind.key;
  entry.type_name = kind.type_name;
  entry.record_type = kind.record_type;
  entry.made_from = kind.made_from;
  prepare(entry);
  entry.is_singleton = kind.wrapper.is_singleton;
  if (entry.is_singleton) {
    entry.core().ops().construct_default(entry.core().prepare_insert());
    entry.core().commit_insert();
  }
  return entry;
}

Result<void*> Database::make_table(std::string_view name, TableOptions options,
                                   const TableKind& kind) {
  KnownCodec codec = codec_of(kind);
  if (auto checked = check_new_table(name, options, kind, codec); !checked)
    return fail(std::move(checked.error()));
  TableEntry entry = make_entry(name, &options, options.scope, kind, std::move(codec));
  void* made = entry.table.get();
  if (const TableWrapper& wrapper = kind.wrapper; wrapper.make != nullptr) {
    made = wrapper.make(*this, made, entry.references);
    entry.wrapper = std::shared_ptr<void>(made, wrapper.destroy);
    entry.wrapper_type = wrapper.type;
  }
  add(std::move(entry));
  return made;
}

void* Database::make_table_or_end(std::string_view name, const TableOptions& options,
                                  const TableKind& kind) {
  return value_or_end(make_table(name, options, kind));
}

Result<void*> Database::make_blob_table(std::string_view name, BlobOptions options,
                                        const TableKind& kind) {
  KnownCodec codec = codec_of(kind);
  if (auto checked = check_new_blob_table(name, options, kind, codec); !checked)
    return fail(std::move(checked.error()));
  TableEntry entry = make_entry(name, &options, options.scope, kind, std::move(codec));
  void* const table = entry.table.get();
  add(std::move(entry));
  return table;
}

Result<void*> Database::make_component_table(std::string_view name, void* owner_table,
                                             const TableCore& owner,
                                             const ComponentOptions& options,
                                             const TableKind& kind) {
  KnownCodec codec = codec_of(kind);
  if (auto checked = check_new_component_table(name, owner, options, codec); !checked)
    return fail(std::move(checked.error()));
  const ComponentSource source{owner_table, &options};
  TableEntry entry = make_entry(name, &source, options.scope, kind, std::move(codec));
  entry.owner = entry_of(owner);
  void* const table = entry.table.get();
  add(std::move(entry));
  return table;
}

namespace detail {

void TableEntry::keep(std::shared_ptr<const KeptRows> rows,
                      std::shared_ptr<const ErasedSlots> of_erased) noexcept {
  kept = std::move(rows);
  erased = std::move(of_erased);
  if (core().erased() != nullptr) core().erased()->clear();
}

void TableEntry::end_for_other_layout() const noexcept {
  const std::string text =
      quoted(name) +
      ": the module that made it and the module that asks for it define the type of "
      "its records differently (size, members); build all modules from the same definitions";
  fatal(text.c_str(), __FILE__, __LINE__);
}

}  // namespace detail

void* Database::find_made(std::string_view name, const RecordType& record_type,
                          const HandleKey& key, TableTemplate made_from) noexcept {
  const TableEntry* const entry = find_entry(name);
  if (entry == nullptr) return nullptr;
  const HandleKey& own = entry->owner ? entry->owner->key : entry->key;
  const bool is_same =
      own == key && entry->made_from == made_from && entry->has_records_of(record_type);
  return is_same ? entry->table.get() : nullptr;
}

void* Database::find_wrapper(std::string_view name, const RecordType& record_type,
                             TypeKey wrapper) noexcept {
  const TableEntry* const entry = find_entry(name);
  if (entry == nullptr || !entry->has_records_of(record_type)) return nullptr;
  return entry->wrapper_type == wrapper ? entry->wrapper.get() : nullptr;
}

std::shared_ptr<TableEntry> Database::entry_of(const TableCore& core) const {
  for (const auto& entry : tables_) {
    if (entry->content == &core) return entry;
  }
  return nullptr;
}

void Database::prepare(TableEntry& entry) const {
  entry.core().set_label(quoted(entry.name));
  if (entry.is_component()) return;
  const Issued issued =
      issued_before(state_->dropped, state_->kept.get(), entry.handle_space(), entry.name);
  if (entry.core().slots().can_rise_above(issued)) entry.core().rise_above(issued);
}

// All or nothing.
void Database::add(TableEntry entry) {
  auto kept = without(state_->kept, [&](const TableDescriptor& table) {
    return table.name == entry.name || table.owner == entry.name;
  });
  state_->codecs.try_emplace(entry.record_type.key, entry.codec);
  if (!entry.is_component())
    entry.core().set_issued(state_->issued.of(entry.scope(), entry.handle_space()));
  auto added = std::make_shared<TableEntry>(std::move(entry));
  const std::uint16_t type_id = added->type_id();
  tables_.insert(std::move(added));
  state_->kept = std::move(kept);
  state_->highest_type_id = std::max(state_->highest_type_id, type_id);
  state_->issued.note_type_id(type_id);
  tables_changed();
}

void Database::declare_table_rename(const Rename& rename) {
  end_on_error(try_declare_table_rename(rename));
}

Status Database::try_declare_table_rename(const Rename& rename) {
  const std::string old_name = rename.old_name;
  const std::string new_name = rename.new_name;
  const std::string where = "declaring that " + quoted(old_name) + " is now " + quoted(new_name);
  const auto conflict = [&](std::string what) {
    return fail(ErrorCode::rename_conflict, std::move(what), where);
  };
  for (const std::string* name : {&old_name, &new_name}) {
    if (const std::string fault = find_name_fault(*name); !fault.empty())
      return fail(ErrorCode::bad_name, fault + ": '" + *name + "'", where);
  }
  if (old_name == new_name) return conflict("the names are equal");
  if (tables_.find(old_name) != nullptr)
    return conflict("the database has a table of the old name");
  if (state_->migrations.find(old_name) != nullptr)
    return conflict("a migration is declared for the old name; declare it for the new one");
  if (const auto known = state_->renamed_tables.find(old_name);
      known != state_->renamed_tables.end()) {
    if (known->second == new_name) return {};
    return conflict(quoted(old_name) + " is already declared to be " + quoted(known->second));
  }
  for (const auto& [old_of_other, new_of_other] : state_->renamed_tables) {
    if (old_of_other == new_name || new_of_other == old_name) {
      return conflict(quoted(old_of_other) + " is declared to be " + quoted(new_of_other) +
                      "; declare the present name for each old name");
    }
  }
  state_->renamed_tables.emplace(old_name, new_name);
  return {};
}

// The present name of a table of a file.
const std::string& Database::present_name(const std::string& stored) const {
  const auto renamed = state_->renamed_tables.find(stored);
  return renamed == state_->renamed_tables.end() ? stored : renamed->second;
}

Snapshot Database::capture() {
  static std::atomic<std::uint64_t> last_moment{0};
  release_dropped();
  auto data = std::make_shared<SnapshotData>();
  data->states = settle_tables();
  ++state_->version;
  data->moment = ++last_moment;
  data->pool = state_->pool;
  data->captured = state_->log->open();
  data->highest_type_id = state_->highest_type_id;
  data->dropped = state_->dropped;
  data->kept = state_->kept;
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
  static_cast<void>(data->tables());  // which have the hashes of pages that settle_tables noted
#endif
  return Snapshot(std::move(data));
}

bool Database::drop_table(std::string_view name) {
  TableEntry* const entry = find_entry(name);
  if (entry == nullptr) return false;
  if (entry->core().is_held()) {
    const std::string message = "Database::drop_table: " + quoted(name) +
                                " holds the state of a registry (hdb::entt::Registry), which "
                                "would be left without it; destroy the registry object first";
    fatal(message.c_str(), __FILE__, __LINE__);
  }
  std::vector<std::string> dropped_names{std::string(name)};
  for (const auto& other : tables_) {
    if (other->owner.get() == entry) dropped_names.push_back(other->name);
  }
  const bool issues = !entry->is_component();
  DroppedTables dropped = state_->dropped;
  if (issues) dropped = dropped.with(entry->scope(), entry->handle_space(), entry->core().slots());
  release_dropped();
  const std::size_t room = state_->dropped_entries.size() + dropped_names.size();
  if (room > state_->dropped_entries.capacity()) {
    state_->dropped_entries.reserve(std::max<std::size_t>(2 * room, 8));
  }
  auto kept =
      without(state_->kept, [&](const TableDescriptor& table) { return table.owner == name; });
  entry->content->reset();  // the last call that can fail; empties its component tables, too
  state_->dropped = std::move(dropped);
  state_->kept = std::move(kept);
  for (const std::string& each : dropped_names)
    state_->dropped_entries.push_back(tables_.remove(each));  // snapshots may still hold it
  tables_changed();
  return true;
}

void Database::release_dropped() noexcept {
  std::erase_if(state_->dropped_entries, [this](const auto& dropped) {
    return dropped.use_count() == 1 || tables_.find(dropped->name) == dropped.get();  // or back
  });
}

void Database::add_family(std::string_view prefix, Scope scope,
                          std::function<Status(Database&, std::string_view)> make) {
  state_->families.push_back({std::string(prefix), scope, std::move(make)});
}

TableEntry* Database::find_entry(std::string_view name) noexcept { return tables_.find(name); }

std::size_t Database::memory_bytes() const noexcept { return state_->pool->memory_bytes(); }

std::vector<std::string> Database::table_names() const {
  std::vector<std::string> names;
  names.reserve(tables_.size());
  for (const auto& entry : tables_) names.push_back(entry->name);
  return names;
}

// Tables of other layouts with type ids are in the same index, but their handles have other bits.
const TableEntry* Database::issuer_of(AnyHandle handle) const noexcept {
  const TableEntry* const entry = tables_.find_type_id(handle.type_id());
  return entry != nullptr && entry->core().policy().layout == TypedLayout::value ? entry : nullptr;
}

const TableEntry* Database::entry_of(AnyHandle handle) const noexcept {
  const TableEntry* const entry = issuer_of(handle);
  if (entry == nullptr) return nullptr;
  const bool lives = entry->core().slots().matches(handle.index(), handle.generation());
  return lives && handle.bits() >> 63 == 0 ? entry : nullptr;
}

TableCore* Database::core_of(AnyHandle handle, const RecordType& record_type) const noexcept {
  const TableEntry* const entry = entry_of(handle);
  return entry != nullptr && entry->has_records_of(record_type) ? &entry->core() : nullptr;
}

bool Database::erase(AnyHandle handle) {
  const TableEntry* const entry = entry_of(handle);
  if (entry == nullptr) return false;
  entry->content->erase_slot(handle.index());
  return true;
}

std::string_view Database::table_of(AnyHandle handle) const noexcept {
  const TableEntry* const entry = issuer_of(handle);
  return entry != nullptr ? std::string_view(entry->name) : std::string_view();
}

void Database::tables_changed() noexcept {
  ++state_->version;
  state_->schemas.reset();
  state_->captured.reset();
}

void Database::type_ids_changed(std::uint16_t highest) noexcept {
  state_->highest_type_id = std::max(highest, tables_.type_ids_changed());
  state_->issued.note_type_id(state_->highest_type_id);
  tables_changed();
}

void Database::reserve_copies() {
  std::size_t bytes = 0;
  for (const auto& entry : tables_) {
    if (entry->is_captured()) bytes += entry->content->logged_bytes();
  }
  LogWriter::reserve(*state_->pool, bytes);
}

void Database::release_spare_memory() noexcept {
  release_dropped();
  state_->pool->release_spare_ranges();
  format::release_spare_contexts();
}

const char* Database::check_invariants() const {
  if (!tables_.check()) return "TL1 or TL2: the list of tables and its indexes";
  for (const auto& entry : tables_) {
    if (const char* const broken = entry->content->check_invariants()) return broken;
  }
  return nullptr;
}

}  // namespace hdb
