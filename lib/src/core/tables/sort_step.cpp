// Sorting a dense table in steps: an insertion sort that inserts many records at once.
//
// A step walks on from place `next` while each record is in order with the one before. Where one is
// not, the chunk of records that begins there is sorted and merged with the window of records
// before it. If the chunk reaches the front of the window, it is now there, and the walk goes back
// to it; else the walk goes on after the chunk. A chunk is about as long as the root of the table,
// so n records take O(sqrt n) chunks, each with O(n) moves.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/tables/place_mover.hpp"
#include "hdb/assert.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/inspect/constants.hpp"

namespace hdb::detail {
namespace {

constexpr std::uint32_t kMinChunk = 64;
constexpr std::uint32_t kInsertionRun = 8;

// One call of TableCore::sort_step. Each piece of work first compares, then moves, then notes what
// is done: wherever a comparison throws or memory runs out, the next step repeats that piece.
class SortStep {
 public:
  SortStep(const FlatArray& records, std::uint64_t live_count, PlaceMover mover,
           const RecordOrder& order, std::uint64_t budget, SortProgress& progress) noexcept
      : records_(records),
        count_(static_cast<std::uint32_t>(live_count)),
        mover_(mover),
        order_(order),
        budget_(budget),
        progress_(progress) {
    while (std::uint64_t{chunk_} * chunk_ < live_count) chunk_ *= 2;
  }

  bool run() {
    while (progress_.sorted != count_) {
      if (spent_ >= budget_) return false;
      const std::uint32_t next = progress_.next;
      if (next >= count_) {
        progress_.next = progress_.sorted;
      } else if (next == 0 || !precedes(next, next - 1)) {
        go_to(next + 1);
      } else {
        insert_chunk();
      }
    }
    return true;
  }

 private:
  [[nodiscard]] bool precedes(std::uint32_t a, std::uint32_t b) {
    ++spent_;
    return order_.precedes(order_.compare, records_.at(a), records_.at(b));
  }
  [[nodiscard]] bool is_changed_before_next() const noexcept {
    return progress_.sorted < progress_.next;
  }
  // Everything before `next` is in order, unless it was changed.
  void go_to(std::uint32_t next) noexcept {
    progress_.sorted = is_changed_before_next() ? std::min(progress_.sorted, next) : next;
    progress_.next = next;
  }

  void insert_chunk() {
    const std::uint32_t middle = progress_.next;
    const bool is_changed = is_changed_before_next();
    const std::uint64_t wanted = is_changed ? 0 : (budget_ - spent_) / 2;
    const auto left = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(middle, std::max<std::uint64_t>(chunk_, wanted)));
    const std::uint32_t first = middle - left;
    const std::uint32_t end = middle + std::min(chunk_, count_ - middle);
    places_.resize(end - first);
    std::iota(places_.begin(), places_.end(), first);
    if (is_changed) sort(0, left);
    sort(left, end - first);
    merge(0, left, end - first);
    const bool is_at_front = places_[0] != first;
    spent_ += mover_.permute(first, places_);
    if (first == 0) {
      progress_ = {end, end};
    } else {
      go_to(is_at_front ? first : end);
    }
  }

  // Sorts places_[first, end); without moves and with the fewest comparisons if it is in order.
  void sort(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t at = first; at < end; at += kInsertionRun)
      sort_run(at, std::min(at + kInsertionRun, end));
    for (std::uint32_t width = kInsertionRun; width < end - first; width *= 2) {
      for (std::uint32_t at = first; end - at > width; at += std::min(2 * width, end - at))
        merge(at, at + width, at + std::min(2 * width, end - at));
    }
  }
  void sort_run(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t i = first + 1; i < end; ++i) {
      const std::uint32_t place = places_[i];
      std::uint32_t at = i;
      for (; at > first && precedes(place, places_[at - 1]); --at) places_[at] = places_[at - 1];
      places_[at] = place;
    }
  }
  void merge(std::uint32_t first, std::uint32_t middle, std::uint32_t end) {
    if (!precedes(places_[middle], places_[middle - 1])) return;
    std::uint32_t* const places = places_.data();
    std::uint32_t* to = std::upper_bound(
        places + first, places + middle, places[middle],
        [this](std::uint32_t right, std::uint32_t left) { return precedes(right, left); });
    spare_.assign(to, places + middle);
    for (std::size_t left = 0; left < spare_.size(); ++to) {
      const bool takes_right = middle < end && precedes(places_[middle], spare_[left]);
      *to = takes_right ? places_[middle++] : spare_[left++];
    }
  }

  const FlatArray& records_;
  std::uint32_t count_;
  PlaceMover mover_;
  const RecordOrder& order_;
  std::uint64_t budget_;
  SortProgress& progress_;
  std::uint32_t chunk_ = kMinChunk;
  std::uint64_t spent_ = 0;  // comparisons and moves
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> spare_;
};

}  // namespace

bool TableCore::sort_step(const RecordOrder& order, std::uint64_t budget) {
  HDB_REQUIRE(dense_, "only dense tables can be sorted");
  const std::uint64_t live_count = counters().live_count;
  if (sort_.sorted == live_count) return true;
  begin_change();
  const Occupied comparison(*this, Busy::comparison);
  return SortStep(records_, live_count, mover(), order, budget, sort_).run();
}

Bytes SortProgress::to_bytes() const {
  Bytes bytes;
  ByteWriter out(bytes);
  out.u8(format::kSortAlgorithm);
  out.varint(sorted);
  out.varint(next);
  return bytes;
}

std::optional<SortProgress> SortProgress::from_bytes(std::span<const std::byte> bytes,
                                                     std::uint64_t live_count) {
  ByteReader in(bytes);
  if (in.u8() != format::kSortAlgorithm) return std::nullopt;
  const std::uint64_t sorted = in.varint();
  const std::uint64_t next = in.varint();
  if (!in.ok() || !in.at_end() || next == 0 || next > 0xffff'ffffu || sorted > next)
    return std::nullopt;
  const SortProgress progress{static_cast<std::uint32_t>(sorted), static_cast<std::uint32_t>(next)};
  return progress.is_sound(live_count) ? std::optional(progress) : std::nullopt;
}

}  // namespace hdb::detail
