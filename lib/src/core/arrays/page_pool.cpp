// The page pool: one free list for each size.
#include "core/arrays/page_pool.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/sanitizers.hpp"
#include "core/arrays/address_range.hpp"
#include "core/arrays/spare_ranges.hpp"
#include "hdb/assert.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace hdb::detail {

namespace {

// Once there are many pages of one size, chunks of them are allocated, which the system is asked to
// back by huge pages: most of the cost of a copy to fresh memory are page faults.
constexpr std::size_t kChunkBytes = std::size_t{2} << 20;
constexpr std::size_t kBytesBeforeChunks = std::size_t{1} << 20;

// Where an address sanitizer watches, every page is an allocation of its own: so it sees what
// leaves a page.
constexpr bool kHasChunks = HDB_HAS_ASAN == 0;

class HeapSource final : public PageSource {
 public:
  void* allocate(std::size_t size_bytes) noexcept override {
    if (size_bytes <= kMostSmall) return allocate_small(size_bytes);
    void* const memory = ::operator new(size_bytes, alignment_of(size_bytes), std::nothrow);
#if defined(MADV_HUGEPAGE)
    // Where this is refused, ordinary pages serve.
    if (memory != nullptr && size_bytes == kChunkBytes)
      static_cast<void>(::madvise(memory, size_bytes, MADV_HUGEPAGE));
#endif
    return memory;
  }
  void deallocate(void* memory, std::size_t size_bytes) noexcept override {
    if (size_bytes > kMostSmall) return ::operator delete(memory, alignment_of(size_bytes));
    auto* const block = static_cast<std::byte*>(memory);
    ::operator delete(block - std::to_integer<std::size_t>(block[-1]));
  }

 private:
  // Aligned by hand, with the distance before it: the C library is slow at aligned allocations.
  static constexpr std::size_t kMostSmall = 4096;
  static void* allocate_small(std::size_t size_bytes) noexcept {
    static_assert(kPageAlignment < 256);
    auto* const begin =
        static_cast<std::byte*>(::operator new(size_bytes + kPageAlignment, std::nothrow));
    if (begin == nullptr) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::size_t distance = kPageAlignment - address % kPageAlignment;
    begin[distance - 1] = static_cast<std::byte>(distance);
    return begin + distance;
  }
  static std::align_val_t alignment_of(std::size_t size_bytes) noexcept {
    return std::align_val_t{size_bytes == kChunkBytes ? kChunkBytes : kPageAlignment};
  }
};

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
      source_(source ? std::move(source) : std::make_shared<HeapSource>()),
      number_(next_pool_number()),
      spare_ranges_(std::make_unique<SpareRanges>()) {}

PagePool::~PagePool() {
  HDB_ASSERT(pages_in_use() == 0, "P1: a page is still in use when its pool ends");
  for (const Allocation& allocation : allocations_)
    source_->deallocate(allocation.memory, allocation.size_bytes);
}

PagePool::FreePages& PagePool::free_pages(std::size_t size_bytes) {
  for (FreePages& free : free_) {
    if (free.size_bytes == size_bytes) return free;
  }
  free_.push_back({.size_bytes = size_bytes});
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
  return static_cast<std::byte*>(memory);
}

void PagePool::allocate_pages(FreePages& pages) {
  if (allocations_.size() == allocations_.capacity())
    allocations_.reserve(2 * allocations_.size() + 16);
  const bool wants_chunk = kHasChunks && !has_program_source_ &&
                           pages.allocated_bytes >= kBytesBeforeChunks &&
                           pages.size_bytes <= kChunkBytes / 2;
  Allocation allocation{nullptr, kChunkBytes};
  if (wants_chunk) allocation.memory = static_cast<std::byte*>(source_->allocate(kChunkBytes));
  if (allocation.memory == nullptr) allocation = {allocate(pages.size_bytes), pages.size_bytes};
  allocations_.push_back(allocation);
  pages.fresh = allocation.memory;
  pages.fresh_count = allocation.size_bytes / pages.size_bytes;
  pages.allocated_bytes += allocation.size_bytes;
}

std::byte* PagePool::fresh_page(FreePages& pages) {
  if (pages.fresh_count == 0) allocate_pages(pages);
  --pages.fresh_count;
  add_memory(pages.size_bytes);
  return std::exchange(pages.fresh, pages.fresh + pages.size_bytes);
}

std::byte* PagePool::acquire(std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  FreePages& free = free_pages(size_bytes);
  std::byte* const page = free.first != nullptr ? pop(free) : fresh_page(free);
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
  std::byte* const block = allocate(size_bytes);
  add_memory(size_bytes);
  return block;
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
    std::byte* const page = fresh_page(free);
    std::memset(page, 0, size_bytes);
    push(free, page);
  }
}

// --- address ranges

AddressRange PagePool::take_range(std::size_t bytes, std::size_t wanted) noexcept {
  AddressRange range;
  {
    const std::lock_guard lock(mutex_);
    range = spare_ranges_->take(bytes, wanted);
  }
  if (range.data() == nullptr) return AddressRange::reserve(bytes, wanted);
  range_bytes_in_use_.fetch_add(range.used(), std::memory_order_relaxed);
  return range;
}

void PagePool::give_back(AddressRange range) noexcept {
  if (range.data() == nullptr) return;
  const std::size_t used = range.used();
  const std::size_t others = range_bytes_in_use_.fetch_sub(used, std::memory_order_relaxed) - used;
  const std::size_t most = std::max(kMostSpare, others + others / 4);
  if (used == 0 || used > most) return subtract_memory(used);
  const std::lock_guard lock(mutex_);
  spare_ranges_->put(std::move(range));
  subtract_memory(spare_ranges_->trim(most));
}

void PagePool::note_growth(std::size_t bytes) noexcept {
  range_bytes_in_use_.fetch_add(bytes, std::memory_order_relaxed);
  add_memory(bytes);
}

void PagePool::release_spare_ranges() noexcept {
  const std::lock_guard lock(mutex_);
  subtract_memory(spare_ranges_->trim(0));
}

std::size_t PagePool::spare_range_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return spare_ranges_->bytes();
}

}  // namespace hdb::detail
