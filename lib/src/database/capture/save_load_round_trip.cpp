// Passes records through the columns of a file, a batch at a time.
#include "database/capture/save_load_round_trip.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include "database/capture/changed_slots.hpp"
#include "database/tables/name_and_blob_columns.hpp"
#include "hdb/inspect/values.hpp"

namespace hdb {
namespace {

constexpr std::size_t kBatchRecords = 1024;

/// Default-constructed records that belong to no table. Their padding is zero.
class LooseRecords {
 public:
  LooseRecords(const RecordOps& ops, std::size_t count)
      : ops_(ops),
        alignment_(std::align_val_t{ops.alignment}),
        bytes_(static_cast<std::byte*>(::operator new(ops.size_bytes* count, alignment_))) {
    std::memset(bytes_, 0, ops.size_bytes * count);
    try {
      while (pointers_.size() < count) {
        std::byte* const at = bytes_ + pointers_.size() * ops_.size_bytes;
        pointers_.reserve(count);
        ops_.construct_default(at);
        pointers_.push_back(at);
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~LooseRecords() { release(); }
  LooseRecords(const LooseRecords&) = delete;
  LooseRecords& operator=(const LooseRecords&) = delete;

  [[nodiscard]] std::span<void* const> pointers() const noexcept { return pointers_; }
  /// Moves the record to where another record is, which ends.
  void move_to(std::size_t i, std::byte* other) noexcept {
    ops_.destroy(other);
    ops_.move(other, std::exchange(pointers_[i], nullptr));
  }

 private:
  void release() noexcept {
    for (void* const record : pointers_) {
      if (record != nullptr) ops_.destroy(record);
    }
    ::operator delete(bytes_, alignment_);
  }

  const RecordOps& ops_;
  std::align_val_t alignment_;
  std::byte* bytes_;
  std::vector<void*> pointers_;
};

/// The slots of two states of a table, and whether the records at a slot have equal bytes.
class TwoStates {
 public:
  TwoStates(const SnapshotTable& before, const SnapshotTable& now)
      : before_(before),
        now_(now),
        entries_before_(before.frozen.slots.entries),
        entries_now_(now.frozen.slots.entries),
        records_before_(before.frozen.records),
        records_now_(now.frozen.records) {}

  /// Requires: the slot is live now.
  [[nodiscard]] bool are_equal(std::uint32_t slot) {
    if (slot >= before_.frozen.counters().slot_count) return false;
    const SlotEntry old = entries_before_.as<SlotEntry>(slot);
    if (!slot_tag::is_live(old.tag)) return false;
    const bool dense = now_.frozen.is_dense();
    const std::uint64_t old_place = dense ? old.position : slot;
    const std::uint64_t place = dense ? entries_now_.as<SlotEntry>(slot).position : slot;
    return std::memcmp(records_before_.at(old_place), records_now_.at(place),
                       now_.entry->core().ops().size_bytes) == 0;
  }

 private:
  const SnapshotTable& before_;
  const SnapshotTable& now_;
  PagePin entries_before_;
  PagePin entries_now_;
  PagePin records_before_;
  PagePin records_now_;
};

std::vector<std::uint32_t> live_slots(const SnapshotTable& table, const SlotSet& slots) {
  std::vector<std::uint32_t> live;
  PagePin entries(table.frozen.slots.entries);
  slots.for_each([&](std::uint32_t slot) {
    if (slot < table.frozen.counters().slot_count &&
        slot_tag::is_live(entries.as<SlotEntry>(slot).tag)) {
      live.push_back(slot);
    }
  });
  return live;
}

// The live slots whose records may not be settled; `before` is null at the first call.
std::vector<std::uint32_t> slots_to_pass(const SnapshotTable* before, const SnapshotTable& now,
                                         std::span<const std::uint32_t> unsettled) {
  const std::uint64_t slot_count = now.frozen.counters().slot_count;
  if (before == nullptr || !now.entry->core().ops().trivial) {
    SlotSet all(slot_count);
    for (std::uint64_t slot = 0; slot < slot_count; ++slot) all.add(slot);
    return live_slots(now, all);
  }
  SlotSet chosen(std::max(slot_count, before->frozen.counters().slot_count));
  for (const std::uint32_t slot : unsettled) chosen.add(slot);
  const std::vector<std::uint32_t> written = live_slots(now, changed_slots(*before, now));
  TwoStates states(*before, now);
  for (const std::uint32_t slot : written) {
    if (!states.are_equal(slot)) chosen.add(slot);
  }
  return live_slots(now, chosen);
}

}  // namespace

Status SaveLoadRoundTrip::run(const Snapshot& now) {
  for (const SnapshotTable& table : data_of(now)->tables()) {
    if (!table.entry->is_saved() || table.frozen.blobs) continue;
    if (auto passed = run(table); !passed) {
      return fail(std::move(passed.error())
                      .in("sync_test through a file, table '" + table.descriptor->name + "'"));
    }
  }
  before_ = now;
  return {};
}

Result<SaveLoadRoundTrip::Table*> SaveLoadRoundTrip::find(const SnapshotTable& now) {
  Table& table = tables_[now.entry.get()];
  if (table.decoder != nullptr) return &table;
  const Result<Field> schema = now.codec->schema({});
  if (!schema) return fail(schema.error());
  auto decoder = now.codec->decoder_for(*schema, {});
  if (!decoder) return fail(std::move(decoder.error()));
  table.entry = now.entry;
  table.decoder = *std::move(decoder);
  table.column_count = columns_of(*schema).size();
  return &table;
}

Status SaveLoadRoundTrip::run(const SnapshotTable& now) {
  const auto found = find(now);
  if (!found) return fail(found.error());
  Table& table = **found;
  const SnapshotTable* before = nullptr;
  if (before_) {
    const auto at = data_of(before_)->find(now.descriptor->name);
    if (at && data_of(before_)->tables()[*at].entry == now.entry) {
      before = &data_of(before_)->tables()[*at];
    }
  }
  const std::vector<std::uint32_t> slots = slots_to_pass(before, now, table.unsettled);
  table.unsettled.clear();
  TableCore& core = now.entry->core();
  const SortProgress sorted =
      core.sort_progress();  // a load does not count as a change of the order
  Status status;
  for (std::size_t first = 0; status && first < slots.size(); first += kBatchRecords) {
    const auto rest = std::span(slots).subspan(first);
    status = run(now, rest.first(std::min(rest.size(), kBatchRecords)), table);
  }
  core.set_sort_progress(sorted);
  return status;
}

Status SaveLoadRoundTrip::run(const SnapshotTable& now, std::span<const std::uint32_t> slots,
                              Table& table) {
  TableCore& core = now.entry->core();
  const RecordOps& ops = core.ops();
  GatheredRecords gathered;
  gathered.begin(now, slots.size());
  for (const std::uint32_t slot : slots) gathered.add(slot);
  std::vector<Bytes> columns(table.column_count);
  if (auto encoded = encode_records(now, gathered, columns); !encoded) return encoded;
  LooseRecords loaded(ops, slots.size());
  MemoryBudget budget(std::numeric_limits<std::uint64_t>::max());
  if (auto decoded = table.decoder->decode(columns, loaded.pointers(), budget); !decoded) {
    return decoded;
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::uint32_t place = core.place_of(slots[i]);
    const void* const result = loaded.pointers()[i];
    if (ops.trivial && std::memcmp(core.record_at(place), result, ops.size_bytes) == 0) continue;
    table.unsettled.push_back(slots[i]);
    loaded.move_to(i, core.edit_at(place));
  }
  return {};
}

}  // namespace hdb
