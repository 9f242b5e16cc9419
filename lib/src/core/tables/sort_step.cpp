// Sorting a dense table in steps: sorted blocks, then merges in place, all of it resumable from a
// SortWork.
//
// Source: Kim and Kutzner, Stable Minimum Storage Merging by Symmetric Comparisons (2004), for the
// merge; Gries and Mills, Swapping Sections (1981), for the rotation.
#include "core/tables/sort_step.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hdb::detail {
namespace {

constexpr std::uint32_t kBlock = SortWork::kBlock;
constexpr std::uint32_t kInsertionRun = 8;

}  // namespace

// One call of TableCore::sort_step. Every piece of work first compares, then moves, then notes in
// the SortWork what is done: wherever a comparison throws or memory runs out, the next step takes
// that piece up again.
class SortStep {
 public:
  SortStep(const FlatArray& records, std::uint32_t live_count, PlaceMover mover,
           const RecordOrder& order, SortWork& work) noexcept
      : records_(records), live_count_(live_count), mover_(mover), order_(order), work_(work) {}

  bool run(std::uint64_t budget) {
    for (;;) {
      if (work_.is_finished()) return true;
      if (spent_ >= budget) return false;
      if (work_.count == 0) {
        begin_round();
      } else if (work_.rotation.left != 0) {
        rotate(budget - spent_);
      } else if (work_.depth != 0) {
        merge_top();
      } else if (work_.width == 0) {
        sort_block();
      } else {
        begin_merge();
      }
    }
  }

 private:
  [[nodiscard]] bool precedes(std::uint32_t a, std::uint32_t b) {
    ++spent_;
    return order_.precedes(order_.compare, records_.at(a), records_.at(b));
  }

  void begin_round() noexcept {
    work_ = SortWork::idle(false);
    if (live_count_ >= 2) work_.count = live_count_;
  }
  void end_round() noexcept { work_ = SortWork::idle(work_.touched); }

  void sort_block() {
    if (work_.next == work_.count) {
      work_.width = kBlock;
      work_.next = 0;
      if (work_.width >= work_.count) end_round();
      return;
    }
    const std::uint32_t size = std::min(kBlock, work_.count - work_.next);
    for (std::uint32_t i = 0; i < size; ++i) places_[i] = work_.next + i;
    for (std::uint32_t at = 0; at < size; at += kInsertionRun) {
      insertion_sort(at, std::min(at + kInsertionRun, size));
    }
    for (std::uint32_t width = kInsertionRun; width < size; width *= 2) {
      for (std::uint32_t at = 0; at + width < size; at += 2 * width) {
        merge_places(at, at + width, std::min(at + 2 * width, size));
      }
    }
    spent_ += mover_.permute(work_.next, {places_.data(), size});
    work_.next += size;
  }

  // Goes on to the next pair of runs that are not in order, or to the next pass.
  void begin_merge() noexcept {
    const std::uint64_t width = work_.width;
    const std::uint64_t middle = work_.next + width;
    if (middle < work_.count) {
      const std::uint64_t end = std::min<std::uint64_t>(middle + width, work_.count);
      work_.push({work_.next, static_cast<std::uint32_t>(middle), static_cast<std::uint32_t>(end)});
      work_.next = static_cast<std::uint32_t>(end);
    } else if (2 * width < work_.count) {
      work_.width = static_cast<std::uint32_t>(2 * width);
      work_.next = 0;
    } else {
      end_round();
    }
  }

  void merge_top() {
    const auto [first, middle, end] = work_.stack[work_.depth - 1];
    if (first == middle || middle == end || !precedes(middle, middle - 1)) {
      work_.pop();
    } else if (end - first <= kBlock) {
      const std::uint32_t size = end - first;
      for (std::uint32_t i = 0; i < size; ++i) places_[i] = first + i;
      merge_places(0, middle - first, size);
      spent_ += mover_.permute(first, {places_.data(), size});
      work_.pop();
    } else {
      split_top(first, middle, end);
    }
  }

  // SymMerge: exchanges the part of the left run that belongs into the right half with the part of
  // the right run that belongs into the left half; each half is then a smaller merge.
  void split_top(std::uint32_t first, std::uint32_t middle, std::uint32_t end) {
    const std::uint32_t half = first + (end - first) / 2;
    const std::uint64_t mirror = std::uint64_t{half} + middle;  // i and mirror - 1 - i are compared
    std::uint32_t low = first;
    std::uint32_t high = middle;
    if (middle > half) {
      low = static_cast<std::uint32_t>(mirror - end);
      high = half;
    }
    while (low < high) {
      const std::uint32_t at = low + (high - low) / 2;
      if (precedes(static_cast<std::uint32_t>(mirror - 1 - at), at)) {
        high = at;
      } else {
        low = at + 1;
      }
    }
    const auto low_end = static_cast<std::uint32_t>(mirror - low);
    work_.pop();
    if (half < low_end && low_end < end) work_.push({half, low_end, end});
    if (first < low && low < half) work_.push({first, low, half});
    if (low < middle && middle < low_end)
      work_.rotation = {middle, middle - low, low_end - middle, 0};
  }

  // Swaps the smaller run with as much of the larger one, at its far end: that part is then where
  // it belongs.
  void rotate(std::uint64_t budget) {
    auto& [middle, left, right, swapped] = work_.rotation;
    const std::uint32_t part = std::min(left, right);
    const auto size = static_cast<std::uint32_t>(
        std::min<std::uint64_t>({part - swapped, kBlock, budget / 2 + 1}));
    const std::uint32_t to = left > right ? middle : middle + right - part;
    mover_.swap_runs(middle - left + swapped, to + swapped, size);
    spent_ += 2 * std::uint64_t{size};
    swapped += size;
    if (swapped < part) return;
    swapped = 0;
    if (left == right) {
      work_.rotation = {};
    } else if (left > right) {
      left -= part;
    } else {
      right -= part;
    }
  }

  // Of places_[first, end).
  void insertion_sort(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first + 1; i < end; ++i) {
      const std::uint32_t place = places_[i];
      std::uint32_t at = i;
      for (; at > first && precedes(place, places_[at - 1]); --at) places_[at] = places_[at - 1];
      places_[at] = place;
    }
  }
  void merge_places(std::uint32_t first, std::uint32_t middle, std::uint32_t end) {
    if (!precedes(places_[middle], places_[middle - 1])) return;
    std::copy(places_.begin() + first, places_.begin() + middle, spare_.begin());
    std::uint32_t left = 0;
    const std::uint32_t left_end = middle - first;
    for (std::uint32_t to = first; left < left_end; ++to) {
      const bool takes_right = middle < end && precedes(places_[middle], spare_[left]);
      places_[to] = takes_right ? places_[middle++] : spare_[left++];
    }
  }

  const FlatArray& records_;
  std::uint32_t live_count_;
  PlaceMover mover_;
  const RecordOrder& order_;
  SortWork& work_;
  std::uint64_t spent_ = 0;  // comparisons and moves
  std::array<std::uint32_t, kBlock> places_;
  std::array<std::uint32_t, kBlock> spare_;
};

bool sort_step(const FlatArray& records, std::uint32_t live_count, PlaceMover mover,
               const RecordOrder& order, std::uint64_t budget, SortWork& work) {
  return SortStep(records, live_count, mover, order, work).run(budget);
}

}  // namespace hdb::detail
