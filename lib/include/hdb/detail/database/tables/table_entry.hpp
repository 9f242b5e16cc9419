// One table of a database without its type.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "hdb/detail/base/type_key.hpp"
#include "hdb/detail/core/blobs/blob_core.hpp"
#include "hdb/detail/database/tables/issued_handles.hpp"
#include "hdb/detail/record/codec.hpp"

namespace hdb {
class KeptRows;
}

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
  HandleKey key;  ///< handle_key of the table's handles.
  TypeKey record_type;
  TypeKey table_type;  ///< Of the Table<...>.
  TypeKey face_type;
  bool is_singleton = false;
  /// The schema made last, kept because making one costs more than capturing a small table; null at
  /// first.
  std::shared_ptr<const BoundSchema> schema = {};
  /// What the last load kept of the table's records; or null.
  std::shared_ptr<const KeptRows> kept = {};
  std::uint64_t kept_resets = 0;  ///< TableCore::resets when `kept` was set.

  [[nodiscard]] TableCore& core() const noexcept { return body->core(); }
  [[nodiscard]] Scope scope() const noexcept { return core().options().scope; }
  /// Whether captures and restores have to do with the table.
  [[nodiscard]] bool is_captured() const noexcept { return scope() != Scope::uncaptured; }
  /// The space of its handles, with this type id where they carry one.
  [[nodiscard]] HandleSpace handle_space(std::uint16_t type_id) const noexcept {
    const bool is_typed = core().policy().layout.type_bits != 0;
    return is_typed ? HandleSpace{{}, type_id} : HandleSpace{key, 0};
  }
  [[nodiscard]] HandleSpace handle_space() const noexcept {
    return handle_space(core().options().type_id);
  }
  void keep(std::shared_ptr<const KeptRows> rows) noexcept {
    kept = std::move(rows);
    kept_resets = core().resets();
  }
  /// Whether saves and loads have to do with the table.
  [[nodiscard]] bool is_saved() const noexcept { return scope() < Scope::unsaved; }
};

}  // namespace hdb::detail
