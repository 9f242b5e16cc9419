// Handles of any record type: the type id in them finds their table at run time.
#pragma once

#include "hdb/handle.hpp"

namespace hdb {

/// The layout of handles that find their table by the type id in them. Other layouts may have type ids, too: these tell
/// tables of one record type apart, and AnyHandle does not hold their handles.
using TypedLayout = Layout<32, 16, 15>;

/// A handle that carries its table's type id.
template <class T>
using TypedHandle = Handle<T, TypedLayout>;

struct AnyRecord;  // only a tag

/// A handle of any table with TypedLayout: for queues, lists and fields that mix record types. A normal field
/// type of records. Database::find, contains and erase take it.
///
/// Source: the type id in the handles of the `handle_map` design, with which an array of containers is indexed.
using AnyHandle = Handle<AnyRecord, TypedLayout>;

/// Forgets the type.
template <class T>
[[nodiscard]] constexpr AnyHandle any_handle(TypedHandle<T> handle) noexcept {
  return AnyHandle::from_bits(handle.bits());
}
/// Tells the type; total: a table of that type finds nothing under a handle that another table issued.
template <class T>
[[nodiscard]] constexpr TypedHandle<T> handle_as(AnyHandle handle) noexcept {
  return TypedHandle<T>::from_bits(handle.bits());
}

}  // namespace hdb
