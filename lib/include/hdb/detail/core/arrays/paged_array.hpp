// A copy-on-write array of equal elements in pages: the one primitive under slots, records, orders
// and bitmaps.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hdb/assert.hpp"
#include "hdb/detail/core/arrays/page_pool.hpp"
#include "hdb/detail/core/arrays/page_table.hpp"
#include "hdb/detail/core/tables/record_ops.hpp"
#include "hdb/table_options.hpp"

namespace hdb::detail {

/// How elements lie in pages: a power of two of them each; pages of non-trivial elements end with
/// one bit an element that tells which are constructed, so that whoever holds the last reference
/// can destroy them.
struct PageGeometry {
  RecordOps ops;
  unsigned shift = 0;          ///< log2 of elements a page.
  std::size_t page_bytes = 0;  ///< Allocated bytes of a full page.

  [[nodiscard]] std::size_t per_page() const noexcept { return std::size_t{1} << shift; }
  [[nodiscard]] std::size_t mask() const noexcept { return per_page() - 1; }
  /// Allocated bytes of a page for `capacity` elements.
  [[nodiscard]] std::size_t bytes_for(std::size_t capacity) const noexcept;
  /// The constructed bits of a page for `capacity` elements.
  [[nodiscard]] std::uint64_t* constructed_bits(std::byte* page,
                                                std::size_t capacity) const noexcept;
  /// Where a page of non-trivial elements keeps its Graveyard::Link.
  [[nodiscard]] std::byte* link_bytes(std::byte* page, std::size_t capacity) const noexcept;

  /// log2 of the most elements (a power of two) that fit `target_bytes`, at least one.
  [[nodiscard]] static constexpr unsigned shift_for(std::size_t element_bytes,
                                                    std::size_t target_bytes) noexcept {
    const std::size_t fitting = target_bytes / element_bytes;
    return fitting == 0 ? 0 : static_cast<unsigned>(std::bit_width(fitting)) - 1;
  }
  [[nodiscard]] static PageGeometry of(const RecordOps& ops, std::size_t target_bytes) noexcept;
};

/// Pages whose last reference went away on another thread, waiting for their owner to destroy their
/// records. A list through the pages themselves, so that giving one back cannot fail.
struct Graveyard {
  std::string label =
      "a table";  ///< What the array is, for messages; set before the first capture.
  const char* elements = "elements";  ///< What its indices count.
  /// Lies at the end of every page of non-trivial elements.
  struct Link {
    Page page;
    std::size_t capacity;
    Link* next;
  };
  std::mutex mutex;
  Link* first = nullptr;                        // guarded by mutex
  bool owner_is_alive = true;                   // guarded by mutex
  std::atomic<std::uint8_t>* notice = nullptr;  // guarded by mutex; good while the owner lives
  std::atomic<bool> occupied{false};
};

/// The pages of an array at one moment, immutable; holds a reference to each.
class FrozenPages {
 public:
  FrozenPages() = default;
  ~FrozenPages();
  FrozenPages(FrozenPages&& other) noexcept { swap(other); }
  FrozenPages& operator=(FrozenPages&& other) noexcept {
    FrozenPages(std::move(other)).swap(*this);
    return *this;
  }

  [[nodiscard]] const std::byte* at(std::size_t index) const noexcept { return pages_.at(index); }
  template <class T>
  [[nodiscard]] const T& as(std::size_t index) const noexcept {
    return *reinterpret_cast<const T*>(at(index));
  }
  [[nodiscard]] std::size_t page_count() const noexcept { return pages_.size(); }
  [[nodiscard]] std::size_t per_page() const noexcept { return pages_.mask() + 1; }
  [[nodiscard]] unsigned shift() const noexcept { return pages_.shift(); }
  [[nodiscard]] PageId page_id(std::size_t page) const noexcept { return ids_[page]; }
  [[nodiscard]] std::uint64_t stamp(std::size_t page) const noexcept {
    return pool_->stamp(ids_[page]);
  }
  [[nodiscard]] PagePool& pool() const noexcept { return *pool_; }
  /// Bytes of the pages that `other`, of the same array, does not share.
  [[nodiscard]] std::uint64_t bytes_not_in(const FrozenPages& other) const noexcept;

 private:
  friend class PagedArray;
  void swap(FrozenPages& other) noexcept;

  PageTable pages_;
  std::vector<PageId> ids_;
  std::size_t first_capacity_ = 0;
  PageGeometry geometry_;
  std::shared_ptr<PagePool> pool_;
  std::shared_ptr<Graveyard> graveyard_;
  std::vector<std::uint64_t> hashes_;  // of the pages' bytes, where assertions are on; else empty
};

/// The array itself, owned by one mutating thread.
//
//   A1  owned_[p] implies that the page's count is 1: nobody else can see a write to it.
//   A2  A page displaced by a write stays referenced (parked) until release_parked(): late readers
//       see old data.
//   A3  All pages but the first have per_page() elements of room; the first may have less while it
//       is alone.
class PagedArray {
 public:
  PagedArray(std::shared_ptr<PagePool> pool, const RecordOps& ops, std::size_t page_bytes);
  ~PagedArray();
  PagedArray(const PagedArray&) = delete;
  PagedArray& operator=(const PagedArray&) = delete;

  [[nodiscard]] const std::byte* at(std::size_t index) const noexcept {
    HDB_ASSERT(index < capacity_, "the element's page exists");
    return pages_.at(index);
  }
  template <class T>
  [[nodiscard]] const T& as(std::size_t index) const noexcept {
    return *reinterpret_cast<const T*>(at(index));
  }
  /// As at, where the caller knows the size of an element: one instruction instead of a
  /// multiplication.
  template <std::size_t Stride>
  [[nodiscard]] const std::byte* at_stride(std::size_t index) const noexcept {
    return pages_.at_stride<Stride>(index);
  }
  /// As at, where the caller knows the geometry.
  template <unsigned Shift, std::size_t Stride>
  [[nodiscard]] const std::byte* at_fixed(std::size_t index) const noexcept {
    return pages_.at_fixed<Shift, Stride>(index);
  }
  /// Makes the element's page writable (copying it when a capture shares it) and gives the element.
  [[nodiscard]] std::byte* edit(std::size_t index) {
    const std::size_t page = index >> pages_.shift();
    if (!owned_[page]) own(page);
    return pages_.at(index);
  }
  /// The element where its page is writable, else null; where the caller knows the geometry.
  template <unsigned Shift, std::size_t Stride>
  [[nodiscard]] std::byte* owned_or_null(std::size_t index) noexcept {
    return owned_[index >> Shift] ? pages_.at_fixed<Shift, Stride>(index) : nullptr;
  }
  /// As edit, for an element whose page is known to be owned.
  [[nodiscard]] std::byte* owned_at(std::size_t index) noexcept { return pages_.at(index); }
  template <class T>
  [[nodiscard]] T& owned_as(std::size_t index) noexcept {
    return *reinterpret_cast<T*>(owned_at(index));
  }

  /// Makes room for elements [0, count).
  void grow_to(std::size_t count) {
    if (count > capacity_) grow(count);
  }
  /// Gives back pages that lie wholly behind `count` elements, but for one spare; no constructed
  /// element may be there.
  void shrink_to(std::size_t count) noexcept;
  /// Gives back the first page (A3: all elements then move down by per_page()); it must be
  /// full-sized.
  void drop_first_page() noexcept;
  /// Gives back everything, destroying what is constructed.
  void drop_all() noexcept;

  /// Marks elements of non-trivial types as constructed or not; no effect for trivial ones. The
  /// page must be owned.
  void mark_constructed(std::size_t index) noexcept {
    if (!geometry_.ops.trivial) set_constructed(index, true);
  }
  void mark_destroyed(std::size_t index) noexcept {
    if (!geometry_.ops.trivial) set_constructed(index, false);
  }
  /// As mark_constructed, from several threads at once.
  void mark_constructed_shared(std::size_t index) noexcept;

  /// Shares all pages with the result.
  [[nodiscard]] FrozenPages freeze();
  /// Takes over the pages of `frozen`, captured from an array of the same pool and geometry; its
  /// own are parked. Cannot fail after prepare_thaw.
  void thaw(const FrozenPages& frozen);
  void prepare_thaw(const FrozenPages& frozen);
  /// Takes all pages of an array of the same pool and element type, which is empty afterwards; its
  /// own are parked. Cannot fail after prepare_adopt.
  void adopt(PagedArray& other) noexcept;
  void prepare_adopt() { reserve_parked(pages_.size()); }

  /// Says what messages about broken rules call the array and its elements. Before the first
  /// capture.
  void set_label(std::string label, const char* elements) noexcept {
    graveyard_->label = std::move(label);
    graveyard_->elements = elements;
  }

  /// Sets kParked in `notice` whenever release_parked gets something to do: so one look does for
  /// several arrays. It must outlive the array.
  void notify(std::atomic<std::uint8_t>& notice) noexcept;
  static constexpr std::uint8_t kParked = 1;
  /// Lets go of displaced pages and destroys pages given back by other threads.
  void release_parked() noexcept {
    if (!parked_.empty() || graveyard_->occupied.load(std::memory_order_relaxed))
      release_parked_pages();
  }

  /// Forgets which pages were written: from now on is_written tells it anew. The next write to a
  /// page costs as much as one after a capture that is gone.
  void watch_writes() noexcept { std::fill(owned_.begin(), owned_.end(), std::uint8_t{0}); }
  /// Whether a page was made writable since watch_writes, or a page was added.
  [[nodiscard]] bool is_written(std::size_t page) const noexcept { return owned_[page] != 0; }

  /// Adds the pages held to `counts`, by size.
  void count_pages(std::vector<PagePool::PageCount>& counts) const;
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t page_count() const noexcept { return pages_.size(); }
  [[nodiscard]] std::size_t per_page() const noexcept { return pages_.mask() + 1; }
  [[nodiscard]] unsigned shift() const noexcept { return pages_.shift(); }
  [[nodiscard]] const PageGeometry& geometry() const noexcept { return geometry_; }
  [[nodiscard]] const PageTable& pages() const noexcept { return pages_; }
  /// Bytes between neighbours.
  [[nodiscard]] std::size_t stride() const noexcept { return pages_.stride(); }
  /// A1, A3 hold.
  [[nodiscard]] bool check() const noexcept;

 private:
  void own(std::size_t page);
  void grow(std::size_t count);
  void set_constructed(std::size_t index, bool constructed) noexcept;
  void reserve_pages(std::size_t count);
  void append_page(Page page) noexcept;
  void grow_first_page(std::size_t capacity);
  void reserve_parked(std::size_t more);
  void park(std::size_t page) noexcept;
  void release_parked_pages() noexcept;
  void reserve_hashes(std::size_t count);
  void remember_hashes();
  void check_unwritten(std::size_t page) const noexcept;
  [[nodiscard]] std::size_t capacity_of(std::size_t page) const noexcept {
    return page == 0 ? first_capacity_ : per_page();
  }

  // The hot members first: one cache line serves a lookup.
  PageTable pages_;
  std::vector<std::uint8_t> owned_;
  std::vector<PageId> ids_;
  std::size_t capacity_ = 0;
  std::size_t first_capacity_ = 0;
  PageGeometry geometry_;
  std::shared_ptr<PagePool> pool_;
  std::shared_ptr<Graveyard> graveyard_;
  std::atomic<std::uint8_t>* notice_ = nullptr;
  struct Parked {
    Page page;
    std::size_t capacity;
  };
  std::vector<Parked> parked_;
  // Where assertions are on: the hash of each page at its last capture, good while the stamp is
  // still the page's.
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> hashed_stamps_;
};

}  // namespace hdb::detail
