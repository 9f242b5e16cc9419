// Hash128 and the XXH3 hash functions of the file format. Games compare state hashes; tools compute
// the hashes of files.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "hdb/detail/base/api.hpp"

namespace hdb {

/// A 128-bit hash, or a sum of such hashes modulo 2^128. In files, `low` comes first; both are
/// little-endian.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128& a, const Hash128& b) {
    return a.high != b.high ? a.high <=> b.high : a.low <=> b.low;
  }

  /// Adds `other` modulo 2^128.
  constexpr Hash128& operator+=(const Hash128& other) noexcept {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
    return *this;
  }
  /// Subtracts `other` modulo 2^128.
  constexpr Hash128& operator-=(const Hash128& other) noexcept {
    const std::uint64_t borrow = low < other.low ? 1 : 0;
    low -= other.low;
    high -= other.high + borrow;
    return *this;
  }

  /// The hash as 32 lower-case hexadecimal digits, most significant first.
  [[nodiscard]] HDB_INSPECT_API std::string hex() const;
};

/// The XXH3-64 hash of `bytes`, with seed 0.
[[nodiscard]] HDB_INSPECT_API std::uint64_t hash64(std::span<const std::byte> bytes) noexcept;
/// The XXH3-128 hash of `bytes`, with seed 0.
///
/// Example:
/// @code
/// const hdb::Hash128 whole = hdb::hash128(hdb::bytes_of("dungeon"));
/// hdb::Hasher128 hasher;
/// hasher.update(hdb::bytes_of("dun"));
/// hasher.update(hdb::bytes_of("geon"));
/// assert(hasher.digest() == whole);
/// assert(whole.hex().size() == 32);
/// @endcode
[[nodiscard]] HDB_INSPECT_API Hash128 hash128(std::span<const std::byte> bytes) noexcept;

/// Computes hash128 of bytes that come in pieces. Throws std::bad_alloc if memory runs out.
class HDB_INSPECT_API Hasher128 {
 public:
  Hasher128();
  ~Hasher128();
  Hasher128(const Hasher128&) = delete;
  Hasher128& operator=(const Hasher128&) = delete;

  /// Appends `bytes` to the hashed bytes.
  void update(std::span<const std::byte> bytes) noexcept;
  /// The hash of all bytes appended so far; more may follow.
  [[nodiscard]] Hash128 digest() const noexcept;

 private:
  void* state_;
};

/// The seed of a row hash, by FORMAT.md: it mixes a slot, its generation and, for a live slot of a
/// dense table, its dense position (otherwise 0). Two triples that differ in one number have
/// different seeds.
[[nodiscard]] constexpr std::uint64_t row_seed(std::uint32_t slot, std::uint32_t generation,
                                               std::uint32_t position) noexcept {
  const std::uint64_t mixed = (slot | std::uint64_t{generation} << 32) * 0x9e3779b97f4a7c15U;
  return ((mixed ^ mixed >> 32) + position) * 0xc2b2ae3d27d4eb4fU;
}

/// The XXH3-128 hash of `bytes` with a seed.
[[nodiscard]] HDB_INSPECT_API Hash128 hash128(std::span<const std::byte> bytes,
                                              std::uint64_t seed) noexcept;

/// The sum of the row hashes of equally long rows, one for each seed: row i is the `row_bytes`
/// bytes at `rows + i * stride_bytes`.
[[nodiscard]] HDB_INSPECT_API Hash128 sum_of_rows(const std::byte* rows,
                                                  std::ptrdiff_t stride_bytes,
                                                  std::size_t row_bytes,
                                                  std::span<const std::uint64_t> seeds) noexcept;

}  // namespace hdb
