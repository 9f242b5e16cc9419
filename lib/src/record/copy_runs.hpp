// The inner loops of plain records: one run of many records to or from memory that lies together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/placed_field.hpp"

namespace hdb::detail::record {

/// Some records, small enough together to stay in the first-level cache while they are read again
/// and again.
struct Block {
  Block(const void* const* first, std::size_t size);
  /// Neighbours. Requires: the stride is not 0.
  Block(const std::byte* first, std::size_t size, std::size_t stride_bytes) noexcept
      : base(first), count(size), stride(static_cast<std::ptrdiff_t>(stride_bytes)) {}
  /// Without the first `done` records.
  [[nodiscard]] Block after(std::size_t done) const;

  const void* const* records = nullptr;  ///< Unless there is a stride.
  const std::byte* base = nullptr;       ///< The first record, if there is a stride.
  std::size_t count;
  std::ptrdiff_t stride;  ///< Distance between neighbours when it is the same for all, else 0.
};

/// How many records make a block.
[[nodiscard]] std::size_t rows_of_block(std::size_t record_bytes) noexcept;

/// Copies one run of each record to `to`, `to_stride` bytes apart.
void copy_run(const Block& block, const PlainRun& run, std::byte* to, std::size_t to_stride);

/// Copies one run of each record from `from`, `from_stride` bytes apart.
void place_run(void* const* records, std::size_t count, const PlainRun& run, const std::byte* from,
               std::size_t from_stride);

/// Four 4-byte values that lie in 16 neighbouring bytes of a record, or two of 8 bytes: each goes
/// to a column of its own.
struct Tile {
  static constexpr std::size_t kBytes = 16;
  static constexpr std::uint32_t kNoColumn = ~std::uint32_t{0};
  std::size_t offset = 0;
  unsigned width = 4;  ///< 4 or 8.
  std::uint32_t columns[4] = {kNoColumn, kNoColumn, kNoColumn, kNoColumn};

  /// Whether all of its bytes belong to columns.
  [[nodiscard]] bool is_full() const noexcept {
    return columns[0] != kNoColumn && columns[1] != kNoColumn &&
           (width == 8 || (columns[2] != kNoColumn && columns[3] != kNoColumn));
  }
};

/// Copies a tile of each record to `to[lane]`; lanes without a column must point to memory to write
/// over.
void copy_tile(const Block& block, const Tile& tile, std::byte* const (&to)[4]);

/// Copies a tile of each record from `from[lane]`; bytes without a column are left alone.
void place_tile(void* const* records, std::size_t count, const Tile& tile,
                const std::byte* const (&from)[4]);

}  // namespace hdb::detail::record
