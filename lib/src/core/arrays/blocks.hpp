// Blocks of a page as bits, and copies of one block.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/arrays/page_geometry.hpp"

namespace hdb::detail {

[[nodiscard]] constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

/// The blocks before block `index`.
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

/// Copies a block of 64 to 128 bytes, without a call.
inline constexpr std::size_t kShortBlock = 128;
inline void copy_short_block(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  constexpr std::size_t kHalf = kShortBlock / 2;
  std::memcpy(to, from, kHalf);
  if (bytes != kHalf) std::memcpy(to + bytes - kHalf, from + bytes - kHalf, kHalf);
}

}  // namespace hdb::detail
