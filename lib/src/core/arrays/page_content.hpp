// What lies in a page: constructing, copying, destroying and hashing its elements. Private to core.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

#include "hdb/assert.hpp"
#include "hdb/detail/core/arrays/paged_array.hpp"
#include "hdb/hash.hpp"

namespace hdb::detail {

// Calls visit(element) for each constructed element of a page.
template <class Visit>
void for_each_constructed(const PageGeometry& geometry, std::byte* page, std::size_t capacity,
                          const Visit& visit) {
  const std::uint64_t* const bits = geometry.constructed_bits(page, capacity);
  for (std::size_t word = 0; word * 64 < capacity; ++word) {
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
      visit(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
}

inline void destroy_page(PagePool& pool, const PageGeometry& geometry, Page page,
                         std::size_t capacity) noexcept {
  if (!geometry.ops.trivial) {
    for_each_constructed(geometry, page.data, capacity, [&](std::size_t element) {
      geometry.ops.destroy(page.data + element * geometry.ops.size_bytes);
    });
  }
  pool.recycle(page, geometry.bytes_for(capacity));
}

// Destroys the pages in a list taken from a graveyard.
inline void destroy_list(PagePool& pool, const PageGeometry& geometry,
                         const Graveyard::Link* link) noexcept {
  while (link != nullptr) {
    const Graveyard::Link gone = *link;  // lies in the page
    destroy_page(pool, geometry, gone.page, gone.capacity);
    link = gone.next;
  }
}

// A write into a captured page comes from a pointer kept too long: found by comparing hashes where
// assertions are on, when the page is made writable, at the next capture, at a restore of it, and
// at the latest when the capture is dropped. Only plain bytes are checked: other records may hold
// mutable members.
[[nodiscard]] inline bool has_hashes(const PageGeometry& geometry) noexcept {
#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
  return geometry.ops.trivial;
#else
  static_cast<void>(geometry);
  return false;
#endif
}

[[nodiscard]] inline std::uint64_t hash_of(const PageGeometry& geometry, const std::byte* page,
                                           std::size_t capacity) noexcept {
  return hash64({page, capacity * geometry.ops.size_bytes});
}

inline void require_unwritten(const PageGeometry& geometry, const Graveyard& of, std::size_t page,
                              const std::byte* bytes, std::size_t capacity,
                              std::uint64_t hash) noexcept {
  if (hash_of(geometry, bytes, capacity) == hash) return;
  const std::size_t first = page << geometry.shift;
  char text[768];
  std::snprintf(text, sizeof text,
                "%s: page %zu (%s %zu to %zu) changed after it was captured: the program wrote "
                "through a pointer kept "
                "from edit() or an iteration before the capture. Get new pointers "
                "after each capture and restore",
                of.label.c_str(), page, of.elements, first, first + capacity - 1);
  fatal(text, __FILE__, __LINE__);
}

// Gives a page back while it is being filled, should a copy constructor throw.
class PageInProgress {
 public:
  PageInProgress(PagePool& pool, const PageGeometry& geometry, std::size_t capacity)
      : pool_(pool), geometry_(geometry), capacity_(capacity) {
    page_ = pool.acquire(geometry.bytes_for(capacity));
    if (!geometry.ops.trivial) {
      bits_ = geometry.constructed_bits(page_.data, capacity);
      std::fill_n(bits_, (capacity + 63) / 64, std::uint64_t{0});
    }
  }
  ~PageInProgress() {
    if (page_.data != nullptr && pool_.drop_reference(page_.id)) {
      destroy_page(pool_, geometry_, page_, capacity_);
    }
  }
  PageInProgress(const PageInProgress&) = delete;
  PageInProgress& operator=(const PageInProgress&) = delete;

  void copy_from(std::byte* source, std::size_t source_capacity) {
    const std::size_t size = geometry_.ops.size_bytes;
    if (geometry_.ops.trivial) {
      std::memcpy(page_.data, source, source_capacity * size);
      return;
    }
    for_each_constructed(geometry_, source, source_capacity, [&](std::size_t element) {
      geometry_.ops.copy_construct(page_.data + element * size, source + element * size);
      bits_[element / 64] |= std::uint64_t{1} << (element % 64);
    });
  }
  // Ends the guard; the caller owns the page now.
  [[nodiscard]] Page take() noexcept { return std::exchange(page_, {}); }

 private:
  PagePool& pool_;
  const PageGeometry& geometry_;
  std::size_t capacity_;
  Page page_;
  std::uint64_t* bits_ = nullptr;
};

}  // namespace hdb::detail
