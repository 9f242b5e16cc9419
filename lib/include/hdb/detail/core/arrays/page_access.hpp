// How a structural step reaches the pages it writes. Each step is written once, for both ways.
#pragma once

#include <cstddef>

#include "hdb/detail/core/arrays/paged_array.hpp"

/// For steps of which every instruction counts: GCC and clang inline them wherever they are used.
#define HDB_INLINE inline __attribute__((always_inline))

namespace hdb::detail {

/// Makes pages writable and lets arrays grow, whatever their geometry; what it gives is never null.
struct AnyPages {
  static constexpr bool kOwnedOnly = false;
  template <std::size_t Stride>
  [[nodiscard]] static const std::byte* at(const PagedArray& array, std::size_t index) noexcept {
    return array.at(index);
  }
  template <std::size_t Stride>
  [[nodiscard]] static std::byte* edit(PagedArray& array, std::size_t index) {
    return array.edit(index);
  }
  [[nodiscard]] static bool grow(PagedArray& array, std::size_t count) {
    array.grow_to(count);
    return true;
  }
  /// Whether a page ends behind `count` elements.
  template <std::size_t Stride>
  [[nodiscard]] static bool is_page_end(const PagedArray& array, std::size_t count) noexcept {
    return (count & array.pages().mask()) == 0;
  }
};

/// Finds pages that are writable already, in tables whose pages have the default size; gives null
/// (or false) where one is not, and changes nothing. So a step is few instructions, and several are
/// under way while their cache misses last.
struct OwnedPages {
  static constexpr bool kOwnedOnly = true;
  template <std::size_t Stride>
  [[nodiscard]] static const std::byte* at(const PagedArray& array, std::size_t index) noexcept {
    return array.at_fixed<PageGeometry::shift_for(Stride, kDefaultPageBytes), Stride>(index);
  }
  template <std::size_t Stride>
  [[nodiscard]] static std::byte* edit(PagedArray& array, std::size_t index) noexcept {
    return array.owned_or_null<PageGeometry::shift_for(Stride, kDefaultPageBytes), Stride>(index);
  }
  [[nodiscard]] static bool grow(const PagedArray& array, std::size_t count) noexcept {
    return count <= array.capacity();
  }
  template <std::size_t Stride>
  [[nodiscard]] static bool is_page_end(const PagedArray&, std::size_t count) noexcept {
    constexpr unsigned kShift = PageGeometry::shift_for(Stride, kDefaultPageBytes);
    return (count & ((std::size_t{1} << kShift) - 1)) == 0;
  }
};

}  // namespace hdb::detail
