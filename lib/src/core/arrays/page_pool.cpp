// The page pool: free lists by size, counts and stamps in chunks that never move.
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
    : source_(source ? std::move(source) : std::make_shared<HeapPageSource>()),
      number_(next_pool_number()) {}

PagePool::~PagePool() {
  HDB_ASSERT(pages_in_use() == 0, "P1: a page is still in use when its pool ends");
  trim();
  for (auto& chunk : chunks_) delete chunk.load();
}

std::vector<Page>& PagePool::free_pages(std::size_t size_bytes) {
  for (FreePages& free : free_) {
    if (free.size_bytes == size_bytes) return free.pages;
  }
  free_.push_back({size_bytes, {}});
  return free_.back().pages;
}

Page PagePool::allocate_page(std::size_t size_bytes) {
  PageId id = next_id_;
  const bool is_new_id = unused_ids_.empty();
  if (!is_new_id) id = unused_ids_.back();
  if (id / kChunkPages >= kMaxChunks) out_of_memory();
  auto& chunk = chunks_[id / kChunkPages];
  if (chunk.load(std::memory_order_relaxed) == nullptr) {
    auto* fresh = new (std::nothrow) Chunk;
    if (fresh == nullptr) out_of_memory();
    chunk.store(fresh, std::memory_order_release);
  }
  // Room for giving the page and its id back without allocating.
  if (unused_ids_.capacity() < next_id_ + 1) unused_ids_.reserve(2 * (std::size_t{next_id_} + 1));
  auto& pages = free_pages(size_bytes);
  if (pages.capacity() < next_id_ + 1) pages.reserve(2 * (std::size_t{next_id_} + 1));
  void* const memory = source_->allocate(size_bytes);
  if (memory == nullptr) out_of_memory();
  if (is_new_id) {
    ++next_id_;
  } else {
    unused_ids_.pop_back();
  }
  memory_bytes_.fetch_add(size_bytes, std::memory_order_relaxed);
  return {static_cast<std::byte*>(memory), id};
}

Page PagePool::acquire(std::size_t size_bytes) {
  const std::lock_guard lock(mutex_);
  auto& pages = free_pages(size_bytes);
  Page page;
  if (pages.empty()) {
    page = allocate_page(size_bytes);
  } else {
    page = pages.back();
    pages.pop_back();
  }
  refs(page.id).store(1, std::memory_order_relaxed);
  renew_stamp(page.id);
  pages_in_use_.fetch_add(1, std::memory_order_relaxed);
  return page;
}

void PagePool::recycle(Page page, std::size_t size_bytes) noexcept {
  const std::lock_guard lock(mutex_);
  free_pages(size_bytes).push_back(page);  // room was reserved when the page was made
  pages_in_use_.fetch_sub(1, std::memory_order_relaxed);
}

bool PagePool::find_hash(PageId id, const HashKey& key, Hash128& sum) noexcept {
  const std::lock_guard lock(hash_mutex_);
  const Chunk& home = chunk(id);
  if (home.hashes == nullptr) return false;
  const HashEntry& entry = (*home.hashes)[id % kChunkPages];
  if (entry.key != key) return false;
  sum = entry.sum;
  return true;
}

void PagePool::store_hash(PageId id, const HashKey& key, const Hash128& sum) noexcept {
  const std::lock_guard lock(hash_mutex_);
  Chunk& home = chunk(id);
  if (home.hashes == nullptr) {
    home.hashes.reset(new (std::nothrow) std::array<HashEntry, kChunkPages>{});
    if (home.hashes == nullptr) return;
  }
  (*home.hashes)[id % kChunkPages] = {key, sum};
}

void PagePool::reserve(std::size_t size_bytes, std::size_t count) {
  const std::lock_guard lock(mutex_);
  while (free_pages(size_bytes).size() < count) {
    const Page page = allocate_page(size_bytes);
    std::memset(page.data, 0, size_bytes);
    free_pages(size_bytes).push_back(page);
  }
}

void PagePool::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (FreePages& free : free_) {
    for (const Page& page : free.pages) {
      source_->deallocate(page.data, free.size_bytes);
      memory_bytes_.fetch_sub(free.size_bytes, std::memory_order_relaxed);
      unused_ids_.push_back(page.id);
    }
    free.pages.clear();
  }
}

}  // namespace hdb::detail
