// Little-endian numbers, varints and texts to and from bytes: ByteWriter and ByteReader. For tools
// that write or read parts of the file format, and for sinks and sources.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hdb/error.hpp"

namespace hdb {

/// A sequence of bytes.
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
[[nodiscard]] inline std::span<const std::byte> bytes_of(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

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
[[nodiscard]] const std::byte* load_varint(const std::byte* at, const std::byte* end,
                                           std::uint64_t& value) noexcept;

/// Whether the text is well-formed UTF-8, without surrogates and overlong forms.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

/// Appends little-endian values to a byte vector, which must outlive the writer.
///
/// Example:
/// @code
/// hdb::Bytes bytes;
/// hdb::ByteWriter out(bytes);
/// out.u32(42);
/// out.text("imp");
/// hdb::ByteReader in(bytes);
/// const std::uint32_t hp = in.u32();
/// const std::string name = in.text(255);
/// in.expect_end();
/// if (!in.ok()) return;  // in.error() says what failed first, and at which byte
/// assert(hp == 42 && name == "imp");
/// @endcode
class ByteWriter {
 public:
  /// Appends to `out`.
  explicit ByteWriter(Bytes& out) : out_(out) {}

  /// Appends a number, little-endian.
  void u8(std::uint8_t value);
  void u16(std::uint16_t value) { fixed(value); }
  void u32(std::uint32_t value) { fixed(value); }
  void u64(std::uint64_t value) { fixed(value); }
  /// Appends a varint.
  void varint(std::uint64_t value) {
    std::byte buffer[kMaxVarintBytes];
    raw({buffer, store_varint(buffer, value)});
  }
  /// Appends the bytes as they are.
  void raw(std::span<const std::byte> bytes);
  /// Appends the length of the text as a varint, then its bytes.
  void text(std::string_view value) {
    varint(value.size());
    raw(bytes_of(value));
  }
  /// Appends zero bytes until the size of the vector is a multiple of `alignment`.
  void pad_to(std::size_t alignment);
  /// The size of the whole vector.
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

/// Reads little-endian values from bytes, which must outlive the reader. Remembers the first
/// failure with its offset; everything read after a failure is zero or empty. So a decoder reads
/// all its values and tests ok() once.
class ByteReader {
 public:
  /// Reads `bytes`, which begin at `base_offset` in the file. Failures get the code `code`.
  explicit ByteReader(std::span<const std::byte> bytes, std::uint64_t base_offset = 0,
                      ErrorCode code = ErrorCode::truncated)
      : bytes_(bytes), base_offset_(base_offset), code_(code) {}

  /// Reads a number, little-endian.
  std::uint8_t u8() { return fixed<std::uint8_t>(); }
  std::uint16_t u16() { return fixed<std::uint16_t>(); }
  std::uint32_t u32() { return fixed<std::uint32_t>(); }
  std::uint64_t u64() { return fixed<std::uint64_t>(); }
  /// Reads a varint in its shortest form.
  std::uint64_t varint();
  /// Reads the next `size` bytes.
  std::span<const std::byte> raw(std::uint64_t size);
  /// Reads a text: a varint length of at most `max_size`, and as many bytes of UTF-8.
  std::string text(std::uint64_t max_size);
  /// Reads zero bytes until the number of bytes read is a multiple of `alignment`. A byte that is
  /// not zero is a failure.
  void zero_padding_to(std::size_t alignment);

  /// Whether nothing has failed so far.
  [[nodiscard]] bool ok() const noexcept { return !failed_; }
  /// Whether all bytes were read. True after a failure.
  [[nodiscard]] bool at_end() const noexcept { return position_ == bytes_.size(); }
  /// The number of bytes not read yet; 0 after a failure.
  [[nodiscard]] std::size_t remaining() const noexcept { return bytes_.size() - position_; }
  /// The offset of the next byte in the file.
  [[nodiscard]] std::uint64_t offset() const noexcept { return base_offset_ + position_; }

  /// Records a failure at the current offset. No effect after an earlier failure.
  void fail_here(std::string what) { fail_at(offset(), std::move(what)); }
  /// Records a failure at `offset` in the file, with the reader's code or another one. No effect
  /// after an earlier failure.
  void fail_at(std::uint64_t offset, std::string what, std::optional<ErrorCode> code = {});
  /// Records a failure if not all bytes were read.
  void expect_end();
  /// The first failure as an Error. Requires: !ok().
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

/// Memory of `size_bytes` bytes that are not set: write each byte before reading it.
[[nodiscard]] std::unique_ptr<std::byte[]> unset_bytes(std::size_t size_bytes);

}  // namespace hdb
