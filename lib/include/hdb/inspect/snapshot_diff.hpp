// The differences between two captured states, by handle and field. For games that look for the
// cause of a divergence; needs the target hdb::hdb.
#pragma once

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/inspect/diff.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {

/// Compares two captured states. Records are equal if all fields are equal; floats are compared by
/// their bits unless a tolerance allows more, and padding is ignored. All captured tables are
/// compared, also tables that are not saved or hashed. An empty snapshot has no tables.
///
/// Errors: a record's `serialize` fails; not_found or type_mismatch if DiffOptions::where fits no
/// table.
/// Complexity: for snapshots of one database, linear in the pages and in the records of pages that
/// the snapshots do not share; for blob tables and for snapshots of different databases, linear in
/// all records.
///
/// Example:
/// @code
/// hdb::Database db;
/// auto& monsters = db.create_table<Monster>("monsters");
/// const auto imp = monsters.insert({.name = "imp"});
/// const hdb::Snapshot before = db.capture();
/// monsters.edit(imp)->hp = 60;
/// const auto difference = hdb::diff(before, db.capture());
/// assert(difference && difference->differs());
/// assert(difference->first() == "monsters:0@1.hp: 100 -> 60");
/// @endcode
[[nodiscard]] HDB_API Result<StateDiff> diff(const Snapshot& a, const Snapshot& b,
                                             const DiffOptions& options = {});

}  // namespace hdb
