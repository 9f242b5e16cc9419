// BLAKE2b-256 (RFC 7693, no key): the ids of chunks.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "hdb/detail/base/api.hpp"

namespace hdb::detail {

inline constexpr std::size_t kBlake2bBytes = 32;

/// The BLAKE2b-256 of some bytes.
[[nodiscard]] HDB_INSPECT_API std::array<std::byte, kBlake2bBytes> blake2b_256(
    std::span<const std::byte> bytes);

}  // namespace hdb::detail
