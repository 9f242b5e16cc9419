// How far a dense table is sorted in steps: two numbers, part of the table's state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"

namespace hdb::detail {

/// An order of records without their type: says whether `a` goes before `b`. A strict weak order.
struct RecordOrder {
  void* compare = nullptr;
  bool (*precedes)(void* compare, const std::byte* a, const std::byte* b) = nullptr;
};

/// The progress of sort_step; with the records and their order it decides all that later steps do.
//
//   O1  The records before place `sorted` are in order; there are at least that many.
//   O2  sorted <= next. From any such state, steps stay within the table and end: what was changed
//       before `next` is at or after `sorted`, and another pass begins there.
struct SortProgress {
  std::uint32_t sorted = 0;
  std::uint32_t next = 0;  ///< The place where the next step goes on.

  friend bool operator==(const SortProgress&, const SortProgress&) = default;

  [[nodiscard]] static SortProgress done(std::uint64_t live_count) noexcept {
    const auto end = static_cast<std::uint32_t>(live_count);
    return {end, end};
  }
  /// The record at `place` is another one now, or the last one is gone. Writes only if it must: a
  /// write that changes nothing would still delay the erases around it.
  void note_change(std::uint32_t place) noexcept {
    if (place < sorted) sorted = place;
  }
  /// The progress after an erase at `place` that keeps the order of the others.
  [[nodiscard]] SortProgress without(std::uint32_t place) const noexcept {
    return {sorted - (place < sorted ? 1 : 0), next - (place < next ? 1 : 0)};
  }
  [[nodiscard]] bool is_sound(std::uint64_t live_count) const noexcept {
    return sorted <= next && sorted <= live_count;
  }

  /// The bytes that FORMAT.md 5.9 describes.
  [[nodiscard]] HDB_API Bytes to_bytes() const;
  /// None if `bytes` are of another algorithm, or impossible in a table of `live_count` records.
  [[nodiscard]] HDB_API static std::optional<SortProgress> from_bytes(
      std::span<const std::byte> bytes, std::uint64_t live_count);
};

}  // namespace hdb::detail
