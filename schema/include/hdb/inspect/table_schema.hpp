// The schemas of a whole game: for each table its options and the fields of its records. A game
// commits them as a JSON document, and compare_schemas (hdb/inspect/compat.hpp) says later whether
// its old saves still load.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/schema.hpp"

namespace hdb {

class JsonObject;

/// A field or an enumerator that had another name in older files, as a program declares it with
/// hdb::Renames.
struct FieldRename {
  /// The path of the structure that has the field (empty: the record), or of the enum field that
  /// has the enumerator.
  std::string structure;
  std::string old_name;
  std::string new_name;

  friend bool operator==(const FieldRename&, const FieldRename&) = default;
};

/// What a list or map field of a program does with equal elements or keys.
struct FieldKeys {
  std::string field;  ///< The path of the field: "items[].tags".
  KeyRule rule = KeyRule::unknown;

  friend bool operator==(const FieldKeys&, const FieldKeys&) = default;
};

/// A variant that had other alternatives in older files, as a program declares it with
/// hdb::OldAlternatives.
struct FieldAlternatives {
  std::string field;  ///< The path of the variant.
  /// For each old alternative its present number, or -1 if it was removed.
  std::vector<std::int16_t> numbers;

  friend bool operator==(const FieldAlternatives&, const FieldAlternatives&) = default;
};

/// What decides whether a program can load a table of a file.
///
/// Example:
/// @code
/// hdb::Field hp;
/// hp.kind = hdb::FieldKind::i32;
/// hp.name = "hp";
/// hdb::TableSchema monsters;
/// monsters.table.name = "monsters";
/// monsters.record.children = {hp};
/// assert(hdb::check_table_schema(monsters));
/// const std::string document = hdb::schema_json({monsters});
/// assert(document.find("{\"name\":\"hp\",\"kind\":\"i32\"}") != std::string::npos);
/// @endcode
struct TableSchema {
  TableDescriptor table;                 ///< Name, policy, blobs, singleton, scope.
  bool has_counts = false;               ///< `table` also has the counts of a file.
  Field record;                          ///< Without row_prefix.
  std::uint64_t max_records = kNoLimit;  ///< The program's limit; not in files.
  std::vector<FieldKeys> keys;           ///< Lists and maps of a known rule; not in files.
  // Files do not store what a program declares of older files:
  std::vector<std::string> old_names;  ///< Old names of the table (Database::declare_table_rename).
  std::vector<FieldRename> renames;    ///< Renamed fields and enumerators.
  /// Paths of structures inside the record with a class version that no code of the program sees:
  /// plain structs. They are matched by their fields, whatever version a file has.
  std::vector<std::string> plain_structures;
  std::vector<FieldAlternatives> old_alternatives;  ///< Variants with declared old lists.
};

/// The schema of a table of a file. `stored` is the schema that the descriptor names, with
/// row_prefix.
[[nodiscard]] HDB_INSPECT_API TableSchema table_schema(const TableDescriptor& table, Field stored);

/// Checks a schema that was read from a text: names, nesting, policies, renames.
/// Errors: bad_schema_document with the table and the field.
[[nodiscard]] HDB_INSPECT_API Status check_table_schema(const TableSchema& schema);

/// The schemas as a JSON document: one object of type `schemas`
/// (schema/json/schemas.schema.json) with a line break after each table and each field. Equal
/// schemas give equal bytes: tables are in ascending order of names, and the document has no date,
/// path, count or type id. It ends with a line break.
[[nodiscard]] HDB_INSPECT_API std::string schema_json(std::vector<TableSchema> tables);

/// Adds the members of a field except for its handle layout and children: name, kind, count,
/// values (of an enumeration that names them), ...
HDB_INSPECT_API void add_field(const Field& field, JsonObject& object);
/// Adds the member `extensions`, if there are any. (A field's names of values are `values`.)
HDB_INSPECT_API void add_extensions(const std::vector<Extension>& extensions, JsonObject& object);
/// Adds the members of a table's policies: storage, layout, free_list, ..., compaction.
HDB_INSPECT_API void add_policies(const TableDescriptor& table, JsonObject& object);
/// A field with its handle layout and children as one JSON object.
[[nodiscard]] HDB_INSPECT_API std::string field_json(const Field& field);

}  // namespace hdb
