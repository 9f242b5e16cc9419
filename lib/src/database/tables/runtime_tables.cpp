// Makes tables of records of a type that exists only at run time.
#include "database/tables/runtime_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "database/tables/family_tables.hpp"
#include "hdb/blob_table.hpp"
#include "hdb/resource_table.hpp"

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

using RuntimeBlock = BlobBlock<record::PackedRecord>;

BlobOptions blob_options(const RuntimeTableOptions& options) {
  const TableOptions& table = options.table;
  return {.capacity_bytes = options.blobs->capacity_bytes,
          .alignment = options.blobs->alignment,
          .compaction = options.blobs->compaction,
          .free_list = table.free_list,
          .generations = table.generations,
          .overflow = table.overflow,
          .type_id = table.type_id,
          .names = table.names,
          .scope = table.scope,
          .max_records = table.max_records};
}

TableContent* make_content(const Source& source, const std::shared_ptr<UndoLog>& log) {
  const RuntimeTableOptions& options = *source.options;
  if (options.blobs) {
    return new BlobCore(log, options.layout, blob_options(options), record_ops<RuntimeBlock>(),
                        offsetof(RuntimeBlock, place));
  }
  if (options.owner == nullptr)
    return new TableCore(log, options.layout, options.table, source.ops);
  const ComponentOptions components{options.table.storage, options.removal, options.table.scope,
                                    options.table.max_records};
  return new TableCore(options.owner->core(), log, components, source.ops);
}

}  // namespace

RuntimeTableOptions options_as(const TableDescriptor& table, TableEntry* owner) {
  RuntimeTableOptions options;
  options.layout = table.policy.layout;
  options.table.storage = table.policy.storage;
  options.table.free_list = table.policy.free_list;
  options.table.generations = table.policy.generations;
  options.table.overflow = table.policy.overflow;
  options.table.names = table.policy.names;
  options.table.scope = table.scope;
  options.table.type_id = owner == nullptr ? table.type_id : std::uint16_t{0};
  options.removal = table.policy.removal;
  options.is_singleton = table.singleton;
  options.owner = owner;
  options.blobs = table.blobs;
  return options;
}

Result<std::shared_ptr<TableEntry>> RuntimeTables::create(
    Database& database, std::string_view name, const RuntimeTableOptions& wanted,
    const std::shared_ptr<const record::Discovery>& records) {
  RuntimeTableOptions options = wanted;
  if (options.owner != nullptr) options.layout = options.owner->core().policy().layout;
  const Database::KnownCodec codec{std::make_shared<const RecordCodec>(records)};
  TableKind kind;
  kind.layout = options.layout;
  kind.key = record::runtime_handle_key(name, options.layout);
  kind.type_name = name;
  kind.make = [](const void* source, const std::shared_ptr<UndoLog>& log,
                 TableContent*& content) -> void* {
    content = make_content(*static_cast<const Source*>(source), log);
    return content;
  };
  kind.destroy = [](void* content) { delete static_cast<TableContent*>(content); };

  if (!options.layout.is_valid())
    return fail(ErrorCode::bad_options, "the handle layout is not valid", "creating a table");
  kind.wrapper.is_singleton = options.is_singleton;
  if (options.is_singleton) options.table.storage = Storage::stable;
  if (options.is_resource && options.table.names == RecordNames::none)
    options.table.names = RecordNames::exact;
  Status checked;
  if (options.owner != nullptr) {
    const ComponentOptions components{options.table.storage, options.removal, options.table.scope,
                                      options.table.max_records};
    kind.made_from = TableTemplate::components;
    checked = database.check_new_component_table(name, options.owner->core(), components, codec);
  } else if (options.blobs) {
    kind.made_from = TableTemplate::blobs;
    BlobOptions blobs = blob_options(options);
    checked = database.check_new_blob_table(name, blobs, kind, codec);
    options.table.type_id = blobs.type_id;
  } else {
    checked = database.check_new_table(name, options.table, kind, codec);
  }
  if (!checked) return fail(std::move(checked.error()));
  const Source source{&options, records->runtime->ops()};
  TableEntry entry = database.make_entry(name, &source, options.table.scope, kind, codec);
  if (options.owner != nullptr) entry.owner = database.entry_of(options.owner->core());
  if (options.is_resource) {
    const auto counted = std::make_shared<Counted>(entry.content);
    entry.references = counted->counts;
    entry.wrapper = counted;
  }
  entry.handles = handles_of(records->runtime->root());
  if (std::string conflict = database.tables_.find_layout_conflict(entry); !conflict.empty()) {
    return fail(ErrorCode::bad_options,
                std::move(conflict) + "; give the field the layout of the table",
                "creating table '" + entry.name + "'");
  }
  database.add(std::move(entry));
  const auto made =
      std::find_if(database.tables_.begin(), database.tables_.end(),
                   [&](const std::shared_ptr<TableEntry>& each) { return each->name == name; });
  return *made;
}

RuntimeTables::Attempt::Attempt(Database& database)
    : made_(std::make_unique<Database::FamilyTables>(database)) {}
RuntimeTables::Attempt::~Attempt() = default;
void RuntimeTables::Attempt::keep() noexcept { made_->keep(); }

Result<FlushReport> RuntimeTables::flush(Database& database, const TableEntry& entry,
                                         const FlushOptions& options, const BeforeDestroy& before) {
  return flush_resources({database, entry.core(), entry.key, *entry.references}, options, before);
}

}  // namespace hdb
