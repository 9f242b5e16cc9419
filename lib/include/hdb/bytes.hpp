// Bytes, and little-endian numbers and varints in them; hdb/byte_io.hpp writes and reads whole
// sequences of these.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hdb/detail/base/api.hpp"

namespace hdb {

/// A sequence of bytes.
///
/// Example:
/// @code
/// hdb::Bytes bytes(sizeof(std::uint32_t));
/// hdb::store_le<std::uint32_t>(bytes.data(), 42);
/// assert(hdb::load_le<std::uint32_t>(bytes.data()) == 42);
/// assert(bytes.front() == std::byte{42});  // little-endian on every machine
/// @endcode
using Bytes = std::vector<std::byte>;

/// The unsigned integer with its bytes in reverse order.
template <class T>
[[nodiscard]] constexpr T swap_bytes(T value) noexcept {
  static_assert(std::is_unsigned_v<T>);
  T out = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out = static_cast<T>(static_cast<T>(out << 8) | static_cast<T>(value & 0xff));
    value = static_cast<T>(value >> (sizeof(T) > 1 ? 8 : 0));
  }
  return out;
}

/// The little-endian unsigned integer at `from`. Requires: sizeof(T) readable bytes.
template <class T>
[[nodiscard]] inline T load_le(const std::byte* from) noexcept {
  static_assert(std::is_unsigned_v<T>);
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = swap_bytes(value);
  return value;
}

/// Writes an unsigned integer to `to` in little-endian order. Requires: sizeof(T) writable bytes.
template <class T>
inline void store_le(std::byte* to, T value) noexcept {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (std::endian::native == std::endian::big) value = swap_bytes(value);
  std::memcpy(to, &value, sizeof value);
}

/// The bytes of a text.
[[nodiscard]] HDB_INSPECT_API std::span<const std::byte> bytes_of(std::string_view text) noexcept;

/// The greatest length of a varint in bytes.
inline constexpr std::size_t kMaxVarintBytes = 10;

/// Writes a varint to `to` and returns its length. A varint is LEB128: 7 bits for each byte, least
/// significant first. Requires: kMaxVarintBytes writable bytes.
inline std::size_t store_varint(std::byte* to, std::uint64_t value) noexcept {
  std::size_t size = 0;
  while (value >= 0x80) {
    to[size++] = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  to[size++] = static_cast<std::byte>(value);
  return size;
}

/// Reads a varint from [at, end) into `value` and returns the address after it. Returns null if the
/// varint is cut off, longer than needed, or greater than 64 bits.
[[nodiscard]] HDB_INSPECT_API const std::byte* load_varint(const std::byte* at,
                                                           const std::byte* end,
                                                           std::uint64_t& value) noexcept;

/// Whether the text is well-formed UTF-8, without surrogates and overlong forms.
[[nodiscard]] HDB_INSPECT_API bool is_utf8(std::string_view text) noexcept;

/// Memory of `size_bytes` bytes that are not set: write each byte before reading it.
[[nodiscard]] HDB_INSPECT_API std::unique_ptr<std::byte[]> unset_bytes(std::size_t size_bytes);

}  // namespace hdb
