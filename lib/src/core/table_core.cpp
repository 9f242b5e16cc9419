// Insert, erase, clear, capture and restore of an untyped table.
#include "hdb/core/table_core.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "hdb/base/assert.hpp"

namespace hdb {
namespace {

// How many inserts ahead a free slot is prefetched.
constexpr std::uint64_t kPrefetchAhead = 8;

RecordOps index_ops() noexcept {
  RecordOps ops;
  ops.size_bytes = sizeof(std::uint32_t);
  ops.alignment = alignof(std::uint32_t);
  return ops;
}

TablePolicy policy_of(const HandleLayout& layout, const TableOptions& options) noexcept {
  return {layout, options.storage, options.free_list, options.generations, options.overflow};
}

}  // namespace

TableCore::TableCore(std::shared_ptr<PagePool> pool, const HandleLayout& layout,
                     const TableOptions& options, const RecordOps& ops)
    : slots_(pool, policy_of(layout, options), options.page_bytes),
      records_(
          pool, ops,
          ops.trivial ? options.page_bytes : std::min(options.page_bytes, kNonTrivialPageBytes)),
      slot_of_(pool, index_ops(), options.page_bytes),
      dense_(options.storage == Storage::dense),
      options_(options),
      pool_(std::move(pool)) {}

TableCore::~TableCore() = default;

void TableCore::begin_structural() {
  HDB_ASSERT(mutable_iterations_ == 0,
             "no insert, erase, clear, capture or restore inside a mutable iteration");
  records_.release_parked();
  slot_of_.release_parked();
  slots_.release_parked();
}

void* TableCore::prepare_insert() {
  begin_structural();
  pending_ = slots_.next();
  if (!pending_) return nullptr;
  slots_.prepare_acquire(*pending_);
  std::size_t place = pending_->slot;
  if (dense_) {
    place = static_cast<std::size_t>(counters().live_count);
    slot_of_.grow_to(place + 1);
    static_cast<void>(slot_of_.edit(place));
  }
  records_.grow_to(place + 1);
  return records_.edit(place);
}

Slots::Next TableCore::commit_insert() noexcept {
  const Slots::Next next = *pending_;
  pending_.reset();
  std::uint32_t place = next.slot;
  if (dense_) {
    place = static_cast<std::uint32_t>(counters().live_count);
    slot_of_.owned_as<std::uint32_t>(place) = next.slot;
  }
  records_.mark_constructed(place);
  slots_.acquire(next, place);
  sort_work_.touched = true;
  // The free list tells which slots are used soon: their cache misses overlap with the work until then.
  if (counters().free_count > kPrefetchAhead) {
    std::uint32_t soon = 0;
    slots_.read_free_list(kPrefetchAhead, {&soon, 1});
    __builtin_prefetch(slots_.entries().at(soon), 1);
    // After clear() the slots are there, the pages of their records not yet.
    if (!dense_ && soon < records_.capacity()) __builtin_prefetch(records_.at(soon), 1);
  }
  return next;
}

void TableCore::erase_slot(std::uint32_t slot) {
  begin_structural();
  slots_.prepare_release(slot);
  if (!dense_) {
    if (!ops().trivial) {
      std::byte* const record = records_.edit(slot);
      ops().destroy(record);
      records_.mark_destroyed(slot);
    }
    slots_.release(slot);
    return;
  }
  const std::uint32_t hole = slots_.position(slot);
  const auto last = static_cast<std::uint32_t>(counters().live_count - 1);
  const std::uint32_t moved = slot_of_.as<std::uint32_t>(last);
  // Everything that can fail comes first.
  if (!ops().trivial) static_cast<void>(records_.edit(last));
  if (hole != last || !ops().trivial) static_cast<void>(records_.edit(hole));
  if (hole != last) {
    static_cast<void>(slot_of_.edit(hole));
    slots_.prepare_move(moved);
  }
  if (ops().trivial) {
    if (hole != last) std::memcpy(records_.owned_at(hole), records_.at(last), ops().size_bytes);
  } else {
    ops().destroy(records_.owned_at(hole));
    if (hole != last) ops().relocate(records_.owned_at(hole), records_.owned_at(last));
    records_.mark_destroyed(last);
  }
  if (hole != last) {
    set_slot_at(hole, moved);
  }
  slots_.release(slot);
  sort_work_.touched = true;
  if (sort_work_.count > last) sort_work_.clamp(last);
  records_.shrink_to(last);
  slot_of_.shrink_to(last);
}

void TableCore::clear() {
  begin_structural();
  slots_.prepare_release_all();
  slots_.release_all();
  records_.drop_all();
  slot_of_.drop_all();
  sort_work_ = {};
}

void TableCore::reset() {
  begin_structural();
  slots_.reset();
  records_.drop_all();
  slot_of_.drop_all();
  sort_work_ = {};
}

void TableCore::reserve(std::size_t records) {
  begin_structural();
  slots_.reserve(records);
  const auto places =
      static_cast<std::size_t>(std::min<std::uint64_t>(records, policy().layout.max_slots()));
  records_.grow_to(places);
  if (dense_) slot_of_.grow_to(places);
}

FrozenTable TableCore::freeze() {
  begin_structural();
  FrozenTable frozen;
  frozen.slots = slots_.freeze();
  frozen.records = records_.freeze();
  frozen.slot_of = slot_of_.freeze();
  frozen.sort_work = sort_work_;
  return frozen;
}

void TableCore::thaw(const FrozenTable& frozen) {
  prepare_thaw(frozen);
  records_.thaw(frozen.records);
  slot_of_.thaw(frozen.slot_of);
  slots_.thaw(frozen.slots);
  sort_work_ = frozen.sort_work;
}

void TableCore::prepare_thaw(const FrozenTable& frozen) {
  begin_structural();
  records_.prepare_thaw(frozen.records);
  slot_of_.prepare_thaw(frozen.slot_of);
  slots_.prepare_thaw(frozen.slots);
}

void TableCore::prepare_adopt() {
  begin_structural();
  records_.prepare_adopt();
  slot_of_.prepare_adopt();
  slots_.prepare_adopt();
}

void TableCore::adopt(TableCore& other) noexcept {
  records_.adopt(other.records_);
  slot_of_.adopt(other.slot_of_);
  slots_.adopt(other.slots_);
  sort_work_ = std::exchange(other.sort_work_, SortWork{});
}

std::unique_ptr<TableCore> TableCore::make_empty() const {
  return std::make_unique<TableCore>(pool_, policy().layout, options_, ops());
}

void TableCore::begin_fill(const SlotCounters& counters) {
  slots_.begin_fill(counters);
  const auto places = static_cast<std::size_t>(dense_ ? counters.live_count : counters.slot_count);
  records_.grow_to(places);
  if (dense_) slot_of_.grow_to(places);
}

void* TableCore::fill_record(std::uint32_t place) {
  std::byte* const record = records_.owned_at(place);
  ops().default_construct(record);
  records_.mark_constructed_shared(place);
  return record;
}

void TableCore::fill_slot(std::uint32_t slot, SlotKind kind, std::uint32_t generation,
                          std::uint32_t position) noexcept {
  slots_.fill_slot(slot, kind, generation, position);
  if (dense_ && kind == SlotKind::live) slot_of_.owned_as<std::uint32_t>(position) = slot;
}

const char* TableCore::check_invariants() const {
  if (const char* const broken = slots_.check_invariants()) return broken;
  if (!records_.check() || !slot_of_.check()) return "A1: page ownership";
  if (dense_ ? !sort_work_.is_sound(counters().live_count) : sort_work_ != SortWork{})
    return "O1: the state of sorting leads out of the table";
  const PageGeometry& geometry = records_.geometry();
  const auto is_constructed = [&](std::size_t place) {
    if (geometry.ops.trivial) return true;
    std::byte* const page = records_.pages()[place >> geometry.shift];
    const std::size_t capacity =
        records_.page_count() == 1 ? records_.capacity() : geometry.per_page();
    const std::size_t element = place & geometry.mask();
    return (geometry.constructed_bits(page, capacity)[element / 64] >> (element % 64) & 1) != 0;
  };
  const std::size_t places = records_.capacity();
  if (dense_) {
    if (places < counters().live_count) return "T1: too few records";
    for (std::uint32_t place = 0; place < counters().live_count; ++place) {
      const std::uint32_t slot = slot_of_.as<std::uint32_t>(place);
      if (slot >= counters().slot_count || !slot_tag::is_live(slots_.tag(slot)) ||
          slots_.position(slot) != place) {
        return "H5: dense order and positions disagree";
      }
    }
  }
  if (geometry.ops.trivial) return nullptr;
  for (std::size_t place = 0; place < places; ++place) {
    const bool wanted = dense_
                            ? place < counters().live_count
                            : place < counters().slot_count &&
                                  slot_tag::is_live(slots_.tag(static_cast<std::uint32_t>(place)));
    if (is_constructed(place) != wanted)
      return dense_ ? "T1: a record's construction" : "T2: a record's construction";
  }
  return nullptr;
}

}  // namespace hdb
