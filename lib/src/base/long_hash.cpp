// Calls into the xxHash library, and the hasher that keeps a state of it. HDB_XXHASH_DISPATCH says
// that the library can choose instructions at run time.
#include "base/long_hash.hpp"

#include "hdb/assert.hpp"

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

Hasher128::Hasher128() : state_(XXH3_createState()) {
  if (state_ == nullptr) out_of_memory();
  XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_));
}

Hasher128::~Hasher128() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

void Hasher128::update(std::span<const std::byte> bytes) noexcept {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}

Hash128 Hasher128::digest() const noexcept {
  const XXH128_hash_t hash = XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_));
  return {hash.low64, hash.high64};
}

SeededHash128::SeededHash128() : state_(XXH3_createState()) {
  if (state_ == nullptr) out_of_memory();
}

SeededHash128::~SeededHash128() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

void SeededHash128::reset(std::uint64_t seed) noexcept {
  XXH3_128bits_reset_withSeed(static_cast<XXH3_state_t*>(state_), seed);
}

void SeededHash128::update(std::span<const std::byte> bytes) noexcept {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}

Hash128 SeededHash128::digest() const noexcept {
  const XXH128_hash_t hash = XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_));
  return {hash.low64, hash.high64};
}

}  // namespace hdb
