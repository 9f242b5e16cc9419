// An old save as a program of other schemas would load it, without the program. For tests of a
// game's build and for tools (`hdbinspect convert --schema`, `hdbinspect compat`); needs the target
// hdb::hdb.
#pragma once

#include <memory>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/table_schema.hpp"
#include "hdb/load.hpp"
#include "hdb/snapshot.hpp"

namespace hdb {

/// What load_as returns.
struct LoadedAs {
  Snapshot snapshot;  ///< The state after the load.
  LoadReport report;
};

/// Loads an open file into a database whose tables have these schemas. The schemas come from a
/// document (Database::schema_json) or from another file. Database::load does the work, so a
/// program with these tables would get the same result and the same report. `options.limits` bounds
/// the memory of the load; the limits of the reader apply to the file.
///
/// A schema does not describe code, so three things do not happen: serialize() does not run for
/// older class versions (fields are matched by name), migrations do not run, and containers do not
/// use a comparison of the program. New fields and the records of new singletons are zero or empty
/// instead of having the program's defaults. If keys of a map or elements of a set are converted,
/// they get the order of std::map and std::set; those of a container with a comparison of the
/// program, and of a multiset, keep the order of the file.
///
/// Errors: the errors of Database::load; bad_schema_document if a database cannot have tables with
/// these schemas; memory_budget also if the buffers of their blob tables exceed `limits`.
/// Complexity: as Database::load; each record takes its row bytes and 32 bytes more.
///
/// Example:
/// @code
/// hdb::Database db;
/// db.create_table<Monster>("monsters").insert({.name = "imp"});
/// if (!hdb::save(db.capture(), "slot4.hdb")) return;
/// hdb::TableSchema monsters;  // of a newer program
/// monsters.table.name = "monsters";
/// monsters.record.children.resize(1);
/// monsters.record.children[0].kind = hdb::FieldKind::string;
/// monsters.record.children[0].name = "name";
/// auto file = hdb::Reader::open(hdb::FileSource::open("slot4.hdb").value()).value();
/// const auto loaded = hdb::load_as(std::move(file), {monsters});
/// if (!loaded) return;  // loaded.error().message() says why
/// assert(loaded->snapshot.live_count() == 1 && loaded->report.tables.size() == 1);
/// @endcode
[[nodiscard]] HDB_API Result<LoadedAs> load_as(const std::shared_ptr<const Reader>& file,
                                               const std::vector<TableSchema>& tables,
                                               const LoadOptions& options = {});

}  // namespace hdb
