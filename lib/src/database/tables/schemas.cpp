// The descriptions of a database's tables, as captures carry them; kept from capture to capture.
#include <algorithm>
#include <map>
#include <utility>

#include "base/using_detail.hpp"
#include "database/tables/database_state.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/database.hpp"
#include "hdb/inspect/table_schema.hpp"

namespace hdb {

namespace {

// The table's schema: the one kept, as long as its handle fields name the same tables.
const BoundSchema& bound_schema(TableEntry& entry, const TableDescriptor& descriptor,
                                const TableNamer& namer) {
  const auto is_named_so = [&](const auto& table) { return namer(table.first) == table.second; };
  if (entry.schema != nullptr && entry.schema->kept == entry.kept &&
      std::all_of(entry.schema->tables.begin(), entry.schema->tables.end(), is_named_so)) {
    return *entry.schema;
  }
  auto bound = std::make_shared<BoundSchema>();
  auto schema = entry.codec->schema([&](HandleKey key) {
    bound->tables.emplace_back(key, namer(key));
    return bound->tables.back().second;
  });
  HDB_REQUIRE(schema.has_value(), "the schema was refused when the table was created");
  const std::vector<Field> prefix = row_prefix(descriptor);
  schema->children.insert(schema->children.begin(), prefix.begin(), prefix.end());
  if (entry.kept != nullptr) {
    bound->kept = entry.kept;
    bound->root = entry.kept->merged(*schema);
    bound->own = std::make_shared<const Field>(*std::move(schema));
  } else {
    bound->root = *std::move(schema);
  }
  bound->fingerprint = schema_fingerprint(bound->root);
  bound->column_count = columns_of(bound->root).size();
  bound->group_shift = group_shift_for(bound->root);
  entry.schema = std::move(bound);
  return *entry.schema;
}

}  // namespace

TableDescriptor descriptor_of(const TableEntry& entry) {
  TableDescriptor descriptor;
  descriptor.name = entry.name;
  descriptor.policy = entry.core().policy();
  descriptor.singleton = entry.is_singleton;
  descriptor.scope = entry.scope();
  if (const BlobOptions* const blobs = entry.content->blob_options())
    descriptor.blobs = blobs->policy();
  if (entry.owner != nullptr) descriptor.owner = entry.owner->name;
  return descriptor;
}

std::string Database::table_name(HandleKey key) const {
  const TableEntry* const entry = tables_.find_key(key);
  return entry != nullptr ? entry->name : std::string();
}

std::shared_ptr<const Database::Schemas> Database::schemas() {
  if (state_->schemas) return state_->schemas;
  const TableNamer namer = [this](HandleKey key) { return table_name(key); };
  auto made = std::make_shared<Schemas>();
  made->descriptors.reserve(tables_.size());
  std::map<Hash128, std::uint32_t> known;  // by fingerprint
  for (const bool saved : {true, false}) {
    for (const auto& entry : tables_) {
      if (!entry->is_captured() || entry->is_saved() != saved) continue;
      TableDescriptor descriptor = descriptor_of(*entry);
      const BoundSchema& bound = bound_schema(*entry, descriptor, namer);
      const auto count = static_cast<std::uint32_t>(made->fields.size());
      const auto [at, is_new] = known.try_emplace(bound.fingerprint, count);
      // The fingerprint covers no names of types, nor of enumerators that a load kept.
      const bool is_equal = is_new || made->fields[at->second] == bound.root;
      if (is_new || !is_equal) {
        made->fields.push_back(bound.root);
        made->column_counts.push_back(bound.column_count);
      }
      descriptor.schema = is_equal ? at->second : count;
      descriptor.group_shift = bound.group_shift;
      made->descriptors.push_back(std::move(descriptor));
    }
    if (saved) made->saved_fields = made->fields.size();
  }
  std::sort(made->descriptors.begin(), made->descriptors.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  state_->schemas = std::move(made);
  return state_->schemas;
}

std::string Database::schema_json() const {
  std::vector<TableSchema> tables;
  for (const auto& entry : tables_) {
    if (!entry->is_saved()) continue;
    auto record = entry->codec->schema([this](HandleKey key) { return table_name(key); });
    HDB_REQUIRE(record.has_value(), "the schema was refused when the table was created");
    TableSchema& table = tables.emplace_back();
    table.table = descriptor_of(*entry);
    table.record = *std::move(record);
    table.max_records = entry->core().options().max_records;
    entry->codec->add_declarations(table);
    for (const auto& [old_name, new_name] : state_->renamed_tables) {
      if (new_name == entry->name) table.old_names.push_back(old_name);
    }
  }
  return hdb::schema_json(std::move(tables));
}

}  // namespace hdb
