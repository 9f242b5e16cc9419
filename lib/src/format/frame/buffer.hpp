// A byte buffer that grows without clearing its memory first; re-used by encoders and decoders.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

#include "hdb/bytes.hpp"

namespace hdb::format {

class Buffer {
 public:
  [[nodiscard]] std::byte* data() noexcept { return data_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_.get(), size_}; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_.get(), size_}; }
  void clear() noexcept { size_ = 0; }

  /// Makes the buffer `size` bytes long; what is in it is lost.
  std::byte* reset(std::size_t size) {
    size_ = 0;
    grow_to(size);
    size_ = size;
    return data();
  }
  /// Room for `size` more bytes at the end; `commit` says how many of them are used.
  std::byte* tail(std::size_t size) {
    grow_to(size_ + size);
    return data() + size_;
  }
  void commit(std::size_t size) noexcept { size_ += size; }
  /// Drops the bytes from `size` on.
  void cut(std::size_t size) noexcept { size_ = size; }

  void append(std::span<const std::byte> bytes) {
    std::byte* const to = tail(bytes.size());
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    commit(bytes.size());
  }
  /// Appends zero bytes up to a multiple of `alignment`.
  void pad_to(std::size_t alignment) {
    const std::size_t more = (alignment - size_ % alignment) % alignment;
    std::memset(tail(more), 0, more);
    commit(more);
  }
  /// Gives back memory beyond `keep_bytes`.
  void trim(std::size_t keep_bytes) noexcept {
    if (capacity_ <= keep_bytes) return;
    data_.reset();
    capacity_ = 0;
    size_ = 0;
  }

 private:
  void grow_to(std::size_t size) {
    if (size <= capacity_ && data_ != nullptr) return;
    const std::size_t capacity = std::max({size, capacity_ + capacity_ / 2, std::size_t{64}});
    auto bigger = unset_bytes(capacity);
    if (size_ != 0) std::memcpy(bigger.get(), data_.get(), size_);
    data_ = std::move(bigger);
    capacity_ = capacity;
  }

  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace hdb::format
