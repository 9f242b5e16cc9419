// The page pool: one free list for each size.
#include "hdb/detail/core/arrays/page_pool.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "core/arrays/heap_page_source.hpp"
#include "hdb/assert.hpp"

namespace hdb::detail {

namespace {

/// No other pool of this process gets the number, not even from another copy of the library (linked
/// into a plugin): each copy counts on from an address of its own.
std::uint64_t next_pool_number() noexcept {
  static std::atomic<std::uint64_t> count{0};
  const auto first = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&count)) << 16;
  return first + count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

PagePool::PagePool(std::shared_ptr<PageSource> source)
    : has_program_source_(source != nullptr),
      source_(source ? std::move(source) : std::make_shared<HeapPageSource>()),
      number_(next_pool_number()) {}

PagePool::~PagePool() {
  HDB_ASSERT(pages_in_use() == 0, "P1: a page is still in use when its pool ends");
  trim();
}

PagePool::FreePages& PagePool::free_pages(std::size_t size_bytes) {
  for (FreePages& free : free_) {
    if (free.size_bytes == size_bytes) return free;
  }
  free_.push_back({size_bytes, 0, nullptr});
  return free_.back();
}

void PagePool::push(FreePages& free, std::byte* page) noexcept {
  std::memcpy(page, &free.first, sizeof free.first);
  free.first = page;
  ++free.count;
}

std::byte* PagePool::pop(FreePages& free) noexcept {
  std::byte* const page = free.first;
  std::memcpy(&free.first, page, sizeof free.first);
  --free.count;
  return page;
}

std::byte* PagePool::allocate(std::size_t size_bytes) {
  void* const memory = source_->allocate(size_bytes);
  if (memory == nullptr) out_of_memory();
  add_memory(size_bytes);
  return static_cast<std::byte*>(memory);
}

std::byte* PagePool::acquire(std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  FreePages& free = free_pages(size_bytes);
  std::byte* const page = free.first != nullptr ? pop(free) : allocate(size_bytes);
  pages_in_use_.fetch_add(1, std::memory_order_relaxed);
  return page;
}

void PagePool::recycle(std::byte* page, std::size_t size_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  push(free_pages(size_bytes), page);  // the list is there since acquire
  pages_in_use_.fetch_sub(1, std::memory_order_relaxed);
}

std::byte* PagePool::allocate_block(std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  return allocate(size_bytes);
}

void PagePool::deallocate_block(std::byte* block, std::size_t size_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  source_->deallocate(block, size_bytes);
  subtract_memory(size_bytes);
}

void PagePool::reserve(std::size_t size_bytes, std::size_t count) {
  const std::lock_guard lock(mutex_);
  FreePages& free = free_pages(size_bytes);
  while (free.count < count) {
    std::byte* const page = allocate(size_bytes);
    std::memset(page, 0, size_bytes);
    push(free, page);
  }
}

void PagePool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (FreePages& free : free_) {
    while (free.first != nullptr) {
      source_->deallocate(pop(free), free.size_bytes);
      subtract_memory(free.size_bytes);
    }
  }
}

}  // namespace hdb::detail
