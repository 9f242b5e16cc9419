// Where encoded values go: a staging buffer for each column, and a growing buffer for the bytes of
// one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/base/owned.hpp"

namespace hdb::detail::record {

/// Collects a column's bytes in a small piece of memory and moves them to the column when it is
/// full.
class ColumnSink {
 public:
  /// Requires: `size` >= kMaxVarintBytes. `out` may be null: the bytes are dropped.
  void attach(std::byte* buffer, std::size_t size, Bytes* out) noexcept {
    begin_ = at_ = buffer;
    end_ = buffer + size;
    out_ = out;
  }

  template <class Bits>
  void put(Bits bits) {
    if (static_cast<std::size_t>(end_ - at_) < sizeof bits) [[unlikely]]
      flush();
    store_le(at_, bits);
    at_ += sizeof bits;
  }
  void put_varint(std::uint64_t value) {
    if (static_cast<std::size_t>(end_ - at_) < kMaxVarintBytes) [[unlikely]]
      flush();
    at_ += store_varint(at_, value);
  }
  void append(const void* bytes, std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) [[unlikely]] {
      append_slowly(bytes, size);
    } else if (size != 0) {
      std::memcpy(at_, bytes, size);
      at_ += size;
    }
  }
  /// Adds a bit to a presence bitmap.
  void put_bit(bool bit) {
    pending_ = static_cast<std::uint8_t>(pending_ | (bit ? 1u << bit_count_ : 0u));
    if (++bit_count_ == 8) put_pending();
  }
  /// Moves everything to the column; the last byte of a bitmap is filled with zero bits.
  void finish() {
    if (bit_count_ != 0) put_pending();
    flush();
  }

 private:
  void put_pending() {
    const std::uint8_t byte = pending_;
    pending_ = 0;
    bit_count_ = 0;
    put(byte);
  }
  HDB_API void flush();
  HDB_API void append_slowly(const void* bytes, std::size_t size);

  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;
  std::byte* begin_ = nullptr;
  Bytes* out_ = nullptr;
  std::uint8_t pending_ = 0;
  unsigned bit_count_ = 0;
};

/// The canonical bytes of one value, in memory that grows.
class RowBuffer {
 public:
  void clear() noexcept { at_ = begin_.get(); }
  [[nodiscard]] std::size_t size() const noexcept {
    return static_cast<std::size_t>(at_ - begin_.get());
  }
  // Not inline: a span made of a pointer costs each program that includes hdb.hpp 40 ms.
  [[nodiscard]] HDB_API std::span<const std::byte> bytes() const noexcept;

  template <class Bits>
  void put(Bits bits) {
    if (static_cast<std::size_t>(end_ - at_) < sizeof bits) [[unlikely]]
      grow(sizeof bits);
    store_le(at_, bits);
    at_ += sizeof bits;
  }
  void put_varint(std::uint64_t value) {
    if (static_cast<std::size_t>(end_ - at_) < kMaxVarintBytes) [[unlikely]]
      grow(kMaxVarintBytes);
    at_ += store_varint(at_, value);
  }
  void append(const void* bytes, std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) [[unlikely]]
      grow(size);
    if (size != 0) {
      std::memcpy(at_, bytes, size);
      at_ += size;
    }
  }

 private:
  HDB_API void grow(std::size_t more);

  Owned<std::byte[]> begin_;
  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace hdb::detail::record
