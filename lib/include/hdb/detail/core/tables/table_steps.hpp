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
  if (counters().free_count > kPrefetchAhead && policy().free_list != FreeList::lowest) {
    const std::uint32_t soon = slots_.free_slot(kPrefetchAhead);
    __builtin_prefetch(slots_.entries().at(soon), 1);
    // After clear() the slots are there, perhaps not yet the memory of their records.
    if (S == Storage::stable && soon < records_.capacity())
      __builtin_prefetch(records_.at(soon), 1);
  }
}

template <std::size_t RecordBytes>
HDB_INLINE void TableCore::erase_record(std::uint32_t slot) {
  const bool is_trivial = RecordBytes != 0 || ops().trivial;
  if (dense_) {
    slots_.prepare_release(Storage::dense, slot);
    const Hole hole = prepare_hole<RecordBytes>(slot);
    if (!is_trivial) fill_hole(hole);
    close_hole(hole);
    slots_.release(Storage::dense, slot);
    // At the end, because a compiler forgets what it knows of the table when it copies bytes.
    if (is_trivial && hole.place != hole.last) {
      std::memcpy(owned_record<RecordBytes>(hole.place), owned_record<RecordBytes>(hole.last),
                  RecordBytes != 0 ? RecordBytes : ops().size_bytes);
    }
    return;
  }
  slots_.prepare_release(Storage::stable, slot);
  if (!is_trivial) {
    ops().destroy(edit_record<0>(slot));
    records_.mark_destroyed(slot);
  }
  slots_.release(Storage::stable, slot);
}

// All that may fail when the last record moves to the place of the record of `slot`.
template <std::size_t RecordBytes>
HDB_INLINE TableCore::Hole TableCore::prepare_hole(std::uint32_t slot) {
  Hole hole;
  hole.place = slots_.position(slot);
  hole.last = static_cast<std::uint32_t>(counters().live_count - 1);
  hole.moved = slot_of_.as<std::uint32_t>(hole.last);
  if (RecordBytes == 0 && !ops().trivial) static_cast<void>(edit_record<0>(hole.last));
  if (hole.place == hole.last) return hole;
  static_cast<void>(edit_record<RecordBytes>(hole.place));
  slot_of_.make_private(hole.place);
  slots_.prepare_move(hole.moved);
  return hole;
}

// Destroys the record in the hole and moves the last one there.
inline void TableCore::fill_hole(const Hole& hole) noexcept {
  std::byte* const to = records_.owned_at(hole.place);
  ops().destroy(to);
  if (hole.place != hole.last) ops().relocate(to, records_.owned_at(hole.last));
  records_.mark_destroyed(hole.last);
}

// The record moved is found at its new place.
HDB_INLINE void TableCore::close_hole(const Hole& hole) noexcept {
  if (hole.place != hole.last) {
    slot_of_.owned_as<std::uint32_t>(hole.place) = hole.moved;
    slots_.set_position(hole.moved, hole.place);
  }
  sort_work_.touched = true;
  if (sort_work_.count > hole.last) sort_work_.clamp(hole.last);
}

}  // namespace hdb::detail
