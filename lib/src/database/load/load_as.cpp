// Loads a file into a database whose record types exist only as schemas.
#include "hdb/inspect/load_as.hpp"

#include <utility>

#include "database/load/load_file.hpp"
#include "database/tables/quoted.hpp"
#include "database/tables/runtime_tables.hpp"
#include "hdb/database.hpp"

namespace hdb {
namespace {

Status create_table(Database& database, const TableSchema& schema) {
  TableEntry* owner = nullptr;
  if (schema.table.policy.is_component) {
    owner = RuntimeTables::find(database, schema.table.owner);
    if (owner == nullptr) {
      return fail(ErrorCode::bad_schema_document,
                  "its owner, " + quoted(schema.table.owner) + ", is not among the tables",
                  "component " + quoted(schema.table.name));
    }
  }
  record::RuntimeType type;
  type.root = schema.record;
  type.declared = std::make_shared<const TableSchema>(schema);
  auto records = record::RuntimeRecords::discover(std::move(type));
  if (!records) return fail(std::move(records.error()).in(quoted(schema.table.name)));
  RuntimeTableOptions options = options_as(schema.table, owner);
  options.table.max_records = schema.max_records;
  auto made = RuntimeTables::create(database, schema.table.name, options, *records);
  if (!made) return fail(std::move(made.error()));
  for (const std::string& old_name : schema.old_names) {
    const Rename rename{old_name.c_str(), schema.table.name.c_str()};
    if (auto declared = database.try_declare_table_rename(rename); !declared) return declared;
  }
  return {};
}

// Blob tables take their whole buffers when they are made.
Status check_buffers(const std::vector<TableSchema>& tables, const ReadLimits& limits) {
  std::uint64_t left = limits.max_memory_bytes;
  for (const TableSchema& schema : tables) {
    const std::uint64_t bytes = schema.table.blobs ? schema.table.blobs->capacity_bytes : 0;
    if (bytes > left) {
      return fail(ErrorCode::memory_budget,
                  "the buffers of the blob tables exceed the memory of the load "
                  "(ReadLimits::max_memory_bytes)",
                  quoted(schema.table.name));
    }
    left -= bytes;
  }
  return {};
}

// A fault of the schemas, not of the file.
Error of_schemas(Error error) {
  if (error.code != ErrorCode::memory_budget) error.code = ErrorCode::bad_schema_document;
  return error;
}

}  // namespace

Result<LoadedAs> load_as(const std::shared_ptr<const Reader>& file,
                         const std::vector<TableSchema>& tables, const LoadOptions& options) {
  if (auto checked = check_buffers(tables, options.limits); !checked)
    return fail(std::move(checked.error()));
  Database database;
  for (const bool components : {false, true}) {  // owners first
    for (const TableSchema& schema : tables) {
      if (schema.table.policy.is_component != components) continue;
      if (auto created = create_table(database, schema); !created)
        return fail(of_schemas(std::move(created.error())));
    }
  }
  auto report = load_file(database, file, options);
  if (!report) return fail(std::move(report.error()));
  return LoadedAs{database.capture(), *std::move(report)};
}

}  // namespace hdb
