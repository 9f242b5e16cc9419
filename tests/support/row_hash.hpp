// The row hash, spelled out.
#pragma once

#include <cstdint>
#include <span>

#include "hdb/hash.hpp"

namespace hdb::test {

inline Hash128 row_hash(std::uint32_t slot, std::uint32_t generation,
                        std::span<const std::byte> row, std::uint32_t position = 0) {
  return hash128(row, row_seed(slot, generation, position));
}

}  // namespace hdb::test
