// Resource tables of the C interface: references that the program counts, and flushing.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "c/given.hpp"
#include "c/objects.hpp"
#include "core/tables/handle_bits.hpp"
#include "hdb/resource_table.hpp"
#include "hdb/translate_handle.hpp"

namespace hdb::c {
namespace {

/// Errors: BadArgument; not_found for a dropped table; bad_options for another table.
detail::RefCounts& references_of(hdb_table* table) {
  static_cast<void>(core_of(table));
  detail::RefCounts* const counts = RuntimeTables::references(*table->entry.lock());
  if (counts == nullptr)
    refuse(ErrorCode::bad_options, "this is not a resource table", place_of(*table));
  return *counts;
}

/// Index and generation of a handle; none if it is of another table.
std::optional<HandleParts> parts_of(const detail::TableCore& core, hdb_handle handle) noexcept {
  const HandleLayout& layout = core.policy().layout;
  const auto parts = split_handle(layout, handle);
  const bool is_other = layout.type_bits != 0 && parts && parts->type_id != core.options().type_id;
  return is_other ? std::nullopt : parts;
}

/// What hdb_flush_options.before gets of a slot.
struct Before {
  const hdb_table* table;
  const detail::TableCore* core;
  const hdb_flush_options* options;

  static void call(void* context, std::uint32_t slot) {
    const Before& own = *static_cast<const Before*>(context);
    const hdb_handle handle = bits_of(*own.core, slot, own.core->slots().tag(slot));
    std::size_t size = 0;
    const void* const record = hdb_find(own.table, handle, &size);
    own.options->before(own.options->context, handle, record, size);
  }
};

}  // namespace
}  // namespace hdb::c

using namespace hdb::c;

extern "C" {

hdb_status hdb_reference_add(hdb_table* table, hdb_handle handle, hdb_error** error) {
  return guarded(error, [&] {
    hdb::detail::RefCounts& counts = references_of(table);
    const std::uint32_t slot = known_slot(*table, handle);
    counts.add(slot, table->core->slots().tag(slot));
  });
}

hdb_status hdb_reference_release(hdb_table* table, hdb_handle handle, hdb_error** error) {
  return guarded(error, [&] {
    hdb::detail::RefCounts& counts = references_of(table);
    const auto parts = parts_of(*table->core, handle);
    if (!parts || !counts.release(parts->index, parts->generation))
      refuse(hdb::ErrorCode::not_found, "the handle has no reference", place_of(*table, handle));
  });
}

uint32_t hdb_reference_count(const hdb_table* table, hdb_handle handle) {
  const auto* const core = find_core(table);
  if (core == nullptr) return 0;
  const auto* const counts = table->entry.lock()->references;
  const auto parts = parts_of(*core, handle);
  return counts == nullptr || !parts ? 0 : counts->count(parts->index, parts->generation);
}

hdb_status hdb_flush(hdb_table* table, const hdb_flush_options* options, uint64_t* destroyed,
                     hdb_error** error) {
  return guarded(error, [&] {
    if (destroyed != nullptr) *destroyed = 0;
    static_cast<void>(references_of(table));
    const hdb_flush_options known = known_options(options, kFlushOptions);
    hdb::FlushOptions flush;
    flush.cycles = flag_of(known.cycles, "cycles", kFlushOptions);
    if (known.max_destroyed != 0)
      flush.max_destroyed = static_cast<size_t>(std::min<uint64_t>(known.max_destroyed, SIZE_MAX));
    if (table->is_flushing)
      refuse(hdb::ErrorCode::bad_options, "a flush of the table is running", place_of(*table));
    struct Running {
      explicit Running(bool& flag) : is_running(flag) { is_running = true; }
      ~Running() { is_running = false; }
      bool& is_running;
    } const running(table->is_flushing);
    const auto entry = table->entry.lock();
    Before before{table, &entry->core(), &known};
    const auto report = value_of(
        hdb::RuntimeTables::flush(table->database->database, *entry, flush,
                                  {known.before == nullptr ? nullptr : &Before::call, &before}));
    if (destroyed != nullptr) *destroyed = report.destroyed;
  });
}

}  // extern "C"
