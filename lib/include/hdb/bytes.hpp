// Little-endian bytes in and out: load/store, varints, a writer, and a reader that remembers its
// first failure.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hdb/error.hpp"

namespace hdb {

using Bytes = std::vector<std::byte>;

/// Swaps the bytes of an unsigned integer.
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

/// Reads a little-endian unsigned integer.
template <class T>
[[nodiscard]] inline T load_le(const std::byte* from) noexcept {
  static_assert(std::is_unsigned_v<T>);
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = swap_bytes(value);
  return value;
}

/// Writes a little-endian unsigned integer.
template <class T>
inline void store_le(std::byte* to, T value) noexcept {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (std::endian::native == std::endian::big) value = swap_bytes(value);
  std::memcpy(to, &value, sizeof value);
}

/// The bytes of a text.
[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Largest length of a varint in bytes.
inline constexpr std::size_t kMaxVarintBytes = 10;

/// Writes an LEB128 varint (7 bits a byte, least significant first) to `to`, which holds at least
/// kMaxVarintBytes, and returns its length.
inline std::size_t store_varint(std::byte* to, std::uint64_t value) noexcept {
  std::size_t size = 0;
  while (value >= 0x80) {
    to[size++] = static_cast<std::byte>(value | 0x80);
    value >>= 7;
  }
  to[size++] = static_cast<std::byte>(value);
  return size;
}

/// Reads a varint from [at, end); null when it is cut off, longer than needed, or over 64 bits.
/// Returns the byte after it.
[[nodiscard]] const std::byte* load_varint(const std::byte* at, const std::byte* end,
                                           std::uint64_t& value) noexcept;

/// Whether the bytes are well-formed UTF-8 (no surrogates, no overlong forms).
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Appends little-endian values to a byte vector.
class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(static_cast<std::byte>(value)); }
  void u16(std::uint16_t value) { fixed(value); }
  void u32(std::uint32_t value) { fixed(value); }
  void u64(std::uint64_t value) { fixed(value); }
  void varint(std::uint64_t value) {
    std::byte buffer[kMaxVarintBytes];
    raw({buffer, store_varint(buffer, value)});
  }
  void raw(std::span<const std::byte> bytes);
  /// A varint length and the bytes of the text.
  void text(std::string_view value) {
    varint(value.size());
    raw(bytes_of(value));
  }
  /// Zero bytes up to the next multiple of `alignment`.
  void pad_to(std::size_t alignment) {
    while (out_.size() % alignment != 0) out_.push_back(std::byte{0});
  }
  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }

 private:
  template <class T>
  void fixed(T value) {
    std::byte buffer[sizeof(T)];
    store_le(buffer, value);
    raw(buffer);
  }
  Bytes& out_;
};

/// Reads little-endian values. The first failure is kept with its offset, and everything read after
/// it is zero or empty: decoders are straight lines that ask `ok()` once.
class ByteReader {
 public:
  /// `base_offset` is where `bytes` begins in the file; `code` is what a failure is reported as.
  explicit ByteReader(std::span<const std::byte> bytes, std::uint64_t base_offset = 0,
                      ErrorCode code = ErrorCode::truncated)
      : bytes_(bytes), base_offset_(base_offset), code_(code) {}

  std::uint8_t u8() { return fixed<std::uint8_t>(); }
  std::uint16_t u16() { return fixed<std::uint16_t>(); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  std::uint64_t varint();
  std::span<const std::byte> raw(std::uint64_t size);
  /// A varint length of at most `max_size`, and that many bytes.
  std::string text(std::uint64_t max_size);
  /// Requires zero bytes up to the next multiple of `alignment` (counted from the start of the
  /// bytes).
  void zero_padding_to(std::size_t alignment);

  [[nodiscard]] bool ok() const noexcept { return !failed_; }
  [[nodiscard]] bool at_end() const noexcept { return position_ == bytes_.size(); }
  [[nodiscard]] std::size_t remaining() const noexcept { return bytes_.size() - position_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return base_offset_ + position_; }

  /// Records a failure at the present offset, unless there was an earlier one.
  void fail_here(std::string what) { fail_at(offset(), std::move(what)); }
  void fail_at(std::uint64_t offset, std::string what);
  /// Requires that all bytes were read.
  void expect_end();
  /// The first failure.
  [[nodiscard]] Error error(std::string where = {}) const;

 private:
  template <class T>
  T fixed() {
    const auto bytes = raw(sizeof(T));
    return bytes.empty() ? T{0} : load_le<T>(bytes.data());
  }

  std::span<const std::byte> bytes_;
  std::uint64_t base_offset_;
  ErrorCode code_;
  std::size_t position_ = 0;
  bool failed_ = false;
  std::uint64_t failed_offset_ = 0;
  std::string failed_what_;
};

/// Memory for bytes that are written before they are read: not filled with zeros first.
[[nodiscard]] inline std::unique_ptr<std::byte[]> unset_bytes(std::size_t size_bytes) {
  return std::unique_ptr<std::byte[]>(new std::byte[size_bytes]);
}

}  // namespace hdb
