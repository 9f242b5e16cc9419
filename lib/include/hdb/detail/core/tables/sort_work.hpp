// How far the sorting of a dense table in steps has come: small, and part of the table's state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "hdb/bytes.hpp"

namespace hdb::detail {

/// An order of records without their type: says whether `a` goes before `b`. A strict weak order.
struct RecordOrder {
  void* compare = nullptr;
  bool (*precedes)(void* compare, const std::byte* a, const std::byte* b) = nullptr;
};

/// The state of sorting in steps; with the dense order and the records it decides all that later
/// steps do.
//
// A round sorts blocks of kBlock records, then merges neighbouring runs of `width` records in
// place, pass by pass. A merge is a stack of ranges still to be merged and the one exchange of
// neighbouring runs (rotation) that is under way.
//
//   O1  No number leads out of [0, count), and count is at most the number of records: whatever the
//       other numbers are, steps stay within the table.
//   O2  The range at depth d of the stack has at most 2^(32-d) records: the stack never grows above
//       kMaxDepth.
//   O3  A finished round in which nothing was touched leaves the table sorted.
struct SortWork {
  /// Records that are sorted, or merged, at once.
  static constexpr std::uint32_t kBlock = 128;
  /// A range that may still be split at depth d has more than kBlock = 2^7 of 2^(32-d) records.
  static constexpr std::size_t kMaxDepth = 26;

  /// Two neighbouring sorted runs, [first, middle) and [middle, end).
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t middle = 0;
    std::uint32_t end = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  /// An exchange of the runs before and after `middle`, by swaps of equal parts; left = right = 0:
  /// none is under way.
  struct Rotation {
    std::uint32_t middle = 0;
    std::uint32_t left = 0;     ///< Records before `middle` that are not yet where they belong.
    std::uint32_t right = 0;    ///< Records after it.
    std::uint32_t swapped = 0;  ///< How much of the present part is swapped.
    friend bool operator==(const Rotation&, const Rotation&) = default;
  };

  bool touched =
      true;  ///< Order or content changed since the round began, or since the last one ended.
  std::uint32_t count =
      0;  ///< Records of the round, the first ones of the order. 0: no round is under way.
  std::uint32_t width = 0;  ///< Length of the runs that are merged. 0: blocks are being sorted.
  std::uint32_t next = 0;   ///< Where the pass goes on.
  Rotation rotation;
  std::uint32_t depth = 0;
  std::array<Range, kMaxDepth> stack;  ///< The first `depth` count, the others are zero.

  friend bool operator==(const SortWork&, const SortWork&) = default;

  /// Whether the table is sorted and nothing has changed since.
  [[nodiscard]] bool is_finished() const noexcept { return count == 0 && !touched; }
  /// No round is under way, and the table is sorted as far as it is not `touched`.
  [[nodiscard]] static SortWork idle(bool touched) noexcept {
    SortWork work;
    work.touched = touched;
    return work;
  }
  /// Records from `live_count` on are gone: what is planned for them is dropped, with a rotation
  /// under way.
  void clamp(std::uint32_t live_count) noexcept;

  void push(const Range& range) noexcept { stack[depth++] = range; }
  void pop() noexcept { stack[--depth] = {}; }

  /// O1 and O2 for a table of `live_count` records: whether steps may go on from here. For bytes
  /// read from files.
  [[nodiscard]] bool is_sound(std::uint64_t live_count) const noexcept;

  /// The first byte of the stored form: the algorithm that the rest belongs to. Another algorithm
  /// gets another number.
  static constexpr std::byte kAlgorithm{1};
  /// The stored form; empty when nothing is known. FORMAT.md does not describe it.
  [[nodiscard]] Bytes to_bytes() const;
  /// What to_bytes gave; none when `bytes` cannot come from there. is_sound() says whether it fits
  /// a table.
  [[nodiscard]] static std::optional<SortWork> from_bytes(std::span<const std::byte> bytes);
};

}  // namespace hdb::detail
