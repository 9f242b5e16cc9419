// Tables by name, capture and restore.
#include "hdb/database/database.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "hdb/base/bytes.hpp"
#include "hdb/schema/constants.hpp"
#include "replacement.hpp"
#include "snapshot_data.hpp"

namespace hdb {
namespace {

bool is_good_name(std::string_view name) {
  if (name.empty() || name.size() > format::kMaxNameBytes || !is_utf8(name)) return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

std::string quoted(std::string_view name) { return "table '" + std::string(name) + "'"; }

}  // namespace

Database::Database(const DatabaseOptions& options)
    : pool_(std::make_shared<PagePool>(options.page_source)) {}

Database::~Database() = default;

Status Database::check_new_table(std::string_view name, const HandleLayout& layout,
                                 TableOptions& options, HandleKey key,
                                 const RecordCodec& codec) const {
  const std::string where = "creating " + quoted(name);
  if (!is_good_name(name))
    return fail(ErrorCode::bad_name, "the table's name cannot be used", where);
  std::set<std::uint16_t> type_ids;
  for (const auto& entry : tables_) {
    if (entry->name == name)
      return fail(ErrorCode::duplicate_name, "there is a table of this name", where);
    if (entry->key == key && layout.type_bits == 0) {
      return fail(ErrorCode::bad_options,
                  "table '" + entry->name +
                      "' has handles of the same type; give this one a tag type, or both "
                      "handles that carry a type id",
                  where);
    }
    type_ids.insert(entry->core->options().type_id);
  }
  if (layout.type_bits != 0) {
    if (options.type_id == 0) {
      options.type_id = 1;
      while (type_ids.contains(options.type_id)) ++options.type_id;
    }
    if (options.type_id >= 1u << layout.type_bits || type_ids.contains(options.type_id)) {
      return fail(ErrorCode::bad_options,
                  "type id " + std::to_string(options.type_id) + " is used or too large", where);
    }
  } else if (options.type_id != 0) {
    return fail(ErrorCode::bad_options, "handles of this layout carry no type id", where);
  }
  if (options.page_bytes < 64 || options.page_bytes > 65536) {
    return fail(ErrorCode::bad_options, "page_bytes is not in 64..65536", where);
  }
  auto schema = codec.schema([](HandleKey) { return std::string(); });
  if (!schema) return fail(std::move(schema.error()).in(where));
  if (auto checked = check_schema(*schema); !checked)
    return fail(std::move(checked.error()).in(where));
  return {};
}

void Database::add(TableEntry entry) {
  const auto place = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const auto& other) { return other->name > entry.name; });
  tables_.insert(place, std::make_unique<TableEntry>(std::move(entry)));
  schemas_.reset();
}

TableEntry* Database::find_entry(std::string_view name) noexcept {
  for (const auto& entry : tables_) {
    if (entry->name == name) return entry.get();
  }
  return nullptr;
}

std::string Database::table_name(HandleKey key) const {
  for (const auto& entry : tables_) {
    if (entry->key == key && entry->core->policy().layout.type_bits == 0) return entry->name;
  }
  return {};
}

std::shared_ptr<const Database::Schemas> Database::schemas() {
  if (schemas_) return schemas_;
  auto made = std::make_shared<Schemas>();
  for (const auto& entry : tables_) {
    auto schema = entry->codec->schema([this](HandleKey key) { return table_name(key); });
    HDB_REQUIRE(schema.has_value(), "a schema that was accepted when the table was made");
    const auto known = std::find(made->fields.begin(), made->fields.end(), *schema);
    TableDescriptor descriptor;
    descriptor.name = entry->name;
    descriptor.schema = static_cast<std::uint32_t>(known - made->fields.begin());
    descriptor.policy = entry->core->policy();
    descriptor.singleton = entry->is_singleton;
    descriptor.group_shift = group_shift_for(*schema);
    made->descriptors.push_back(std::move(descriptor));
    if (known == made->fields.end()) {
      made->column_counts.push_back(columns_of(*schema).size());
      made->fields.push_back(*std::move(schema));
    }
  }
  schemas_ = std::move(made);
  return schemas_;
}

Snapshot Database::capture() {
  auto data = std::make_shared<SnapshotData>();
  data->pool = pool_;
  data->schemas = schemas();
  data->descriptors = data->schemas->descriptors;
  data->tables.resize(tables_.size());
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    TableEntry& entry = *tables_[i];
    SnapshotTable& table = data->tables[i];
    table.frozen = entry.core->freeze();
    table.codec = entry.codec;
    table.key = entry.key;
    const SlotCounters& counters = table.frozen.counters();
    TableDescriptor& descriptor = data->descriptors[i];
    descriptor.type_id = entry.core->options().type_id;
    descriptor.slot_count = counters.slot_count;
    descriptor.live_count = counters.live_count;
    descriptor.retired_count = counters.retired_count;
    descriptor.free_count = counters.free_count;
    descriptor.counter = counters.counter;
    descriptor.highest_generation = counters.highest_generation;
  }
  return Snapshot(std::move(data));
}

Status Database::restore(const Snapshot& snapshot, const RestoreOptions& options) {
  const SnapshotData* const data = snapshot.data().get();
  if (data == nullptr) return fail(ErrorCode::foreign_snapshot, "the snapshot is empty", "restore");
  if (data->pool != pool_) {
    return fail(ErrorCode::foreign_snapshot,
                "the snapshot was captured from another database; save and load it", "restore");
  }
  return options.mode == TimelineMode::exact ? restore_exact(*data) : restore_fork(*data);
}

Status Database::restore_exact(const SnapshotData& data) {
  std::vector<Replacement> newer;  // tables made since the capture
  std::vector<std::pair<TableEntry*, std::size_t>> captured;
  for (const auto& entry : tables_) {
    if (const auto index = data.find(entry->name)) {
      entry->core->prepare_thaw(data.tables[*index].frozen);
      captured.emplace_back(entry.get(), *index);
    } else {
      newer.push_back(Replacement::initial(*entry));
    }
  }
  if (auto installed = install(newer, TimelineMode::exact); !installed) return installed;
  for (const auto& [entry, index] : captured) {
    entry->core->thaw(data.tables[index].frozen);
    entry->core->set_type_id(data.descriptors[index].type_id);
  }
  return {};
}

Status Database::restore_fork(const SnapshotData& data) {
  std::vector<Replacement> replacements;
  for (const auto& entry : tables_) {
    if (const auto index = data.find(entry->name)) {
      Replacement replacement{entry.get(), entry->core->make_empty(),
                              data.descriptors[*index].type_id};
      replacement.core->thaw(data.tables[*index].frozen);
      replacements.push_back(std::move(replacement));
    } else {
      replacements.push_back(Replacement::initial(*entry));
    }
  }
  return install(replacements, TimelineMode::fork);
}

void Database::reserve_copies() {
  std::vector<PagePool::PageCount> counts;
  for (const auto& entry : tables_) entry->core->count_pages(counts);
  for (const PagePool::PageCount& pages : counts) pool_->reserve(pages.size_bytes, pages.count);
}

const char* Database::check_invariants() const {
  for (const auto& entry : tables_) {
    if (const char* const broken = entry->core->check_invariants()) return broken;
  }
  return nullptr;
}

}  // namespace hdb
