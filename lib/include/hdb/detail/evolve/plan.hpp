// A schema compiled for archives: the nodes of the tree in pre-order, in one array, each with its
// columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/type_key.hpp"
#include "hdb/error.hpp"
#include "hdb/field.hpp"
#include "hdb/handle.hpp"
#include "hdb/load_change.hpp"
#include "hdb/record_traits.hpp"

namespace hdb {
struct FieldKeys;
struct TableSchema;
}  // namespace hdb

namespace hdb::detail::evolve {

class AlternativeMap;
class EnumMap;
struct SkippedField;

/// For each alternative of an older variant the present number, or -1 if it was removed.
using AlternativeOrder = std::vector<std::int16_t>;

/// A field as discovery saw it: the schema node and what only the program knows of it.
struct Described {
  Field field;                          ///< Its `children` stay empty; they are below.
  HandleKey handle_key;                 ///< `handle`: names the table.
  TypeKey type;                         ///< `enumeration`, `variant`: its C++ type.
  KeyRule key_rule = KeyRule::unknown;  ///< `list`, `map`.
  bool takes_version = false;           ///< `structure`: its code sees stored class versions.
  /// Declared old names; `structure`: of its fields, `enumeration`: of its values.
  std::vector<Rename> renames;
  std::vector<AlternativeOrder> old_alternatives;  ///< `variant`: declared old lists.
  std::vector<Described> children;
};

/// The kind of a node for a field of the program that the file lacks. Such a node has no columns.
inline constexpr FieldKind kMissing{};
/// The kind of a node for a place whose values have different forms: each value is one of the
/// children, whose number is in the node's column of tags. Only in plans of migrated records.
inline constexpr FieldKind kEither{0xff};

/// One node. An enumeration and its underlying integer are one node.
struct PlanNode {
  std::string name;
  std::uint32_t end = 0;     ///< Index after the last node of the subtree.
  std::uint32_t column = 0;  ///< The node's first column.
  FieldKind kind = FieldKind::structure;
  FieldKind leaf =
      FieldKind::structure;  ///< The kind of the stored number (enumeration: the underlying one).
  std::uint8_t width = 0;    ///< Bytes of one value; 0 when not of fixed width.
  bool utf8_checked = false;
  bool must_be_utf8 = false;  ///< Stored plans, `string`: the program alone demands UTF-8.
  KeyRule key_rule = KeyRule::unknown;  ///< `list`, `map`; set by add_program_side.
  bool versioned = false;
  /// `structure`: the program's code may read older class versions; set by add_program_side. Of a
  /// schema alone, it counts as true.
  bool takes_version = true;
  bool strong = false;
  bool takes_unnamed = false;  ///< An element, or a field without a name.
  HandleKey handle_key;        ///< `handle`: which handles it holds; set by add_program_side.
  HandleLayout layout;
  TypeKey type;  ///< `enumeration`, `variant`: the program's type; set by add_program_side, and in
                 ///< stored plans beside a map.
  bool must_be_read =
      false;  ///< Stored plans: the program saves this field too, so load must read it.
  bool is_strict = false;   ///< Stored plans, `structure`: load may read only its children.
  bool is_counted = false;  ///< Stored plans, `structure`: its values are counted for the report.
  bool has_any_version = false;  ///< Migrated records, `structure`: it has the program's version.
  bool is_made = false;  ///< Migrated records, a field with only a place: a migration set it.
  bool has_own_numbers = false;  ///< Migrated records, `variant`: its tags are the program's.
  /// Migrated records, `variant`: its alternatives as the file has them.
  std::shared_ptr<const Field> variant;
  std::uint32_t class_version = 0;
  std::int32_t unnamed_index = -1;  ///< k of a name "#k", else -1.
  std::uint64_t count = 0;          ///< `array`.
  std::string
      old_name;      ///< A stored field that was matched through a rename: what the file calls it.
  std::string path;  ///< "items[].name"
  std::string table;
  std::string type_name;  ///< What the schema calls the type of the values; or empty.
  std::vector<std::uint32_t> children;
  std::vector<Rename> renames;
  std::vector<AlternativeOrder> old_alternatives;  ///< `variant`: declared by the program.
  std::vector<Enumerator> enumerators;             ///< `enumeration`: its named values.
  /// Stored plans, `enumeration`: what becomes of its numbers; null: they stay the same.
  std::shared_ptr<const EnumMap> enum_map;
  /// Stored plans, `variant`: what becomes of its alternatives; null: they keep their numbers.
  std::shared_ptr<const AlternativeMap> alternatives;
  /// Stored plans: values that the program does not have are kept beside the records.
  bool keeps_unknown = false;

  /// Whether the user's code means this field by `text`. Only characters count, never where they
  /// are: names may be put together in one buffer after the other, so an address says nothing, not
  /// even an address that was compared before.
  [[nodiscard]] bool is_called(const char* text) const noexcept {
    const char* const own = name.data();
    const std::size_t size = name.size();
    for (std::size_t i = 0; i < size; ++i) {
      if (text[i] != own[i]) return false;  // also where `text` ends first
    }
    return text[size] == '\0';
  }
};

/// One column of a plan, in the order of columns_of.
struct PlanColumn {
  ColumnRole role = ColumnRole::values;
  std::uint32_t node = 0;
  unsigned width = 0;
  FieldKind leaf = FieldKind::u8;
};

struct Plan {
  std::vector<PlanNode> nodes;
  std::vector<PlanColumn> columns;
};

/// Compiles a schema.
[[nodiscard]] HDB_INSPECT_API Plan plan_of(const Field& root);
/// Compiles a schema, with the key rules of its lists and maps.
[[nodiscard]] HDB_INSPECT_API Plan plan_of(const Field& root, const std::vector<FieldKeys>& keys);
/// Compiles the records of a table, with what the program declares. `schema` must outlive the plan.
[[nodiscard]] HDB_INSPECT_API Plan plan_of(const TableSchema& schema);
/// Copies renames and keys of types from what was described into the plan of the same schema.
HDB_INSPECT_API void add_program_side(Plan& plan, const Described& root);
/// The schema alone.
[[nodiscard]] HDB_INSPECT_API Field field_of(const Described& root);

/// What a load counts at one stored node.
struct Tally {
  std::uint64_t values = 0;  ///< Converted numbers; of a structure: its values.
  std::uint64_t reshaped =
      0;                     ///< Values that an optional or a list took in; arrays of other sizes.
  std::uint64_t absent = 0;  ///< Optionals without a value, read as plain values.
  std::uint64_t renumbered = 0;  ///< Enumerators that have another number in the program.
  std::uint64_t merged = 0;      ///< Elements or entries that EqualKeys::merge dropped.
  std::uint64_t unknown = 0;     ///< Enumerators and alternatives that the program does not have.
  std::uint64_t kept = 0;        ///< Such that are kept.
  std::uint64_t cut = 0;         ///< Elements of lists that an array has no place for.
  std::uint64_t added = 0;       ///< Elements of arrays that lists did not have.

  Tally& operator+=(const Tally& other) noexcept {
    values += other.values;
    reshaped += other.reshaped;
    absent += other.absent;
    renumbered += other.renumbered;
    merged += other.merged;
    unknown += other.unknown;
    kept += other.kept;
    cut += other.cut;
    added += other.added;
    return *this;
  }
};

/// The field whose subtree begins at node `index`; table names are kept, traits of the program are
/// not.
[[nodiscard]] HDB_INSPECT_API Field field_of(const Plan& plan, std::uint32_t index);

}  // namespace hdb::detail::evolve
