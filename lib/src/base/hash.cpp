// XXH3 inlined, because rows are short and many; long_hash.cpp has the rest.
#include "hdb/hash.hpp"

#include "base/long_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hdb {
namespace {

Hash128 from_xxh(XXH128_hash_t hash) noexcept { return {hash.low64, hash.high64}; }

}  // namespace

std::string Hash128::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[static_cast<std::size_t>(15 - i)] = kDigits[(high >> (4 * i)) & 15];
    text[static_cast<std::size_t>(31 - i)] = kDigits[(low >> (4 * i)) & 15];
  }
  return text;
}

std::uint64_t hash64(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() >= kLongHashBytes) return long_hash64(bytes);
  return XXH3_64bits(bytes.data(), bytes.size());
}

Hash128 hash128(std::span<const std::byte> bytes) noexcept { return hash128(bytes, 0); }

Hash128 hash128(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  if (bytes.size() >= kLongHashBytes) return long_hash128(bytes, seed);
  return from_xxh(XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed));
}

Hash128 sum_of_rows(const std::byte* rows, std::ptrdiff_t stride_bytes, std::size_t row_bytes,
                    std::span<const std::uint64_t> seeds) noexcept {
  Hash128 sum;
  for (const std::uint64_t seed : seeds) {
    sum += hash128({rows, row_bytes}, seed);
    rows += stride_bytes;
  }
  return sum;
}

}  // namespace hdb
