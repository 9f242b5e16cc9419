// The state hash of a snapshot, at the cost of the pages that changed since another one was hashed.
//
// Each page of records keeps the sum of its rows' hashes under the stamps of all pages that
// the sum depends on:
//   dense   the records page, the page of the dense order, and how many records stand in the page
//           (a live slot's generation never changes without a write to its record or its place in
//           the order);
//   stable  the records page and the slot pages over the same slots.
// Where a load kept fields, also on which values it kept. Blob tables keep no sums. With names,
// also the pages of those: over the same slots in stable tables, all of them in dense ones. Each
// page of slots keeps the sum over its vacant slots under
// its own stamp and the slot count. Each 4096 entries of the free list keep their hash under the
// stamps of the pages that they lie in, and their place.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/using_detail.hpp"
#include "database/kept/kept_components.hpp"
#include "database/tables/name_and_blob_columns.hpp"
#include "database/tables/snapshot_data.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb {
namespace {

SlotState state_of(std::uint32_t tag) noexcept {
  return static_cast<SlotState>(slot_tag::kind(tag));
}

// Stamps of the pages of `pages` that cover elements [begin, end), as one number.
std::uint64_t stamp_of_range(const FrozenArray& pages, std::uint64_t begin, std::uint64_t end) {
  const auto first = static_cast<std::size_t>(begin >> pages.shift());
  const auto last = std::min(static_cast<std::size_t>((end - 1) >> pages.shift()),
                             std::max<std::size_t>(pages.page_count(), 1) - 1);
  if (pages.page_count() == 0 || first > last) return 0;
  std::vector<std::uint64_t> stamps{pages.number()};
  for (std::size_t page = first; page <= last; ++page) stamps.push_back(pages.stamp(page));
  return hash64(std::as_bytes(std::span(stamps)));
}

// What the names of the rows at these places depend on, as one number; 0 in tables without names.
std::uint64_t stamp_of_names(const FrozenTable& table, std::uint64_t begin, std::uint64_t end) {
  if (table.policy().names == RecordNames::none || table.counters().slot_count == 0) return 0;
  const bool dense = table.policy().storage == Storage::dense;
  const std::uint64_t stamp =
      dense ? stamp_of_range(table.names.names, 0, table.counters().slot_count)
            : stamp_of_range(table.names.names, begin, end);
  return hash64(std::as_bytes(std::span(&stamp, 1)));
}

std::uint64_t stamp_of_kept(const SnapshotTable& table) {
  if (table.kept == nullptr) return 0;
  const std::uint64_t id = table.kept->id();
  return hash64(std::as_bytes(std::span(&id, 1)));
}

Hash128 vacant_sum(const FrozenTable& table) {
  const SlotCounters& counters = table.counters();
  Hash128 total;
  if (counters.live_count == counters.slot_count) return total;
  const FrozenArray& entries = table.slots.entries;
  std::vector<SlotEntry> slots;
  for (std::uint64_t begin = 0; begin < counters.slot_count; begin += entries.per_page()) {
    const auto page = static_cast<std::size_t>(begin >> entries.shift());
    const std::uint64_t end =
        std::min<std::uint64_t>(begin + entries.per_page(), counters.slot_count);
    const ArrayCore::HashKey key{entries.stamp(page), end, 1};
    Hash128 sum;
    if (!entries.core().find_hash(page, key, sum)) {
      slots.resize(static_cast<std::size_t>(end - begin));
      table.slots.read_entries(begin, slots);
      for (auto slot = static_cast<std::uint32_t>(begin); slot < end; ++slot) {
        const std::uint32_t tag = slots[static_cast<std::size_t>(slot - begin)].tag;
        if (slot_tag::is_live(tag)) continue;
        sum +=
            vacant_slot_hash(slot, state_of(tag), slot_tag::generation(tag, table.policy().layout));
      }
      entries.core().store_hash(page, key, sum);
    }
    total += sum;
  }
  return total;
}

// Bytes have no stamps, so nothing is kept: few rows at a time, for they may be large.
Result<Hash128> blob_record_hash(const SnapshotTable& table) {
  constexpr std::uint64_t kRows = 64;
  const FrozenTable& frozen = table.frozen;
  Hash128 total = vacant_sum(frozen);
  GatheredRecords gathered;
  for (std::uint64_t begin = 0; begin < frozen.counters().slot_count; begin += kRows) {
    gathered.begin(table, kRows);
    const std::uint64_t end = std::min(begin + kRows, frozen.counters().slot_count);
    for (auto slot = static_cast<std::uint32_t>(begin); slot < end; ++slot) {
      if (slot_tag::is_live(frozen.slots.tag(slot))) gathered.add(slot);
    }
    auto hashed = hash_rows(table, gathered);
    if (!hashed) return fail(std::move(hashed.error()));
    total += *hashed;
  }
  return total;
}

// The records at places [begin, end).
void gather_places(const FrozenTable& table, std::uint64_t begin, std::uint64_t end,
                   GatheredRecords& gathered) {
  const auto count = static_cast<std::size_t>(end - begin);
  if (table.is_dense()) {
    std::vector<std::uint32_t> slots(count);
    table.slot_of.read(begin, count, slots.data());
    PagePin entries(table.slots.entries);
    for (std::size_t i = 0; i < count; ++i) {
      if (slots[i] == kHole) continue;
      gathered.add(slots[i], entries.as<SlotEntry>(slots[i]).tag,
                   static_cast<std::uint32_t>(begin + i));
    }
    return;
  }
  std::vector<SlotEntry> entries(count);
  table.slots.read_entries(begin, entries);
  for (std::size_t i = 0; i < count; ++i) {
    if (!slot_tag::is_live(entries[i].tag)) continue;
    const auto slot = static_cast<std::uint32_t>(begin + i);
    gathered.add(slot, entries[i].tag, slot);
  }
}

}  // namespace

Result<Hash128> table_record_hash(const SnapshotTable& table) {
  if (table.frozen.blobs) return blob_record_hash(table);
  const FrozenTable& frozen = table.frozen;
  const bool dense = frozen.policy().storage == Storage::dense;
  const std::uint64_t places = frozen.end_place();
  const FrozenArray& records = frozen.records;
  Hash128 total = vacant_sum(frozen);
  GatheredRecords gathered;
  for (std::uint64_t begin = 0; begin < places && frozen.counters().live_count != 0;
       begin += records.per_page()) {
    const std::uint64_t end = std::min<std::uint64_t>(begin + records.per_page(), places);
    const auto page = static_cast<std::size_t>(begin >> records.shift());
    if (page >= records.page_count()) break;
    const ArrayCore::HashKey key{
        records.stamp(page),
        stamp_of_range(dense ? frozen.slot_of : frozen.slots.entries, begin, end) ^
            stamp_of_names(frozen, begin, end) ^ stamp_of_kept(table),
        end << 1};
    Hash128 sum;
    if (!records.core().find_hash(page, key, sum)) {
      gathered.begin(table, static_cast<std::size_t>(end - begin));
      gather_places(frozen, begin, end, gathered);
      auto hashed = hash_rows(table, gathered);
      if (!hashed) return fail(std::move(hashed.error()));
      sum = *hashed;
      records.core().store_hash(page, key, sum);
    }
    total += sum;
  }
  return total;
}

Hash128 free_list_hash(const FrozenTable& table) {
  if (table.slots.policy.free_list == FreeList::lowest) return {};  // the row hashes say all
  constexpr std::uint64_t kPage = format::kFreeListPageEntries;
  // The array has the order that is hashed; what is used up at its begin is not part of the list,
  // and neither are gaps: the place of an entry behind one depends on when they are closed.
  const FrozenArray& list = table.slots.free_list;
  const std::uint64_t begin = table.slots.free_head;
  const std::uint64_t count = table.slots.list_size();
  const bool has_gaps = table.slots.gaps != nullptr;
  Hash128 total;
  for (std::uint64_t first = 0; first < count; first += kPage) {
    const std::uint64_t from = begin + first;
    const auto size = static_cast<std::size_t>(std::min(kPage, count - first));
    const auto page = static_cast<std::size_t>(first / kPage);
    const ArrayCore::HashKey key{stamp_of_range(list, from, from + size), from, from + size};
    Hash128 sum;
    if (has_gaps || !list.core().find_hash(page, key, sum)) {
      std::uint32_t slots[kPage];
      table.slots.read_list_array(first, {slots, size});
      sum = free_list_page_hash(page, {slots, size});
      if (!has_gaps) list.core().store_hash(page, key, sum);
    }
    total += sum;
  }
  return total;
}

namespace {

Hash128 hash_with_kept(const SnapshotData& data, const KeptFile& kept_file,
                       std::vector<TableHashes> hashes) {
  std::vector<Field> schemas = data.schemas().fields;
  std::vector<TableDescriptor> tables = data.descriptors();
  for (const auto& kept : kept_file.tables) {
    const std::size_t at = insert_by_name(tables, kept->descriptor);
    tables[at].schema = static_cast<std::uint32_t>(schemas.size());
    schemas.push_back(kept->schema);
    hashes.insert(hashes.begin() + static_cast<std::ptrdiff_t>(at), kept->hashes);
  }
  return combine_state_hash(schemas, tables, hashes, data.database());
}

}  // namespace

Result<Hash128> Snapshot::try_state_hash() const {
  if (!data_) return Hash128{};
  {
    const std::lock_guard lock(data_->hash_mutex);
    if (data_->state_hash) return *data_->state_hash;
  }
  std::vector<TableHashes> hashes;
  for (std::size_t i = 0; i < data_->tables().size(); ++i) {
    const SnapshotTable& table = data_->tables()[i];
    if (!data_->descriptors()[i].is_hashed()) {
      hashes.emplace_back();
      continue;
    }
    auto records = table_record_hash(table);
    if (!records)
      return fail(std::move(records.error()).in("table '" + data_->descriptors()[i].name + "'"));
    hashes.push_back({*records, free_list_hash(table.frozen)});
  }
  const std::shared_ptr<const KeptFile> kept = kept_state(*data_);
  const Hash128 hash = kept == nullptr
                           ? combine_state_hash(data_->schemas().fields, data_->descriptors(),
                                                hashes, data_->database())
                           : hash_with_kept(*data_, *kept, std::move(hashes));
  const std::lock_guard lock(data_->hash_mutex);
  data_->state_hash = hash;
  return hash;
}

StateHashFailure::StateHashFailure(Error error)
    : std::runtime_error(error.message()),
      error_(std::make_shared<const Error>(std::move(error))) {}

Result<Hash128> Database::try_state_hash() { return capture().try_state_hash(); }

Hash128 Snapshot::state_hash() const {
  auto hash = try_state_hash();
  if (!hash) throw StateHashFailure(std::move(hash.error()));
  return *hash;
}

}  // namespace hdb
