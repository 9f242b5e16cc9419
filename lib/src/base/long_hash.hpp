// Hashes of long inputs by the xxHash library, which chooses the processor's widest instructions
// when it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hdb/hash.hpp"

namespace hdb {

/// From this size on a call into the library is worth it; shorter inputs are hashed inline.
inline constexpr std::size_t kLongHashBytes = 2048;

[[nodiscard]] std::uint64_t long_hash64(std::span<const std::byte> bytes) noexcept;
[[nodiscard]] Hash128 long_hash128(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

/// hash128 with a seed of bytes that come in pieces.
class SeededHash128 {
 public:
  SeededHash128();
  ~SeededHash128();
  SeededHash128(const SeededHash128&) = delete;
  SeededHash128& operator=(const SeededHash128&) = delete;

  /// Forgets all bytes.
  void reset(std::uint64_t seed) noexcept;
  void update(std::span<const std::byte> bytes) noexcept;
  [[nodiscard]] Hash128 digest() const noexcept;

 private:
  void* state_;
};

}  // namespace hdb
