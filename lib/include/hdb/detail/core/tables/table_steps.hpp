// Insert and erase of one record: first all that may fail, then the writing. Included by
// table_core.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb::detail {

/// Any table.
struct AnyTable : AnySlots {
  static constexpr std::size_t kRecordBytes = 0;  // not asked for
  [[nodiscard]] static bool is_dense(bool stored) noexcept { return stored; }
  [[nodiscard]] static bool is_trivial(const RecordOps& ops) noexcept { return ops.trivial; }
  [[nodiscard]] static std::size_t record_bytes(const RecordOps& ops) noexcept {
    return ops.size_bytes;
  }
};

/// A table with nothing special about it: records are plain bytes, TableCore::has_fast_path().
template <Storage S, std::size_t RecordBytes>
struct OwnedTable : OwnedSlots<S> {
  static constexpr std::size_t kRecordBytes = RecordBytes;
  [[nodiscard]] static constexpr bool is_dense(bool) noexcept { return S == Storage::dense; }
  [[nodiscard]] static constexpr bool is_trivial(const RecordOps&) noexcept { return true; }
  [[nodiscard]] static constexpr std::size_t record_bytes(const RecordOps&) noexcept {
    return RecordBytes;
  }
};

template <class Pages>
HDB_INLINE void* TableCore::begin_insert(Insertion& insertion) {
  const std::optional<Slots::Next> next = slots_.next<Pages>();
  if (!next) return nullptr;
  insertion.next = *next;
  insertion.places = slots_.places_to_acquire<Pages>(*next);
  if (insertion.places.entry == nullptr) return nullptr;
  return begin_record<Pages>(insertion);
}

// Memory for the record of a slot that is about to be live.
template <class Pages>
HDB_INLINE void* TableCore::begin_record(Insertion& insertion) {
  std::size_t place = insertion.next.slot;
  if (Pages::is_dense(dense_)) {
    place = static_cast<std::size_t>(counters().live_count);
    if (!Pages::grow(slot_of_, place + 1)) return nullptr;
    insertion.slot_of = reinterpret_cast<std::uint32_t*>(Pages::template edit<4>(slot_of_, place));
    if (insertion.slot_of == nullptr) return nullptr;
  }
  insertion.place = static_cast<std::uint32_t>(place);
  if (!Pages::grow(records_, place + 1)) return nullptr;
  return Pages::template edit<Pages::kRecordBytes>(records_, place);
}

template <class Pages>
HDB_INLINE void TableCore::end_record(const Insertion& insertion) noexcept {
  if (Pages::is_dense(dense_)) *insertion.slot_of = insertion.next.slot;
  if (!Pages::is_trivial(ops())) records_.mark_constructed(insertion.place);
  sort_work_.touched = true;
}

template <class Pages>
HDB_INLINE Slots::Next TableCore::end_insert(const Insertion& insertion) noexcept {
  end_record<Pages>(insertion);
  slots_.acquire<Pages>(insertion.next, insertion.place, insertion.places);
  // The free list tells which slots are used soon: their cache misses overlap with the work until
  // then.
  if (counters().free_count > kPrefetchAhead) {
    const std::uint32_t soon = slots_.free_slot<Pages>(kPrefetchAhead);
    __builtin_prefetch(slots_.entry_at<Pages>(soon), 1);
    // After clear() the slots are there, the pages of their records not yet.
    if (!Pages::is_dense(dense_) && soon < records_.capacity()) {
      __builtin_prefetch(Pages::template at<Pages::kRecordBytes>(records_, soon), 1);
    }
  }
  return insertion.next;
}

template <class Pages>
HDB_INLINE bool TableCore::erase_record(std::uint32_t slot) {
  const Slots::Places places = slots_.places_to_release<Pages>(slot);
  if (places.entry == nullptr) return false;
  if (Pages::is_dense(dense_)) {
    if (!fill_hole<Pages>(places.entry[1])) return false;
  } else if (!Pages::is_trivial(ops())) {
    ops().destroy(Pages::template edit<Pages::kRecordBytes>(records_, slot));
    records_.mark_destroyed(slot);
  }
  slots_.release<Pages>(slot, places);
  return true;
}

// Destroys the record at a place of the dense order and moves the last one there.
template <class Pages>
HDB_INLINE bool TableCore::fill_hole(std::uint32_t hole) {
  constexpr std::size_t kBytes = Pages::kRecordBytes;
  const bool trivial = Pages::is_trivial(ops());
  const auto last = static_cast<std::uint32_t>(counters().live_count - 1);
  const std::uint32_t moved =
      *reinterpret_cast<const std::uint32_t*>(Pages::template at<4>(slot_of_, last));
  // Writes reach memory in order: asked for now, the lines of several erases are on their way
  // together.
  __builtin_prefetch(slots_.entry_at<Pages>(moved), 1);
  __builtin_prefetch(Pages::template at<kBytes>(records_, hole), 1);
  __builtin_prefetch(Pages::template at<4>(slot_of_, hole), 1);
  // Everything that can fail comes first.
  std::byte* from = nullptr;
  if (!trivial) from = Pages::template edit<kBytes>(records_, last);
  if (hole != last) {
    std::byte* const to = Pages::template edit<kBytes>(records_, hole);
    if (to == nullptr) return false;
    auto* const slot_at_hole =
        reinterpret_cast<std::uint32_t*>(Pages::template edit<4>(slot_of_, hole));
    if (slot_at_hole == nullptr) return false;
    std::uint32_t* const entry_of_moved = slots_.edit_entry<Pages>(moved);
    if (entry_of_moved == nullptr) return false;
    if (trivial) {
      std::memcpy(to, Pages::template at<kBytes>(records_, last), Pages::record_bytes(ops()));
    } else {
      ops().destroy(to);
      ops().relocate(to, from);
    }
    *slot_at_hole = moved;
    entry_of_moved[1] = hole;
  } else if (!trivial) {
    ops().destroy(from);
  }
  if (!trivial) records_.mark_destroyed(last);
  if (!sort_work_.touched) sort_work_.touched = true;
  if (sort_work_.count > last) sort_work_.clamp(last);
  if (Pages::template is_page_end<kBytes>(records_, last)) records_.shrink_to(last);
  if (Pages::template is_page_end<4>(slot_of_, last)) slot_of_.shrink_to(last);
  return true;
}

}  // namespace hdb::detail
