// How the elements of an array are divided: into blocks, which a first write logs, and pages of 64
// blocks, which one word describes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "hdb/detail/core/tables/record_ops.hpp"

namespace hdb::detail {

[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

inline constexpr unsigned kBlocksShift = 6;
inline constexpr std::size_t kBlocksPerPage = std::size_t{1} << kBlocksShift;
inline constexpr std::uint64_t kAllBlocks = ~std::uint64_t{0};

/// Block `index` of a page, and the blocks before it, as bits.
[[nodiscard]] constexpr std::uint64_t block_bit(std::size_t index) noexcept {
  return std::uint64_t{1} << index;
}
[[nodiscard]] constexpr std::uint64_t blocks_below(std::size_t index) noexcept {
  return index >= kBlocksPerPage ? kAllBlocks : block_bit(index) - 1;
}

/// How many; quick where it is one, as most often. (The least x86-64 cannot count bits.)
[[nodiscard]] constexpr std::size_t count_blocks(std::uint64_t blocks) noexcept {
  return (blocks & (blocks - 1)) == 0 ? 1 : static_cast<std::size_t>(std::popcount(blocks));
}

/// Calls visit(first, count) for each run of neighbouring bits.
template <class Visit>
void for_each_run(std::uint64_t bits, const Visit& visit) {
  while (bits != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(bits));
    const auto count = static_cast<std::size_t>(std::countr_one(bits >> first));
    visit(first, count);
    bits &= ~blocks_below(first + count);
  }
}

/// Powers of two of elements a block and a page.
struct PageGeometry {
  RecordOps ops;
  unsigned block_shift = 0;  ///< log2 of the elements of a block.
  unsigned shift = 0;        ///< log2 of the elements of a page.
  std::size_t block_bytes = 0;
  std::size_t log_alignment = kLeastLogAlignment;  ///< Of the content of log entries.

  static constexpr std::size_t kLeastLogAlignment = 8;

  [[nodiscard]] std::size_t per_block() const noexcept { return std::size_t{1} << block_shift; }
  [[nodiscard]] std::size_t per_page() const noexcept { return std::size_t{1} << shift; }
  [[nodiscard]] std::size_t stride() const noexcept { return ops.size_bytes; }
  [[nodiscard]] std::size_t page_bytes() const noexcept { return stride() << shift; }
  [[nodiscard]] std::size_t block_of(std::size_t index) const noexcept {
    return (index >> block_shift) & (kBlocksPerPage - 1);
  }

  /// Blocks of 64 to 127 bytes, or of one element if that is larger or must be copied by itself.
  [[nodiscard]] static PageGeometry of(const RecordOps& ops) noexcept {
    constexpr std::size_t kLeastBytes = 64;
    PageGeometry geometry{ops};
    if (ops.trivial && ops.size_bytes < kLeastBytes) {
      const std::size_t fewest = (kLeastBytes + ops.size_bytes - 1) / ops.size_bytes;
      geometry.block_shift = static_cast<unsigned>(std::countr_zero(std::bit_ceil(fewest)));
    }
    geometry.shift = geometry.block_shift + kBlocksShift;
    geometry.block_bytes = ops.size_bytes << geometry.block_shift;
    geometry.log_alignment = std::max(ops.alignment, kLeastLogAlignment);
    return geometry;
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
