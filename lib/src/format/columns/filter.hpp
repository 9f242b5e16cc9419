// Filters: what is done to the bytes of a column before compression, chosen from the data alone.
#pragma once

#include <cstddef>
#include <span>

#include "hdb/detail/base/api.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/constants.hpp"

namespace hdb::format {

/// The filter of a column of values of `width` bytes each (1: bytes without structure).
/// Complexity: constant, unless all values are equal.
[[nodiscard]] HDB_INSPECT_API Filter choose_filter(std::span<const std::byte> raw,
                                                   unsigned width) noexcept;

/// Bytes that `filter` makes of `raw_bytes` bytes.
[[nodiscard]] HDB_INSPECT_API std::size_t filtered_size(Filter filter, std::size_t raw_bytes,
                                                        unsigned width) noexcept;

/// Filters `raw` into `out`, which holds filtered_size bytes and does not overlap it.
/// Requires: raw.size() is a multiple of width; width is 1, 2, 4 or 8, and fits the filter.
HDB_INSPECT_API void apply_filter(Filter filter, std::span<const std::byte> raw, unsigned width,
                                  std::byte* out) noexcept;

/// Undoes apply_filter: `filtered` holds filtered_size(filter, raw.size(), width) bytes.
HDB_INSPECT_API void undo_filter(Filter filter, std::span<const std::byte> filtered, unsigned width,
                                 std::span<std::byte> raw) noexcept;

/// Whether the filter can be used for values of this width and this number of bytes.
[[nodiscard]] HDB_INSPECT_API bool filter_fits(Filter filter, std::size_t raw_bytes,
                                               unsigned width) noexcept;

/// Hash of the bytes of which `filtered` was made; never makes more than a few KiB of them at once.
[[nodiscard]] Hash128 hash_unfiltered(Filter filter, std::span<const std::byte> filtered,
                                      unsigned width, std::size_t raw_bytes);

// The byte shuffle alone: byte k of value i goes to k * stride + i, where stride >= count.
HDB_INSPECT_API void shuffle(const std::byte* from, std::size_t count, unsigned width,
                             std::byte* to, std::size_t stride) noexcept;
HDB_INSPECT_API void unshuffle(const std::byte* from, std::size_t stride, std::size_t count,
                               unsigned width, std::byte* to) noexcept;

/// A way to shuffle most of the values; both functions return how many of the first are done.
struct ShuffleKernel {
  std::size_t (*shuffle)(const std::byte* from, std::size_t count, unsigned width, std::byte* to,
                         std::size_t stride) noexcept;
  std::size_t (*unshuffle)(const std::byte* from, std::size_t stride, std::size_t count,
                           unsigned width, std::byte* to) noexcept;
};
/// Those that this processor has, that of the most values at once first. The last does nothing.
[[nodiscard]] std::span<const ShuffleKernel> shuffle_kernels() noexcept;
/// Shuffles with one kernel after the other, then one value at a time.
void shuffle_with(std::span<const ShuffleKernel> kernels, const std::byte* from, std::size_t count,
                  unsigned width, std::byte* to, std::size_t stride) noexcept;
void unshuffle_with(std::span<const ShuffleKernel> kernels, const std::byte* from,
                    std::size_t stride, std::size_t count, unsigned width, std::byte* to) noexcept;

}  // namespace hdb::format
