// How the elements of an array are divided into pages: the unit that a capture copies.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "hdb/detail/core/tables/record_ops.hpp"

namespace hdb::detail {

[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

/// A power of two of elements a page.
struct PageGeometry {
  RecordOps ops;
  unsigned shift = 0;  ///< log2 of the elements of a page.

  [[nodiscard]] std::size_t per_page() const noexcept { return std::size_t{1} << shift; }
  [[nodiscard]] std::size_t stride() const noexcept { return ops.size_bytes; }
  /// Allocated bytes of a copy of `count` elements: the elements, for non-trivial ones a bit each
  /// that says which are constructed, and a PageVersion.
  [[nodiscard]] std::size_t copy_bytes(std::size_t count) const noexcept;
  /// Where a copy of `count` elements has the constructed bits and the PageVersion.
  [[nodiscard]] std::size_t bits_offset(std::size_t count) const noexcept;
  [[nodiscard]] std::size_t version_offset(std::size_t count) const noexcept;

  /// The most elements (a power of two) that fit `page_bytes`, at least one.
  [[nodiscard]] static PageGeometry of(const RecordOps& ops, std::size_t page_bytes) noexcept {
    const std::size_t fitting = page_bytes / ops.size_bytes;
    return {ops, fitting == 0 ? 0 : static_cast<unsigned>(std::bit_width(fitting)) - 1};
  }
};

/// Elements that are bytes of type T.
template <class T>
[[nodiscard]] constexpr RecordOps trivial_ops(std::size_t count = 1) noexcept {
  RecordOps ops;
  ops.size_bytes = sizeof(T) * count;
  ops.alignment = alignof(T);
  return ops;
}

}  // namespace hdb::detail
