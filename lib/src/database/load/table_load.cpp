// Filling a table from row groups and a free list, trusting nothing.
#include "database/load/table_load.hpp"

#include <functional>
#include <utility>

#include "base/using_detail.hpp"
#include "database/tables/name_and_blob_columns.hpp"
#include "database/tables/thread_scratch.hpp"
#include "hdb/inspect/handle_names.hpp"

namespace hdb {

namespace {

std::string group_text(const TableDescriptor& table, std::uint64_t group) {
  return "group " + std::to_string(group) + " of " + quoted(table.name);
}

}  // namespace

void TableLoad::begin(const TableDescriptor& table) {
  content = entry->content->make_empty();
  content->begin_fill(table, table.hole_count);
  content->core().set_flush_cursor(table.flush_cursor);
  TableDescriptor slots_alone = table;
  slots_alone.policy.names = RecordNames::none;
  slots_alone.blobs.reset();
  checker.emplace(slots_alone);
}

Status TableLoad::read_group(const evolve::LoadImage& image, std::uint64_t group, RowGroup& buffer,
                             MemoryBudget& budget) {
  if (auto read = image.read_group(stored, group, false, buffer); !read) return read;
  const TableDescriptor& table = image.tables()[stored];
  if (auto added = checker->add_group(group, buffer); !added)
    return fail(std::move(added.error()).in(group_text(table, group)));
  HDB_KEPT_BY_THREAD std::vector<void*> kept_records;
  HDB_KEPT_BY_THREAD std::vector<std::uint32_t> kept_slots;
  ThreadScratch record_scratch(kept_records);
  ThreadScratch slot_scratch(kept_slots);
  std::vector<void*>& records = *record_scratch;
  std::vector<std::uint32_t>& live_slots = *slot_scratch;
  records.clear();
  live_slots.clear();
  fill_slots(buffer, records, live_slots);
  const std::span<const Bytes> all(buffer.columns);
  const std::span<const Bytes> columns = all.subspan(extra_column_count(table));
  Status done = decode_extras(table, all, live_slots, *content);
  if (done) {
    done = decode(columns, records, live_slots, buffer, budget, table, equal_keys(image, group));
  }
  if (done && kept != nullptr) done = keep(group, buffer, columns, records, live_slots, budget);
  if (!done) return fail(std::move(done.error()).in(group_text(table, group)));
  return table.group_count() == 1 ? read_free_list(image) : Status();
}

Status TableLoad::read_free_list(const ImageSource& image) {
  if (free_list) return {};
  std::vector<std::uint32_t> list(static_cast<std::size_t>(image.tables()[stored].listed_count()));
  if (auto read = image.read_free_list(stored, 0, list); !read) return read;
  free_list = std::move(list);
  return {};
}

// What the program does not know of the records of a group.
Status TableLoad::keep(std::uint64_t group, const RowGroup& buffer, std::span<const Bytes> columns,
                       std::span<void* const> records, std::span<const std::uint32_t> live_slots,
                       MemoryBudget& budget) const {
  std::vector<Bytes> own(kept->needs_own() ? kept->own_columns() : 0);
  if (kept->needs_own()) {
    RecordBatch batch;
    const std::vector<const void*> made(records.begin(), records.end());
    const std::vector<std::uint32_t> zeros(live_slots.size());
    batch.records = made;
    batch.slots = live_slots;
    batch.generations = zeros;
    if (auto encoded = entry->codec->encode(batch, own, nullptr); !encoded) return encoded;
  }
  return kept->add_group(group, buffer, columns, own, budget);
}

// The records of a group, as they are stored or migrated.
Status TableLoad::decode(std::span<const Bytes> columns, std::span<void* const> records,
                         std::span<const std::uint32_t> live_slots, const RowGroup& buffer,
                         MemoryBudget& budget, const TableDescriptor& table, EqualKeys equal_keys) {
  const auto slot_of = [&](std::uint32_t slot) {
    return MigratedSlot{slot,
                        buffer.generations[static_cast<std::size_t>(slot - buffer.first_slot)]};
  };
  if (migration == nullptr) {
    const auto name_row = [&](std::size_t row) -> std::string {
      if (row >= live_slots.size()) return "all records";
      return handle_name(table, live_slots[row], slot_of(live_slots[row]).generation);
    };
    std::vector<std::size_t> dropped_rows;
    Status decoded =
        decoder->decode(columns, records, budget, std::ref(name_row), equal_keys, &dropped_rows);
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

Status TableLoad::migrate_group(const evolve::LoadImage& image, std::uint64_t group,
                                RowGroup& buffer, MemoryBudget& budget,
                                RecordCreator& creator) const {
  if (auto read = image.read_group(stored, group, false, buffer); !read) return read;
  std::vector<MigratedSlot> slots;
  for (std::size_t i = 0; i < buffer.states.size(); ++i) {
    if (static_cast<SlotState>(buffer.states[i]) == SlotState::live)
      slots.push_back({static_cast<std::uint32_t>(buffer.first_slot + i), buffer.generations[i]});
  }
  const std::span<const Bytes> columns(buffer.columns);
  return migration->migrate(columns.subspan(extra_column_count(image.tables()[stored])), slots, {},
                            budget, &creator, equal_keys(image, group));
}

// Slot states, generations and positions; makes a record, still empty, for each live slot.
void TableLoad::fill_slots(const RowGroup& buffer, std::vector<void*>& records,
                           std::vector<std::uint32_t>& live_slots) {
  TableCore& core = content->core();
  const auto first = static_cast<std::uint32_t>(buffer.first_slot);
  live_slots.reserve(buffer.states.size());
  for (std::uint32_t i = 0; i < buffer.states.size(); ++i) {
    if (SlotState{buffer.states[i]} == SlotState::live) live_slots.push_back(first + i);
  }
  const bool is_dense = core.policy().storage == Storage::dense;
  core.fill_records(is_dense ? buffer.positions : live_slots, records);
  core.fill_slots(first, buffer.states, buffer.generations, buffer.positions, live_slots);
}

Status TableLoad::finish(const ImageSource& image, RecordNames stored_names) {
  const TableDescriptor& table = image.tables()[stored];
  if (auto read = read_free_list(image); !read) return read;
  Status done = checker->add_free(*free_list);
  if (done) done = checker->finish();
  if (done) done = content->finish_fill();
  if (!done) return fail(std::move(done.error()).in(quoted(table.name)));
  checker.reset();
  if (const auto twins = content->core().index_names()) {
    const std::string text = "slots " + std::to_string(twins->first) + " and " +
                             std::to_string(twins->second) + " have the same name";
    if (content->core().policy().names == stored_names)
      return fail(ErrorCode::bad_names, text, quoted(table.name));
    return fail(ErrorCode::duplicate_name,
                text + " if upper and lower case are the same, as they are in the program",
                quoted(table.name));
  }
  content->core().fill_free_list(*free_list);
  free_list.reset();
  return {};
}

}  // namespace hdb
