// An old save as a program of other schemas would load it, without the program. For tests of a
// game's build and for tools (`hdbinspect convert --schema`); needs the target hdb::hdb.
#pragma once

#include <memory>
#include <vector>

#include "hdb/error.hpp"
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

/// Loads an open file into a database whose tables have these schemas, those of a document
/// (Database::schema_json) or of another file. The load is that of Database::load, so its verdict
/// and its report are those of a program with these tables. Of `options`, `limits` bounds only the
/// memory of the load.
///
/// What only a program knows is left out: code of `serialize` for older class versions (fields are
/// matched by name), declared migrations, and comparisons of containers. New fields and records of
/// new singletons are zero or empty instead of a program's defaults.
///
/// Errors: those of Database::load; bad_schema_document if the schemas cannot be tables of one
/// database; memory_budget, also if the buffers of their blob tables exceed `limits`.
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
[[nodiscard]] Result<LoadedAs> load_as(const std::shared_ptr<const Reader>& file,
                                       const std::vector<TableSchema>& tables,
                                       const LoadOptions& options = {});

}  // namespace hdb
