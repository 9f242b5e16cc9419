// Handles that name records of more than one table (AnyHandle). For games that mix record types in
// one list.
#pragma once

#include "hdb/handle.hpp"

namespace hdb {

/// The layout of handles that an AnyHandle can hold. The type id in the handle identifies the
/// table. Other layouts may have type ids too, but an AnyHandle cannot hold their handles.
using TypedLayout = Layout<32, 16, 15>;

/// A handle of record type `T` that carries its table's type id.
template <class T>
using TypedHandle = Handle<T, TypedLayout>;

struct AnyRecord;  // only a tag

/// A handle to a record of any table with TypedLayout, for queues, lists and fields that mix record
/// types. A record may have fields of this type. Database::find, edit, contains, erase and table_of
/// take it.
///
/// Source: the `handle_map` design: the type id in a handle selects one of several containers.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster, hdb::TypedLayout>("monsters");
/// auto& weapons = db.create_table<Weapon, hdb::TypedLayout>("weapons");
/// const auto imp = monsters.insert({.name = "imp"});
/// const auto claw = weapons.insert({.name = "claw"});
/// const std::vector<hdb::AnyHandle> list{hdb::any_handle(imp), hdb::any_handle(claw)};
/// assert(db.table_of(list[0]) == "monsters" && db.find<Monster>(list[0])->name == "imp");
/// assert(db.find<Monster>(list[1]) == nullptr);  // a weapon
/// @endcode
using AnyHandle = Handle<AnyRecord, TypedLayout>;

/// The same handle without its record type.
template <class T>
[[nodiscard]] constexpr AnyHandle any_handle(TypedHandle<T> handle) noexcept {
  return AnyHandle::from_bits(handle.bits());
}
/// The same handle with a record type. Any handle is safe: a table finds nothing under a handle
/// that another table issued.
template <class T>
[[nodiscard]] constexpr TypedHandle<T> handle_as(AnyHandle handle) noexcept {
  return TypedHandle<T>::from_bits(handle.bits());
}

}  // namespace hdb
