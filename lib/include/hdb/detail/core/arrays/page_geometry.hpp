// How the elements of an array are divided: into blocks, which a first write logs, and pages of 64
// blocks, which one word describes.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "hdb/detail/base/to_size.hpp"
#include "hdb/detail/core/tables/record_ops.hpp"

namespace hdb::detail {

inline constexpr unsigned kBlocksShift = 6;
inline constexpr std::size_t kBlocksPerPage = std::size_t{1} << kBlocksShift;
inline constexpr std::uint64_t kAllBlocks = ~std::uint64_t{0};

/// What a page whose blocks are all owned has as its mark in an epoch.
[[nodiscard]] constexpr std::uint64_t whole_mark(std::uint64_t epoch) noexcept {
  return epoch << (kBlocksShift + 1) | kBlocksPerPage;
}
[[nodiscard]] constexpr std::uint64_t epoch_of_mark(std::uint64_t mark) noexcept {
  return mark >> (kBlocksShift + 1);
}

/// Block `index` of a page as a bit.
[[nodiscard]] constexpr std::uint64_t block_bit(std::size_t index) noexcept {
  return std::uint64_t{1} << index;
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

/// Elements that are bytes of type T.
template <class T>
[[nodiscard]] constexpr RecordOps trivial_ops(std::size_t count = 1) noexcept {
  RecordOps ops;
  ops.size_bytes = sizeof(T) * count;
  ops.alignment = alignof(T);
  return ops;
}

/// What a page knows (U2 of UndoLog).
class PageWord {
 public:
  /// Of the last write: the stamp of the content.
  [[nodiscard]] std::uint64_t epoch() const noexcept {
    return epoch_of_mark(mark_.load(std::memory_order_acquire));
  }

  // The mutating thread:

  /// The blocks that are owned in that epoch; kAllBlocks if all are that exist.
  [[nodiscard]] std::uint64_t owned() const noexcept { return owned_; }
  /// The epoch and how many are owned in one number, so that most writes compare once.
  [[nodiscard]] std::uint64_t mark() const noexcept {
    return mark_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] static constexpr std::size_t count_of_mark(std::uint64_t mark) noexcept {
    return to_size(mark % (2 * kBlocksPerPage));
  }
  void set(std::uint64_t epoch, std::uint64_t owned, std::size_t count) noexcept {
    owned_ = owned;
    mark_.store(whole_mark(epoch) - kBlocksPerPage + count, std::memory_order_release);
  }

 private:
  std::atomic<std::uint64_t> mark_{0};
  std::uint64_t owned_ = 0;
};

}  // namespace hdb::detail
