// Pages one by one from the heap, then out of chunks that huge pages back.
#include "core/arrays/heap_page_source.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Where an address sanitizer watches, every page is an allocation of its own: so it sees what
// leaves a page.
#if defined(__SANITIZE_ADDRESS__)
#define HDB_PAGES_ARE_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HDB_PAGES_ARE_WATCHED 1
#endif
#endif

namespace hdb::detail {
namespace {

#if defined(HDB_PAGES_ARE_WATCHED)
constexpr bool kHasChunks = false;
#else
constexpr bool kHasChunks = true;
#endif

void* allocate_aligned(std::size_t size_bytes, std::size_t alignment) noexcept {
  return ::operator new (size_bytes, std::align_val_t{alignment}, std::nothrow);
}

void deallocate_aligned(void* memory, std::size_t alignment) noexcept {
  ::operator delete (memory, std::align_val_t{alignment});
}

// A wish: where it is not granted, ordinary pages serve.
void wish_for_huge_pages(void* memory, std::size_t size_bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  static_cast<void>(::madvise(memory, size_bytes, MADV_HUGEPAGE));
#else
  static_cast<void>(memory);
  static_cast<void>(size_bytes);
#endif
}

}  // namespace

HeapPageSource::~HeapPageSource() {
  while (count_ != 0) remove_chunk(count_ - 1);
}

HeapPageSource::Size* HeapPageSource::size_of(std::size_t page_bytes) noexcept {
  if (!kHasChunks || page_bytes < kSmallestPage || page_bytes > kChunkBytes / 2) return nullptr;
  for (Size& size : sizes_) {
    if (size.page_bytes == 0) size.page_bytes = page_bytes;
    if (size.page_bytes == page_bytes) return &size;
  }
  return nullptr;
}

void* HeapPageSource::allocate(std::size_t size_bytes) noexcept {
  Size* const size = size_of(size_bytes);
  if (size == nullptr || (size->free_count == 0 && size->heap_bytes < kHeapBytes)) {
    void* const memory = allocate_aligned(size_bytes, kPageAlignment);
    if (size != nullptr && memory != nullptr) size->heap_bytes += size_bytes;
    return memory;
  }
  Chunk* const chunk = chunk_with_room(*size);
  if (chunk == nullptr) return nullptr;
  std::uint64_t* word = chunk->free;
  while (*word == 0) ++word;
  const auto page = static_cast<std::size_t>(word - chunk->free) * 64 +
                    static_cast<std::size_t>(std::countr_zero(*word));
  *word &= *word - 1;
  --chunk->free_count;
  --size->free_count;
  return chunk->memory + page * size_bytes;
}

void HeapPageSource::deallocate(void* memory, std::size_t size_bytes) noexcept {
  Size* const size = size_of(size_bytes);
  const std::size_t index = above(memory);
  Chunk* const chunk = size == nullptr || index == 0 ? nullptr : chunks_[index - 1];
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (chunk == nullptr ||
      address - reinterpret_cast<std::uintptr_t>(chunk->memory) >= kChunkBytes) {
    if (size != nullptr) size->heap_bytes -= size_bytes;
    deallocate_aligned(memory, kPageAlignment);
    return;
  }
  const std::size_t page = (address - reinterpret_cast<std::uintptr_t>(chunk->memory)) / size_bytes;
  chunk->free[page / 64] |= std::uint64_t{1} << (page % 64);
  ++chunk->free_count;
  ++size->free_count;
  size->latest = chunk;
  if (chunk->free_count < chunk->pages()) return;
  size->free_count -= chunk->pages();
  size->latest = nullptr;
  remove_chunk(index - 1);
}

HeapPageSource::Chunk* HeapPageSource::chunk_with_room(Size& size) noexcept {
  if (size.latest != nullptr && size.latest->free_count != 0) return size.latest;
  size.latest = nullptr;
  for (std::size_t i = 0; size.free_count != 0 && i < count_; ++i) {
    if (chunks_[i]->page_bytes != size.page_bytes || chunks_[i]->free_count == 0) continue;
    return size.latest = chunks_[i];
  }
  Chunk* const chunk = add_chunk(size.page_bytes);
  if (chunk == nullptr) return nullptr;
  size.free_count += chunk->free_count;
  return size.latest = chunk;
}

HeapPageSource::Chunk* HeapPageSource::add_chunk(std::size_t page_bytes) noexcept {
  if (count_ == room_) {
    const std::size_t room = std::max<std::size_t>(2 * room_, 16);
    std::unique_ptr<Chunk*[]> chunks(new (std::nothrow) Chunk*[room]);
    if (chunks == nullptr) return nullptr;
    std::copy_n(chunks_.get(), count_, chunks.get());
    chunks_ = std::move(chunks);
    room_ = room;
  }
  std::unique_ptr<Chunk> chunk(new (std::nothrow) Chunk{});
  if (chunk == nullptr) return nullptr;
  void* const memory = allocate_aligned(kChunkBytes, kChunkBytes);
  if (memory == nullptr) return nullptr;
  wish_for_huge_pages(memory, kChunkBytes);
  chunk->memory = static_cast<std::byte*>(memory);
  chunk->page_bytes = page_bytes;
  chunk->free_count = chunk->pages();
  for (std::size_t page = 0; page < chunk->pages(); ++page) {
    chunk->free[page / 64] |= std::uint64_t{1} << (page % 64);
  }
  const std::size_t index = above(memory);
  std::copy_backward(chunks_.get() + index, chunks_.get() + count_, chunks_.get() + count_ + 1);
  ++count_;
  return chunks_[index] = chunk.release();
}

std::size_t HeapPageSource::above(const void* address) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto end = std::upper_bound(
      chunks_.get(), chunks_.get() + count_, at, [](std::uintptr_t wanted, const Chunk* chunk) {
        return wanted < reinterpret_cast<std::uintptr_t>(chunk->memory);
      });
  return static_cast<std::size_t>(end - chunks_.get());
}

void HeapPageSource::remove_chunk(std::size_t index) noexcept {
  const std::unique_ptr<Chunk> gone(chunks_[index]);
  std::copy(chunks_.get() + index + 1, chunks_.get() + count_, chunks_.get() + index);
  --count_;
  deallocate_aligned(gone->memory, kChunkBytes);
}

}  // namespace hdb::detail
