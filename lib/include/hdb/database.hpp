// Database: named tables that are captured, restored, saved and loaded together. A game has one
// database for all state that a save must hold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hdb/any_handle.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/or_end.hpp"
#include "hdb/detail/base/owned.hpp"
#include "hdb/detail/database/tables/table_kinds.hpp"
#include "hdb/detail/database/tables/table_list.hpp"
#include "hdb/fwd.hpp"
#include "hdb/io.hpp"
#include "hdb/load.hpp"
#include "hdb/record_traits.hpp"
#include "hdb/singleton.hpp"
#include "hdb/snapshot.hpp"
#include "hdb/table.hpp"

namespace hdb {
namespace detail {
class CapturedTables;
class RecordCodec;
class ReferenceCycles;
class ReferenceScan;
struct TableRoll;
}  // namespace detail

struct DatabaseOptions {
  /// Null: reserved address space and the heap, so that no insert moves a record.
  std::shared_ptr<PageSource> page_source = {};
};

/// Named tables of records, singletons, resources and blobs.
///
/// Threads: a database takes no lock. One thread at a time changes it: every non-const call on the
/// database, its tables, singletons, resources and Refs belongs to that thread. While no thread
/// changes a table, any number of threads may read it. Snapshots are immutable: any thread may
/// save, hash, compare, copy and drop them while the game goes on. Background saves and their
/// executors touch snapshots only.
///
/// Invalidates: capture, restore and load invalidate mutable record pointers; restore and load also
/// change which records handles name. References to tables stay valid until the table is dropped or
/// the database ends.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// const hdb::Snapshot before = db.capture();  // copies no record
/// monsters.erase(imp);
/// if (!db.restore(before)) return;
/// assert(monsters.at(imp).name == "imp");
/// if (!hdb::save(before, "slot3.hdb") || !db.load("slot3.hdb")) return;
/// assert(db.state_hash() == before.state_hash());
/// @endcode
class HDB_API Database {
 public:
  /// A database without tables.
  explicit Database(const DatabaseOptions& options = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Creates a table. Ends the program with a message after an error, because each is a mistake in
  /// the program; try_create_table returns the error instead.
  ///
  /// Errors: duplicate_name; bad_name; bad_options, also if another table has the same handle type
  /// and no type id tells them apart; refused_type; rename_conflict if the name is declared to be
  /// an old name, or if hdb::Renames of the type are wrong; fork_exhausted if a
  /// dropped table with the same handle type used up the generations of a table counter.
  ///
  /// Warnings, in builds with assertions (hdb/assert.hpp), once for each record type of the
  /// database: `serialize` does not visit every member of the record, or of a type in it. The table
  /// is created all the same. Declare members that are left out on purpose (hdb::LeavesOut).
  template <class Record, class L = DefaultLayout, class Tag = Record,
            HandleCheck A = HandleCheck::checked>
  Table<Record, L, Tag, A>& create_table(std::string_view name, const TableOptions& options = {}) {
    return *static_cast<Table<Record, L, Tag, A>*>(
        make_table_or_end(name, options, detail::kind_of<Record, L, Tag, A>()));
  }
  /// As create_table, but returns errors. Warnings are not errors: they go to the warning handler
  /// here, too.
  template <class Record, class L = DefaultLayout, class Tag = Record,
            HandleCheck A = HandleCheck::checked>
  [[nodiscard]] Result<Table<Record, L, Tag, A>*> try_create_table(std::string_view name,
                                                                   TableOptions options = {}) {
    auto made = make_table(name, options, detail::kind_of<Record, L, Tag, A>());
    if (!made) return fail(std::move(made.error()));
    return static_cast<Table<Record, L, Tag, A>*>(*made);
  }
  /// The table with this name and type; null if there is none.
  template <class Record, class L = DefaultLayout, class Tag = Record,
            HandleCheck A = HandleCheck::checked>
  [[nodiscard]] Table<Record, L, Tag, A>* find_table(std::string_view name) noexcept {
    return static_cast<Table<Record, L, Tag, A>*>(find_made(
        name, detail::record_type<Record>(), handle_key<Tag, L>(), detail::template_of(A)));
  }
  /// Creates a blob table (hdb/blob_table.hpp) and allocates its whole buffer. Ends the program
  /// after an error, as create_table does; try_create_blob_table returns the error.
  template <class Meta, class L = DefaultLayout, class Tag = Meta>
  BlobTable<Meta, L, Tag>& create_blob_table(std::string_view name, const BlobOptions& options) {
    return *static_cast<BlobTable<Meta, L, Tag>*>(
        detail::value_or_end(make_blob_table(name, options, detail::blob_kind_of<Meta, L, Tag>())));
  }
  /// As create_blob_table, but returns errors. The result is never null.
  template <class Meta, class L = DefaultLayout, class Tag = Meta>
  [[nodiscard]] Result<BlobTable<Meta, L, Tag>*> try_create_blob_table(std::string_view name,
                                                                       BlobOptions options) {
    auto made = make_blob_table(name, options, detail::blob_kind_of<Meta, L, Tag>());
    if (!made) return fail(std::move(made.error()));
    return static_cast<BlobTable<Meta, L, Tag>*>(*made);
  }
  /// The blob table with this name and type; null if there is none.
  template <class Meta, class L = DefaultLayout, class Tag = Meta>
  [[nodiscard]] BlobTable<Meta, L, Tag>* find_blob_table(std::string_view name) noexcept {
    return static_cast<BlobTable<Meta, L, Tag>*>(find_made(
        name, detail::record_type<Meta>(), handle_key<Tag, L>(), detail::TableTemplate::blobs));
  }

  /// Creates a table of components of the records of `owner`, a table of this database
  /// (hdb/component_table.hpp). Ends the program after an error, as create_table does;
  /// try_create_component_table returns the error.
  /// Errors: as create_table about name and type; bad_options if `owner` is not in this database or
  /// is a singleton, if the scope is wider than the owner's, or for stable Removal::in_place.
  template <class Component, class Record, class L, class Tag, HandleCheck A>
  ComponentTable<Component, Tag, L>& create_component_table(std::string_view name,
                                                            Table<Record, L, Tag, A>& owner,
                                                            ComponentOptions options = {}) {
    return *detail::value_or_end(try_create_component_table<Component>(name, owner, options));
  }
  /// As create_component_table, but returns errors.
  template <class Component, class Record, class L, class Tag, HandleCheck A>
  [[nodiscard]] Result<ComponentTable<Component, Tag, L>*> try_create_component_table(
      std::string_view name, Table<Record, L, Tag, A>& owner,
      const ComponentOptions& options = {}) {
    auto made = make_component_table(name, &owner, detail::core_of(owner), options,
                                     detail::component_kind_of<Component, Record, L, Tag, A>());
    if (!made) return fail(std::move(made.error()));
    return static_cast<ComponentTable<Component, Tag, L>*>(*made);
  }
  /// The component table with this name and type; null if there is none.
  template <class Component, class Owner, class L = DefaultLayout>
  [[nodiscard]] ComponentTable<Component, Owner, L>* find_component_table(
      std::string_view name) noexcept {
    return static_cast<ComponentTable<Component, Owner, L>*>(
        find_made(name, detail::record_type<Component>(), handle_key<Owner, L>(),
                  detail::TableTemplate::components));
  }
  /// Drops a table with its records and component tables. Returns false if no table has this name.
  /// Handles to its records name nothing afterwards, and stay stale: no other table gets the
  /// dropped table's type id automatically, and a later table with the same handle type (or the
  /// same explicit type id) starts above every generation that the dropped table issued. Limits:
  ///   - Tables under Overflow::wrap do not keep this promise.
  ///   - An exact restore or load starts another timeline, which may issue the same handles again
  ///     (TimelineMode::exact).
  ///   - Tags are the same type here if they have the same TypeName: files know types by it.
  /// What dropped tables issued is state: captures and saves have it, and the state hash covers it,
  /// by the Scope of the tables.
  /// Restoring a snapshot that holds the table brings the same table back, unless a table with its
  /// name or its handle type was created meanwhile. Refs and sidecars then work again, without the
  /// values in sidecars. Requires: no hdb::entt::Registry has its state in the table (checked).
  /// Invalidates: references to the table; all pointers to its records.
  bool drop_table(std::string_view name);
  /// The names of all tables, in ascending order.
  [[nodiscard]] std::vector<std::string> table_names() const;

  /// Lets load create tables that the program has not created yet, for example for levels: if the
  /// file has a table whose name begins with `prefix`, load creates it with this record type.
  template <class Record, class L = DefaultLayout, class Tag = Record,
            HandleCheck A = HandleCheck::checked>
  void register_family(std::string_view prefix, const TableOptions& options = {}) {
    add_family(prefix, options.scope, [options](Database& database, std::string_view name) {
      return Status(
          database.make_table(name, options, detail::kind_of<Record, L, Tag, A>()).map([](void*) {
          }));
    });
  }

  /// Declares that files of older programs call a table `rename.old_name`, and that it is
  /// `rename.new_name` now. Later loads fill the new table from the old one, and handle fields that
  /// refer to the old table refer to the new one. The table may be created before or afterwards, or
  /// by a load (register_family). It may have several old names. Ends the program after an error,
  /// as create_table does.
  ///
  /// Errors: bad_name; rename_conflict if the names are equal, if a table has the old name, or if
  /// another declaration gives the old name a second new name, or makes one of the names both old
  /// and new. Later, creating a table of the old name is a rename_conflict, and so is a load of a
  /// file that has tables of both names, unless one never had a record.
  ///
  ///     db.declare_table_rename({.old_name = "enemies", .new_name = "monsters"});
  void declare_table_rename(const Rename& rename);
  /// As declare_table_rename; returns the error, and then declares nothing.
  [[nodiscard]] Status try_declare_table_rename(const Rename& rename);

  /// Declares a step between two class versions of a table's records (hdb/migration.hpp). The table
  /// may be created before or afterwards. Ends the program after an error, as create_table does;
  /// try_declare_migration returns the error, and then declares nothing.
  ///
  /// Errors: migration_conflict if the step is declared twice; bad_options without a function.
  ///
  ///     db.declare_migration({.table = "monsters", .from = 1},
  ///                          [](hdb::DynamicValue& monster, hdb::MigrationContext&) {
  ///                            monster.set("hp", 2 * monster.at("hp").as<int>());
  ///                          });
  void declare_migration(const Migration& migration,
                         std::function<void(DynamicValue& record, MigrationContext& context)> run);
  [[nodiscard]] Status try_declare_migration(
      const Migration& migration,
      std::function<void(DynamicValue& record, MigrationContext& context)> run);

  // --- records of any table whose handles have TypedLayout

  /// The record that `handle` names; null if the handle is null, stale or foreign, or if the record
  /// is not a `Record`. Complexity: constant.
  template <class Record>
  [[nodiscard]] const Record* find(AnyHandle handle) const noexcept {
    const detail::TableCore* const core = core_of(handle, detail::record_type<Record>());
    if (core == nullptr) return nullptr;
    return reinterpret_cast<const Record*>(core->record_at(core->place_of(handle.index())));
  }
  /// As find, for writing; valid as long as a pointer from Table::edit.
  template <class Record>
  [[nodiscard]] Record* edit(AnyHandle handle) {
    detail::TableCore* const core = core_of(handle, detail::record_type<Record>());
    if (core == nullptr) return nullptr;
    return reinterpret_cast<Record*>(core->edit_at(core->place_of(handle.index())));
  }
  /// Whether `handle` names a live record of any table.
  [[nodiscard]] bool contains(AnyHandle handle) const noexcept {
    return entry_of(handle) != nullptr;
  }
  /// As Table::erase, for a record of any table.
  bool erase(AnyHandle handle);
  /// The name of the table that has the handle's type id, even if the record is gone; empty if no
  /// table has that id.
  [[nodiscard]] std::string_view table_of(AnyHandle handle) const noexcept;

  /// A table of exactly one record, which starts default-constructed. The first call creates it
  /// with `scope`. Ends the program if another table has the name.
  template <class T>
  Singleton<T>& singleton(std::string_view name, Scope scope = Scope::full) {
    void* made = find_wrapper(name, detail::record_type<T>(), detail::type_key<Singleton<T>>());
    if (made == nullptr) {
      made = make_table_or_end(name, {.storage = Storage::stable, .scope = scope},
                               detail::singleton_kind_of<T>());
    }
    return *static_cast<Singleton<T>*>(made);
  }

  /// Creates a table of shared, named records; flush() destroys those without references. Names are
  /// exact unless the options say otherwise. Ends the program as create_table does.
  template <class Record, class L = DefaultLayout, class Tag = Record>
  ResourceTable<Record, L, Tag>& create_resource_table(std::string_view name,
                                                       TableOptions options = {}) {
    if (options.names == RecordNames::none) options.names = RecordNames::exact;
    return *static_cast<ResourceTable<Record, L, Tag>*>(
        make_table_or_end(name, options, detail::resource_kind_of<Record, L, Tag>()));
  }
  /// The resource table with this name and type; null if there is none.
  template <class Record, class L = DefaultLayout, class Tag = Record>
  [[nodiscard]] ResourceTable<Record, L, Tag>* find_resource_table(std::string_view name) noexcept {
    using Made = ResourceTable<Record, L, Tag>;
    return static_cast<Made*>(
        find_wrapper(name, detail::record_type<Record>(), detail::type_key<Made>()));
  }

  /// Captures the state. Nothing is copied: the first write to a record after a capture logs the
  /// old one for the snapshot (lib/docs/captures.md). Complexity: linear in tables with inserts,
  /// erases or sorts since the last; in all after one was made, dropped or loaded.
  /// Invalidates: mutable record pointers, except to tables of Scope::uncaptured.
  [[nodiscard]] Snapshot capture();
  /// Restores a captured state: records, slots, generations, free lists and type ids, all or
  /// nothing.
  ///
  /// - Tables dropped since the capture come back.
  /// - Tables created since the capture become empty; singletons get a default record.
  /// - Tables of Scope::uncaptured keep their records and handles.
  /// - If a captured table needs the type id of a table that is not in the snapshot, the table that
  ///   is not in the snapshot gets another type id. It must be empty then.
  ///
  /// TimelineMode says which handles are issued afterwards. Errors, after which nothing has
  /// changed: foreign_snapshot (the snapshot is of another database; a table was dropped and
  /// created again; a table of Scope::uncaptured with records has the handle type or type id of a
  /// captured table), fork_under_wrap, fork_exhausted.
  /// Complexity: linear in the records changed since the capture, and in the tables where some were
  /// inserted, erased or sorted; in all tables after one was made, dropped or loaded. While newer
  /// snapshots are held, they are logged for these first. For tables cleared, reset or loaded since
  /// then, linear in all their bytes. For tables that have issued half of their generations, also
  /// in the slots near the changed ones; for a fork, in all slots.
  [[nodiscard]] Status restore(const Snapshot& snapshot, const RestoreOptions& options = {});

  /// Loads a file, all or nothing: after an error the database is unchanged.
  ///
  /// - Tables in the file become exactly what was saved, type ids included. If the program gives a
  ///   table other policies or another layout, handles stay valid or stale, or the load fails.
  /// - Records are matched by the names of tables and fields (lib/docs/guide/06-old-saves.md): the
  ///   file may have been written before fields or tables were added, removed, renamed or changed
  ///   their type. Stored values are kept or the load fails; LoadReport lists the differences.
  /// - Tables that are not in the file become empty. Such a table gets another type id if a table
  ///   of the saved game ever had its id.
  /// - Tables of Scope::unsaved and Scope::uncaptured keep their records and handles. If such a
  ///   table has records and the file gives its type id to another table, load fails with
  ///   layout_mismatch: create the table with an explicit type id that no saved table has.
  /// - A loaded record may hold a handle to a table that is not saved. The handle keeps its bits
  ///   and names the record that has these bits now, if any. Set such fields again after a load.
  ///
  /// TimelineMode says which handles are issued afterwards.
  [[nodiscard]] Result<LoadReport> load(const std::string& path, const LoadOptions& options);
  [[nodiscard]] Result<LoadReport> load(const std::string& path);
  /// Loads from any source, for example memory or a console's save API.
  [[nodiscard]] Result<LoadReport> load(std::unique_ptr<ByteSource> source,
                                        const LoadOptions& options);
  [[nodiscard]] Result<LoadReport> load(std::unique_ptr<ByteSource> source);

  /// Imports the records of a file into the running tables as new records, all or nothing: prefabs,
  /// level streaming, merging worlds. After an error the database is unchanged. Callers include
  /// hdb/import.hpp.
  ///
  /// - The records get the handles that inserts would get: those of a stable table in ascending
  ///   order of their slots in the file, those of a dense table in its dense order. So equal
  ///   databases stay equal if they import equal files. All other records and handles stay as they
  ///   are.
  /// - Each handle in an imported record that names an imported record gets the bits of the new
  ///   handle. ImportReport::find returns it too.
  /// - Handles to records that are not imported leave the import: they become null, or keep their
  ///   bits (ImportOptions::unresolved_handles), and are reported.
  /// - Tables and fields are matched as in load: old files, declared renames, families.
  /// - Singletons and tables of Scope::unsaved and Scope::uncaptured are not imported.
  /// - Only the tables to import are read: damage elsewhere in the file is not found.
  ///
  /// Errors: those of load that concern the tables to import, and ImportOptions.
  /// Complexity: linear in the imported records and in the slots of their tables in the file; for
  /// tables with names, also in the index of names. Memory: the imported records once more.
  /// Invalidates: as Table::insert, in the tables that get records.
  [[nodiscard]] Result<ImportReport> import_records(const std::string& path,
                                                    const ImportOptions& options);
  [[nodiscard]] Result<ImportReport> import_records(const std::string& path);
  /// Imports from any source, for example copies of one MemorySource, which share its bytes.
  [[nodiscard]] Result<ImportReport> import_records(std::unique_ptr<ByteSource> source,
                                                    const ImportOptions& options);
  [[nodiscard]] Result<ImportReport> import_records(std::unique_ptr<ByteSource> source);

  /// The hash of the current state; captures to compute it. Errors: as Snapshot::try_state_hash.
  [[nodiscard]] Result<Hash128> try_state_hash();
  /// As try_state_hash; throws StateHashFailure if a record leaves its schema.
  [[nodiscard]] Hash128 state_hash() { return capture().state_hash(); }

  /// The schemas of all tables that files hold as a JSON document, for a game to commit: names,
  /// options and fields, also declared renames, but no records. Equal tables give equal bytes,
  /// whatever the order in which they were created; tables of a family count if they exist.
  /// `hdbinspect compat` and the CMake function hdb_check_schema compare two documents: does the
  /// new program load the old saves?
  [[nodiscard]] std::string schema_json() const;

  /// Allocates and touches memory for a copy of the captured tables, so that the writes after a
  /// capture log into warm memory. The first touch of memory costs many times the copy:
  /// call this on a loading screen.
  /// Complexity: O(bytes). At most doubles the memory of the tables.
  void reserve_copies();
  /// Checks every table. Null if all invariants hold; else the id and text of a broken one.
  [[nodiscard]] const char* check_invariants() const;
  /// Memory of all arrays and of the undo log, in use and spare, in bytes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  /// Gives back memory that is kept for later: of dropped, reset or replaced tables (at most 4 MiB
  /// or a quarter of theirs), and contexts of zstd that all databases share (at most 16 MiB).
  void release_spare_memory() noexcept;

 private:
  /// A codec, and whether a table has it, so that its schema need not be checked again.
  struct KnownCodec {
    std::shared_ptr<const detail::RecordCodec> codec;
    bool is_checked = false;
  };
  /// The codec of a record type: one for all tables, because making it costs more than a table.
  [[nodiscard]] KnownCodec codec_of(const detail::TableKind& kind) const;
  /// Checks name, options (filling in a type id where one is needed) and the record's schema.
  [[nodiscard]] Status check_new_table(std::string_view name, TableOptions& options,
                                       const detail::TableKind& kind,
                                       const KnownCodec& codec) const;
  [[nodiscard]] Status check_new_blob_table(std::string_view name, BlobOptions& options,
                                            const detail::TableKind& kind,
                                            const KnownCodec& codec) const;
  /// Makes a table, and what the game holds instead of it, if any, which is the result then.
  [[nodiscard]] Result<void*> make_table(std::string_view name, TableOptions options,
                                         const detail::TableKind& kind);
  [[nodiscard]] void* make_table_or_end(std::string_view name, const TableOptions& options,
                                        const detail::TableKind& kind);
  [[nodiscard]] Result<void*> make_blob_table(std::string_view name, BlobOptions options,
                                              const detail::TableKind& kind);
  [[nodiscard]] detail::TableEntry make_entry(std::string_view name, const void* options,
                                              Scope scope, const detail::TableKind& kind,
                                              KnownCodec codec) const;
  [[nodiscard]] Status check_new_name(std::string_view name, const HandleLayout& layout,
                                      const std::string& where) const;
  /// As restore; drops snapshots after `snapshot` before the undo log is rolled back, if these
  /// `later` ones are all: then nothing need be logged for them, and nothing fails any more.
  [[nodiscard]] Status restore_and_drop(const Snapshot& snapshot, const RestoreOptions& options,
                                        std::size_t later, const std::function<void()>& drop);
  [[nodiscard]] static Status check_new_record(const KnownCodec& codec, const std::string& where);
  [[nodiscard]] Status check_new_component_table(std::string_view name,
                                                 const detail::TableCore& owner,
                                                 const ComponentOptions& options,
                                                 const KnownCodec& codec) const;
  [[nodiscard]] Result<void*> make_component_table(std::string_view name, void* owner_table,
                                                   const detail::TableCore& owner,
                                                   const ComponentOptions& options,
                                                   const detail::TableKind& kind);
  /// The table of this name if it was made from these types, else null.
  [[nodiscard]] void* find_made(std::string_view name, const detail::RecordType& record_type,
                                const HandleKey& key, detail::TableTemplate made_from) noexcept;
  /// The Singleton or ResourceTable of this type over the table of this name, else null.
  [[nodiscard]] void* find_wrapper(std::string_view name, const detail::RecordType& record_type,
                                   detail::TypeKey wrapper) noexcept;
  /// Labels a new table; it starts above the generations of dropped tables with the same handles.
  void prepare(detail::TableEntry& entry) const;
  void add(detail::TableEntry entry);
  void add_family(std::string_view prefix, Scope scope,
                  std::function<Status(Database&, std::string_view)> make);
  [[nodiscard]] detail::TableEntry* find_entry(std::string_view name) noexcept;
  /// The table of this core; null if the database does not have it.
  [[nodiscard]] std::shared_ptr<detail::TableEntry> entry_of(const detail::TableCore& core) const;
  [[nodiscard]] std::string table_name(HandleKey key) const;
  [[nodiscard]] const std::string& present_name(const std::string& stored) const;
  struct Schemas;
  struct State;
  class FamilyTables;
  [[nodiscard]] std::shared_ptr<const Schemas> schemas();
  /// The table that the type id names.
  [[nodiscard]] const detail::TableEntry* issuer_of(AnyHandle handle) const noexcept;
  /// As issuer_of; null if the record is not live.
  [[nodiscard]] const detail::TableEntry* entry_of(AnyHandle handle) const noexcept;
  /// The table of a live record of this type; null for other handles.
  [[nodiscard]] detail::TableCore* core_of(AnyHandle handle,
                                           const detail::RecordType& record_type) const noexcept;
  void require_not_busy() const noexcept;
  [[nodiscard]] std::shared_ptr<const detail::TableRoll> call_roll();
  /// The states of the captured tables as they are.
  [[nodiscard]] std::shared_ptr<const detail::CapturedTables> settle_tables();
  /// Releases dropped tables that no snapshot holds any more, or that were restored.
  void release_dropped() noexcept;
  /// Discards what was computed from the list of tables: call it when that or type ids changed.
  void tables_changed() noexcept;
  /// To be called after tables got other type ids; `highest`: ever issued, tables of now need not
  /// count. Requires: tables_.reserve_type_ids.
  void type_ids_changed(std::uint16_t highest) noexcept;
  friend class Importer;
  friend class TableLoads;
  friend class Loader;
  friend class LiveTable;
  friend class History;
  friend class Restorer;
  friend class RuntimeTables;
  friend class detail::ReferenceCycles;
  friend class detail::ReferenceScan;
  friend struct SnapshotData;
  friend struct detail::TableRoll;

  detail::TableList tables_;  // here, so that debuggers find it where the library has no symbols
  detail::Owned<State> state_;
};

}  // namespace hdb
