// How the elements of an array are divided: into blocks, which a first write logs, and pages of 64
// blocks, which one word describes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/tables/record_ops.hpp"

namespace hdb::detail {

[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

inline constexpr unsigned kBlocksShift = 6;
inline constexpr std::size_t kBlocksPerPage = std::size_t{1} << kBlocksShift;
inline constexpr std::uint64_t kAllBlocks = ~std::uint64_t{0};

/// What a page whose blocks are all owned has as its mark in an epoch; see PageWord.
[[nodiscard]] constexpr std::uint64_t whole_mark(std::uint64_t epoch) noexcept {
  return epoch << (kBlocksShift + 1) | kBlocksPerPage;
}
[[nodiscard]] constexpr std::uint64_t epoch_of_mark(std::uint64_t mark) noexcept {
  return mark >> (kBlocksShift + 1);
}

/// Block `index` of a page, and the blocks before it, as bits.
[[nodiscard]] constexpr std::uint64_t block_bit(std::size_t index) noexcept {
  return std::uint64_t{1} << index;
}
[[nodiscard]] constexpr std::uint64_t blocks_below(std::size_t index) noexcept {
  return index >= kBlocksPerPage ? kAllBlocks : block_bit(index) - 1;
}

[[nodiscard]] constexpr bool is_one_block(std::uint64_t blocks) noexcept {
  return (blocks & (blocks - 1)) == 0;
}
/// The first.
[[nodiscard]] constexpr std::size_t block_index(std::uint64_t blocks) noexcept {
  return static_cast<std::size_t>(std::countr_zero(blocks));
}
/// How many. As the least x86-64 cannot count bits, std::popcount would be a call.
[[nodiscard]] constexpr std::size_t count_blocks(std::uint64_t blocks) noexcept {
  if (is_one_block(blocks)) return blocks != 0 ? 1 : 0;
  blocks -= blocks >> 1 & 0x5555'5555'5555'5555u;
  blocks = (blocks & 0x3333'3333'3333'3333u) + (blocks >> 2 & 0x3333'3333'3333'3333u);
  blocks = (blocks + (blocks >> 4)) & 0x0f0f'0f0f'0f0f'0f0fu;
  return to_size(blocks * 0x0101'0101'0101'0101u >> 56);
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
  [[nodiscard]] static constexpr unsigned block_shift_of(std::size_t size_bytes,
                                                         bool trivial) noexcept {
    constexpr std::size_t kLeastBytes = 64;
    if (!trivial || size_bytes >= kLeastBytes) return 0;
    const std::size_t fewest = (kLeastBytes + size_bytes - 1) / size_bytes;
    return static_cast<unsigned>(std::countr_zero(std::bit_ceil(fewest)));
  }
  [[nodiscard]] static PageGeometry of(const RecordOps& ops) noexcept {
    PageGeometry geometry{ops};
    geometry.block_shift = block_shift_of(ops.size_bytes, ops.trivial);
    geometry.shift = geometry.block_shift + kBlocksShift;
    geometry.block_bytes = ops.size_bytes << geometry.block_shift;
    geometry.log_alignment = std::max(ops.alignment, kLeastLogAlignment);
    return geometry;
  }
};

/// PageGeometry::shift of an array of records.
template <class Record>
inline constexpr unsigned record_page_shift =
    PageGeometry::block_shift_of(sizeof(Record), is_trivial_record<Record>) + kBlocksShift;

/// Copies a block of 64 to 128 bytes, without a call.
inline constexpr std::size_t kShortBlock = 128;
inline void copy_short_block(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  constexpr std::size_t kHalf = kShortBlock / 2;
  std::memcpy(to, from, kHalf);
  if (bytes != kHalf) std::memcpy(to + bytes - kHalf, from + bytes - kHalf, kHalf);
}

/// Elements that are bytes of type T.
template <class T>
[[nodiscard]] constexpr RecordOps trivial_ops(std::size_t count = 1) noexcept {
  RecordOps ops;
  ops.size_bytes = sizeof(T) * count;
  ops.alignment = alignof(T);
  return ops;
}

}  // namespace hdb::detail
