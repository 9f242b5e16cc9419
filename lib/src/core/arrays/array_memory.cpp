// Choosing between the heap and reserved address space, and telling the pool what an array takes.
#include "core/arrays/array_memory.hpp"

#include <cstdint>
#include <utility>

#include "core/arrays/blocks.hpp"

namespace hdb::detail {

ArrayMemory::ArrayMemory(PagePool& pool, std::size_t bytes, std::size_t wanted,
                         std::size_t alignment, Addresses addresses)
    : pool_(&pool) {
  constexpr std::size_t kLargeBlock = 65536;
  if (!pool.has_program_source() && (addresses == Addresses::stay || bytes > kLargeBlock)) {
    range_ = pool.take_range(bytes, wanted);
    is_new_range_ = range_.data() != nullptr && range_.used() == 0;
    if (range_.data() != nullptr && commit(bytes)) return;
    is_new_range_ = false;
    pool.give_back(std::move(range_));
  }
  // A block is aligned to kPageAlignment only.
  const std::size_t slack = alignment > kPageAlignment ? alignment : 0;
  block_bytes_ = round_up(bytes, kPageAlignment) + slack;
  block_ = pool.allocate_block(block_bytes_);
  const auto address = reinterpret_cast<std::uintptr_t>(block_);
  offset_ = round_up(address, alignment) - address;
}

ArrayMemory::~ArrayMemory() {
  if (block_ != nullptr) pool_->deallocate_block(block_, block_bytes_);
  pool_->give_back(std::move(range_));
}

ArrayMemory::ArrayMemory(ArrayMemory&& other) noexcept
    : pool_(other.pool_),
      range_(std::move(other.range_)),
      is_new_range_(other.is_new_range_),
      block_(std::exchange(other.block_, nullptr)),
      block_bytes_(other.block_bytes_),
      offset_(other.offset_) {}

ArrayMemory& ArrayMemory::operator=(ArrayMemory&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(range_, other.range_);
  std::swap(is_new_range_, other.is_new_range_);
  std::swap(block_, other.block_);
  std::swap(block_bytes_, other.block_bytes_);
  std::swap(offset_, other.offset_);
  return *this;
}

bool ArrayMemory::commit(std::size_t bytes) noexcept {
  if (block_ != nullptr) return bytes <= reserved_bytes();
  const std::size_t before = range_.used();
  if (!range_.commit(bytes)) return false;
  pool_->note_growth(range_.used() - before);
  return true;
}

}  // namespace hdb::detail
