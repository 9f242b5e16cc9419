// Insert and erase of one record: first all that may fail, then the writing. Included by
// table_core.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb::detail {

template <std::size_t RecordBytes>
HDB_INLINE void* TableCore::begin_insert(Insertion& insertion) {
  insertion.next = slots_.next();
  if (!insertion.next) return nullptr;
  slots_.prepare_acquire(insertion.next);
  return begin_record<RecordBytes>(insertion);
}

// Memory for the record of a slot that is about to be live.
template <std::size_t RecordBytes>
HDB_INLINE void* TableCore::begin_record(Insertion& insertion) {
  std::uint32_t place = insertion.next.slot;
  if (dense_) {
    place = static_cast<std::uint32_t>(counters().live_count);
    slot_of_.grow_to(std::size_t{place} + 1);
    slot_of_.make_private(place);
  }
  insertion.place = place;
  if (place >= records_.capacity()) [[unlikely]]
    grow_records(std::size_t{place} + 1);
  return edit_record<RecordBytes>(place);
}

template <std::size_t RecordBytes>
HDB_INLINE void TableCore::end_record(const Insertion& insertion) noexcept {
  if (dense_) slot_of_.owned_as<std::uint32_t>(insertion.place) = insertion.next.slot;
  if (RecordBytes == 0) records_.mark_constructed(insertion.place);
  sort_work_.touched = true;
}

template <std::size_t RecordBytes>
HDB_INLINE Slots::Next TableCore::end_insert(const Insertion& insertion) noexcept {
  end_record<RecordBytes>(insertion);
  slots_.acquire(insertion.next, insertion.place);
  // The free list says which slots are used soon: their cache misses overlap with the work until
  // then.
  if (counters().free_count > kPrefetchAhead) {
    const std::uint32_t soon = slots_.free_slot(kPrefetchAhead);
    __builtin_prefetch(slots_.entries().at(soon), 1);
    // After clear() the slots are there, perhaps not yet the memory of their records.
    if (!dense_ && soon < records_.capacity()) __builtin_prefetch(records_.at(soon), 1);
  }
  return insertion.next;
}

template <std::size_t RecordBytes>
HDB_INLINE void TableCore::erase_record(std::uint32_t slot) {
  slots_.prepare_release(slot);
  if (dense_) {
    const std::uint32_t hole = slots_.position(slot);
    prepare_hole<RecordBytes>(hole);
    fill_hole<RecordBytes>(hole);
  } else if (RecordBytes == 0 && !ops().trivial) {
    ops().destroy(edit_record<0>(slot));
    records_.mark_destroyed(slot);
  }
  slots_.release(slot);
}

// All that may fail when the last record moves to a place of the dense order.
template <std::size_t RecordBytes>
HDB_INLINE void TableCore::prepare_hole(std::uint32_t hole) {
  const auto last = static_cast<std::uint32_t>(counters().live_count - 1);
  const std::uint32_t moved = slot_of_.as<std::uint32_t>(last);
  // Writes reach memory in order: asked for now, the lines of several erases are on their way
  // together.
  __builtin_prefetch(slots_.entries().at(moved), 1);
  __builtin_prefetch(records_.at(hole), 1);
  __builtin_prefetch(slot_of_.at(hole), 1);
  if (RecordBytes == 0 && !ops().trivial) static_cast<void>(edit_record<0>(last));
  if (hole == last) return;
  static_cast<void>(edit_record<RecordBytes>(hole));
  slot_of_.make_private(hole);
  slots_.prepare_move(moved);
}

// Destroys the record at a place of the dense order and moves the last one there.
template <std::size_t RecordBytes>
HDB_INLINE void TableCore::fill_hole(std::uint32_t hole) noexcept {
  const bool trivial = RecordBytes != 0 || ops().trivial;
  const auto last = static_cast<std::uint32_t>(counters().live_count - 1);
  std::byte* const to = records_.owned_at(hole);
  if (!trivial) ops().destroy(to);
  if (hole != last) {
    std::byte* const from = records_.owned_at(last);
    if (trivial) {
      std::memcpy(to, from, RecordBytes != 0 ? RecordBytes : ops().size_bytes);
    } else {
      ops().relocate(to, from);
    }
    const std::uint32_t moved = slot_of_.as<std::uint32_t>(last);
    slot_of_.owned_as<std::uint32_t>(hole) = moved;
    slots_.set_position(moved, hole);
  }
  if (!trivial) records_.mark_destroyed(last);
  sort_work_.touched = true;
  if (sort_work_.count > last) sort_work_.clamp(last);
}

}  // namespace hdb::detail
