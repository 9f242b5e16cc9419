// Tables by name and type id, and capture.
#include "hdb/database/database.hpp"

#include <algorithm>
#include <utility>

#include "hdb/base/bytes.hpp"
#include "hdb/schema/constants.hpp"
#include "snapshot_data.hpp"
#include "table_content.hpp"

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
    if (options.type_id != 0 && entry->core->options().type_id == options.type_id) {
      return fail(ErrorCode::bad_options,
                  "table '" + entry->name + "' has type id " + std::to_string(options.type_id),
                  where);
    }
  }
  if (layout.type_bits != 0) {
    // Those of dropped tables are not given again: old handles hold them.
    const std::uint32_t type_id =
        options.type_id != 0 ? options.type_id : std::uint32_t{highest_type_id_} + 1;
    if (type_id >= 1u << layout.type_bits) {
      return fail(ErrorCode::bad_options, "type id " + std::to_string(type_id) + " is too large",
                  where);
    }
    options.type_id = static_cast<std::uint16_t>(type_id);
  } else if (options.type_id != 0) {
    return fail(ErrorCode::bad_options, "handles of this layout carry no type id", where);
  }
  const HandleSpace space =
      layout.type_bits != 0 ? HandleSpace{nullptr, options.type_id} : HandleSpace{key, 0};
  if (options.overflow == Overflow::retire &&
      dropped_.of(space).highest() >= layout.max_generation()) {
    return fail(
        ErrorCode::fork_exhausted,
        "a dropped table with handles of the same type issued the last generation of the layout",
        where);
  }
  if (options.page_bytes < 64 || options.page_bytes > 65536) {
    return fail(ErrorCode::bad_options, "page_bytes is not in 64..65536", where);
  }
  auto schema = codec.schema([](HandleKey) { return std::string(); });
  if (!schema) return fail(std::move(schema.error()).in(where));
  if (std::string fault = find_prefix_fault({}, *schema); !fault.empty())
    return fail(ErrorCode::refused_type, std::move(fault), where);
  if (auto checked = check_schema(*schema); !checked)
    return fail(std::move(checked.error()).in(where));
  return {};
}

Status Database::check_new_blob_table(std::string_view name, const HandleLayout& layout,
                                      BlobOptions& options, HandleKey key,
                                      const RecordCodec& codec) const {
  if (const char* const problem = options.problem())
    return fail(ErrorCode::bad_options, problem, "creating " + quoted(name));
  TableOptions table{.storage = Storage::stable,
                     .generations = options.generations,
                     .overflow = options.overflow,
                     .type_id = options.type_id,
                     .page_bytes = options.page_bytes};
  auto checked = check_new_table(name, layout, table, key, codec);
  options.type_id = table.type_id;
  return checked;
}

void Database::add(TableEntry entry) {
  entry.core->set_label(quoted(entry.name));
  const Issued issued = dropped_.of(entry.handle_space());
  if (entry.core->slots().can_rise_above(issued)) entry.core->rise_above(issued);
  const auto place = std::find_if(tables_.begin(), tables_.end(),
                                  [&](const auto& other) { return other->name > entry.name; });
  tables_.insert(place, std::make_shared<TableEntry>(std::move(entry)));
  tables_changed();
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
  for (const bool saved : {true, false}) {
    for (const auto& entry : tables_) {
      if (entry->is_captured() && entry->is_saved() == saved) add_schema(*entry, *made);
    }
    if (saved) made->saved_fields = made->fields.size();
  }
  std::sort(made->descriptors.begin(), made->descriptors.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  schemas_ = std::move(made);
  return schemas_;
}

void Database::add_schema(const TableEntry& entry, Schemas& out) const {
  auto schema = entry.codec->schema([this](HandleKey key) { return table_name(key); });
  HDB_REQUIRE(schema.has_value(), "a schema that was accepted when the table was made");
  TableDescriptor descriptor;
  descriptor.name = entry.name;
  descriptor.policy = entry.core->policy();
  descriptor.singleton = entry.is_singleton;
  descriptor.scope = entry.scope();
  if (entry.blobs != nullptr) descriptor.blobs = entry.blobs->options().policy();
  const std::vector<Field> prefix = row_prefix(descriptor);
  schema->children.insert(schema->children.begin(), prefix.begin(), prefix.end());
  const auto known = std::find(out.fields.begin(), out.fields.end(), *schema);
  descriptor.schema = static_cast<std::uint32_t>(known - out.fields.begin());
  descriptor.group_shift = group_shift_for(*schema);
  out.descriptors.push_back(std::move(descriptor));
  if (known == out.fields.end()) {
    out.column_counts.push_back(columns_of(*schema).size());
    out.fields.push_back(*std::move(schema));
  }
}

Snapshot Database::capture() {
  ++version_;
  auto data = std::make_shared<SnapshotData>();
  data->pool = pool_;
  data->highest_type_id = highest_type_id_;
  data->dropped = dropped_;
  data->schemas = schemas();
  data->descriptors = data->schemas->descriptors;
  data->tables.resize(data->descriptors.size());
  std::size_t i = 0;
  for (const auto& captured : tables_) {
    if (!captured->is_captured()) continue;
    TableEntry& entry = *captured;
    SnapshotTable& table = data->tables[i];
    freeze(entry, table);
    table.codec = entry.codec;
    table.entry = captured;
    table.descriptor = &data->descriptors[i];
    table.schema = &data->schemas->fields[data->descriptors[i].schema];
    const SlotCounters& counters = table.frozen().counters();
    TableDescriptor& descriptor = data->descriptors[i];
    descriptor.type_id = entry.core->options().type_id;
    descriptor.slot_count = counters.slot_count;
    descriptor.live_count = counters.live_count;
    descriptor.retired_count = counters.retired_count;
    descriptor.free_count = counters.free_count;
    descriptor.counter = counters.counter;
    descriptor.highest_generation = counters.highest_generation;
    // Slots can become fewer (reset); then a flush begins anew.
    const bool is_slot = table.frozen().flush_cursor < counters.slot_count;
    descriptor.sort_work = table.frozen().sort_work.numbers();
    descriptor.flush_cursor = is_slot ? table.frozen().flush_cursor : 0;
    ++i;
  }
  return Snapshot(std::move(data));
}

bool Database::drop_table(std::string_view name) {
  const auto at = std::find_if(tables_.begin(), tables_.end(),
                               [&](const auto& entry) { return entry->name == name; });
  if (at == tables_.end()) return false;
  const std::shared_ptr<TableEntry> dropped = *at;  // snapshots may hold it on
  dropped->core->note_issued();
  dropped_.add(dropped->scope(), dropped->handle_space(), dropped->core->slots());
  tables_.erase(at);
  tables_changed();
  if (dropped->blobs != nullptr) dropped->blobs->reset();
  dropped->core->retire();
  return true;
}

std::vector<std::string> Database::table_names() const {
  std::vector<std::string> names;
  for (const auto& entry : tables_) names.push_back(entry->name);
  return names;
}

const TableEntry* Database::entry_of(AnyHandle handle) const noexcept {
  const std::uint32_t id = handle.type_id();
  if (id >= by_type_id_.size() || by_type_id_[id] == nullptr) return nullptr;
  const TableEntry* const entry = by_type_id_[id];
  const bool lives = entry->core->slots().matches(handle.index(), handle.generation());
  return lives && handle.bits() >> 63 == 0 ? entry : nullptr;
}

bool Database::erase(AnyHandle handle) {
  const TableEntry* const entry = entry_of(handle);
  if (entry == nullptr) return false;
  if (entry->blobs != nullptr) {
    entry->blobs->erase_slot(handle.index());
  } else {
    entry->core->erase_slot(handle.index());
  }
  return true;
}

std::string_view Database::table_of(AnyHandle handle) const noexcept {
  const std::uint32_t id = handle.type_id();
  if (id >= by_type_id_.size() || by_type_id_[id] == nullptr) return {};
  return by_type_id_[id]->name;
}

void Database::tables_changed() {
  ++version_;
  schemas_.reset();
  for (const auto& entry : tables_)
    highest_type_id_ = std::max(highest_type_id_, entry->core->options().type_id);
  by_type_id_.assign(std::size_t{highest_type_id_} + 1, nullptr);
  for (const auto& entry : tables_) {
    entry->core->set_issued(issued_.of(entry->handle_space()));
    const std::uint16_t id = entry->core->options().type_id;
    if (id != 0) by_type_id_[id] = entry.get();
  }
}

Result<std::vector<std::string>> Database::make_families(const Reader& reader) {
  std::vector<std::string> made;
  for (const TableDescriptor& table : reader.tables()) {
    if (find_entry(table.name) != nullptr) continue;
    for (const Family& family : families_) {
      if (!family.has(table.name)) continue;
      if (family.scope >= Scope::unsaved) break;  // would only be passed by
      if (auto status = family.make(*this, table.name); !status) {
        for (const std::string& name : made) drop_table(name);
        return fail(std::move(status.error()));
      }
      made.push_back(table.name);
      break;
    }
  }
  return made;
}

void Database::reserve_copies() {
  std::vector<PagePool::PageCount> counts;
  for (const auto& entry : tables_) {
    if (!entry->is_captured()) continue;
    if (entry->blobs != nullptr) {
      entry->blobs->count_pages(counts);
    } else {
      entry->core->count_pages(counts);
    }
  }
  for (const PagePool::PageCount& pages : counts) pool_->reserve(pages.size_bytes, pages.count);
}

const char* Database::check_invariants() const {
  for (const auto& entry : tables_) {
    const char* const broken = entry->blobs != nullptr ? entry->blobs->check_invariants()
                                                       : entry->core->check_invariants();
    if (broken != nullptr) return broken;
  }
  return nullptr;
}

}  // namespace hdb
