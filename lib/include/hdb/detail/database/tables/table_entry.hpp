// One table of a database without its type.
#pragma once

#include <memory>
#include <string>

#include "hdb/detail/base/type_key.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"
#include "hdb/detail/database/tables/issued_handles.hpp"
#include "hdb/detail/record/codec.hpp"

namespace hdb::detail {

class RefCounts;

struct BoundSchema;

/// One table of a database, without its type.
struct TableEntry {
  std::string name;
  TableBody* body = nullptr;    ///< Inside `table`.
  std::shared_ptr<void> table;  ///< The Table<...> or BlobTable<...>.
  std::shared_ptr<void> face;   ///< The Singleton<...> or ResourceTable<...> over it, if any.
  const RefCounts* references =
      nullptr;  ///< Of a resource table: those from outside; lives as long as `face`.
  std::shared_ptr<const RecordCodec> codec;
  /// Component tables: the table whose records have the components. Never dropped before them.
  std::shared_ptr<TableEntry> owner;
  HandleKey
      key;  ///< handle_key of the table's handles; null in component tables, which issue none.
  TypeKey record_type;
  TypeKey table_type;  ///< Of the Table<...>.
  TypeKey face_type;
  bool is_singleton = false;
  /// The schema made last, kept because making one costs more than capturing a small table; null at
  /// first.
  std::shared_ptr<const BoundSchema> schema = {};

  [[nodiscard]] TableCore& core() const noexcept { return body->core(); }
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
  [[nodiscard]] HandleSpace handle_space(std::uint16_t type_id) const noexcept {
    const bool is_typed = core().policy().layout.type_bits != 0;
    return is_typed ? HandleSpace{{}, type_id} : HandleSpace{key, 0};
  }
  [[nodiscard]] HandleSpace handle_space() const noexcept {
    return handle_space(core().options().type_id);
  }
  /// Whether saves and loads have to do with the table.
  [[nodiscard]] bool is_saved() const noexcept { return scope() < Scope::unsaved; }
};

}  // namespace hdb::detail
