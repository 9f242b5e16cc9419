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

#include "hdb/core/handle.hpp"
#include "hdb/core/table_core.hpp"

namespace hdb {

/// The handle of a slot of this table.
template <class Tag, class L>
[[nodiscard]] Handle<Tag, L> make_handle(const TableCore& core, std::uint32_t slot,
                                         std::uint32_t generation) noexcept {
  return Handle<Tag, L>::from_bits(static_cast<typename L::Bits>(
      pack_handle(L::value, slot, generation, core.options().type_id)));
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
    const auto place = first_place_ + static_cast<std::uint32_t>(i);
    return core_.is_dense() ? core_.slot_of().template as<std::uint32_t>(place) : place;
  }
  /// The handle of record i.
  [[nodiscard]] Handle<Tag, L> handle(std::size_t i) const noexcept {
    const std::uint32_t index = slot(i);
    return make_handle<Tag, L>(core_, index, core_.slots().tag(index));
  }

 private:
  const TableCore& core_;
  std::span<Element> records_;
  std::uint32_t first_place_;
};

template <class Record, class L, class Tag>
using MutablePageSpan = PageSpan<Record, L, Tag, Record>;

/// One past the last place of a table.
[[nodiscard]] inline std::uint64_t end_place(const TableCore& core) noexcept {
  return core.is_dense() ? core.counters().live_count : core.counters().slot_count;
}

/// The first live place at or after `place`; end_place(core) when there is none.
[[nodiscard]] inline std::uint64_t next_live_place(const TableCore& core,
                                                   std::uint64_t place) noexcept {
  const std::uint64_t end = end_place(core);
  if (core.is_dense() || place >= end) return place < end ? place : end;
  const PagedArray& words = core.slots().live_bits();
  std::uint64_t word = place / 64;
  std::uint64_t bits =
      words.as<std::uint64_t>(static_cast<std::size_t>(word)) >> (place % 64) << (place % 64);
  while (bits == 0) {
    if (++word * 64 >= end) return end;
    bits = words.as<std::uint64_t>(static_cast<std::size_t>(word));
  }
  return word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
}

/// Calls visit(first_place, count) for each run of neighbouring live places within a page.
template <class Visit>
void visit_runs(const TableCore& core, const Visit& visit) {
  const std::uint64_t end = end_place(core);
  const std::uint64_t per_page = core.records().per_page();
  if (core.is_dense()) {
    for (std::uint64_t place = 0; place < end; place += per_page) {
      visit(place, std::min(per_page, end - place));
    }
    return;
  }
  const PagedArray& words = core.slots().live_bits();
  std::uint64_t run_begin = 0;
  std::uint64_t run_end = 0;  // [run_begin, run_end) is live and not yet visited
  const auto flush = [&] {
    while (run_begin < run_end) {
      const std::uint64_t page_end = (run_begin / per_page + 1) * per_page;
      const std::uint64_t stop = std::min(run_end, page_end);
      visit(run_begin, stop - run_begin);
      run_begin = stop;
    }
  };
  for (std::uint64_t base = 0; base < end; base += 64) {
    std::uint64_t bits = words.as<std::uint64_t>(static_cast<std::size_t>(base / 64));
    std::uint64_t at = base;
    while (bits != 0) {
      const auto zeros = static_cast<unsigned>(std::countr_zero(bits));
      bits = zeros == 0 ? bits : bits >> zeros;
      at += zeros;
      const auto ones = static_cast<unsigned>(std::countr_one(bits));
      if (at != run_end) {
        flush();
        run_begin = at;
      }
      at += ones;
      run_end = at;
      bits = ones == 64 ? 0 : bits >> ones;
    }
  }
  flush();
}

template <class Record, class L, class Tag, class Visit>
void visit_spans(const TableCore& core, Visit& visit) {
  visit_runs(core, [&](std::uint64_t place, std::uint64_t count) {
    visit(PageSpan<Record, L, Tag>(
        core, reinterpret_cast<const Record*>(core.record_at(static_cast<std::uint32_t>(place))),
        static_cast<std::size_t>(count), static_cast<std::uint32_t>(place)));
  });
}

/// Marks a mutable iteration for as long as it lives.
class MutableIteration {
 public:
  explicit MutableIteration(TableCore& core) noexcept : core_(core) {
    core_.begin_mutable_iteration();
  }
  ~MutableIteration() { core_.end_mutable_iteration(); }
  MutableIteration(const MutableIteration&) = delete;
  MutableIteration& operator=(const MutableIteration&) = delete;

 private:
  TableCore& core_;
};

template <class Record, class L, class Tag, class Visit>
void visit_mutable_spans(TableCore& core, Visit& visit) {
  const MutableIteration iteration(core);
  visit_runs(core, [&](std::uint64_t place, std::uint64_t count) {
    visit(MutablePageSpan<Record, L, Tag>(
        core, reinterpret_cast<Record*>(core.edit_at(static_cast<std::uint32_t>(place))),
        static_cast<std::size_t>(count), static_cast<std::uint32_t>(place)));
  });
}

/// Forward iterator over the live records.
template <class Record, class L, class Tag>
class RecordIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Record;
  using difference_type = std::ptrdiff_t;
  using pointer = const Record*;
  using reference = const Record&;

  RecordIterator() noexcept = default;
  RecordIterator(const TableCore& core, std::uint64_t place) noexcept
      : core_(&core), place_(next_live_place(core, place)) {}

  reference operator*() const noexcept {
    return *reinterpret_cast<const Record*>(core_->record_at(static_cast<std::uint32_t>(place_)));
  }
  pointer operator->() const noexcept { return &**this; }
  RecordIterator& operator++() noexcept {
    place_ = next_live_place(*core_, place_ + 1);
    return *this;
  }
  RecordIterator operator++(int) noexcept {
    RecordIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const RecordIterator& a, const RecordIterator& b) noexcept {
    return a.place_ == b.place_;
  }
  /// The handle of the record that the iterator stands at.
  [[nodiscard]] Handle<Tag, L> handle() const noexcept {
    const auto place = static_cast<std::uint32_t>(place_);
    const std::uint32_t slot =
        core_->is_dense() ? core_->slot_of().template as<std::uint32_t>(place) : place;
    return make_handle<Tag, L>(*core_, slot, core_->slots().tag(slot));
  }

 private:
  const TableCore* core_ = nullptr;
  std::uint64_t place_ = 0;
};

/// The records of a table with their handles.
template <class Record, class L, class Tag>
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
    explicit iterator(RecordIterator<Record, L, Tag> at) noexcept : at_(at) {}
    value_type operator*() const noexcept { return {at_.handle(), *at_}; }
    iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++at_;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.at_ == b.at_; }

   private:
    RecordIterator<Record, L, Tag> at_;
  };

  explicit EntryRange(const TableCore& core) noexcept : core_(core) {}
  [[nodiscard]] iterator begin() const noexcept { return iterator({core_, 0}); }
  [[nodiscard]] iterator end() const noexcept { return iterator({core_, end_place(core_)}); }

 private:
  const TableCore& core_;
};

}  // namespace hdb
