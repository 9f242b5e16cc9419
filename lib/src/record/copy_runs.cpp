// Strided copies with fixed widths, and small transpositions.
#include "record/copy_runs.hpp"

#include <algorithm>
#include <cstring>

#include "hdb/detail/base/compiler.hpp"

namespace hdb::detail::record {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{16} << 10;
constexpr std::size_t kMinBlockRows = 32;
constexpr std::size_t kMaxBlockRows = 1024;

/// The distance between neighbours when it is the same for all records, else 0.
std::ptrdiff_t common_stride(const void* const* records, std::size_t count) {
  if (count < 2) return 0;
  const auto* at = static_cast<const std::byte*>(records[0]);
  const std::ptrdiff_t stride = static_cast<const std::byte*>(records[1]) - at;
  for (std::size_t i = 1; i < count; ++i) {
    at += stride;
    if (static_cast<const std::byte*>(records[i]) != at) return 0;
  }
  return stride;
}

template <std::size_t Width>
void copy_strided(std::byte* to, std::size_t to_stride, const std::byte* from,
                  std::ptrdiff_t from_stride, std::size_t count) {
  for (; count >= 4; count -= 4) {
    std::memcpy(to, from, Width);
    std::memcpy(to + to_stride, from + from_stride, Width);
    std::memcpy(to + 2 * to_stride, from + 2 * from_stride, Width);
    std::memcpy(to + 3 * to_stride, from + 3 * from_stride, Width);
    to += 4 * to_stride;
    from += 4 * from_stride;
  }
  for (; count != 0; --count) {
    std::memcpy(to, from, Width);
    to += to_stride;
    from += from_stride;
  }
}

template <std::size_t Width>
void copy_scattered(std::byte* to, std::size_t to_stride, const void* const* from,
                    std::size_t offset, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to, static_cast<const std::byte*>(from[i]) + offset, Width);
    to += to_stride;
  }
}

template <std::size_t Width>
void place_values(void* const* to, std::size_t offset, const std::byte* from,
                  std::size_t from_stride, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(static_cast<std::byte*>(to[i]) + offset, from, Width);
    from += from_stride;
  }
}

/// Calls `fixed.template operator()<Width>()` for the common widths, else `any()`.
template <class Fixed, class Any>
void by_width(std::size_t width, const Fixed& fixed, const Any& any) {
  switch (width) {
    case 1: return fixed.template operator()<1>();
    case 2: return fixed.template operator()<2>();
    case 4: return fixed.template operator()<4>();
    case 8: return fixed.template operator()<8>();
    case 12: return fixed.template operator()<12>();
    case 16: return fixed.template operator()<16>();
    case 24: return fixed.template operator()<24>();
    case 32: return fixed.template operator()<32>();
    case 64: return fixed.template operator()<64>();
    default: return any();
  }
}

#if HDB_HAS_VECTORS
using Words = HDB_VECTOR(std::uint32_t);
using LongWords = HDB_VECTOR(std::uint64_t);

template <class Vector>
Vector load(const std::byte* from) {
  Vector value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class Vector>
void store(std::byte* to, Vector value) {
  std::memcpy(to, &value, sizeof value);
}

/// Rows of four vectors become columns.
void transpose(Words (&rows)[4]) {
  const Words ab_low = HDB_SHUFFLE(rows[0], rows[1], 0, 4, 1, 5);
  const Words ab_high = HDB_SHUFFLE(rows[0], rows[1], 2, 6, 3, 7);
  const Words cd_low = HDB_SHUFFLE(rows[2], rows[3], 0, 4, 1, 5);
  const Words cd_high = HDB_SHUFFLE(rows[2], rows[3], 2, 6, 3, 7);
  rows[0] = HDB_SHUFFLE(ab_low, cd_low, 0, 1, 4, 5);
  rows[1] = HDB_SHUFFLE(ab_low, cd_low, 2, 3, 6, 7);
  rows[2] = HDB_SHUFFLE(ab_high, cd_high, 0, 1, 4, 5);
  rows[3] = HDB_SHUFFLE(ab_high, cd_high, 2, 3, 6, 7);
}

void transpose(LongWords (&rows)[2]) {
  const LongWords first = HDB_SHUFFLE(rows[0], rows[1], 0, 2);
  rows[1] = HDB_SHUFFLE(rows[0], rows[1], 1, 3);
  rows[0] = first;
}

/// Moves whole squares of records from or to columns; returns how many records are done. `at(i)` is
/// where the tile of record i begins.
template <class Vector, std::size_t Lanes, class At>
std::size_t gather_tile(std::size_t count, const At& at, std::byte* const (&columns)[4]) {
  std::byte* const to[4] = {columns[0], columns[1], columns[2], columns[3]};
  std::size_t i = 0;
  for (; i + Lanes <= count; i += Lanes) {
    Vector rows[Lanes];
    HDB_UNROLL_4
    for (std::size_t k = 0; k < Lanes; ++k) rows[k] = load<Vector>(at(i + k));
    transpose(rows);
    HDB_UNROLL_4
    for (std::size_t k = 0; k < Lanes; ++k) store(to[k] + i * (Tile::kBytes / Lanes), rows[k]);
  }
  return i;
}

template <class Vector, std::size_t Lanes, class At>
std::size_t scatter_tile(std::size_t count, const At& at, const std::byte* const (&columns)[4]) {
  const std::byte* const from[4] = {columns[0], columns[1], columns[2], columns[3]};
  std::size_t i = 0;
  for (; i + Lanes <= count; i += Lanes) {
    Vector rows[Lanes];
    HDB_UNROLL_4
    for (std::size_t k = 0; k < Lanes; ++k)
      rows[k] = load<Vector>(from[k] + i * (Tile::kBytes / Lanes));
    transpose(rows);
    HDB_UNROLL_4
    for (std::size_t k = 0; k < Lanes; ++k) store(at(i + k), rows[k]);
  }
  return i;
}
#endif

}  // namespace

Block::Block(const void* const* first, std::size_t size)
    : records(first), count(size), stride(common_stride(first, size)) {
  if (stride != 0) base = static_cast<const std::byte*>(first[0]);
}

Block Block::after(std::size_t done) const {
  if (stride == 0) return {records + done, count - done};
  Block rest = *this;
  rest.base += stride * static_cast<std::ptrdiff_t>(done);
  rest.count -= done;
  return rest;
}

std::size_t rows_of_block(std::size_t record_bytes) noexcept {
  return std::clamp(kBlockBytes / std::max<std::size_t>(record_bytes, 1), kMinBlockRows,
                    kMaxBlockRows);
}

void copy_run(const Block& block, const PlainRun& run, std::byte* to, std::size_t to_stride) {
  if (block.stride != 0) {
    const std::byte* const from = block.base + run.offset;
    by_width(
        run.size,
        [&]<std::size_t Width>() {
          to_stride == Width ? copy_strided<Width>(to, Width, from, block.stride, block.count)
                             : copy_strided<Width>(to, to_stride, from, block.stride, block.count);
        },
        [&] {
          for (std::size_t i = 0; i < block.count; ++i) {
            std::memcpy(to + i * to_stride, from + block.stride * static_cast<std::ptrdiff_t>(i),
                        run.size);
          }
        });
    return;
  }
  by_width(
      run.size,
      [&]<std::size_t Width>() {
        copy_scattered<Width>(to, to_stride, block.records, run.offset, block.count);
      },
      [&] {
        for (std::size_t i = 0; i < block.count; ++i) {
          std::memcpy(to + i * to_stride,
                      static_cast<const std::byte*>(block.records[i]) + run.offset, run.size);
        }
      });
}

void place_run(void* const* records, std::size_t count, const PlainRun& run, const std::byte* from,
               std::size_t from_stride) {
  by_width(
      run.size,
      [&]<std::size_t Width>() {
        from_stride == Width ? place_values<Width>(records, run.offset, from, Width, count)
                             : place_values<Width>(records, run.offset, from, from_stride, count);
      },
      [&] {
        for (std::size_t i = 0; i < count; ++i) {
          std::memcpy(static_cast<std::byte*>(records[i]) + run.offset, from + i * from_stride,
                      run.size);
        }
      });
}

void copy_tile(const Block& block, const Tile& tile, std::byte* const (&to)[4]) {
  std::size_t done = 0;
#if HDB_HAS_VECTORS
  const auto gather = [&](const auto& at) {
    done = tile.width == 4 ? gather_tile<Words, 4>(block.count, at, to)
                           : gather_tile<LongWords, 2>(block.count, at, to);
  };
  if (block.stride != 0) {
    const std::byte* const base = block.base + tile.offset;
    gather([base, stride = block.stride](std::size_t i) {
      return base + static_cast<std::ptrdiff_t>(i) * stride;
    });
  } else {
    gather([&](std::size_t i) {
      return static_cast<const std::byte*>(block.records[i]) + tile.offset;
    });
  }
#endif
  if (done == block.count) return;
  const Block rest = block.after(done);
  for (unsigned lane = 0; lane < Tile::kBytes / tile.width; ++lane) {
    if (tile.columns[lane] == Tile::kNoColumn) continue;
    copy_run(rest, {tile.offset + lane * tile.width, tile.width}, to[lane] + done * tile.width,
             tile.width);
  }
}

void place_tile(void* const* records, std::size_t count, const Tile& tile,
                const std::byte* const (&from)[4]) {
  std::size_t done = 0;
#if HDB_HAS_VECTORS
  if (tile.is_full()) {
    const auto at = [&](std::size_t i) {
      return static_cast<std::byte*>(records[i]) + tile.offset;
    };
    done = tile.width == 4 ? scatter_tile<Words, 4>(count, at, from)
                           : scatter_tile<LongWords, 2>(count, at, from);
  }
#endif
  for (unsigned lane = 0; lane < Tile::kBytes / tile.width && done != count; ++lane) {
    if (tile.columns[lane] == Tile::kNoColumn) continue;
    place_run(records + done, count - done, {tile.offset + lane * tile.width, tile.width},
              from[lane] + done * tile.width, tile.width);
  }
}

}  // namespace hdb::detail::record
