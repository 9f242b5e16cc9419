// Handles that know their table. For games that want to write `handle->field`.
#pragma once

#include "hdb/assert.hpp"
#include "hdb/table.hpp"

namespace hdb {

/// A handle together with a pointer to its table, so that `bound->field` works. Records cannot hold
/// it, because it contains a pointer: they hold the handle.
///
/// Requires: the table outlives it. `*` and `->` need a live record: with HandleCheck::checked,
/// every build ends the program with a message if the handle is null, stale or foreign. Test
/// `if (bound)` or call get() where the record may be gone.
/// Complexity: each access is one lookup, as checked as the table's HandleCheck says.
///
/// Source: Bilas, Game Programming Gems, 2000: the handle that dereferences through its manager.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// hdb::BoundHandle bound(monsters, monsters.insert({.name = "imp"}));
/// assert(bound->hp == 100);
/// @endcode
template <class TableType>
class BoundHandle {
 public:
  using HandleType = typename TableType::HandleType;
  using Record = typename TableType::RecordType;
  using OutsideRecords = void;  ///< Refused as a field of a record: use the handle there.

  /// Bound to no table; false, and get() returns null.
  BoundHandle() noexcept = default;
  BoundHandle(TableType& table, HandleType handle) noexcept : table_(&table), handle_(handle) {}
  /// Bound to the one table of its type. Requires: a TableBinding exists.
  explicit BoundHandle(HandleType handle) noexcept;

  [[nodiscard]] HandleType handle() const noexcept { return handle_; }
  /// Whether the handle names a live record.
  [[nodiscard]] explicit operator bool() const noexcept {
    return table_ != nullptr && table_->contains(handle_);
  }
  /// The record; null if the handle is null, stale or foreign.
  [[nodiscard]] const Record* get() const noexcept {
    return *this ? table_->find(handle_) : nullptr;
  }
  const Record* operator->() const noexcept { return &**this; }
  const Record& operator*() const noexcept {
    HDB_REQUIRE(table_ != nullptr, "BoundHandle: the handle is not bound to a table");
    return (*table_)[handle_];
  }
  /// The record, for writing; valid as long as a pointer from Table::edit.
  /// Requires: the handle names a live record. Every build ends the program with a message if not.
  [[nodiscard]] Record* edit() const {
    HDB_REQUIRE(*this, "BoundHandle::edit: the handle is null, stale or foreign");
    return table_->edit(handle_);
  }
  friend bool operator==(const BoundHandle&, const BoundHandle&) noexcept = default;

 private:
  TableType* table_ = nullptr;
  HandleType handle_;
};

/// Makes a table the one of its C++ type while the binding exists, as in engines where each type
/// has one manager.
///
/// Requires: at most one binding of a table type exists at a time; every build ends the program
/// with a message at a second one. No other thread calls table() while a binding is made or
/// destroyed.
/// Source: Bilas' handle managers, which are singletons.
template <class TableType>
class TableBinding {
 public:
  /// Binds `table`. Requires: no other table of this type is bound.
  explicit TableBinding(TableType& table) {
    HDB_REQUIRE(current_ == nullptr, "TableBinding: another table is already bound for this type");
    current_ = &table;
  }
  ~TableBinding() { current_ = nullptr; }
  TableBinding(const TableBinding&) = delete;
  TableBinding& operator=(const TableBinding&) = delete;

  /// The bound table. Requires: a binding exists. Every build ends the program with a message if
  /// not.
  [[nodiscard]] static TableType& table() noexcept {
    HDB_REQUIRE(current_ != nullptr, "TableBinding: no table is bound for this type");
    return *current_;
  }

 private:
  static inline TableType* current_ = nullptr;
};

template <class TableType>
BoundHandle<TableType>::BoundHandle(HandleType handle) noexcept
    : BoundHandle(TableBinding<TableType>::table(), handle) {}

}  // namespace hdb
