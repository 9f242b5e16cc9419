// The places of a dense table in the order of a comparison: what Table::sort moves the records by.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "hdb/detail/base/compiler.hpp"
#include "hdb/detail/core/tables/table_core.hpp"

namespace hdb::detail {

/// `compare` without the record type; it must outlive the result.
template <class Record, class Compare>
[[nodiscard]] RecordOrder record_order(Compare& compare) noexcept {
  return {std::addressof(compare), [](void* order, const std::byte* a, const std::byte* b) -> bool {
            return static_cast<bool>((*static_cast<Compare*>(order))(
                *reinterpret_cast<const Record*>(a), *reinterpret_cast<const Record*>(b)));
          }};
}

/// A stable merge sort of places: four bytes move instead of a record, and records needed soon are
/// fetched ahead.
template <class Record, class Compare>
class PlaceSorter {
 public:
  PlaceSorter(const TableCore& core, Compare& compare) noexcept
      : records_(reinterpret_cast<const Record*>(core.records().data())),
        count_(static_cast<std::size_t>(core.counters().live_count)),
        compare_(compare) {}

  /// The places in order, equal records in their present order; empty if all are in order now.
  [[nodiscard]] std::vector<std::uint32_t> run() {
    if (is_sorted()) return {};
    std::vector<std::uint32_t> places(count_);
    for (std::size_t i = 0; i < count_; ++i) places[i] = static_cast<std::uint32_t>(i);
    std::vector<std::uint32_t> spare(count_);
    sort(places.data(), spare.data(), count_, false);
    return places;
  }

 private:
  static constexpr std::size_t kInsertionRun = 16;
  static constexpr std::ptrdiff_t kAhead = 6;

  [[nodiscard]] const Record& record(std::size_t place) const noexcept { return records_[place]; }
  [[nodiscard]] bool precedes(std::size_t a, std::size_t b) {
    return static_cast<bool>(compare_(record(a), record(b)));
  }
  [[nodiscard]] bool is_sorted() {
    for (std::size_t place = 1; place < count_; ++place) {
      if (precedes(place, place - 1)) return false;
    }
    return true;
  }
  // Sorts `places`; the result comes into `spare` when `to_spare`.
  void sort(std::uint32_t* places, std::uint32_t* spare, std::size_t count, bool to_spare) {
    if (count <= kInsertionRun) {
      insertion_sort(places, count);
      if (to_spare) copy(places, count, spare);
      return;
    }
    const std::size_t half = count / 2;
    sort(places, spare, half, !to_spare);
    sort(places + half, spare + half, count - half, !to_spare);
    merge(to_spare ? places : spare, half, count, to_spare ? spare : places);
  }
  void insertion_sort(std::uint32_t* places, std::size_t count) {
    for (std::size_t i = 1; i < count; ++i) {
      const std::uint32_t place = places[i];
      std::size_t at = i;
      for (; at > 0 && precedes(place, places[at - 1]); --at) places[at] = places[at - 1];
      places[at] = place;
    }
  }
  void fetch(const std::uint32_t* from, const std::uint32_t* end) const noexcept {
    const std::ptrdiff_t ahead = std::min(kAhead, end - from - 1);
    HDB_PREFETCH(std::addressof(record(from[ahead])));
  }
  void merge(const std::uint32_t* from, std::size_t middle, std::size_t count, std::uint32_t* to) {
    if (!precedes(from[middle], from[middle - 1])) {
      return copy(from, count, to);
    }
    // Branches, for all that they are often mispredicted: the loads behind them begin early then.
    const std::uint32_t* left = from;
    const std::uint32_t* const left_end = from + middle;
    const std::uint32_t* right = left_end;
    const std::uint32_t* const right_end = from + count;
    const Record* left_record = std::addressof(record(*left));
    const Record* right_record = std::addressof(record(*right));
    for (;;) {
      if (compare_(*right_record, *left_record)) {
        *to++ = *right++;
        if (right == right_end) break;
        right_record = std::addressof(record(*right));
        fetch(right, right_end);
      } else {
        *to++ = *left++;
        if (left == left_end) break;
        left_record = std::addressof(record(*left));
        fetch(left, left_end);
      }
    }
    copy(left, static_cast<std::size_t>(left_end - left), to);
    copy(right, static_cast<std::size_t>(right_end - right), to + (left_end - left));
  }
  static void copy(const std::uint32_t* from, std::size_t count, std::uint32_t* to) noexcept {
    std::memcpy(to, from, count * sizeof *to);
  }

  const Record* records_;
  std::size_t count_;
  Compare& compare_;
};

}  // namespace hdb::detail
