// Little-endian numbers, varints and texts to and from bytes, one after another. For tools that
// write or read parts of the file format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"

namespace hdb {

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
class HDB_INSPECT_API ByteWriter {
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
class HDB_INSPECT_API ByteReader {
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

}  // namespace hdb
