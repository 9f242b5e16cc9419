// Handles that name records of more than one table: AnyHandle, and handles bound to their table.
#pragma once

#include <utility>

#include "hdb/assert.hpp"
#include "hdb/handle.hpp"
#include "hdb/table.hpp"

namespace hdb {

/// The layout of handles that find their table by the type id in them. Other layouts may have type
/// ids, too: these tell tables of one record type apart, and AnyHandle does not hold their handles.
using TypedLayout = Layout<32, 16, 15>;

/// A handle that carries its table's type id.
template <class T>
using TypedHandle = Handle<T, TypedLayout>;

struct AnyRecord;  // only a tag

/// A handle of any table with TypedLayout: for queues, lists and fields that mix record types. A
/// normal field type of records. Database::find, contains and erase take it.
///
/// Source: the type id in the handles of the `handle_map` design, with which an array of containers
/// is indexed.
using AnyHandle = Handle<AnyRecord, TypedLayout>;

/// Forgets the type.
template <class T>
[[nodiscard]] constexpr AnyHandle any_handle(TypedHandle<T> handle) noexcept {
  return AnyHandle::from_bits(handle.bits());
}
/// Tells the type; total: a table of that type finds nothing under a handle that another table
/// issued.
template <class T>
[[nodiscard]] constexpr TypedHandle<T> handle_as(AnyHandle handle) noexcept {
  return TypedHandle<T>::from_bits(handle.bits());
}

/// A handle together with its table. Not for records (it is a pointer): a record holds the handle
/// alone.
///
/// Every access is a lookup of the table's access policy; under Access::checked a stale handle ends
/// the program with a message, so ask first (`if (bound)`) where it may be. Costs one pointer more
/// than a handle.
///
/// Source: Bilas, Game Programming Gems, 2000: the handle that dereferences through its manager.
template <class TableType>
class BoundHandle {
 public:
  using HandleType = typename TableType::HandleType;
  using Record = typename TableType::RecordType;
  using OutsideRecords = void;  ///< A record holds the handle.

  BoundHandle() noexcept = default;
  BoundHandle(TableType& table, HandleType handle) noexcept : table_(&table), handle_(handle) {}

  [[nodiscard]] HandleType handle() const noexcept { return handle_; }
  /// Whether the record is there.
  [[nodiscard]] explicit operator bool() const noexcept {
    return table_ != nullptr && table_->contains(handle_);
  }
  /// The record; null when it is gone.
  [[nodiscard]] const Record* get() const noexcept {
    return *this ? table_->find(handle_) : nullptr;
  }
  const Record* operator->() const noexcept { return &**this; }
  const Record& operator*() const noexcept {
    HDB_REQUIRE(table_ != nullptr, "BoundHandle: the handle is not bound to a table");
    return (*table_)[handle_];
  }
  /// The record for writing; good as a pointer from Table::edit is.
  [[nodiscard]] Record* edit() const {
    HDB_REQUIRE(*this, "BoundHandle::edit: the handle is null, stale or foreign");
    return table_->edit(handle_);
  }
  friend bool operator==(const BoundHandle&, const BoundHandle&) noexcept = default;

 private:
  TableType* table_ = nullptr;
  HandleType handle_;
};

/// Makes a table the one for its type for as long as it lives: GlobalHandle then needs no table.
/// One at a time; all on one thread, or none while several read.
///
/// Source: Bilas' handle managers as singletons.
template <class TableType>
class TableBinding {
 public:
  explicit TableBinding(TableType& table) {
    HDB_REQUIRE(current_ == nullptr, "TableBinding: another table is already bound for this type");
    current_ = &table;
  }
  ~TableBinding() { current_ = nullptr; }
  TableBinding(const TableBinding&) = delete;
  TableBinding& operator=(const TableBinding&) = delete;

  /// The bound table; ends the program with a message when there is none.
  [[nodiscard]] static TableType& table() noexcept {
    HDB_REQUIRE(current_ != nullptr, "TableBinding: no table is bound for this type");
    return *current_;
  }

 private:
  static inline TableType* current_ = nullptr;
};

/// A handle to the table that is bound for its type; as large as a handle. Access as BoundHandle,
/// and one load more.
template <class TableType>
class GlobalHandle {
 public:
  using HandleType = typename TableType::HandleType;
  using Record = typename TableType::RecordType;
  using OutsideRecords = void;  ///< A record holds the handle.

  GlobalHandle() noexcept = default;
  GlobalHandle(HandleType handle) noexcept  // NOLINT(google-explicit-constructor): it is its handle
      : handle_(handle) {}

  [[nodiscard]] HandleType handle() const noexcept { return handle_; }
  [[nodiscard]] explicit operator bool() const noexcept { return bool(bound()); }
  [[nodiscard]] const Record* get() const noexcept { return bound().get(); }
  const Record* operator->() const noexcept { return &*bound(); }
  const Record& operator*() const noexcept { return *bound(); }
  [[nodiscard]] Record* edit() const { return bound().edit(); }
  friend bool operator==(const GlobalHandle&, const GlobalHandle&) noexcept = default;

 private:
  [[nodiscard]] BoundHandle<TableType> bound() const noexcept {
    return {TableBinding<TableType>::table(), handle_};
  }
  HandleType handle_;
};

}  // namespace hdb
