// The elements of an array at one moment, readable from any thread while the array is changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/arrays/array_core.hpp"
#include "core/arrays/undo_log.hpp"
#include "hdb/assert.hpp"
#include "hdb/detail/base/api.hpp"

namespace hdb::detail {

/// An immutable view: blocks that were written since are read from the log, the others from the
/// live array (see UndoLog). It costs no copy. Until `see` it names no moment: then it says only
/// which array it is, and how much of it.
class HDB_API FrozenArray {
 public:
  FrozenArray() = default;
  FrozenArray(const std::shared_ptr<const Moment>& moment, const ArrayCore& core,
              std::size_t capacity);
  ~FrozenArray();
  FrozenArray(const FrozenArray& other) = default;
  FrozenArray& operator=(const FrozenArray& other) = default;
  FrozenArray(FrozenArray&& other) noexcept = default;
  FrozenArray& operator=(FrozenArray&& other) noexcept = default;
  /// The content at this moment, at which it was the same array; `is_now`: no change came since.
  void see(const std::shared_ptr<const Moment>& moment, bool is_now);

  /// Copies the trivial elements [first, first + count) to `out`.
  void read(std::uint64_t first, std::size_t count, void* out) const noexcept;
  /// One trivial element.
  template <class T>
  [[nodiscard]] T as(std::uint64_t index) const noexcept {
    T element;
    read(index, 1, &element);
    return element;
  }

  [[nodiscard]] std::size_t page_count() const noexcept { return page_count_; }
  /// How many elements there was room for.
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t per_page() const noexcept {
    return core_ == nullptr ? 1 : core_->geometry().per_page();
  }
  [[nodiscard]] unsigned shift() const noexcept {
    return core_ == nullptr ? 0 : core_->geometry().shift;
  }
  [[nodiscard]] std::size_t stride() const noexcept { return core_->geometry().stride(); }
  /// Identifies the array: equal stamps of a page of one array mean equal content.
  [[nodiscard]] std::uint64_t number() const noexcept {
    return core_ == nullptr ? 0 : core_->number();
  }
  [[nodiscard]] std::uint64_t stamp(std::size_t page) const noexcept {
    return core_->stamp(page, moment_->number());
  }
  [[nodiscard]] PagePool& pool() const noexcept { return core_->log().pool(); }
  /// Where sums of row hashes are kept.
  [[nodiscard]] const ArrayCore& core() const noexcept { return *core_; }
  [[nodiscard]] const Moment& moment() const noexcept { return *moment_; }
  /// Whether it is the same part of the same array.
  [[nodiscard]] bool is_same_array(const FrozenArray& other) const noexcept {
    return core_ == other.core_ && capacity_ == other.capacity_;
  }
  /// Whether the page has the same content in `other`, for certain.
  [[nodiscard]] bool is_same_page(std::size_t page, const FrozenArray& other) const noexcept {
    return page < page_count_ && page < other.page_count_ && core_ == other.core_ &&
           stamp(page) == other.stamp(page);
  }
  /// Bytes of the pages that `other`, a later moment of the same array, does not share.
  [[nodiscard]] std::uint64_t bytes_not_in(const FrozenArray& other) const noexcept;

 private:
  friend class PagePin;

  std::shared_ptr<const Moment> moment_;
  const ArrayCore* core_ = nullptr;
  std::size_t page_count_ = 0;
  std::size_t capacity_ = 0;
  std::shared_ptr<const std::vector<ArrayCore::PageHash>> hashes_;  // where assertions are on
};

/// Reads elements of a frozen array in place, one page at a time. The mutating thread may have to
/// wait for a page that is read, so hold one only while reading; release() ends it.
class HDB_API PagePin {
 public:
  explicit PagePin(const FrozenArray& array) noexcept;
  ~PagePin();
  PagePin(const PagePin&) = delete;
  PagePin& operator=(const PagePin&) = delete;

  /// The element, until the next call. Requires: it existed at the moment.
  [[nodiscard]] const std::byte* at(std::uint64_t index) noexcept {
    const std::uint64_t page = index >> shift_;
    if (page != page_) move_to(page);
    if (past_.blocks() != 0) [[unlikely]]
      return past_at(index - first_);
    return data_ + (index - first_) * stride_;
  }
  /// How many elements from this one on lie one after another, at most `count`.
  [[nodiscard]] std::size_t run_at(std::uint64_t index, std::size_t count) noexcept;
  template <class T>
  [[nodiscard]] const T& as(std::uint64_t index) noexcept {
    return *reinterpret_cast<const T*>(at(index));
  }
  void release() noexcept;

 private:
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
  void move_to(std::uint64_t page) noexcept;
  [[nodiscard]] const std::byte* past_at(std::uint64_t index_in_page) const noexcept;

  const FrozenArray& array_;
  unsigned shift_;
  std::size_t stride_;
  std::uint64_t page_ = kNoPage;
  std::uint64_t first_ = 0;
  const std::byte* data_ = nullptr;  // of the live page
  PastPage past_;
  Announcement* announcement_ = nullptr;
};

}  // namespace hdb::detail
