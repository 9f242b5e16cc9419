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
  HDB_KEPT_BY_THREAD std::vector<void*> kept_records;
  HDB_KEPT_BY_THREAD std::vector<std::uint32_t> kept_slots;
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
  if (auto counted = count_dropped_names(table, columns, live_slots); !counted)
    return fail(std::move(counted.error()).in(where));
  if (hash_records) {
    auto hash = group_record_hash(reader.schemas()[table.schema], buffer);
    if (!hash) return fail(std::move(hash.error()).in(where));
    const std::lock_guard lock(hash_mutex);
    hashes.records += *hash;
  }
  auto equal_keys = translate(buffer);
  if (!equal_keys) return fail(std::move(equal_keys.error()).in(where));
  if (rewrite && rewrite(group, buffer) == EqualKeys::merge) equal_keys = EqualKeys::merge;
  if (auto decoded = decode(columns.subspan(extra_column_count(table)), records, live_slots, buffer,
                            budget, table, *equal_keys);
      !decoded) {
    return fail(std::move(decoded.error()).in(where));
  }
  if (kept != nullptr) {
    std::vector<Bytes> own(kept->needs_own() ? kept->own_columns() : 0);
    if (kept->needs_own()) {
      RecordBatch batch;
      const std::vector<const void*> made(records.begin(), records.end());
      const std::vector<std::uint32_t> zeros(live_slots.size());
      batch.records = made;
      batch.slots = live_slots;
      batch.generations = zeros;
      if (auto encoded = entry->codec->encode(batch, own, nullptr); !encoded)
        return fail(std::move(encoded.error()).in(where));
    }
    auto added =
        kept->add_group(group, buffer, columns.subspan(extra_column_count(table)), own, budget);
    if (!added) return fail(std::move(added.error()).in(where));
  }
  return {};
}

Result<EqualKeys> IncomingTable::translate(RowGroup& rows) const {
  if (handles == nullptr || handles->empty()) return EqualKeys::refuse;
  const auto has_cleared = handles->translate(rows);
  if (!has_cleared) return fail(has_cleared.error());
  return *has_cleared ? EqualKeys::merge : EqualKeys::refuse;
}

// Names that the program's table cannot hold.
Status IncomingTable::count_dropped_names(const TableDescriptor& table,
                                          std::span<const Bytes> columns,
                                          std::span<const std::uint32_t> live_slots) {
  if (table.policy.names == Names::none || content->core().names() != nullptr) return {};
  return for_each_name(columns, live_slots, [&](std::size_t, std::string_view name) -> Status {
    if (!name.empty()) ++dropped_names;
    return {};
  });
}

Status IncomingTable::plan_positions(const Reader& reader) {
  const TableDescriptor& table = reader.tables()[stored];
  if (!becomes_dense(table)) return {};
  std::uint64_t live_count = 0;
  RowGroup rows;
  for (std::uint64_t group = 0; group < table.group_count(); ++group) {
    if (auto read = reader.read_columns(stored, group, {}, rows); !read) return read;
    if (auto checked = check_slot_columns(table, group, rows); !checked) return checked;
    first_positions.push_back(live_count);
    live_count += rows.live_count();
  }
  if (live_count <= table.live_count) return {};
  return fail(ErrorCode::bad_slots, "there are more live slots than the descriptor has",
              quoted(table.name));
}

// The records of a group, as they are stored or migrated.
Status IncomingTable::decode(std::span<const Bytes> columns, std::span<void* const> records,
                             std::span<const std::uint32_t> live_slots, const RowGroup& buffer,
                             MemoryBudget& budget, const TableDescriptor& table,
                             EqualKeys equal_keys) {
  const auto slot_of = [&](std::uint32_t slot) {
    return MigratedSlot{slot,
                        buffer.generations[static_cast<std::size_t>(slot - buffer.first_slot)]};
  };
  if (migration == nullptr) {
    const RowNamer name_row = [&](std::size_t row) -> std::string {
      if (row >= live_slots.size()) return "all records";
      return handle_name(table, live_slots[row], slot_of(live_slots[row]).generation);
    };
    std::vector<std::size_t> dropped_rows;
    Status decoded = decoder->decode(columns, records, budget, name_row, equal_keys, &dropped_rows);
    const std::lock_guard lock(dropped_mutex);
    for (const std::size_t row : dropped_rows) dropped_slots.push_back(live_slots[row]);
    return decoded;
  }
  if (migration->creates() || records.empty()) return {};
  std::vector<MigratedSlot> slots;
  slots.reserve(live_slots.size());
  for (const std::uint32_t slot : live_slots) slots.push_back(slot_of(slot));
  return migration->migrate(columns, slots, records, budget, nullptr, equal_keys);
}

Status IncomingTable::migrate_group(const Reader& reader, std::uint64_t group, RowGroup& buffer,
                                    MemoryBudget& budget, RecordCreator& creator) const {
  if (auto read = reader.read_group(stored, group, buffer); !read) return read;
  const auto equal_keys = translate(buffer);
  if (!equal_keys) return fail(equal_keys.error());
  std::vector<MigratedSlot> slots;
  for (std::size_t i = 0; i < buffer.states.size(); ++i) {
    if (static_cast<SlotState>(buffer.states[i]) == SlotState::live)
      slots.push_back({static_cast<std::uint32_t>(buffer.first_slot + i), buffer.generations[i]});
  }
  const std::span<const Bytes> columns(buffer.columns);
  return migration->migrate(columns.subspan(extra_column_count(reader.tables()[stored])), slots, {},
                            budget, &creator, *equal_keys);
}

// Slot states, generations and positions; makes a record, still empty, for each live slot.
Status IncomingTable::fill_slots(const TableDescriptor& table, const RowGroup& buffer,
                                 const std::string& where, std::vector<void*>& records,
                                 std::vector<std::uint32_t>& live_slots) {
  const bool was_dense = table.policy.storage == Storage::dense;
  const bool is_dense = entry->core().policy().storage == Storage::dense;
  const auto group = static_cast<std::size_t>(buffer.first_slot >> table.group_shift);
  const std::uint64_t first_position = becomes_dense(table) ? first_positions[group] : 0;
  TableCore& core = content->core();
  std::size_t group_live = 0;
  std::uint64_t group_retired = 0;
  std::uint64_t group_free = 0;
  for (std::size_t i = 0; i < buffer.states.size(); ++i) {
    const auto slot = static_cast<std::uint32_t>(buffer.first_slot + i);
    const auto kind = static_cast<SlotState>(buffer.states[i]);
    if (kind != SlotState::live) {
      if (kind == SlotState::retired) ++group_retired;
      if (kind == SlotState::free) ++group_free;
      if (!was_free.empty()) was_free[slot] = kind == SlotState::free ? 1 : 0;
      const SlotChange::Slot own = slot_change->of(kind, buffer.generations[i]);
      core.fill_slot(slot, own.state, own.generation, 0);
      continue;
    }
    std::uint32_t place = slot;
    if (was_dense) {
      const std::uint32_t position = buffer.positions[group_live];
      if (auto taken = take_position(table, slot, position, where); !taken) return taken;
      if (is_dense) place = position;
    } else if (is_dense) {
      place = static_cast<std::uint32_t>(first_position + group_live);
    }
    records.push_back(core.fill_record(place));
    live_slots.push_back(slot);
    ++group_live;
    core.fill_slot(slot, kind, buffer.generations[i], is_dense ? place : 0);
  }
  live += group_live;
  retired += group_retired;
  free += group_free;
  return {};
}

Status IncomingTable::take_position(const TableDescriptor& table, std::uint32_t slot,
                                    std::uint32_t place, const std::string& where) {
  if (place >= table.position_count()) {
    return fail(ErrorCode::bad_dense_order,
                "slot " + std::to_string(slot) + " has dense position " + std::to_string(place) +
                    " of " + std::to_string(table.position_count()),
                where);
  }
  const std::uint64_t bit = std::uint64_t{1} << (place % 64);
  if ((taken_positions[place / 64].fetch_or(bit) & bit) == 0) return {};
  return fail(ErrorCode::bad_dense_order,
              "dense position " + std::to_string(place) + " is used twice", where);
}

Status IncomingTable::finish(const Reader& reader, bool hash_list) {
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
    const Names names = content->core().policy().names;
    const std::string text = "slots " + std::to_string(twins->first) + " and " +
                             std::to_string(twins->second) + " have the same name";
    if (names == table.policy.names) return fail(ErrorCode::bad_names, text, where);
    return fail(ErrorCode::duplicate_name,
                text + " if upper and lower case are the same, as they are in the program", where);
  }
  auto list = reader.read_free_list(stored);
  if (!list) return fail(std::move(list.error()));
  return fill_free_list(table, *std::move(list), hash_list);
}

Status IncomingTable::fill_free_list(const TableDescriptor& table, std::vector<std::uint32_t> list,
                                     bool hash_list) {
  const std::string where = "free list of " + quoted(table.name);
  if (list.size() != table.listed_count()) {
    return fail(ErrorCode::bad_free_list,
                "the free list has " + std::to_string(list.size()) + " entries instead of " +
                    std::to_string(table.listed_count()),
                where);
  }
  if (hash_list) {
    FreeListHash hash(table);
    hash.add(list);
    hashes.free_list = hash.sum();
  }
  if (table.policy.is_component) return fill_holes(table, list);
  const Slots& filled = content->core().slots();
  const auto is_listed = [&](std::uint32_t slot) {
    return slot_change->is_exact() ? slot_tag::kind(filled.tag(slot)) == SlotState::free
                                   : was_free[slot] != 0;
  };
  std::vector<bool> seen(static_cast<std::size_t>(table.slot_count));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::uint32_t slot = list[i];
    if (slot >= table.slot_count || !is_listed(slot) || seen[slot]) {
      return fail(ErrorCode::bad_free_list,
                  "entry " + std::to_string(i) + " is slot " + std::to_string(slot) +
                      ", which is not free or is already listed",
                  where);
    }
    seen[slot] = true;
  }
  if (slot_change->is_exact()) {
    content->core().fill_free_list(list);
    return {};
  }
  content->core().fill_counters(slot_change->counters(filled));
  content->core().fill_free_list(slot_change->order_of_use(std::move(list), filled));
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
                      ", which is not a hole or is already listed",
                  "holes of " + quoted(table.name));
    }
  }
  content->core().fill_free_list(holes);
  return {};
}

}  // namespace hdb
