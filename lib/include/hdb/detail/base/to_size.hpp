// to_size: a number of 64 bits, of files and counters, as a size of this machine.
#pragma once

#include <cstddef>

#include "hdb/detail/base/compiler.hpp"

namespace hdb::detail {

/// `value` as a size or an index. A template: where both types are the same, g++ would warn about a
/// useless cast, and where a size has 32 bits, a conversion without a cast gets a warning.
///
/// Requires: `value` fits, which an array of that size in memory shows.
template <class Integer>
[[nodiscard]] HDB_INLINE constexpr std::size_t to_size(Integer value) noexcept {
  return static_cast<std::size_t>(value);
}

}  // namespace hdb::detail
