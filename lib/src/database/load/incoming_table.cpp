// Filling a table from row groups and a free list, trusting nothing.
#include "database/load/incoming_table.hpp"

#include <utility>

#include "base/sees_detail.hpp"
#include "database/tables/row_extras.hpp"
#include "database/tables/thread_scratch.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/handle_names.hpp"

namespace hdb {

namespace {

std::string group_text(const TableDescriptor& table, std::uint64_t group) {
  return "group " + std::to_string(group) + " of " + quoted(table.name);
}

}  // namespace

Status check_slot_columns(const TableDescriptor& table, std::uint64_t group, const RowGroup& rows) {
  const bool dense = table.policy.storage == Storage::dense;
  const auto slots = static_cast<std::size_t>(table.group_end(group) - table.group_begin(group));
  const std::size_t live_count = rows.live_count();
  if (rows.states.size() == slots && rows.generations.size() == slots &&
      rows.positions.size() == (dense ? live_count : 0) && live_count <= table.live_count) {
    return {};
  }
  return fail(ErrorCode::bad_slots, "the slot columns do not have one value for each slot",
              group_text(table, group));
}

Status IncomingTable::read_group(const Reader& reader, std::uint64_t group, RowGroup& buffer,
                                 MemoryBudget& budget, bool hash_records) {
  const TableDescriptor& table = reader.tables()[stored];
  if (auto read = reader.read_group(stored, group, buffer); !read) return read;
  if (auto checked = check_slot_columns(table, group, buffer); !checked) return checked;
  const std::string where = group_text(table, group);
  thread_local std::vector<void*> kept_records;
  thread_local std::vector<std::uint32_t> kept_slots;
  ThreadScratch record_scratch(kept_records);
  ThreadScratch slot_scratch(kept_slots);
  std::vector<void*>& records = *record_scratch;
  std::vector<std::uint32_t>& live_slots = *slot_scratch;
  records.clear();
  live_slots.clear();
  if (auto filled = fill_slots(table, buffer, where, records, live_slots); !filled) return filled;
  const std::span<const Bytes> columns(buffer.columns);
  if (auto decoded = decode_extras(table, columns, live_slots, *content); !decoded) {
    return fail(std::move(decoded.error()).in(where));
  }
  const EqualKeys equal_keys = rewrite ? rewrite(group, buffer) : EqualKeys::refuse;
  if (auto decoded = decode(columns.subspan(extra_column_count(table)), records, live_slots, buffer,
                            budget, table, equal_keys);
      !decoded) {
    return fail(std::move(decoded.error()).in(where));
  }
  if (hash_records) {
    auto hash = group_record_hash(reader.schemas()[table.schema], buffer);
    if (!hash) return fail(std::move(hash.error()).in(where));
    const std::lock_guard lock(hash_mutex);
    hashes.records += *hash;
  }
  return {};
}

// The records of a group, as they are stored or migrated.
Status IncomingTable::decode(std::span<const Bytes> columns, std::span<void* const> records,
                             std::span<const std::uint32_t> live_slots, const RowGroup& buffer,
                             MemoryBudget& budget, const TableDescriptor& table,
                             EqualKeys equal_keys) const {
  const auto slot_of = [&](std::uint32_t slot) {
    return MigratedSlot{slot, buffer.generations[slot - buffer.first_slot]};
  };
  if (migration == nullptr) {
    const RowNamer name_row = [&](std::size_t row) -> std::string {
      if (row >= live_slots.size()) return "all records";
      return handle_name(table, live_slots[row], slot_of(live_slots[row]).generation);
    };
    return decoder->decode(columns, records, budget, name_row, equal_keys);
  }
  if (migration->creates() || records.empty()) return {};
  std::vector<MigratedSlot> slots;
  slots.reserve(live_slots.size());
  for (const std::uint32_t slot : live_slots) slots.push_back(slot_of(slot));
  return migration->migrate(columns, slots, records, budget, nullptr);
}

Status IncomingTable::migrate_group(const Reader& reader, std::uint64_t group, RowGroup& buffer,
                                    MemoryBudget& budget, RecordCreator& creator) const {
  if (auto read = reader.read_group(stored, group, buffer); !read) return read;
  std::vector<MigratedSlot> slots;
  for (std::size_t i = 0; i < buffer.states.size(); ++i) {
    if (static_cast<SlotState>(buffer.states[i]) == SlotState::live)
      slots.push_back({static_cast<std::uint32_t>(buffer.first_slot + i), buffer.generations[i]});
  }
  const std::span<const Bytes> columns(buffer.columns);
  return migration->migrate(columns.subspan(extra_column_count(reader.tables()[stored])), slots, {},
                            budget, &creator);
}

// Slot states, generations and positions; makes a record, still empty, for each live slot.
Status IncomingTable::fill_slots(const TableDescriptor& table, const RowGroup& buffer,
                                 const std::string& where, std::vector<void*>& records,
                                 std::vector<std::uint32_t>& live_slots) {
  const bool dense = table.policy.storage == Storage::dense;
  TableCore& core = content->core();
  const std::size_t slots = buffer.states.size();
  std::size_t group_live = 0;
  std::uint64_t group_retired = 0;
  std::uint64_t group_free = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    const auto slot = static_cast<std::uint32_t>(buffer.first_slot + i);
    const auto kind = static_cast<SlotState>(buffer.states[i]);
    std::uint32_t place = slot;
    if (kind == SlotState::live) {
      if (dense) {
        place = buffer.positions[group_live];
        if (place >= table.position_count()) {
          return fail(ErrorCode::bad_dense_order,
                      "slot " + std::to_string(slot) + " has dense position " +
                          std::to_string(place) + " of " + std::to_string(table.position_count()),
                      where);
        }
        const std::uint64_t bit = std::uint64_t{1} << (place % 64);
        if (taken_positions[place / 64].fetch_or(bit) & bit) {
          return fail(ErrorCode::bad_dense_order,
                      "dense position " + std::to_string(place) + " is used twice", where);
        }
      }
      records.push_back(core.fill_record(place));
      live_slots.push_back(slot);
      ++group_live;
    } else if (kind == SlotState::retired) {
      ++group_retired;
    } else if (kind == SlotState::free) {
      ++group_free;
    }
    core.fill_slot(slot, kind, buffer.generations[i], dense && kind == SlotState::live ? place : 0);
  }
  live += group_live;
  retired += group_retired;
  free += group_free;
  return {};
}

Status IncomingTable::finish(const Reader& reader) {
  const TableDescriptor& table = reader.tables()[stored];
  const std::string where = quoted(table.name);
  if (live != table.live_count || retired != table.retired_count || free != table.free_count) {
    return fail(ErrorCode::bad_slots,
                "has " + std::to_string(live) + " live, " + std::to_string(retired) +
                    " retired and " + std::to_string(free) +
                    " free slots, but its descriptor has " + std::to_string(table.live_count) +
                    ", " + std::to_string(table.retired_count) + " and " +
                    std::to_string(table.free_count),
                where);
  }
  if (auto filled = content->finish_fill(); !filled) {
    return fail(std::move(filled.error()).in(where));
  }
  if (const auto twins = content->core().index_names()) {
    return fail(ErrorCode::bad_names,
                "slots " + std::to_string(twins->first) + " and " + std::to_string(twins->second) +
                    " have the same name",
                where);
  }
  auto list = reader.read_free_list(stored);
  if (!list) return fail(std::move(list.error()));
  return fill_free_list(table, *list);
}

Status IncomingTable::fill_free_list(const TableDescriptor& table,
                                     const std::vector<std::uint32_t>& list) {
  const std::string where = "free list of " + quoted(table.name);
  if (list.size() != table.listed_count()) {
    return fail(ErrorCode::bad_free_list,
                "the free list has " + std::to_string(list.size()) + " entries instead of " +
                    std::to_string(table.listed_count()),
                where);
  }
  if (table.policy.is_component) return fill_holes(table, list);
  const Slots& slots = content->core().slots();
  std::vector<bool> seen(static_cast<std::size_t>(table.slot_count));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::uint32_t slot = list[i];
    if (slot >= table.slot_count || slot_tag::kind(slots.tag(slot)) != SlotState::free ||
        seen[slot]) {
      return fail(ErrorCode::bad_free_list,
                  "entry " + std::to_string(i) + " is slot " + std::to_string(slot) +
                      ", which is not free or is already listed",
                  where);
    }
    seen[slot] = true;
  }
  content->core().fill_free_list(list);
  return {};
}

// Positions without a record, each once: with the live ones they are all.
Status IncomingTable::fill_holes(const TableDescriptor& table,
                                 const std::vector<std::uint32_t>& holes) {
  for (std::size_t i = 0; i < holes.size(); ++i) {
    const std::uint32_t place = holes[i];
    const std::uint64_t bit = std::uint64_t{1} << (place % 64);
    if (place >= table.position_count() || (taken_positions[place / 64].fetch_or(bit) & bit) != 0) {
      return fail(ErrorCode::bad_free_list,
                  "entry " + std::to_string(i) + " is position " + std::to_string(place) +
                      ", which is no hole or is already listed",
                  "holes of " + quoted(table.name));
    }
  }
  content->core().fill_free_list(holes);
  return {};
}

}  // namespace hdb
