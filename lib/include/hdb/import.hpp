// The options and the report of Database::import_records, which adds the records of a save file to
// a running database: prefabs, level streaming, merging worlds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/executor.hpp"
#include "hdb/file_info.hpp"
#include "hdb/handle.hpp"
#include "hdb/load.hpp"

namespace hdb {

/// What an import does with a handle that leaves it: a handle of an imported record that names none
/// of the imported records, because their table is not imported or the handle is stale in the file.
enum class UnresolvedHandles : std::uint8_t {
  make_null,
  /// The handle keeps its bits and names the record that has these bits now, if any. For a game
  /// that imports its own save while some records of it are still live. Type ids are not
  /// translated.
  keep,
};

/// What an import does with a record whose name another record of the table already has.
enum class NameClash : std::uint8_t {
  refuse,  ///< The import fails with duplicate_name.
  /// The record is not imported; handles to it name the record that has the name. For resources
  /// that several prefabs share.
  use_existing,
  drop_name,  ///< The record is imported without a name.
};

/// The options of Database::import_records.
///
/// Handles: an import finds Handle, Strong and AnyHandle in fields and in containers of any kind.
/// It does not find handles in opaque fields (hdb::Opaque) or bits in integers; these keep their
/// bits. If the file has another handle layout, handles first get the layout of the program
/// (translate_handle), which ImportReport uses. If handles become null and so make elements of a
/// set or keys of a map equal, the first of them stays, and ImportedTable::changes counts the
/// others (LoadChange::Kind::merged).
///
/// Errors, besides those of load that concern the tables to import: table_full if a table has no
/// room for all records; duplicate_name (NameClash::refuse); not_found or unknown_table if file or
/// program does not have one of `tables`; bad_options if a listed table cannot be imported, or if
/// the file has blobs: list the tables to import without the blob table.
struct ImportOptions {
  /// The tables to import, by their names in the program. Empty: all that the file has, too.
  std::vector<std::string> tables = {};
  UnresolvedHandles unresolved_handles = UnresolvedHandles::make_null;
  NameClash name_clash = NameClash::refuse;
  /// ImportReport::unresolved lists at most this many handles.
  std::size_t max_unresolved_listed = 100;
  unsigned threads = 1;
  /// A table that the program does not have is skipped (and is reported).
  bool allow_unknown_tables = true;
  /// As LoadOptions::unknown_values; drop_record is refused with bad_options.
  UnknownValue unknown_values = UnknownValue::refuse;
  Changes* changes = nullptr;  ///< As RestoreOptions::changes: lists the new handles.
  ReadLimits limits = {};
  FileSystem* file_system = nullptr;  ///< null: the operating system's.
  Executor executor = {};             ///< Runs the decoding tasks; empty: threads of hdb.
};

/// One record of the file and the record of the database that it became.
struct ImportedRecord {
  std::uint32_t old_slot = 0;  ///< In the file.
  std::uint32_t old_generation = 0;
  std::uint32_t new_slot = 0;  ///< In the database.
  std::uint32_t new_generation = 0;
  bool is_new = true;  ///< False: NameClash::use_existing found the record in the database.
};

/// The result for one table. `live_count` is the number of new records.
struct ImportedTable : TableLoadReport {
  std::uint64_t existing_count = 0;  ///< Records that NameClash::use_existing found.
  std::uint64_t unnamed_count = 0;   ///< Records without their names, by NameClash::drop_name.
  HandleLayout layout;               ///< Layout of the table's handles in the database.
  /// The type id of the table in the file; new_type_id if its handles had none there. 0 if `layout`
  /// has no type ids.
  std::uint16_t old_type_id = 0;
  std::uint16_t new_type_id = 0;  ///< The type id of the table in the database.
  HandleKey key;                  ///< handle_key of the table's handles; null in a component table.
  /// All records of the file's table, in ascending order of old slots.
  std::vector<ImportedRecord> records;

  /// The record that had this slot and generation in the file; null if there is none.
  /// Complexity: constant if all slots of the file's table are live, else logarithmic in the number
  /// of slots that are not.
  [[nodiscard]] HDB_API const ImportedRecord* find(std::uint32_t old_slot,
                                                   std::uint32_t old_generation) const noexcept;
  /// The new handle of one of `records`, as bits.
  [[nodiscard]] std::uint64_t new_bits(const ImportedRecord& record) const noexcept {
    return pack_handle(layout, record.new_slot, record.new_generation, new_type_id);
  }
};

/// A handle in a new record that leaves the import.
struct UnresolvedHandle {
  std::string table;         ///< The table of the new record.
  std::uint64_t record = 0;  ///< The new handle of that record, as bits.
  std::string field;         ///< "target", "grudges[3]"; a renamed field has its name in the file.
  std::uint64_t bits = 0;    ///< The handle in the file, in the layout of the program.
  std::string target;        ///< The same as text: "weapons:7@2".
};

/// What an import did: which new handle each handle of the file became, and what it left out.
///
/// Example:
/// @code
/// hdb::Database editor, game;
/// const auto imp = editor.create_table<Monster>("monsters").insert({.name = "imp"});
/// hdb::MemorySink prefab;
/// if (!hdb::save(editor.capture(), prefab)) return;
/// auto& monsters = game.create_table<Monster>("monsters");
/// monsters.insert({.name = "orc"});
/// const auto report =
///     game.import_records(std::make_unique<hdb::MemorySource>(prefab.take()));
/// if (!report) return;  // report.error().message() says why; nothing has changed
/// assert(monsters.at(report->find(imp)).name == "imp" && monsters.size() == 2);
/// for (const auto handle : report->created<hdb::Handle<Monster>>()) monsters.erase(handle);
/// assert(monsters.size() == 1);  // unloaded again
/// @endcode
struct HDB_API ImportReport {
  FileInfo info;
  std::vector<ImportedTable> tables;        ///< In ascending order of names.
  std::vector<std::string> unknown_tables;  ///< In the file, not in the program: skipped.
  /// Singletons, and tables of Scope::unsaved or Scope::uncaptured: skipped; the program's table is
  /// unchanged.
  std::vector<std::string> skipped_tables;
  std::uint64_t unresolved_count = 0;  ///< All handles in new records that leave the import.
  /// The first of them, by table, old slot and field.
  std::vector<UnresolvedHandle> unresolved;

  /// The handle that a handle of the file became; null if the handle was not imported. Handles with
  /// type ids (TypedHandle, AnyHandle) find the table by the type id in the file.
  /// Complexity: linear in the tables; see ImportedTable::find.
  template <class T, class L>
  [[nodiscard]] Handle<T, L> find(Handle<T, L> old) const noexcept {
    const std::uint64_t bits = find_bits(handle_key<T, L>(), L::value, old.bits());
    return Handle<T, L>::from_bits(static_cast<typename L::Bits>(bits));
  }
  /// The same for bits of a handle with this key and layout; 0 if the handle was not imported.
  [[nodiscard]] std::uint64_t find_bits(HandleKey key, const HandleLayout& layout,
                                        std::uint64_t old) const noexcept;
  /// The handles of all new records of the tables that issue this type of handle, by table and old
  /// slot. An AnyHandle covers all tables of TypedLayout.
  template <class HandleType>
  [[nodiscard]] std::vector<HandleType> created() const {
    using L = typename HandleType::LayoutType;
    const HandleKey key = handle_key<typename HandleType::Tag, L>();
    std::vector<HandleType> handles;
    for (const ImportedTable& table : tables) {
      if (!is_issued_by(table, key, L::value)) continue;
      for (const ImportedRecord& record : table.records) {
        if (!record.is_new) continue;
        const std::uint64_t bits = table.new_bits(record);
        handles.push_back(HandleType::from_bits(static_cast<typename HandleType::Bits>(bits)));
      }
    }
    return handles;
  }
  /// The result for the table with this name; null if it was not imported.
  [[nodiscard]] const ImportedTable* table(std::string_view name) const noexcept;

  /// All but `info` and the single handles in one line for a log, as LoadReport::summary:
  /// "monsters: 12 records; textures: 1 record, 3 already there; 2 handles leave the import".
  [[nodiscard]] std::string summary() const;

 private:
  [[nodiscard]] static bool is_issued_by(const ImportedTable& table, HandleKey key,
                                         const HandleLayout& layout) noexcept;
};

}  // namespace hdb
