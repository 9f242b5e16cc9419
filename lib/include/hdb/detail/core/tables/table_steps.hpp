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
  return dense_ ? begin_insert_in<RecordBytes, Storage::dense>(insertion)
                : begin_insert_in<RecordBytes, Storage::stable>(insertion);
}

template <std::size_t RecordBytes, Storage S>
HDB_INLINE void* TableCore::begin_insert_in(Insertion& insertion) {
  insertion.next = slots_.next(S);
  if (!insertion.next) return nullptr;
  slots_.prepare_acquire(S, insertion.next);
  return begin_record<RecordBytes, S>(insertion);
}

// Memory for the record of a slot that is about to be live.
template <std::size_t RecordBytes, Storage S>
HDB_INLINE void* TableCore::begin_record(Insertion& insertion) {
  std::uint32_t place = insertion.next.slot;
  if (S == Storage::dense) {
    place = static_cast<std::uint32_t>(counters().live_count);
    slot_of_.grow_to(std::size_t{place} + 1);
    slot_of_.make_private(place);
  }
  insertion.place = place;
  if (place >= records_.capacity()) [[unlikely]]
    grow_records(std::size_t{place} + 1);
  return edit_record<RecordBytes>(place);
}

template <std::size_t RecordBytes, Storage S>
HDB_INLINE void TableCore::end_record(const Insertion& insertion) noexcept {
  if (S == Storage::dense) slot_of_.owned_as<std::uint32_t>(insertion.place) = insertion.next.slot;
  if (RecordBytes == 0) records_.mark_constructed(insertion.place);
  sort_work_.touched = true;
}

template <std::size_t RecordBytes>
HDB_INLINE Slots::Next TableCore::end_insert(const Insertion& insertion) noexcept {
  dense_ ? end_insert_in<RecordBytes, Storage::dense>(insertion)
         : end_insert_in<RecordBytes, Storage::stable>(insertion);
  return insertion.next;
}

template <std::size_t RecordBytes, Storage S>
HDB_INLINE void TableCore::end_insert_in(const Insertion& insertion) noexcept {
  end_record<RecordBytes, S>(insertion);
  slots_.acquire(S, insertion.next, insertion.place);
  // The free list says which slots are used soon: their cache misses overlap with the work until
  // then.
  if (counters().free_count > kPrefetchAhead) {
    const std::uint32_t soon = slots_.free_slot(kPrefetchAhead);
    __builtin_prefetch(slots_.entries().at(soon), 1);
    // After clear() the slots are there, perhaps not yet the memory of their records.
    if (S == Storage::stable && soon < records_.capacity())
      __builtin_prefetch(records_.at(soon), 1);
  }
}

template <std::size_t RecordBytes>
HDB_INLINE void TableCore::erase_record(std::uint32_t slot) {
  if (dense_) {
    slots_.prepare_release(Storage::dense, slot);
    const std::uint32_t hole = slots_.position(slot);
    prepare_hole<RecordBytes>(hole);
    fill_hole<RecordBytes>(hole);
    slots_.release(Storage::dense, slot);
    return;
  }
  slots_.prepare_release(Storage::stable, slot);
  if (RecordBytes == 0 && !ops().trivial) {
    ops().destroy(edit_record<0>(slot));
    records_.mark_destroyed(slot);
  }
  slots_.release(Storage::stable, slot);
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
