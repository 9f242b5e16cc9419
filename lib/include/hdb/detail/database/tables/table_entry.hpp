// One table of a database without its type.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/type_key.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/database/tables/table_kinds.hpp"
#include "hdb/field.hpp"
#include "hdb/table_options.hpp"

namespace hdb {
class KeptRows;
struct HandleSpace;
}  // namespace hdb

namespace hdb::detail {

class ErasedSlots;
class RefCounts;

struct BoundSchema;

/// One table of a database, without its type.
struct TableEntry {
  std::string name;
  TableContent* content = nullptr;  ///< Inside `table`.
  std::shared_ptr<void> table;      ///< The Table<...> or BlobTable<...>.
  std::shared_ptr<void> wrapper;    ///< The Singleton<...> or ResourceTable<...> over it, if any.
  const RefCounts* references =
      nullptr;  ///< Of a resource table: those from outside; lives as long as `wrapper`.
  std::shared_ptr<const RecordCodec> codec;
  /// Component tables: the table whose records have the components. Never dropped before them.
  std::shared_ptr<TableEntry> owner;
  HandleKey
      key;  ///< handle_key of the table's handles; null in component tables, which issue none.
  std::string type_name;  ///< Of those handles (TableKind).
  RecordType record_type;
  TableTemplate made_from =
      TableTemplate::checked;  ///< With the two types above: which type `table` has.
  TypeKey wrapper_type;
  bool is_singleton = false;
  /// The schema made last, kept because making one costs more than capturing a small table; null at
  /// first.
  std::shared_ptr<const BoundSchema> schema = {};
  /// What the last load kept of the table's records; or null.
  std::shared_ptr<const KeptRows> kept = {};
  /// The records that were erased since that load and before the last capture; null: none. What the
  /// load kept went with them.
  std::shared_ptr<const ErasedSlots> erased = {};
  /// Tables made at run time: the handle fields that name a table, each under its path. Those of
  /// C++ types are bound to tables by their type, which has the layout.
  std::vector<Field> handles = {};

  [[nodiscard]] TableCore& core() const noexcept { return content->core(); }
  /// Whether the records have this type. Ends the program if another module defines it otherwise.
  [[nodiscard]] bool has_records_of(const RecordType& type) const noexcept {
    if (record_type.key != type.key) return false;
    if (record_type.layout != type.layout) [[unlikely]]
      end_for_other_layout();
    return true;
  }
  [[noreturn]] HDB_API void end_for_other_layout() const noexcept;
  [[nodiscard]] bool is_component() const noexcept { return core().policy().is_component; }
  /// The type id that the table issues; 0 in component tables and where handles carry none.
  [[nodiscard]] std::uint16_t type_id() const noexcept {
    return is_component() ? std::uint16_t{0} : core().options().type_id;
  }
  [[nodiscard]] Scope scope() const noexcept { return core().options().scope; }
  /// Whether captures and restores have to do with the table.
  [[nodiscard]] bool is_captured() const noexcept { return scope() != Scope::uncaptured; }
  /// The space of its handles, with this type id where they carry one. Requires: no component
  /// table.
  [[nodiscard]] HDB_API HandleSpace handle_space(std::uint16_t type_id) const;
  [[nodiscard]] HDB_API HandleSpace handle_space() const;
  /// Sets what is kept of the records that the table now has.
  HDB_API void keep(std::shared_ptr<const KeptRows> rows,
                    std::shared_ptr<const ErasedSlots> of_erased) noexcept;
  /// Whether saves and loads have to do with the table.
  [[nodiscard]] bool is_saved() const noexcept { return scope() < Scope::unsaved; }
};

}  // namespace hdb::detail
