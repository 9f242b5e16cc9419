// The whole numbers that a field of a width holds.
#pragma once

#include <cstdint>
#include <string>

namespace hdb::detail {

/// The lowest `count` bits set, of up to 64.
[[nodiscard]] constexpr std::uint64_t low_bits(unsigned count) noexcept {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// "a whole number from -128 to 127", of 8 bits with a sign.
[[nodiscard]] inline std::string integers_text(unsigned width_bits, bool is_signed) {
  const std::uint64_t most = low_bits(is_signed ? width_bits - 1 : width_bits);
  const std::int64_t least = is_signed ? -static_cast<std::int64_t>(most) - 1 : 0;
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace hdb::detail
