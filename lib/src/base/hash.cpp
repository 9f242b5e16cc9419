// XXH3 inlined, because rows are short and many; long_hash.cpp has the rest.
#include "hdb/hash.hpp"

#include <cstring>

#include "base/long_hash.hpp"
#include "hdb/assert.hpp"
#include "hdb/bytes.hpp"

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

Hash128 hash128(std::span<const std::byte> bytes) noexcept {
  if (bytes.size() >= kLongHashBytes) return long_hash128(bytes);
  return from_xxh(XXH3_128bits(bytes.data(), bytes.size()));
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
  return from_xxh(XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_)));
}

Hash128 row_hash(std::uint32_t slot, std::uint32_t generation,
                 std::span<const std::byte> row) noexcept {
  std::byte stack[1024];
  if (row.size() + 8 <= sizeof stack) {
    store_le(stack, slot);
    store_le(stack + 4, generation);
    if (!row.empty()) std::memcpy(stack + 8, row.data(), row.size());
    return from_xxh(XXH3_128bits(stack, row.size() + 8));
  }
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_128bits_reset(&state);
  store_le(stack, slot);
  store_le(stack + 4, generation);
  XXH3_128bits_update(&state, stack, 8);
  XXH3_128bits_update(&state, row.data(), row.size());
  return from_xxh(XXH3_128bits_digest(&state));
}

Hash128 sum_of_prefixed_rows(const std::byte* rows, std::size_t stride_bytes,
                             std::size_t count) noexcept {
  Hash128 sum;
  for (std::size_t i = 0; i < count; ++i) {
    sum += from_xxh(XXH3_128bits(rows + i * stride_bytes, stride_bytes));
  }
  return sum;
}

}  // namespace hdb
