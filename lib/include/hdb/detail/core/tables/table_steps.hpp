// Insert and erase of one record for which nothing must be prepared. Included by table_core.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hdb/detail/base/compiler.hpp"
#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb::detail {

template <Storage S>
inline constexpr std::size_t kEntryBytes = S == Storage::dense ? sizeof(SlotEntry)
                                                               : sizeof(SlotEntry::tag);

template <std::size_t RecordBytes>
HDB_INLINE Slots::Next TableCore::try_insert(std::uint32_t& place) noexcept {
  require_no_span_visit();
  if (path_ == Path::stable) [[likely]]
    return try_insert_in<RecordBytes, Storage::stable>(place);
  if (path_ == Path::dense) return try_insert_in<RecordBytes, Storage::dense>(place);
  return {};
}

template <std::size_t RecordBytes, Storage S>
HDB_INLINE Slots::Next TableCore::try_insert_in(std::uint32_t& place) noexcept {
  const Slots::Next next = slots_.next_ready(S);
  if (!next) return {};
  place = S == Storage::dense ? static_cast<std::uint32_t>(counters().live_count) : next.slot;
  if (place >= records_.capacity()) return {};
  if (S == Storage::dense && place >= slot_of_.capacity()) return {};
  if (is_tracking() && !is_private_to_insert(next.slot, place)) return {};
  // The free list says which slots are used soon: their cache misses overlap with the work until
  // then. Before all writing, because a compiler forgets what it knows of the table when it writes.
  if (counters().free_count > kPrefetchAhead) [[likely]] {
    const std::size_t soon = slots_.next_free(kPrefetchAhead);
    HDB_PREFETCH_TO_WRITE(slots_.entries().data() + soon * kEntryBytes<S>);
    if (S == Storage::stable) HDB_PREFETCH_TO_WRITE(records_.data() + soon * RecordBytes);
  }
  if (S == Storage::dense) slot_of_.owned_as<std::uint32_t>(place) = next.slot;
  slots_.acquire_ready(S, next, place);
  return next;
}

template <std::size_t RecordBytes>
HDB_INLINE bool TableCore::try_erase(std::uint32_t slot, std::uint32_t generation,
                                     std::uint32_t place) noexcept {
  require_no_span_visit();
  if (path_ == Path::none || !slots_.is_ready_to_release(generation)) return false;
  if (is_tracking() && !is_private_to_erase(slot, place)) return false;
  if (path_ == Path::dense) return try_erase_dense<RecordBytes>(slot, generation, place);
  slots_.release_ready(Storage::stable, slot, generation);
  return true;
}

// The last record moves to the place of the erased one.
template <std::size_t RecordBytes>
HDB_INLINE bool TableCore::try_erase_dense(std::uint32_t slot, std::uint32_t generation,
                                           std::uint32_t place) noexcept {
  const auto last = static_cast<std::uint32_t>(counters().live_count - 1);
  const std::uint32_t moved = slot_of_.as<std::uint32_t>(last);
  // The next erases move the records before the last one.
  if (last >= kPrefetchAhead) {
    const std::size_t soon = slot_of_.as<std::uint32_t>(last - kPrefetchAhead);
    HDB_PREFETCH_TO_WRITE(slots_.entries().data() + soon * kEntryBytes<Storage::dense>);
  }
  std::byte* const records = records_.owned_at(0);
  sort_.note_change(place);
  slot_of_.owned_as<std::uint32_t>(place) = moved;
  slots_.set_position(moved, place);
  slots_.release_ready(Storage::dense, slot, generation);
  if (place != last) {
    std::memcpy(records + std::size_t{place} * RecordBytes,
                records + std::size_t{last} * RecordBytes, RecordBytes);
  }
  return true;
}

}  // namespace hdb::detail
