// A database whose tables have handles of many layouts, for a golden file.
#pragma once

#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

/// Tables with handles of 16, 32 and 64 bits, with and without type ids, one of which has slots
/// that retire after one tenant; and records that hold handles of all of them: live, stale, null
/// and of no table.
void fill_layouts(Database& db);

}  // namespace hdb::test
