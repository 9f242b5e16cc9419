// Calls into the xxHash library; HDB_XXHASH_DISPATCH tells that it can choose instructions at run
// time.
#include "base/long_hash.hpp"

#if defined(HDB_XXHASH_DISPATCH)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

namespace hdb {

std::uint64_t long_hash64(std::span<const std::byte> bytes) noexcept {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Hash128 long_hash128(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace hdb
