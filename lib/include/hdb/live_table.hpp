// LiveTable: a table of a running game without its record type: its schema, its records as values,
// and changes of single fields by name. For browsers and editors in a game, for consoles and for
// other languages.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/dynamic_value.hpp"
#include "hdb/error.hpp"
#include "hdb/field.hpp"
#include "hdb/inspect/handle_names.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {

class Database;
struct TableDescriptor;

/// A field of all records of a table.
struct LiveColumn {
  /// A number, boolean or character; of an enumeration, its integer; of a handle, u64.
  FieldKind kind = FieldKind::u8;
  Bytes values;  ///< Little-endian in the width of the kind, one after the other.
};

/// A table of a database, found by its name. Records and fields are named by texts, and values are
/// those of files (Value, DynamicValue): what a save would hold.
///
/// Handles are their bits here; 0 is the null handle. Those of a component table are the handles of
/// its owner. Members that are not saved, and kept values of old saves, stay as they are; those of
/// elements of containers are lost where a change loads the container: in the field that is set,
/// and in all fields of records that have functions for cereal.
///
/// Requires: the database outlives the object. Names of tables in handle fields are those of when
/// it was found: find it again after tables were created or dropped. The object itself is used by
/// one thread; calls that change records are changes of the database.
/// Errors: of each call that takes a handle, not_found if it names no record, or if the table was
/// dropped; user_code_threw if `serialize` of a record throws. Nothing has changed then.
/// Complexity: a read or change of a record is linear in its size.
/// Invalidates: changes do as Table::edit, insert and erase.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// hdb::LiveTable table = hdb::LiveTable::find(db, "monsters").value();
/// assert(table.get(imp.bits(), "hp")->as<int>() == 100);
/// assert(table.set(imp.bits(), "hp", 70) && monsters[imp].hp == 70);
/// const auto refused = table.set(imp.bits(), "hpp", 1);
/// assert(!refused && refused.error().what == "the record has no field 'hpp'; did you mean 'hp'?");
/// for (std::uint64_t i = 0; i < table.position_end(); ++i) {
///   if (const std::uint64_t handle = table.handle_at(i))
///     assert(table.handle_text(handle) == "monsters:0@1");
/// }
/// @endcode
class HDB_API LiveTable {
 public:
  /// Errors: not_found if no table has the name.
  [[nodiscard]] static Result<LiveTable> find(Database& database, std::string_view name);
  /// All tables, in ascending order of their names.
  [[nodiscard]] static std::vector<LiveTable> all(Database& database);

  LiveTable(LiveTable&&) noexcept;
  LiveTable& operator=(LiveTable&&) noexcept;
  ~LiveTable();

  /// Whether the database still has the table. All calls below are safe without it.
  [[nodiscard]] bool exists() const noexcept;
  /// What files say of the table: its name, policies, owner and scope.
  [[nodiscard]] const TableDescriptor& descriptor() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept { return descriptor().name; }
  /// The fields of a record: a structure.
  [[nodiscard]] const Field& record() const noexcept;
  /// Names the tables of handle fields, for value_text and value_json.
  [[nodiscard]] const HandleNamer& namer() const noexcept;

  /// The number of records.
  [[nodiscard]] std::uint64_t size() const noexcept;
  /// Memory of the pages for records, handles, names and blobs, in bytes; without strings and
  /// containers outside of them. 0 if the table was dropped.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;
  /// Records are at positions below this: in the order of iteration.
  [[nodiscard]] std::uint64_t position_end() const noexcept;
  /// The handle of the record at a position; 0 if none is there. Complexity: constant.
  [[nodiscard]] std::uint64_t handle_at(std::uint64_t position) const noexcept;
  /// The position of a record; position_end() if the handle names none. Complexity: constant.
  [[nodiscard]] std::uint64_t position_of(std::uint64_t handle) const noexcept;
  [[nodiscard]] bool contains(std::uint64_t handle) const noexcept;
  /// "monsters:7@1"; "null"; the bits as "0x..." if the table cannot have issued the handle.
  [[nodiscard]] std::string handle_text(std::uint64_t handle) const;

  /// The name of a record in a table with names; empty if it has none. Valid until names change.
  [[nodiscard]] std::string_view name_of(std::uint64_t handle) const noexcept;
  /// The handle of the record with this name; 0 if none has it, or if the table has no names.
  [[nodiscard]] std::uint64_t find_named(std::string_view name) const noexcept;

  /// The whole record; find_value finds its fields, value_text and value_json print them. Valid
  /// until the next call of `read` or `get` of this object.
  [[nodiscard]] Result<const Value*> read(std::uint64_t handle);
  /// The field at a path of find_value: "pos.x", "items[3].name". The empty path: the record.
  /// Errors: also not_found if the record has no such field or element.
  [[nodiscard]] Result<DynamicValue> get(std::uint64_t handle, std::string_view path);

  /// The field at a path of all records, in ascending order of their positions.
  /// Errors: not_found if records have no such field; type_mismatch if it has no fixed size, or is
  /// in an array, list, map, optional or variant. Complexity: linear in the size of all records.
  [[nodiscard]] Result<LiveColumn> read_column(std::string_view path) const;
  /// LiveColumn::kind of the field at a path. Errors: as read_column. Complexity: linear in the
  /// fields.
  [[nodiscard]] Result<FieldKind> column_kind(std::string_view path) const;

  /// Sets the field at a path of DynamicValue::set. Numbers may have any type that holds the value
  /// exactly, and a double is rounded to a float; an enumeration takes the name of an enumerator or
  /// a number, a handle field also the bits of a handle. Lists are replaced as a whole, arrays need
  /// all their elements. Fields that a structure lacks keep their values; in elements of lists and
  /// in values of optionals, variants and maps, every field is needed.
  /// Errors: also not_found for a path that the record does not have; type_mismatch,
  /// value_out_of_range, invalid_value or value_refused for a value that does not fit.
  [[nodiscard]] Status set(std::uint64_t handle, std::string_view path, DynamicValue value);
  /// Several changes of a record as one. `change` may throw DynamicError: it becomes invalid_value.
  /// Fields that it removes keep their values. `change` has a copy of the record: what it does to
  /// the record by other calls is lost with the old one. Errors: as set; not_found if it erased the
  /// record or dropped the table.
  [[nodiscard]] Status edit(std::uint64_t handle,
                            const std::function<void(DynamicValue& record)>& change);

  /// The field at a path of find_value as JSON, in JsonValueWriter::Form::distinct. The empty path:
  /// the record. Errors: as get.
  [[nodiscard]] Result<std::string> get_json(std::uint64_t handle, std::string_view path = {});
  /// Sets the field at a path of find_value to a value in JSON: what get_json and value_json write
  /// is read back exactly. Members that a structure lacks keep their values; in elements of lists
  /// and in values of optionals, variants and maps, every member is needed. An enumeration also
  /// takes the name of an enumerator.
  /// Errors: also value_refused; invalid_value, with the byte of the text, for a value that does
  /// not fit its field and for a text that is not JSON: in both the text is what to correct.
  /// Error::where begins with "JSON text" for the latter, else with the field or the record.
  [[nodiscard]] Status set_json(std::uint64_t handle, std::string_view path, std::string_view json);

  /// Inserts a record of these fields; those that are missing have their defaults. Returns its
  /// handle. Errors: as set; table_full; duplicate_name; bad_options for a component table, a blob
  /// table, a singleton, or a name in a table without names.
  [[nodiscard]] Result<std::uint64_t> insert(DynamicValue record = {}, std::string_view name = {});
  /// Gives a record of the owner a component. Errors: as insert; duplicate_name if it has one.
  [[nodiscard]] Status insert_component(std::uint64_t owner, DynamicValue component = {});
  /// As insert, from a structure in JSON; members that it lacks have their defaults.
  /// Errors: also as set_json.
  [[nodiscard]] Result<std::uint64_t> insert_json(std::string_view json,
                                                  std::string_view name = {});
  /// As insert_component, from a structure in JSON. Errors: also as set_json.
  [[nodiscard]] Status insert_component_json(std::uint64_t owner, std::string_view json);
  /// Errors: also bad_options for the record of a singleton.
  [[nodiscard]] Status erase(std::uint64_t handle);
  /// Gives a record another name; empty: none. Errors: duplicate_name; bad_options in a table
  /// without names.
  [[nodiscard]] Status rename(std::uint64_t handle, std::string_view name);

 private:
  struct State;
  explicit LiveTable(std::unique_ptr<State> state) noexcept;

  [[nodiscard]] Result<std::uint32_t> slot_of(std::uint64_t handle) const;
  [[nodiscard]] Status check_insert(std::string_view name) const;
  using Fill = std::function<Status(void* record)>;
  [[nodiscard]] Status replace(std::uint64_t handle, const Fill& fill);
  [[nodiscard]] Result<std::uint64_t> insert_filled(std::string_view name, const Fill& fill);
  [[nodiscard]] Status insert_component_filled(std::uint64_t owner, const Fill& fill);

  std::unique_ptr<State> state_;
};

}  // namespace hdb
