// Where the elements of one array lie. Private to core.
#pragma once

#include <cstddef>

#include "core/arrays/address_range.hpp"
#include "core/arrays/page_pool.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"

namespace hdb::detail {

/// Memory for elements: a block of the heap, or reserved address space.
class ArrayMemory {
 public:
  /// Room for `bytes`; if possible up to `wanted` can be had without moving. Errors:
  /// out_of_memory().
  ArrayMemory(PagePool& pool, std::size_t bytes, std::size_t wanted, std::size_t alignment,
              Addresses addresses);
  ~ArrayMemory();
  ArrayMemory(ArrayMemory&& other) noexcept;
  ArrayMemory& operator=(ArrayMemory&& other) noexcept;

  [[nodiscard]] std::byte* data() const noexcept {
    return block_ != nullptr ? block_ + offset_ : range_.data();
  }
  /// Whether it is address space that no array had before, so that what was not written is zero.
  [[nodiscard]] bool is_new_range() const noexcept { return is_new_range_; }
  [[nodiscard]] std::size_t reserved_bytes() const noexcept {
    return block_ != nullptr ? block_bytes_ - offset_ : range_.size();
  }
  /// Makes the first `bytes` usable; false when memory runs out.
  [[nodiscard]] bool commit(std::size_t bytes) noexcept;

 private:
  PagePool* pool_;
  AddressRange range_;
  bool is_new_range_ = false;
  std::byte* block_ = nullptr;
  std::size_t block_bytes_ = 0;
  std::size_t offset_ = 0;  // of the elements in the block
};

}  // namespace hdb::detail
