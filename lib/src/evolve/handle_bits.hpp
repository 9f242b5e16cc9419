// Handles in the columns of files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hdb/bytes.hpp"

namespace hdb::detail::evolve {

/// The bits of a stored handle. Requires: `width` is that of a layout: 2, 4 or 8 bytes.
[[nodiscard]] inline std::uint64_t load_handle(const std::byte* at, unsigned width) noexcept {
  switch (width) {
    case 2: return load_le<std::uint16_t>(at);
    case 4: return load_le<std::uint32_t>(at);
    default: return load_le<std::uint64_t>(at);
  }
}

}  // namespace hdb::detail::evolve
