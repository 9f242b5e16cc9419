// The bits of handles of any layout, for code that knows the layout at run time.
#pragma once

#include <cstdint>
#include <optional>

#include "hdb/table_options.hpp"

namespace hdb {

/// The parts of a handle's bits.
struct HandleParts {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  std::uint32_t type_id = 0;  ///< 0 in layouts without one.
  friend constexpr bool operator==(const HandleParts&, const HandleParts&) = default;
};

/// The bits of a handle. Requires: the parts fit the layout; `type_id` is ignored in layouts
/// without one.
[[nodiscard]] constexpr std::uint64_t pack_handle(const HandleLayout& layout, std::uint32_t index,
                                                  std::uint32_t generation,
                                                  std::uint32_t type_id) noexcept {
  const std::uint64_t bits = index | std::uint64_t{generation} << layout.index_bits;
  if (layout.type_bits == 0) return bits;  // the shift may be 64
  return bits | std::uint64_t{type_id} << (layout.index_bits + layout.generation_bits);
}

/// The parts of a handle; none where no table could have issued it for its index or its unused
/// bits: an index of 2^32 or more, or a bit above the layout's.
[[nodiscard]] constexpr std::optional<HandleParts> split_handle(const HandleLayout& layout,
                                                                std::uint64_t bits) noexcept {
  const unsigned used = layout.total_bits();
  if (used < 64 && bits >> used != 0) return std::nullopt;
  const auto part = [bits](unsigned shift, unsigned width) {
    return bits >> shift & ((std::uint64_t{1} << width) - 1);
  };
  const std::uint64_t index = part(0, layout.index_bits);
  if (index >> 32 != 0) return std::nullopt;
  HandleParts parts;
  parts.index = static_cast<std::uint32_t>(index);
  parts.generation = static_cast<std::uint32_t>(part(layout.index_bits, layout.generation_bits));
  if (layout.type_bits != 0) {
    parts.type_id = static_cast<std::uint32_t>(
        part(layout.index_bits + layout.generation_bits, layout.type_bits));
  }
  return parts;
}

}  // namespace hdb
