// Databases and tables of the C interface.
#include <algorithm>

#include "c/objects.hpp"
#include "hdb/file_system.hpp"
#include "hdb/inspect/reader.hpp"
#include "hdb/inspect/table_schema.hpp"

void hdb_table::refresh() noexcept {
  const auto known = entry.lock();
  const bool is_there = known != nullptr && hdb::RuntimeTables::has(database->database, *known);
  core = is_there ? &known->core() : nullptr;
  live = nullptr;
}

hdb_table* hdb_database::find(std::string_view name) const noexcept {
  for (const auto& table : tables) {
    if (table->core != nullptr && table->name == name) return table.get();
  }
  return nullptr;
}

namespace hdb::c {

detail::TableCore& core_of(hdb_table* table) {
  require(table, "table");
  if (table->core == nullptr)
    refuse(ErrorCode::not_found, "the table was dropped", "table '" + table->name + "'");
  return *table->core;
}

namespace {

HandleLayout layout_of(const hdb_layout& layout) {
  if (layout.index_bits == 0 && layout.generation_bits == 0 && layout.type_bits == 0) return {};
  return {layout.index_bits, layout.generation_bits, layout.type_bits};
}

RuntimeTableOptions table_options(const hdb_table_options& given) {
  RuntimeTableOptions options;
  options.layout = layout_of(given.layout);
  TableOptions& table = options.table;
  table.storage = enum_of(given.storage, Storage::stable, "storage", kTableOptions);
  table.free_list = enum_of(given.free_list, FreeList::lowest, "free_list", kTableOptions);
  table.generations =
      enum_of(given.generations, Generations::table_counter, "generations", kTableOptions);
  table.overflow = enum_of(given.overflow, Overflow::wrap, "overflow", kTableOptions);
  table.names = enum_of(given.names, RecordNames::ignore_case, "names", kTableOptions);
  table.scope = enum_of(given.scope, Scope::uncaptured, "scope", kTableOptions);
  table.type_id = given.type_id;
  if (given.max_records != 0) table.max_records = given.max_records;
  options.removal = enum_of(given.removal, Removal::in_place, "removal", kTableOptions);
  options.is_singleton = flag_of(given.is_singleton, "is_singleton", kTableOptions);
  options.is_resource = flag_of(given.is_resource, "is_resource", kTableOptions);
  if (options.is_resource &&
      (given.owner != nullptr || given.blob_capacity != 0 || options.is_singleton)) {
    refuse_argument("with 'is_resource', 'owner', 'blob_capacity' and 'is_singleton' must be 0",
                    kTableOptions);
  }
  if (given.owner != nullptr && (options.is_singleton || table.names != RecordNames::none))
    refuse_argument("with 'owner', 'is_singleton' and 'names' must be 0", kTableOptions);
  return options;
}

/// Errors: BadArgument for options that blob tables do not have.
BlobPolicy blob_policy(const hdb_table_options& given) {
  if (given.record_size != 0 || given.owner != nullptr || given.is_singleton != 0) {
    refuse_argument("with 'blob_capacity', 'record_size', 'owner' and 'is_singleton' must be 0",
                    kTableOptions);
  }
  BlobPolicy blobs;
  blobs.capacity_bytes = given.blob_capacity;
  if (given.blob_alignment != 0) blobs.alignment = given.blob_alignment;
  blobs.compaction =
      enum_of(given.blob_compaction, Compaction::on_demand, "blob_compaction", kTableOptions);
  return blobs;
}

/// Requires: `fields` belong to the type.
hdb_table* create(hdb_database& database, std::string_view name, RuntimeTableOptions options,
                  detail::record::RuntimeType type, const hdb_field* fields, std::size_t count) {
  auto made = std::make_unique<hdb_table>();
  made->database = &database;
  made->name = name;
  auto records = RuntimeRecords::discover(std::move(type));
  if (!records) throw Failure{std::move(records.error()).in("table '" + made->name + "'")};
  made->records = *std::move(records);
  made->fields = FieldTree(made->records->runtime->root(), fields, count);
  database.tables.reserve(database.tables.size() + 1);
  made->entry = value_of(RuntimeTables::create(database.database, name, options, made->records));
  database.tables.push_back(std::move(made));
  database.refresh();
  return database.tables.back().get();
}

hdb_table* create_as_stored(hdb_database& database, const TableDescriptor& stored, Field schema) {
  TableEntry* its_owner = nullptr;
  if (stored.policy.is_component) {
    const hdb_table* const owner = database.find(stored.owner);
    if (owner == nullptr) {
      refuse(ErrorCode::missing_table, "the database has no table '" + stored.owner + "'",
             "component table '" + stored.name + "'");
    }
    its_owner = owner->entry.lock().get();
  }
  detail::record::RuntimeType type;
  type.root = table_schema(stored, std::move(schema)).record;
  return create(database, stored.name, options_as(stored, its_owner), std::move(type), nullptr, 0);
}

hdb_table_options description_of(const hdb_table& table) {
  const detail::TableCore& core = *table.core;
  const TablePolicy& policy = core.policy();
  const RuntimeRecords& records = *table.records->runtime;
  const auto entry = table.entry.lock();
  hdb_table_options options{};
  options.fields = table.fields.fields().data();
  options.field_count = table.fields.fields().size();
  options.record_size = records.is_struct() ? core.ops().size_bytes : 0;
  options.record_alignment = records.is_struct() ? core.ops().alignment : 0;
  options.initial = records.initial().data();
  options.initial_size = records.initial().size();
  options.layout = {policy.layout.index_bits, policy.layout.generation_bits,
                    policy.layout.type_bits};
  options.storage = static_cast<std::uint8_t>(policy.storage);
  options.free_list = static_cast<std::uint8_t>(policy.free_list);
  options.generations = static_cast<std::uint8_t>(policy.generations);
  options.overflow = static_cast<std::uint8_t>(policy.overflow);
  options.names = static_cast<std::uint8_t>(policy.names);
  options.scope = static_cast<std::uint8_t>(entry->scope());
  options.removal = static_cast<std::uint8_t>(policy.removal);
  options.is_singleton = entry->is_singleton ? 1 : 0;
  options.is_resource = entry->references != nullptr ? 1 : 0;
  options.type_id = entry->type_id();
  options.max_records = core.options().max_records;
  if (const BlobOptions* const blobs = entry->content->blob_options()) {
    options.blob_capacity = blobs->capacity_bytes;
    options.blob_alignment = blobs->alignment;
    options.blob_compaction = static_cast<std::uint8_t>(blobs->compaction);
  }
  if (entry->owner != nullptr) options.owner = table.database->find(entry->owner->name);
  return options;
}

void create_tables(hdb_database& database, const Reader& reader) {
  const std::size_t before = database.tables.size();
  try {
    RuntimeTables::Attempt attempt(database.database);
    for (const bool components : {false, true}) {  // owners first
      for (const TableDescriptor& table : reader.tables()) {
        if (table.policy.is_component != components || table.blobs.has_value()) continue;
        const auto names = database.database.table_names();
        if (std::binary_search(names.begin(), names.end(), table.name)) continue;
        create_as_stored(database, table, reader.schemas()[table.schema]);
      }
    }
    attempt.keep();
  } catch (...) {
    database.tables.erase(database.tables.begin() + static_cast<std::ptrdiff_t>(before),
                          database.tables.end());
    database.refresh();
    throw;
  }
}

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;

extern "C" {

hdb_status hdb_database_create(hdb_database** database, hdb_error** error) {
  return guarded(error, [&] {
    require(database, "database");
    *database = nullptr;
    *database = new hdb_database;
  });
}

void hdb_database_free(hdb_database* database) { delete database; }

hdb_status hdb_table_create(hdb_database* database, const char* name,
                            const hdb_table_options* options, hdb_table** table,
                            hdb_error** error) {
  return guarded(error, [&] {
    if (table != nullptr) *table = nullptr;
    require(database, "database");
    require(name, "name");
    require(options, "options");
    if (*name == 0) refuse(hdb::ErrorCode::bad_name, "'name' is empty, but a table needs a name");
    const hdb_table_options known = known_options(options, kTableOptions);
    hdb::RuntimeTableOptions made = table_options(known);
    if (known.blob_capacity != 0) {
      made.blobs = blob_policy(known);
    } else if (known.blob_alignment != 0 || known.blob_compaction != 0) {
      refuse_argument("without 'blob_capacity', 'blob_alignment' and 'blob_compaction' must be 0",
                      kTableOptions);
    }
    if (known.owner != nullptr) {
      if (known.owner->database != database)
        refuse_argument("'owner' is a table of another database", kTableOptions);
      if (core_of(known.owner).policy().is_component) {
        refuse_argument("'owner' is '" + known.owner->name + "', a component table itself",
                        kTableOptions);
      }
      made.owner = known.owner->entry.lock().get();
    }
    auto type = read_fields(name, known.fields, known.field_count, known.record_size,
                            known.record_alignment);
    require_bytes(known.initial, known.initial_size, "initial", kTableOptions);
    if (known.initial != nullptr) {
      const auto* const bytes = static_cast<const std::byte*>(known.initial);
      type.initial.assign(bytes, bytes + known.initial_size);
    }
    hdb_table* const created =
        create(*database, name, made, std::move(type), known.fields, known.field_count);
    if (table != nullptr) *table = created;
  });
}

hdb_status hdb_tables_create_from(hdb_database* database, const char* path, hdb_error** error) {
  return guarded(error, [&] {
    require(database, "database");
    require(path, "path");
    auto source = value_of(hdb::FileSource::open(path));
    auto reader = hdb::Reader::open(std::move(source));
    if (!reader) {
      reader.error().file = path;
      throw Failure{std::move(reader.error())};
    }
    create_tables(*database, **reader);
  });
}

hdb_status hdb_table_drop(hdb_database* database, const char* name, hdb_error** error) {
  return guarded(error, [&] {
    require(database, "database");
    require(name, "name");
    if (!database->database.drop_table(name))
      refuse(hdb::ErrorCode::not_found, "there is no such table",
             "table '" + std::string(name) + "'");
    database->refresh();
  });
}

hdb_table* hdb_table_find(hdb_database* database, const char* name) {
  return database == nullptr || name == nullptr ? nullptr : database->find(name);
}

hdb_table* hdb_table_at(hdb_database* database, size_t index) {
  if (database == nullptr) return nullptr;
  // Few tables are before each; no list is made, so that nothing can fail.
  for (const auto& table : database->tables) {
    if (table->core == nullptr) continue;
    const auto before = [&](const auto& other) {
      return other->core != nullptr && other->name < table->name;
    };
    const auto rank = std::count_if(database->tables.begin(), database->tables.end(), before);
    if (static_cast<size_t>(rank) == index) return table.get();
  }
  return nullptr;
}

const char* hdb_table_name(const hdb_table* table) {
  return table == nullptr ? "" : table->name.c_str();
}

hdb_status hdb_table_describe(const hdb_table* table, hdb_table_options* options,
                              hdb_error** error) {
  return guarded(error, [&] {
    require(options, "options");
    require_size(options->struct_size, 1, sizeof(hdb_table_options), kTableOptions);
    fill_out(options, hdb_table_options{});
    static_cast<void>(core_of(const_cast<hdb_table*>(table)));
    fill_out(options, description_of(*table));
  });
}

hdb_status hdb_schema_json(hdb_database* database, char** json, hdb_error** error) {
  return guarded(error, [&] {
    require(json, "json");
    *json = nullptr;
    require(database, "database");
    *json = text_for_caller(database->database.schema_json());
  });
}

}  // extern "C"
