// Records of the C interface: inserting, finding, changing and erasing them.
#include <new>

#include "c/given.hpp"
#include "c/objects.hpp"
#include "core/tables/handle_bits.hpp"

namespace hdb::c {
namespace {

using detail::TableCore;

bool is_singleton(const hdb_table& table) { return table.entry.lock()->is_singleton; }

[[noreturn]] void refuse_full(const hdb_table& table) {
  refuse(ErrorCode::table_full, "the table is full", place_of(table));
}

void insert(hdb_table* table, std::string_view name, const void* record, std::size_t size,
            hdb_handle* handle) {
  if (handle != nullptr) *handle = 0;
  TableCore& core = core_of(table);
  if (core.policy().is_component) {
    refuse(ErrorCode::bad_options, "components are inserted by hdb_insert_component",
           place_of(*table));
  }
  if (is_singleton(*table)) refuse_full(*table);
  if (find_blobs(*table) != nullptr)
    refuse(ErrorCode::bad_options, "blobs are inserted by hdb_blob_insert", place_of(*table));
  check_name(*table, name);
  Given given(*table, record, size);
  void* const memory = core.prepare_insert(name);
  if (memory == nullptr) refuse_full(*table);
  given.construct(memory, core.ops().size_bytes);
  const auto next = core.commit_insert();
  if (handle != nullptr) *handle = bits_of(core, next.slot, next.generation);
}

void require_erasable(const hdb_table& table) {
  if (is_singleton(table))
    refuse(ErrorCode::bad_options, "a singleton keeps its record", place_of(table));
}

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;

extern "C" {

hdb_status hdb_insert(hdb_table* table, const void* record, size_t size, hdb_handle* handle,
                      hdb_error** error) {
  return guarded(error, [&] { insert(table, {}, record, size, handle); });
}

hdb_status hdb_insert_named(hdb_table* table, const char* name, size_t name_size,
                            const void* record, size_t size, hdb_handle* handle,
                            hdb_error** error) {
  return guarded(error, [&] {
    require_bytes(name, name_size, "name");
    insert(table, {name, name_size}, record, size, handle);
  });
}

hdb_status hdb_insert_component(hdb_table* table, hdb_handle owner, const void* record, size_t size,
                                hdb_error** error) {
  return guarded(error, [&] {
    hdb::detail::TableCore& core = core_of(table);
    if (!core.policy().is_component || core.owner() == nullptr)
      refuse(hdb::ErrorCode::bad_options, "this is not a component table", place_of(*table));
    const auto slot = hdb::find_slot(*core.owner(), owner);
    if (!slot)
      refuse(hdb::ErrorCode::not_found, "the handle names no record of the owner",
             place_of(*table, owner));
    if (hdb::find_slot(core, owner)) {
      refuse(hdb::ErrorCode::duplicate_name, "the record has a component already",
             place_of(*table, owner));
    }
    Given given(*table, record, size);
    void* const memory = core.prepare_component(*slot);
    if (memory == nullptr) refuse_full(*table);
    given.construct(memory, core.ops().size_bytes);
    core.commit_insert();
  });
}

const void* hdb_find(const hdb_table* table, hdb_handle handle, size_t* size) {
  if (size != nullptr) *size = 0;
  const auto* const core = find_core(table);
  if (core == nullptr) return nullptr;
  const auto slot = hdb::find_slot(*core, handle);
  if (!slot) return nullptr;
  const std::byte* const record = core->record_at(core->place_of(*slot));
  if (records_of(*table).is_struct()) {
    if (size != nullptr) *size = core->ops().size_bytes;
    return record;
  }
  const auto row = records_of(*table).row_of(record);
  if (size != nullptr) *size = row.size();
  return row.empty() ? static_cast<const void*>(record) : row.data();
}

hdb_status hdb_edit(hdb_table* table, hdb_handle handle, void** record, hdb_error** error) {
  return guarded(error, [&] {
    require(record, "record");
    *record = nullptr;
    hdb::detail::TableCore& core = core_of(table);
    if (!records_of(*table).is_struct())
      refuse(hdb::ErrorCode::bad_options, "rows are replaced as a whole", place_of(*table));
    *record = core.edit_at(core.place_of(known_slot(*table, handle)));
  });
}

hdb_status hdb_replace(hdb_table* table, hdb_handle handle, const void* record, size_t size,
                       hdb_error** error) {
  return guarded(error, [&] {
    hdb::detail::TableCore& core = core_of(table);
    const std::uint32_t slot = known_slot(*table, handle);
    Given given(*table, record, size);
    given.assign(core.edit_at(core.place_of(slot)), core.ops().size_bytes);
  });
}

hdb_status hdb_erase(hdb_table* table, hdb_handle handle, hdb_error** error) {
  return guarded(error, [&] {
    static_cast<void>(core_of(table));
    const std::uint32_t slot = known_slot(*table, handle);
    require_erasable(*table);
    table->entry.lock()->content->erase_slot(slot);
  });
}

hdb_status hdb_clear(hdb_table* table, hdb_error** error) {
  return guarded(error, [&] {
    hdb::detail::TableCore& core = core_of(table);
    require_erasable(*table);
    if (auto* const blobs = find_blobs(*table); blobs != nullptr) {
      blobs->clear();
    } else {
      core.clear();
    }
  });
}

uint64_t hdb_count(const hdb_table* table) {
  const auto* const core = find_core(table);
  return core == nullptr ? 0 : core->counters().live_count;
}

uint64_t hdb_position_end(const hdb_table* table) {
  const auto* const core = find_core(table);
  return core == nullptr ? 0 : core->end_place();
}

hdb_handle hdb_handle_at(const hdb_table* table, uint64_t position) {
  const auto* const core = find_core(table);
  if (core == nullptr || !core->is_live_place(position)) return 0;
  const std::uint32_t slot = core->slot_of_place(static_cast<std::uint32_t>(position));
  return hdb::bits_of(*core, slot, core->slots().tag(slot));
}

const void* hdb_records(const hdb_table* table, uint64_t* count) {
  if (count != nullptr) *count = 0;
  const auto* const core = find_core(table);
  if (core == nullptr || !core->is_dense() || core->has_holes() ||
      !records_of(*table).is_struct()) {
    return nullptr;
  }
  if (count != nullptr) *count = core->counters().live_count;
  return core->records().data();
}

hdb_handle hdb_find_named(const hdb_table* table, const char* name, size_t size) {
  const auto* const core = find_core(table);
  if (core == nullptr || core->names() == nullptr || name == nullptr || size == 0) return 0;
  const auto slot = core->slot_named({name, size});
  return slot ? hdb::bits_of(*core, *slot, core->slots().tag(*slot)) : 0;
}

const char* hdb_name(const hdb_table* table, hdb_handle handle, size_t* size) {
  if (size != nullptr) *size = 0;
  const auto* const core = find_core(table);
  if (core == nullptr || core->names() == nullptr) return nullptr;
  const auto slot = hdb::find_slot(*core, handle);
  if (!slot) return nullptr;
  const std::string_view name = core->name_of(*slot);
  if (name.empty()) return nullptr;
  if (size != nullptr) *size = name.size();
  return name.data();
}

hdb_status hdb_rename(hdb_table* table, hdb_handle handle, const char* name, size_t size,
                      hdb_error** error) {
  return guarded(error, [&] {
    hdb::detail::TableCore& core = core_of(table);
    require_bytes(name, size, "name");
    if (core.names() == nullptr)
      refuse(hdb::ErrorCode::bad_options, "the table was made without names", place_of(*table));
    const std::uint32_t slot = known_slot(*table, handle);
    const std::string_view wanted(name, size);
    const auto other = wanted.empty() ? std::nullopt : core.slot_named(wanted);
    if (other && *other != slot)
      refuse(hdb::ErrorCode::duplicate_name, "another record has the name", place_of(*table));
    core.rename_slot(slot, wanted);
  });
}

}  // extern "C"
