// Makes tables of records of a type that exists only at run time.
#include "database/tables/runtime_tables.hpp"

#include <utility>
#include <vector>

namespace hdb {
namespace {

/// The handle fields of a record that name a table, each under its path.
std::vector<Field> handles_of(const Field& root) {
  std::vector<Field> handles;
  for (const Column& column : columns_of(root)) {
    if (column.kind != FieldKind::handle || column.field->table.empty()) continue;
    handles.push_back(*column.field);
    handles.back().name = column.path;
  }
  return handles;
}

/// What `make` gets in place of the options of a C++ table.
struct Source {
  const RuntimeTableOptions* options;
  RecordOps ops;
};

TableCore* make_core(const Source& source, const std::shared_ptr<PagePool>& pool) {
  const RuntimeTableOptions& options = *source.options;
  if (options.owner == nullptr)
    return new TableCore(pool, options.layout, options.table, source.ops);
  const ComponentOptions components{options.table.storage, options.removal, options.table.scope,
                                    options.table.page_bytes, options.table.max_records};
  return new TableCore(options.owner->core(), pool, components, source.ops);
}

}  // namespace

Result<std::shared_ptr<TableEntry>> RuntimeTables::create(
    Database& database, std::string_view name, const RuntimeTableOptions& wanted,
    const std::shared_ptr<const record::Discovery>& records) {
  RuntimeTableOptions options = wanted;
  if (options.owner != nullptr) options.layout = options.owner->core().policy().layout;
  const Database::KnownCodec codec{std::make_shared<const RecordCodec>(records)};
  TableKind kind;
  kind.layout = options.layout;
  kind.key = record::runtime_handle_key(name, options.layout);
  kind.make = [](const void* source, const std::shared_ptr<PagePool>& pool,
                 TableEntry& entry) -> void* {
    TableCore* const core = make_core(*static_cast<const Source*>(source), pool);
    entry.body = core;
    return core;
  };
  kind.destroy = [](void* core) { delete static_cast<TableCore*>(core); };

  if (!options.layout.is_valid())
    return fail(ErrorCode::bad_options, "the handle layout is not valid", "creating a table");
  if (options.is_singleton) options.table.storage = Storage::stable;
  Status checked;
  if (options.owner != nullptr) {
    const ComponentOptions components{options.table.storage, options.removal, options.table.scope,
                                      options.table.page_bytes, options.table.max_records};
    kind.form = TableForm::components;
    checked = database.check_new_component_table(name, options.owner->core(), components, codec);
  } else {
    checked = database.check_new_table(name, options.table, kind, codec);
  }
  if (!checked) return fail(std::move(checked.error()));
  const Source source{&options, records->runtime->ops()};
  TableEntry entry = database.make_entry(name, &source, kind, codec);
  entry.is_singleton = options.is_singleton;
  if (options.owner != nullptr) entry.owner = database.entry_of(options.owner->core());
  entry.handles = handles_of(records->runtime->root());
  if (std::string conflict = database.tables_.find_layout_conflict(entry); !conflict.empty()) {
    return fail(ErrorCode::bad_options,
                std::move(conflict) + "; give the field the layout of the table",
                "creating table '" + entry.name + "'");
  }
  if (options.is_singleton) {
    entry.core().ops().construct_default(entry.core().prepare_insert());
    entry.core().commit_insert();
  }
  const TableCore* const core = &entry.core();
  database.add(std::move(entry));
  return database.entry_of(*core);
}

}  // namespace hdb
