// hdb::debug::show: a handle and its record as text, for a person at a debugger and for logs.
// Programs include it where they look for a mistake; hdb/hdb.hpp leaves it out.
#pragma once

#include <cstdint>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/tables/core_of.hpp"
#include "hdb/detail/core/tables/table_content.hpp"
#include "hdb/handle.hpp"

/// What a person sees of handles while a program is debugged.
///
/// Each text says table, slot and generation, whether the record is live, and what it holds:
///
///     monsters:0@2 live {name: "orc", hp: 100}
///     monsters:0@1 stale: the slot holds monsters:0@2
///
/// hdb finds the table of a handle among all databases of the process. It knows them in builds with
/// assertions (hdb/assert.hpp); elsewhere the texts say that it does not, and nothing is kept for
/// them. Tables that belong to no database are not among them.
///
/// A debugger calls the two functions that are not templates, which exist whenever the library
/// has assertions: `call hdb::debug::show("monsters", imp.bits_)` in gdb.
///
/// Each text is valid until the next call of the same thread. No call throws or ends the program;
/// when memory runs out, the text says that.
/// Requires: no thread changes the database, and none makes or destroys one. `serialize` of a
/// record may be called.
/// Complexity: linear in the tables and in the size of the record.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// assert(std::string(hdb::debug::show(imp)) == "monsters:0@1 live {name: \"imp\", hp: 100}");
/// monsters.erase(imp);
/// const auto orc = monsters.insert({.name = "orc"});
/// std::puts(hdb::debug::show("monsters", orc.bits()));  // a debugger can call this one
/// assert(std::string(hdb::debug::show(monsters, imp)) ==
///        "monsters:0@1 stale: the slot holds monsters:0@2");
/// @endcode
namespace hdb::debug {

/// The record of the table that handles with these bits name; every table of the name is shown, a
/// line each, if several databases have one. A component table takes the handles of its owner.
HDB_API const char* show(const char* table, std::uint64_t handle) noexcept;
/// The live records that a handle with these bits names, in any table, a line each: a handle
/// without its type may name several.
HDB_API const char* show(std::uint64_t handle) noexcept;

/// For the templates below: the table by the type of its handles.
HDB_API const char* show(HandleKey key, const HandleLayout& layout, std::uint64_t handle) noexcept;
/// The same by what is inside the table.
HDB_API const char* show(const detail::TableContent& table, std::uint64_t handle) noexcept;

/// The record that a handle names; AnyHandle too.
template <class T, class L>
const char* show(Handle<T, L> handle) noexcept {
  return show(handle_key<T, L>(), L::value, handle.bits());
}
template <class T, class L>
const char* show(Strong<T, L> handle) noexcept {
  return show(handle.handle());
}
/// The same in this table, which is one of a database.
template <class TableType>
const char* show(const TableType& table, typename TableType::HandleType handle) noexcept {
  return show(detail::core_of(table), handle.bits());
}

}  // namespace hdb::debug
