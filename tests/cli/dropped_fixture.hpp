// Databases with what the file has beside records: what dropped tables issued, and names of types.
#pragma once

#include "hdb/hdb.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

/// Tables of each kind were dropped: hashed and not, with type ids, in the second half of their
/// generations.
void fill_dropped(Database& db);
/// More of them were.
void play_dropped(Database& db);

/// A load left out tables of which the program knows only the names.
void pass_tables(Database& db);

/// Variants and tuples whose types have names, and look alike.
void fill_type_names(Database& db);

}  // namespace hdb::test
