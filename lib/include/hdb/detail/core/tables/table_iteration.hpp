// Ways through a table: iterators over records and entries, and spans of neighbouring records.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/compiler.hpp"
#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/tables/table_core.hpp"
#include "hdb/handle.hpp"

namespace hdb::detail {

/// The handle of a slot of this table.
template <class Tag, class L>
[[nodiscard]] HDB_INLINE Handle<Tag, L> make_handle(const TableCore& core, std::uint32_t slot,
                                                    std::uint32_t generation) noexcept {
  return Handle<Tag, L>::from_bits(static_cast<typename L::Bits>(
      pack_handle(L::value, slot, generation, core.options().type_id)));
}

/// The handle of the record at a live place.
template <class Tag, class L>
[[nodiscard]] HDB_INLINE Handle<Tag, L> handle_at_place(const TableCore& core,
                                                        std::uint32_t place) noexcept {
  const FlatArray& entries = core.slots().entries();
  if (!core.is_dense()) return make_handle<Tag, L>(core, place, entries.as<std::uint32_t>(place));
  const auto slot = core.slot_of().as<std::uint32_t>(place);
  return make_handle<Tag, L>(core, slot, entries.as<SlotEntry>(slot).tag);
}

/// The slot of a handle that names one: of wider indexes the low 32 bits.
template <class Tag, class L>
[[nodiscard]] constexpr std::uint32_t slot_number(Handle<Tag, L> handle) noexcept {
  return static_cast<std::uint32_t>(handle.index());
}

/// Neighbouring records, and their handles.
template <class Record, class L, class Tag, class Element = const Record>
class PageSpan {
 public:
  PageSpan(const TableCore& core, Element* records, std::size_t count, std::uint32_t first_place)
      : core_(core), records_(records, count), first_place_(first_place) {}

  [[nodiscard]] std::span<Element> records() const noexcept { return records_; }
  [[nodiscard]] Element& operator[](std::size_t i) const noexcept { return records_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
  [[nodiscard]] auto begin() const noexcept { return records_.begin(); }
  [[nodiscard]] auto end() const noexcept { return records_.end(); }
  /// The slot of record i.
  [[nodiscard]] std::uint32_t slot(std::size_t i) const noexcept {
    return core_.slot_of_place(first_place_ + static_cast<std::uint32_t>(i));
  }
  /// The handle of record i.
  [[nodiscard]] Handle<Tag, L> handle(std::size_t i) const noexcept {
    return handle_at_place<Tag, L>(core_, first_place_ + static_cast<std::uint32_t>(i));
  }

 private:
  const TableCore& core_;
  std::span<Element> records_;
  std::uint32_t first_place_;
};

template <class Record, class L, class Tag>
using MutablePageSpan = PageSpan<Record, L, Tag, Record>;

/// No place: what the ways through a table return after the last record.
inline constexpr std::uint64_t kNoPlace = ~std::uint64_t{0};

/// The first live place in [place, end); kNoPlace when there is none. Requires: end <=
/// core.end_place().
[[nodiscard]] inline std::uint64_t next_live_place(const TableCore& core, std::uint64_t place,
                                                   std::uint64_t end) noexcept {
  if (core.is_dense()) {
    while (place < end && core.is_hole(place)) ++place;
    return place < end ? place : kNoPlace;
  }
  if (place >= end) return kNoPlace;
  const FlatArray& words = core.slots().live_bits();
  std::uint64_t word = place / 64;
  std::uint64_t bits = words.as<std::uint64_t>(to_size(word)) >> (place % 64) << (place % 64);
  while (bits == 0) {
    if (++word * 64 >= end) return kNoPlace;
    bits = words.as<std::uint64_t>(to_size(word));
  }
  const std::uint64_t found = word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
  return found < end ? found : kNoPlace;
}

/// Live places that a cursor has read and not yet reached: places in a row or, where the live slots
/// of a word have gaps, the bits of this word. Good while *Slots::changes() is the same.
struct LiveRun {
  std::uint64_t place = kNoPlace;  ///< The place in hand; kNoPlace: there is none.
  std::uint64_t limit = 0;         ///< Where places in a row end; if none are: see the cursors.
  std::uint64_t bits = 0;          ///< The other live slots of the word, if they are not in a row.
};

/// The run that begins with the first live place in [place, end). Requires: end <=
/// core.end_place(). Complexity: linear in the words of live bits, or in the holes, before it.
[[nodiscard]] HDB_API HDB_PURE LiveRun first_run(const TableCore& core, std::uint64_t place,
                                                 std::uint64_t end) noexcept;
/// The run that goes back from the last live place in [0, end); bit i of `bits` is slot 63 - i of
/// the word. Requires and Complexity: as first_run.
[[nodiscard]] HDB_API HDB_PURE LiveRun last_run(const TableCore& core, std::uint64_t end) noexcept;

/// The way from the first record to the last. It ends where the table ended when the way began, or
/// ends now.
//
// A cursor stays in registers in a loop: what is not inlined takes it and returns it by value.
class ForwardCursor {
 public:
  ForwardCursor() noexcept = default;
  explicit ForwardCursor(const TableCore& core) noexcept
      : core_(&core), changes_(core.slots().changes()), seen_(*changes_), end_(core.end_place()) {
    run_ = first_run(core, 0, end_);
    if (core.is_dense() && end_ != 0) last_slot_ = slot_at(end_ - 1);
  }
  [[nodiscard]] HDB_INLINE const TableCore& core() const noexcept { return *core_; }
  /// The place of the record in hand; kNoPlace after the last, and where an erase has moved the end
  /// before it.
  [[nodiscard]] HDB_INLINE std::uint64_t place() const noexcept {
    if (run_.place == kNoPlace || *changes_ == seen_) return run_.place;
    return run_.place >= core_->end_place() ? kNoPlace : run_.place;
  }
  /// The same, where a record is in hand.
  [[nodiscard]] HDB_INLINE std::uint64_t live_place() const noexcept {
    HDB_ASSERT(
        core_ != nullptr && core_->is_live_place(run_.place),
        "the iterator does not point to a record: it is at the end, or the record was erased");
    return run_.place;
  }
  HDB_INLINE void advance() noexcept {
    if (*changes_ != seen_) [[unlikely]] {
      *this = after_changes(*this);
    } else if (run_.place + 1 < run_.limit) {
      ++run_.place;
    } else if (run_.bits != 0) {
      run_.place = (run_.place & ~std::uint64_t{63}) +
                   static_cast<std::uint64_t>(std::countr_zero(run_.bits));
      run_.bits &= run_.bits - 1;
    } else {
      run_ = first_run(*core_, run_.place + 1, end_);
    }
  }

 private:
  // As advance, where the table has changed since the run was read.
  [[nodiscard]] HDB_API HDB_PURE static ForwardCursor after_changes(ForwardCursor at) noexcept;
  // Records of a dense table were erased. Whether the last one was moved to the present place, and
  // so comes next.
  [[nodiscard]] HDB_API bool shorten(std::uint64_t end) noexcept;
  [[nodiscard]] std::uint32_t slot_at(std::uint64_t place) const noexcept {
    return core_->slot_of().as<std::uint32_t>(to_size(place));
  }

  const TableCore* core_ = nullptr;
  LiveRun run_;                             // places in a row below `limit`; 0: none are
  const std::uint64_t* changes_ = nullptr;  // of the slots
  std::uint64_t seen_ = 0;                  // *changes_ when the run was read
  std::uint64_t end_ = 0;                   // records from here on are new
  std::uint32_t last_slot_ = 0;             // dense tables: of the record at end_ - 1
};

/// The way from the last record to the first.
class BackwardCursor {
 public:
  BackwardCursor() noexcept = default;
  explicit BackwardCursor(const TableCore& core) noexcept
      : core_(&core),
        run_(last_run(core, core.end_place())),
        changes_(core.slots().changes()),
        seen_(*changes_) {}
  [[nodiscard]] HDB_INLINE const TableCore& core() const noexcept { return *core_; }
  /// As ForwardCursor::place.
  [[nodiscard]] HDB_INLINE std::uint64_t place() const noexcept {
    if (run_.place == kNoPlace || *changes_ == seen_) return run_.place;
    return run_.place >= core_->end_place() ? kNoPlace : run_.place;
  }
  /// As ForwardCursor::live_place.
  [[nodiscard]] HDB_INLINE std::uint64_t live_place() const noexcept {
    HDB_ASSERT(
        core_ != nullptr && core_->is_live_place(run_.place),
        "the iterator does not point to a record: it is at the end, or the record was erased");
    return run_.place;
  }
  HDB_INLINE void advance() noexcept {
    if (*changes_ != seen_) [[unlikely]] {
      seen_ = *changes_;
      run_ = last_run(*core_, std::min(run_.place, core_->end_place()));
    } else if (run_.place > run_.limit) {
      --run_.place;
    } else if (run_.bits != 0) {
      run_.place = (run_.place | 63) - static_cast<std::uint64_t>(std::countr_zero(run_.bits));
      run_.bits &= run_.bits - 1;
    } else {
      run_ = last_run(*core_, run_.place);
    }
  }

 private:
  const TableCore* core_ = nullptr;
  LiveRun run_;                             // places in a row down to `limit`; kNoPlace: none are
  const std::uint64_t* changes_ = nullptr;  // as of ForwardCursor
  std::uint64_t seen_ = 0;
};

/// Calls visit(first_place, count) for each run of neighbouring live places.
template <class Visit>
void visit_runs(const TableCore& core, const Visit& visit) {
  const std::uint64_t end = core.end_place();
  if (core.is_dense()) {
    if (!core.has_holes()) {
      if (end != 0) visit(std::uint64_t{0}, end);
      return;
    }
    for (std::uint64_t begin = next_live_place(core, 0, end); begin != kNoPlace;) {
      std::uint64_t run_end = begin + 1;
      while (run_end < end && !core.is_hole(run_end)) ++run_end;
      visit(begin, run_end - begin);
      begin = next_live_place(core, run_end, end);
    }
    return;
  }
  const FlatArray& words = core.slots().live_bits();
  std::uint64_t run_begin = 0;
  std::uint64_t run_end = 0;  // [run_begin, run_end) is live and not yet visited
  for (std::uint64_t base = 0; base < end; base += 64) {
    std::uint64_t bits = words.as<std::uint64_t>(to_size(base / 64));
    std::uint64_t at = base;
    while (bits != 0) {
      const auto zeros = static_cast<unsigned>(std::countr_zero(bits));
      bits = zeros == 0 ? bits : bits >> zeros;
      at += zeros;
      const auto ones = static_cast<unsigned>(std::countr_one(bits));
      if (at != run_end) {
        if (run_begin < run_end) visit(run_begin, run_end - run_begin);
        run_begin = at;
      }
      at += ones;
      run_end = at;
      bits = ones == 64 ? 0 : bits >> ones;
    }
  }
  if (run_begin < run_end) visit(run_begin, run_end - run_begin);
}

/// Marks a visit of the spans of a table for as long as it lives; several threads may visit at
/// once.
class SpanVisit {
 public:
  explicit SpanVisit(const TableCore& core) noexcept : core_(core) { core_.begin_span_visit(); }
  ~SpanVisit() { core_.end_span_visit(); }
  SpanVisit(const SpanVisit&) = delete;
  SpanVisit& operator=(const SpanVisit&) = delete;

 private:
  const TableCore& core_;
};

template <class Record, class L, class Tag, class Visit>
void visit_spans(const TableCore& core, Visit& visit) {
  const SpanVisit spans(core);
  visit_runs(core, [&](std::uint64_t place, std::uint64_t count) {
    visit(PageSpan<Record, L, Tag>(
        core, reinterpret_cast<const Record*>(core.record_at(static_cast<std::uint32_t>(place))),
        to_size(count), static_cast<std::uint32_t>(place)));
  });
}

template <class Record, class L, class Tag, class Visit>
void visit_mutable_spans(TableCore& core, Visit& visit) {
  const TableCore::Occupied iteration(core, TableCore::Busy::iteration);
  visit_runs(core, [&](std::uint64_t place, std::uint64_t count) {
    visit(MutablePageSpan<Record, L, Tag>(
        core, reinterpret_cast<Record*>(core.edit_range(place, place + count)), to_size(count),
        static_cast<std::uint32_t>(place)));
  });
}

/// Iterator over the records, in the order of `Cursor`; see Table::begin for what a loop may do to
/// the table.
template <class Record, class L, class Tag, class Cursor = ForwardCursor>
class RecordIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Record;
  using difference_type = std::ptrdiff_t;
  using pointer = const Record*;
  using reference = const Record&;

  /// The end of every way.
  RecordIterator() noexcept = default;
  explicit RecordIterator(const TableCore& core) noexcept : cursor_(core) {}

  HDB_INLINE reference operator*() const noexcept {
    const std::uint64_t place = cursor_.live_place();
    return reinterpret_cast<const Record*>(cursor_.core().records().data())[place];
  }
  HDB_INLINE pointer operator->() const noexcept { return &**this; }
  HDB_INLINE RecordIterator& operator++() noexcept {
    cursor_.advance();
    return *this;
  }
  RecordIterator operator++(int) noexcept {
    RecordIterator before = *this;
    ++*this;
    return before;
  }
  HDB_INLINE friend bool operator==(const RecordIterator& a, const RecordIterator& b) noexcept {
    return a.cursor_.place() == b.cursor_.place();
  }
  /// The handle of the record in hand.
  [[nodiscard]] HDB_INLINE Handle<Tag, L> handle() const noexcept {
    return handle_at_place<Tag, L>(cursor_.core(),
                                   static_cast<std::uint32_t>(cursor_.live_place()));
  }

 private:
  Cursor cursor_;
};

/// The records of a table with their handles.
template <class Record, class L, class Tag, class Cursor = ForwardCursor>
class EntryRange {
 public:
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::pair<Handle<Tag, L>, const Record&>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    iterator() noexcept = default;
    explicit iterator(const TableCore& core) noexcept : at_(core) {}
    HDB_INLINE value_type operator*() const noexcept { return {at_.handle(), *at_}; }
    HDB_INLINE iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++at_;
      return before;
    }
    HDB_INLINE friend bool operator==(const iterator& a, const iterator& b) noexcept {
      return a.at_ == b.at_;
    }

   private:
    RecordIterator<Record, L, Tag, Cursor> at_;
  };

  explicit EntryRange(const TableCore& core) noexcept : core_(core) {}
  [[nodiscard]] iterator begin() const noexcept { return iterator(core_); }
  [[nodiscard]] iterator end() const noexcept { return {}; }

 private:
  const TableCore& core_;
};

}  // namespace hdb::detail
