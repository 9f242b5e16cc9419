// Which databases exist, for debuggers: a handle does not know its table.
#pragma once

#include "hdb/assert.hpp"
#include "hdb/detail/database/tables/table_list.hpp"

namespace hdb::detail {

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
/// To be called when a database begins. Errors: throws std::bad_alloc. Any thread may call it.
void note_database(const TableList& tables);
/// To be called when a database ends. Any thread may call it.
void forget_database(const TableList& tables) noexcept;
#else
inline void note_database(const TableList&) {}
inline void forget_database(const TableList&) noexcept {}
#endif

}  // namespace hdb::detail
