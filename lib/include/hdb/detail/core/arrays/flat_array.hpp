// An array of equal elements at one address, which logs the old content of a block at the first
// write after a capture: the one primitive under slots, records, orders and bitmaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "hdb/assert.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/owned.hpp"
#include "hdb/detail/core/arrays/page_geometry.hpp"

namespace hdb::detail {

class ArrayCore;
class FrozenArray;
class Moment;
class UndoLog;

/// Where the elements of an array lie.
enum class Addresses : std::uint8_t {
  may_change,  ///< Small arrays lie on the heap and move when they grow.
  stay,        ///< In reserved address space, where the platform has it.
};

/// The array itself, owned by one mutating thread.
//
//   A1  The members up to core_ are copies of what that has, so that a lookup is one step.
class HDB_API FlatArray {
 public:
  FlatArray(const std::shared_ptr<UndoLog>& log, const RecordOps& ops,
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
  /// Owns the element's block (see UndoLog: logging its old content when a capture needs it) and
  /// gives the element. Errors: as ArrayCore::own.
  [[nodiscard]] std::byte* edit(std::size_t index) {
    make_private(index);
    return data_ + index * stride_;
  }
  void make_private(std::size_t index) {
    if (!is_private(index)) [[unlikely]]
      own(index);
  }
  /// Whether the element's block is owned in this epoch, so that edit logs nothing.
  [[nodiscard]] bool is_private(std::size_t index) const noexcept {
    const PageWord& word = words_[index >> shift_];
    const std::uint64_t mark = word.mark();
    return mark == *whole_mark_ || (epoch_of_mark(mark) == epoch_of_mark(*whole_mark_) &&
                                    (word.owned() & block_bit(block_of(index))) != 0);
  }
  /// As is_private, but may be false where other blocks of the page are not owned: one comparison.
  /// `PageShift`: shift().
  template <unsigned PageShift>
  [[nodiscard]] bool is_page_private(std::size_t index) const noexcept {
    HDB_ASSERT(PageShift == shift_, "elements have the size that the caller knows");
    return words_[index >> PageShift].mark() == *whole_mark_;
  }
  /// Of all elements [begin, end).
  [[nodiscard]] bool is_private(std::size_t begin, std::size_t end) const noexcept;
  /// Owns the blocks of [begin, end).
  void make_private(std::size_t begin, std::size_t end);
  /// As edit, for an element whose block is known to be owned.
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
  /// Whether grow_to moves the elements to another address.
  [[nodiscard]] bool moves_to_hold(std::size_t count) const noexcept;
  /// Whether all bits of the elements that the last growth added are 0.
  [[nodiscard]] bool adds_zeros() const noexcept;
  /// Destroys all elements; captures keep them. Cannot fail after prepare_drop.
  void drop_all() noexcept;
  void prepare_drop();

  /// Marks elements of non-trivial types as constructed or not; no effect for trivial ones. The
  /// block must be owned.
  void mark_constructed(std::size_t index) noexcept {
    if (!is_trivial()) constructed_[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  void mark_destroyed(std::size_t index) noexcept {
    if (!is_trivial()) constructed_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  }
  /// As mark_constructed, from several threads at once.
  void mark_constructed_shared(std::size_t index) noexcept {
    // Not std::atomic_ref: libc++ has none before 19.
    if (!is_trivial())
      __atomic_fetch_or(&constructed_[index / 64], std::uint64_t{1} << (index % 64),
                        __ATOMIC_RELAXED);
  }

  /// The content at a moment that was opened just now; with null, of the one that is seen then.
  [[nodiscard]] FrozenArray freeze(const std::shared_ptr<const Moment>& moment);
  /// The same, of the pages of the first `count` elements: the other pages mean nothing.
  [[nodiscard]] FrozenArray freeze(const std::shared_ptr<const Moment>& moment, std::size_t count);
  /// Prepares to bring back what `frozen` holds, captured from an array of the same pool and
  /// geometry: nothing where it is this array, whose log restores it. The content stays the same
  /// until commit_thaw, which must come before any change. Elements stay at their addresses if
  /// `frozen` was captured from this array and neither drop_all nor adopt was called since.
  /// Errors: out_of_memory(), or what a copy constructor throws.
  void prepare_thaw(const FrozenArray& frozen);
  void commit_thaw() noexcept;
  /// Takes the content of an array of the same kind; its own goes to the captures that see it, or
  /// ends.
  void adopt(FlatArray& other) noexcept;

  void set_label(std::string label, const char* elements) noexcept;

  /// Forgets which pages were written: from now on is_written says which are written again.
  void watch_writes() noexcept;
  /// Whether a block of the page was owned since watch_writes, or the page was added.
  [[nodiscard]] bool is_written(std::size_t page) const noexcept { return stamp(page) >= watched_; }
  /// The epoch of the last write.
  [[nodiscard]] std::uint64_t stamp(std::size_t page) const noexcept {
    return words_[page].epoch();
  }
  [[nodiscard]] std::uint64_t number() const noexcept;
  /// What the log takes at most when all elements are written after a capture, in bytes.
  [[nodiscard]] std::size_t logged_bytes() const noexcept;

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t page_count() const noexcept {
    return (capacity_ + per_page() - 1) >> shift_;
  }
  [[nodiscard]] std::size_t per_page() const noexcept { return std::size_t{1} << shift_; }
  [[nodiscard]] unsigned shift() const noexcept { return shift_; }
  [[nodiscard]] const PageGeometry& geometry() const noexcept { return *geometry_; }
  [[nodiscard]] bool is_trivial() const noexcept { return geometry().ops.trivial; }
  /// Bytes between neighbours.
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] bool is_constructed(std::size_t index) const noexcept {
    return is_trivial() || (constructed_[index / 64] >> (index % 64) & 1) != 0;
  }
  /// A1 holds.
  [[nodiscard]] bool check() const noexcept;
  /// See ArrayCore: of all pages.
  void check_unwritten() const noexcept;

 private:
  void own(std::size_t index);
  [[nodiscard]] std::size_t block_of(std::size_t index) const noexcept {
    return (index >> block_shift_) & (kBlocksPerPage - 1);
  }
  void grow(std::size_t count);
  void take_core(Owned<ArrayCore> core) noexcept;
  void follow_core() noexcept;

  // The hot members first: one cache line serves a lookup.
  std::byte* data_ = nullptr;
  std::size_t stride_;
  unsigned shift_;
  unsigned block_shift_;
  const PageWord* words_ = nullptr;
  const std::uint64_t* whole_mark_;  // UndoLog::whole_mark
  std::size_t capacity_ = 0;
  const PageGeometry* geometry_ = nullptr;
  std::uint64_t* constructed_ = nullptr;  // elements that are not trivial: a bit each
  Owned<ArrayCore> core_;
  std::uint64_t watched_ = 0;
  Owned<ArrayCore> fresh_;  // prepared for commit_thaw or drop_all
};

}  // namespace hdb::detail
