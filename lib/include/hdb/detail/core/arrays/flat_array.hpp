// An array of equal elements at one address, whose captures copy the old content of a page at the
// first write after them: the one primitive under slots, records, orders and bitmaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hdb/assert.hpp"
#include "hdb/detail/core/arrays/array_core.hpp"
#include "hdb/detail/core/arrays/frozen_array.hpp"

namespace hdb::detail {

/// The array itself, owned by one mutating thread.
//
//   A1  private_[p] implies that no open capture sees the live page p.
//   A2  data_, private_ and capacity_ are those of core_: copies, so that a lookup is one step.
//   A3  shared_pages_ is the number of pages that are not private, and captures() knows the sum of
//       all arrays of the table.
class FlatArray {
 public:
  FlatArray(const std::shared_ptr<Captures>& captures, const RecordOps& ops, std::size_t page_bytes,
            Addresses addresses = Addresses::may_change, std::uint64_t max_elements = ~0ull);
  ~FlatArray();
  FlatArray(const FlatArray&) = delete;
  FlatArray& operator=(const FlatArray&) = delete;

  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] const std::byte* at(std::size_t index) const noexcept {
    HDB_ASSERT(index < capacity_, "the element's page exists");
    return data_ + index * stride_;
  }
  /// As at. Requires: elements have the size of T.
  template <class T>
  [[nodiscard]] const T& as(std::size_t index) const noexcept {
    HDB_ASSERT(index < capacity_ && sizeof(T) == stride_, "the element's page exists");
    return reinterpret_cast<const T*>(data_)[index];
  }
  /// Makes the element's page private (copying its old content when a capture sees it) and gives
  /// the element. Errors: as ArrayCore::make_private.
  [[nodiscard]] std::byte* edit(std::size_t index) {
    make_private(index);
    return data_ + index * stride_;
  }
  void make_private(std::size_t index) {
    if (!is_private(index)) [[unlikely]]
      own(index >> shift_);
  }
  /// Whether the element's page is private, so that edit copies nothing.
  [[nodiscard]] bool is_private(std::size_t index) const noexcept {
    return private_[index >> shift_] != 0;
  }
  /// Makes the pages of [begin, end) private.
  void make_private(std::size_t begin, std::size_t end);
  /// As edit, for an element whose page is known to be private.
  [[nodiscard]] std::byte* owned_at(std::size_t index) noexcept { return data_ + index * stride_; }
  template <class T>
  [[nodiscard]] T& owned_as(std::size_t index) noexcept {
    HDB_ASSERT(index < capacity_ && sizeof(T) == stride_, "the element's page exists");
    return reinterpret_cast<T*>(data_)[index];
  }

  /// Makes room for elements [0, count). Errors: as ArrayCore::grow.
  void grow_to(std::size_t count) {
    if (count > capacity_) [[unlikely]]
      grow(count);
  }
  /// Destroys all elements; captures keep them. Cannot fail after prepare_drop.
  void drop_all() noexcept;
  void prepare_drop();

  /// Marks elements of non-trivial types as constructed or not; no effect for trivial ones. The
  /// page must be private.
  void mark_constructed(std::size_t index) noexcept {
    if (!is_trivial()) core_->set_constructed(index, true);
  }
  void mark_destroyed(std::size_t index) noexcept {
    if (!is_trivial()) core_->set_constructed(index, false);
  }
  /// As mark_constructed, from several threads at once.
  void mark_constructed_shared(std::size_t index) noexcept {
    if (!is_trivial()) core_->set_constructed_shared(index);
  }

  /// The content at a moment that was opened just now.
  [[nodiscard]] FrozenArray freeze(std::shared_ptr<const Moment> moment) {
    return freeze(std::move(moment), capacity_);
  }
  /// The same, of the pages of the first `count` elements: the other pages mean nothing.
  [[nodiscard]] FrozenArray freeze(std::shared_ptr<const Moment> moment, std::size_t count);
  /// Prepares to bring back what `frozen` holds, captured from an array of the same pool and
  /// geometry. The content stays the same until commit_thaw, which must come before any change.
  /// Elements stay at their addresses if `frozen` was captured from this array and neither drop_all
  /// nor adopt was called since. Errors: out_of_memory(), or what a copy constructor throws.
  /// Complexity: linear in the elements of pages that changed since.
  void prepare_thaw(const FrozenArray& frozen);
  void commit_thaw() noexcept;
  /// Takes the content of an array of the same kind; its own goes to the captures that see it, or
  /// ends.
  void adopt(FlatArray& other) noexcept;

  void set_label(std::string label, const char* elements) noexcept {
    core_->set_label(std::move(label), elements);
  }

  /// Forgets which pages were written: from now on is_written says which are written again.
  void watch_writes() noexcept;
  /// Whether a page was made private since watch_writes or the last capture, or was added.
  [[nodiscard]] bool is_written(std::size_t page) const noexcept { return private_[page] != 0; }
  /// The stamp of the live content, if no call has written to the page since the last capture.
  [[nodiscard]] std::uint64_t stamp(std::size_t page) const noexcept {
    return core_->state(page).stamp.load(std::memory_order_relaxed);
  }

  /// Adds the pages of the first `count` elements to `counts`, by the size of their copies.
  void count_pages(std::vector<PagePool::PageCount>& counts, std::size_t count) const;
  void count_pages(std::vector<PagePool::PageCount>& counts) const {
    count_pages(counts, capacity_);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t page_count() const noexcept { return core_->page_count(); }
  [[nodiscard]] std::size_t per_page() const noexcept { return std::size_t{1} << shift_; }
  [[nodiscard]] unsigned shift() const noexcept { return shift_; }
  [[nodiscard]] const PageGeometry& geometry() const noexcept { return core_->geometry(); }
  [[nodiscard]] bool is_trivial() const noexcept { return geometry().ops.trivial; }
  /// Bytes between neighbours.
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] bool is_constructed(std::size_t index) const noexcept {
    return is_trivial() || core_->is_constructed(index);
  }
  /// A1 to A3 hold.
  [[nodiscard]] bool check() const noexcept;

 private:
  struct Staged {
    std::size_t page;
    const PageVersion* version;
    PageCopy copy;  // of non-trivial elements
  };

  void own(std::size_t page);
  [[nodiscard]] std::size_t count_shared_pages() const noexcept;
  void set_shared_pages(std::size_t count) noexcept;
  void grow(std::size_t count);
  void take_core(std::unique_ptr<ArrayCore> core) noexcept;
  void stage_all(const FrozenArray& frozen);

  // The hot members first: one cache line serves a lookup.
  std::byte* data_ = nullptr;
  std::size_t stride_;
  unsigned shift_;
  std::uint8_t* private_ = nullptr;
  std::size_t capacity_ = 0;
  std::unique_ptr<ArrayCore> core_;
  std::vector<std::uint8_t> private_pages_;
  std::size_t shared_pages_ = 0;
  // Prepared for commit_thaw or drop_all:
  std::vector<Staged> staged_;
  std::unique_ptr<ArrayCore> fresh_;
  std::vector<std::uint8_t> fresh_pages_;
};

}  // namespace hdb::detail
