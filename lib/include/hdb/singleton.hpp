// Singleton: a table of exactly one record, for example a clock, a random generator or settings.
#pragma once

#include <cstdint>

#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/detail/core/tables/table_iteration.hpp"
#include "hdb/table.hpp"

namespace hdb {

/// Access to the record of a singleton table; see Database::singleton. Copies are cheap and refer
/// to the same record. A Singleton is valid as long as its table is in the database.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& boss = db.singleton<Monster>("boss");
/// const hdb::Snapshot before = db.capture();
/// boss.edit().hp -= 30;
/// assert(boss->hp == 70);
/// assert(db.restore(before) && boss->hp == 100);
/// @endcode
template <class T>
class Singleton {
 public:
  /// Requires: `table` has exactly one record.
  explicit Singleton(Table<T>& table) : table_(&table) {}
  /// The record. The reference is valid until the next edit, capture, restore or load.
  [[nodiscard]] const T& get() const noexcept {
    return *reinterpret_cast<const T*>(detail::core_of(*table_).record_at(place()));
  }
  [[nodiscard]] const T& operator*() const noexcept { return get(); }
  [[nodiscard]] const T* operator->() const noexcept { return &get(); }
  /// The record, for writing. The reference is valid until the next capture, restore or load.
  [[nodiscard]] T& edit() {
    return *reinterpret_cast<T*>(detail::core_of(*table_).edit_at(place()));
  }

 private:
  [[nodiscard]] std::uint32_t place() const noexcept {
    const detail::TableCore& core = detail::core_of(*table_);
    return static_cast<std::uint32_t>(detail::first_run(core, 0, core.end_place()).place);
  }

  Table<T>* table_;
};

}  // namespace hdb
