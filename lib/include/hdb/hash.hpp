// XXH3 behind names of our own: 64- and 128-bit hashes, and sums of hashes modulo 2^128.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace hdb {

/// A 128-bit hash, or a sum of such hashes modulo 2^128. Stored as `low`, `high`, each
/// little-endian.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128& a, const Hash128& b) {
    return a.high != b.high ? a.high <=> b.high : a.low <=> b.low;
  }

  /// Adds modulo 2^128.
  constexpr Hash128& operator+=(const Hash128& other) noexcept {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
    return *this;
  }
  /// Subtracts modulo 2^128.
  constexpr Hash128& operator-=(const Hash128& other) noexcept {
    const std::uint64_t borrow = low < other.low ? 1 : 0;
    low -= other.low;
    high -= other.high + borrow;
    return *this;
  }

  /// 32 lower-case hexadecimal digits, most significant first.
  [[nodiscard]] std::string hex() const;
};

/// XXH3-64 with seed 0.
[[nodiscard]] std::uint64_t hash64(std::span<const std::byte> bytes) noexcept;
/// XXH3-128 with seed 0.
[[nodiscard]] Hash128 hash128(std::span<const std::byte> bytes) noexcept;

/// XXH3-128 over a stream of pieces; equal to hash128 of their concatenation.
class Hasher128 {
 public:
  Hasher128();
  ~Hasher128();
  Hasher128(const Hasher128&) = delete;
  Hasher128& operator=(const Hasher128&) = delete;

  void update(std::span<const std::byte> bytes) noexcept;
  [[nodiscard]] Hash128 digest() const noexcept;

 private:
  void* state_;
};

/// Row hash of the format: XXH3-128 over slot (u32), generation (u32), canonical row bytes.
[[nodiscard]] Hash128 row_hash(std::uint32_t slot, std::uint32_t generation,
                               std::span<const std::byte> row) noexcept;

/// Sum of the row hashes of `count` rows of equal length laid one after another, each row preceded
/// by its slot and generation as two little-endian u32 (so `stride_bytes` = 8 + row length).
[[nodiscard]] Hash128 sum_of_prefixed_rows(const std::byte* rows, std::size_t stride_bytes,
                                           std::size_t count) noexcept;

}  // namespace hdb
