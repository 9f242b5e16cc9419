// A database that uses all kinds of tables, for a golden file.
#pragma once

#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

/// Named and shared records, blobs in two buffers, handles of any table, an id of a table that is
/// gone, a flush and a sort that are not finished. Kept alive by its owner: the tables hold on to
/// the database.
void fill_resources(Database& db);

}  // namespace hdb::test
