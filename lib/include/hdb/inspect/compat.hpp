// Whether a program whose tables have new schemas loads the saves of a program with old schemas.
// For tests of a game's build (`hdbinspect compat`, the CMake function hdb_check_schema) and for
// editors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/table_schema.hpp"

namespace hdb {

/// What Database::load does with an old save; each value is worse than the one before.
enum class Compatibility : std::uint8_t {
  identical,     ///< The schemas are equal.
  readable,      ///< The save loads, and all of its values reach the program.
  loss,          ///< The save loads, but the program drops some of its values.
  incompatible,  ///< The load fails, or it fails for some values.
};

/// A difference that a load handles in its own way.
enum class CompatRule : std::uint8_t {
  field_added,       ///< The field keeps its default.
  field_removed,     ///< The stored values are dropped.
  field_migrated,    ///< As field_removed, but the structure has another class version.
  field_renamed,     ///< The program declares the old name (hdb::Renames).
  fields_reordered,  ///< Fields are matched by name.
  /// Fields without names are matched by their position: whether they still mean the same, no
  /// schema can show. Schemas with such fields count as identical.
  fields_by_position,
  value_wrapped,           ///< Each value becomes an optional, or a list of one.
  optional_unwrapped,      ///< The value of an optional; where it has none, the default stays.
  array_extended,          ///< The new elements keep their defaults.
  array_shortened,         ///< The last stored elements are dropped.
  list_to_array,           ///< As array_extended or array_shortened, by the length of each list.
  number_widened,          ///< Every value fits.
  number_narrowed,         ///< Values that do not fit are refused.
  enumerators_renumbered,  ///< Values of an enum follow their names to other numbers.
  enumerators_renamed,     ///< The program declares the old names (hdb::Renames of the enum).
  /// The program names numbers that the old side does not name: values of these numbers, which had
  /// no name, are refused. A file with them is incompatible.
  enumerators_added,
  enumerators_removed,   ///< Values of these names are refused.
  alternatives_moved,    ///< Alternatives have other numbers, and are found by their schemas.
  alternatives_added,    ///< The variant has alternatives that the file does not have.
  alternatives_removed,  ///< Values of the removed alternatives are refused.
  /// The schemas do not show which alternative is which (hdb::OldAlternatives).
  alternatives_ambiguous,
  text_checked,           ///< Texts that are not UTF-8 are refused.
  keys_distinct,          ///< A list or map with elements or keys that are equal now is refused.
  class_version_raised,   ///< serialize() reads the old version.
  class_version_lowered,  ///< serialize() reads a version newer than it knows.
  description_changed,    ///< A mark of a field changed; its values stay the same.
  kind_changed,           ///< The field is of another kind.
  handle_layout,          ///< The handles have other bit widths than those of their table.
  handle_translated,      ///< The handles get the layout that their table has now.
  any_handle_left,        ///< AnyHandle fields may name a table that lost its TypedLayout.
  handle_table,           ///< The handles refer to another table.
  no_common_field,        ///< The old and the new record have no field in common.
  table_added,            ///< The table is empty after the load.
  table_removed,          ///< The stored records are dropped.
  table_renamed,          ///< The program declares the old name (Database::declare_table_rename).
  table_names_clash,      ///< By the declarations, two stored tables are one table now.
  table_layout,           ///< The handles of the table have other bit widths, and all fit.
  table_layout_narrowed,  ///< Files with handles that do not fit are refused.
  table_storage,          ///< Dense became stable, or the reverse.
  table_free_list,        ///< LIFO, FIFO or lowest became another one.
  table_generations,      ///< Generations per slot became a table counter, or the reverse.
  table_overflow,         ///< Generations wrap now, or slots retire now.
  table_generations_used_up,  ///< No generation is left that old handles cannot have.
  table_names,                ///< Records can have names now, or names differ also in their case.
  table_names_merged,         ///< Files with names that differ only in their case are refused.
  table_names_removed,        ///< The names are dropped.
  table_removal,              ///< Components leave holes now, or no longer do.
  table_component,            ///< The table has components of another table now, or holes.
  table_blobs,                ///< The blob options changed.
  table_singleton,            ///< The table became a singleton, or no longer is one.
  table_limit,                ///< The table holds fewer records (`max_records`).
  table_hashed,               ///< The state hash covers the table now, or no longer does.
  no_common_table,            ///< The two sides have no table in common.
  load_refused,  ///< A load of the save was tried (hdb/inspect/load_as.hpp) and failed.
};

/// One difference between an old and a new schema.
struct CompatFinding {
  CompatRule rule = CompatRule::description_changed;
  Compatibility effect = Compatibility::readable;
  /// Whether the load is refused only for some values of a save. `effect` is then incompatible.
  bool depends_on_values = false;
  std::string field;              ///< "pos.x", "items[].name"; empty: the table as a whole.
  std::string what;               ///< "the file's handles refer to table 'a', ..."
  std::optional<ErrorCode> code;  ///< If incompatible: the error of the load.
};

/// The findings of one table.
struct TableCompat {
  std::string name;  ///< Name of the table; the new one if both sides have it.
  Compatibility verdict = Compatibility::identical;  ///< The worst effect of the findings.
  std::vector<CompatFinding> findings;
  std::string old_name = {};  ///< Name of the table in the file, if both sides have it.
};

/// The result of compare_schemas.
struct CompatReport {
  Compatibility verdict = Compatibility::identical;  ///< The worst of all.
  std::vector<TableCompat> tables;      ///< Tables of both sides, in ascending order of names.
  std::vector<CompatFinding> findings;  ///< Findings about no single table.

  /// Computes the verdicts again, after findings or their effects changed.
  HDB_INSPECT_API void update_verdicts();
};

/// Compares the schemas of two programs, or of a file and a program: would a program with
/// `new_tables` load a file with `old_tables`? The rules are those of Database::load with its
/// default options: both use the same functions.
///
/// Limits: serialize() of another class version, and conversions inside of opaque values, are known
/// to the program only.
/// Complexity: linear in the fields, except that the fields of one structure are searched by name.
///
/// Example:
/// @code
/// hdb::Field hp;
/// hp.kind = hdb::FieldKind::i32;
/// hp.name = "hp";
/// hdb::TableSchema old_monsters;
/// old_monsters.table.name = "monsters";
/// old_monsters.record.children = {hp};
/// hdb::TableSchema monsters = old_monsters;
/// monsters.record.children[0].kind = hdb::FieldKind::i64;
/// const auto report = hdb::compare_schemas({old_monsters}, {monsters});
/// assert(report.verdict == hdb::Compatibility::readable);
/// assert(report.tables[0].findings[0].rule == hdb::CompatRule::number_widened);
/// @endcode
[[nodiscard]] HDB_INSPECT_API CompatReport compare_schemas(
    const std::vector<TableSchema>& old_tables, const std::vector<TableSchema>& new_tables);

/// "identical", "readable", "readable with loss", "incompatible".
[[nodiscard]] HDB_INSPECT_API std::string_view compatibility_name(Compatibility value) noexcept;
/// The name of a rule: "field_added".
[[nodiscard]] HDB_INSPECT_API std::string_view compat_rule_name(CompatRule rule) noexcept;
/// What the programmer of the new schema can do; empty for rules that are readable.
[[nodiscard]] HDB_INSPECT_API std::string_view compat_next_step(CompatRule rule) noexcept;
/// All rules.
[[nodiscard]] HDB_INSPECT_API const std::vector<CompatRule>& all_compat_rules();
/// What a load does with a difference of this kind.
[[nodiscard]] HDB_INSPECT_API Compatibility effect_of(CompatRule rule) noexcept;
/// Whether the load refuses a difference of this kind only for some values.
[[nodiscard]] HDB_INSPECT_API bool depends_on_values(CompatRule rule) noexcept;

}  // namespace hdb
