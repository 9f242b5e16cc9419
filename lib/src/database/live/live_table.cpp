// Handles are checked here; records are read and made by LiveRecords.
#include "hdb/live_table.hpp"

#include <utility>

#include "core/tables/handle_bits.hpp"
#include "database/live/live_records.hpp"
#include "database/tables/database_state.hpp"
#include "hdb/database.hpp"
#include "hdb/inspect/paths.hpp"
#include "hdb/inspect/text.hpp"
#include "hdb/migration.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb {

struct LiveTable::State {
  State(Database& of, std::shared_ptr<TableEntry> table)
      : database(of), entry(std::move(table)), records(of.tables_, *entry) {}

  [[nodiscard]] TableCore& core() const noexcept { return entry->core(); }

  Database& database;
  const std::shared_ptr<TableEntry> entry;
  LiveRecords records;
};

LiveTable::LiveTable(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
LiveTable::LiveTable(LiveTable&&) noexcept = default;
LiveTable& LiveTable::operator=(LiveTable&&) noexcept = default;
LiveTable::~LiveTable() = default;

Result<LiveTable> LiveTable::find(Database& database, std::string_view name) {
  for (const auto& entry : database.tables_) {
    if (entry->name == name) return LiveTable(std::make_unique<State>(database, entry));
  }
  return fail(ErrorCode::not_found, "the database has no table '" + escape_text(name) + "'" +
                                        did_you_mean(name, database.table_names()));
}

std::vector<LiveTable> LiveTable::all(Database& database) {
  std::vector<LiveTable> tables;
  for (const auto& entry : database.tables_)
    tables.push_back(LiveTable(std::make_unique<State>(database, entry)));
  return tables;
}

bool LiveTable::exists() const noexcept {
  return state_->database.tables_.find(state_->entry->name) == state_->entry.get();
}

const TableDescriptor& LiveTable::descriptor() const noexcept {
  return state_->records.descriptor();
}
const Field& LiveTable::record() const noexcept { return state_->records.schema(); }
const HandleNamer& LiveTable::namer() const noexcept { return state_->records.namer(); }

// --- handles

std::uint64_t LiveTable::size() const noexcept {
  return exists() ? state_->core().counters().live_count : 0;
}
std::uint64_t LiveTable::memory_bytes() const noexcept {
  return exists() ? state_->entry->content->logged_bytes() : 0;
}
std::uint64_t LiveTable::position_end() const noexcept {
  return exists() ? state_->core().end_place() : 0;
}

std::uint64_t LiveTable::handle_at(std::uint64_t position) const noexcept {
  if (!exists() || !state_->core().is_live_place(position)) return 0;
  const TableCore& core = state_->core();
  const std::uint32_t slot = core.slot_of_place(static_cast<std::uint32_t>(position));
  return bits_of(core, slot, core.slots().tag(slot));
}

std::uint64_t LiveTable::position_of(std::uint64_t handle) const noexcept {
  const auto slot = exists() ? find_slot(state_->core(), handle) : std::nullopt;
  return slot ? state_->core().place_of(*slot) : position_end();
}

bool LiveTable::contains(std::uint64_t handle) const noexcept {
  return exists() && find_slot(state_->core(), handle).has_value();
}

std::string LiveTable::handle_text(std::uint64_t handle) const {
  if (handle == 0) return "null";
  const TableCore& core = state_->core();
  const auto parts = split_handle(core.policy().layout, handle);
  if (!parts || bits_of(core, parts->index, parts->generation) != handle)
    return "0x" + hex_number(handle);
  return escape_text(handle_name(descriptor(), parts->index, parts->generation));
}

Result<std::uint32_t> LiveTable::slot_of(std::uint64_t handle) const {
  if (!exists())
    return fail(ErrorCode::not_found, "the table was dropped",
                "table '" + escape_text(name()) + "'");
  if (const auto slot = find_slot(state_->core(), handle)) return *slot;
  return fail(ErrorCode::not_found, "the handle names no record", handle_text(handle));
}

std::string_view LiveTable::name_of(std::uint64_t handle) const noexcept {
  if (!contains(handle) || state_->core().names() == nullptr) return {};
  return state_->core().name_of(*find_slot(state_->core(), handle));
}

std::uint64_t LiveTable::find_named(std::string_view name) const noexcept {
  if (!exists() || state_->core().names() == nullptr || name.empty()) return 0;
  const TableCore& core = state_->core();
  const auto slot = core.slot_named(name);
  return slot ? bits_of(core, *slot, core.slots().tag(*slot)) : 0;
}

// --- records

Result<const Value*> LiveTable::read(std::uint64_t handle) {
  const auto slot = slot_of(handle);
  if (!slot) return fail(slot.error());
  auto value = state_->records.read(*slot, state_->core().slots().tag(*slot));
  return value ? value : fail(std::move(value.error()).in(handle_text(handle)));
}

Result<DynamicValue> LiveTable::get(std::uint64_t handle, std::string_view path) {
  const auto whole = read(handle);
  if (!whole) return fail(whole.error());
  auto value = find_value(**whole, path);
  if (!value) return fail(std::move(value.error()).in(handle_text(handle)));
  DynamicValue result;
  RecordLoader(*value->field).load(*value, result);
  return result;
}

Result<FieldKind> LiveTable::column_kind(std::string_view path) const {
  const auto place = state_->records.find_column(path);
  if (!place) return fail(Error(place.error()).in("table '" + escape_text(name()) + "'"));
  return LiveRecords::column_kind(*place->field);
}

Result<LiveColumn> LiveTable::read_column(std::string_view path) const {
  const std::string place = "table '" + escape_text(name()) + "'";
  if (!exists()) return fail(ErrorCode::not_found, "the table was dropped", place);
  auto column = state_->records.read_column(path);
  return column ? std::move(column) : fail(std::move(column.error()).in(place));
}

Status LiveTable::set(std::uint64_t handle, std::string_view path, DynamicValue value) {
  return edit(handle, [&](DynamicValue& record) {
    if (path.empty()) {
      record = std::move(value);
    } else {
      record.set(path, std::move(value));
    }
  });
}

Result<std::string> LiveTable::get_json(std::uint64_t handle, std::string_view path) {
  const auto whole = read(handle);
  if (!whole) return fail(whole.error());
  const auto value = find_value(**whole, path);
  if (!value) return fail(Error(value.error()).in(handle_text(handle)));
  std::string json;
  JsonValueWriter(namer(), JsonValueWriter::Form::distinct).append(*value, json);
  return json;
}

Status LiveTable::edit(std::uint64_t handle,
                       const std::function<void(DynamicValue& record)>& change) {
  return replace(handle, [&](void* record) { return state_->records.change(change, record); });
}

Status LiveTable::set_json(std::uint64_t handle, std::string_view path, std::string_view json) {
  return replace(handle,
                 [&](void* record) { return state_->records.change_json(path, json, record); });
}

Status LiveTable::replace(std::uint64_t handle, const Fill& fill) {
  if (const auto present = read(handle); !present) return fail(present.error());
  TableCore& core = state_->core();
  const std::shared_ptr<TableEntry> entry = state_->entry;  // `fill` may drop the table
  LooseRecord made(core.ops(), core.record_at(core.place_of(*find_slot(core, handle))));
  Status filled = fill(made.get());
  const auto slot = slot_of(handle);  // the program's code may have done anything
  if (!slot) return fail(slot.error());
  if (!filled) return fail(std::move(filled.error()).in(handle_text(handle)));
  std::byte* const record = core.edit_at(core.place_of(*slot));
  if (!core.ops().trivial) core.ops().destroy(record);
  made.move_to(record);
  return {};
}

Status LiveTable::check_insert(std::string_view name) const {
  const std::string place = "table '" + escape_text(this->name()) + "'";
  const auto refuse = [&](ErrorCode code, const char* what) { return fail(code, what, place); };
  if (!exists()) return refuse(ErrorCode::not_found, "the table was dropped");
  const TableCore& core = state_->core();
  if (core.policy().is_component)
    return refuse(ErrorCode::bad_options, "components are inserted by insert_component");
  if (descriptor().blobs) return refuse(ErrorCode::bad_options, "a blob needs its bytes");
  if (descriptor().singleton) return refuse(ErrorCode::bad_options, "a singleton has its record");
  if (name.empty()) return {};
  if (core.names() == nullptr)
    return refuse(ErrorCode::bad_options, "the table was made without names");
  if (core.slot_named(name))
    return refuse(ErrorCode::duplicate_name, "another record has the name");
  return {};
}

Result<std::uint64_t> LiveTable::insert(DynamicValue record, std::string_view name) {
  return insert_filled(name,
                       [&](void* made) { return state_->records.fill(std::move(record), made); });
}

Result<std::uint64_t> LiveTable::insert_json(std::string_view json, std::string_view name) {
  return insert_filled(name, [&](void* made) { return state_->records.fill_json(json, made); });
}

Result<std::uint64_t> LiveTable::insert_filled(std::string_view name, const Fill& fill) {
  if (Status checked = check_insert(name); !checked) return fail(std::move(checked.error()));
  TableCore& core = state_->core();
  LooseRecord made(core.ops(), nullptr);
  const std::string place = "a record of table '" + escape_text(this->name()) + "'";
  if (Status filled = fill(made.get()); !filled) return fail(std::move(filled.error()).in(place));
  void* const memory = core.prepare_insert(name);
  if (memory == nullptr) return fail(ErrorCode::table_full, "the table is full", place);
  made.move_to(memory);
  const auto next = core.commit_insert();
  return bits_of(core, next.slot, next.generation);
}

Status LiveTable::insert_component(std::uint64_t owner, DynamicValue component) {
  return insert_component_filled(
      owner, [&](void* made) { return state_->records.fill(std::move(component), made); });
}

Status LiveTable::insert_component_json(std::uint64_t owner, std::string_view json) {
  return insert_component_filled(owner,
                                 [&](void* made) { return state_->records.fill_json(json, made); });
}

Status LiveTable::insert_component_filled(std::uint64_t owner, const Fill& fill) {
  const std::string place = "table '" + escape_text(name()) + "'";
  if (!exists()) return fail(ErrorCode::not_found, "the table was dropped", place);
  TableCore& core = state_->core();
  if (core.owner() == nullptr)
    return fail(ErrorCode::bad_options, "this is not a component table", place);
  const auto slot = find_slot(*core.owner(), owner);
  if (!slot) return fail(ErrorCode::not_found, "the handle names no record of the owner", place);
  if (find_slot(core, owner))
    return fail(ErrorCode::duplicate_name, "the record has a component already", place);
  LooseRecord made(core.ops(), nullptr);
  if (Status filled = fill(made.get()); !filled)
    return fail(std::move(filled.error()).in(handle_text(owner)));
  void* const memory = core.prepare_component(*slot);
  if (memory == nullptr) return fail(ErrorCode::table_full, "the table is full", place);
  made.move_to(memory);
  core.commit_insert();
  return {};
}

Status LiveTable::erase(std::uint64_t handle) {
  const auto slot = slot_of(handle);
  if (!slot) return fail(slot.error());
  if (descriptor().singleton)
    return fail(ErrorCode::bad_options, "a singleton keeps its record", handle_text(handle));
  state_->entry->content->erase_slot(*slot);
  return {};
}

Status LiveTable::rename(std::uint64_t handle, std::string_view name) {
  const auto slot = slot_of(handle);
  if (!slot) return fail(slot.error());
  TableCore& core = state_->core();
  if (core.names() == nullptr)
    return fail(ErrorCode::bad_options, "the table was made without names", handle_text(handle));
  const auto other = name.empty() ? std::nullopt : core.slot_named(name);
  if (other && *other != *slot)
    return fail(ErrorCode::duplicate_name, "another record has the name", handle_text(handle));
  core.rename_slot(*slot, name);
  return {};
}

}  // namespace hdb
