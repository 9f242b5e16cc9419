// Where pages come from unless a database brings its own source: the heap, and huge pages once
// there are many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hdb/detail/core/arrays/page_pool.hpp"

namespace hdb::detail {

// The first pages of each size come one by one from the heap. Then they are cut out of chunks that
// the system is asked to back by huge pages: most of the cost of a lookup in a large table is
// finding out where its memory is, and most of the cost of filling one are page faults. At most one
// chunk of each size is partly unused unless pages are given back; a chunk of which no page is in
// use goes back to the heap.
//
//   HP1 chunks_[0, count_) rise by address; each page that is not of the heap lies in one of them.
//   HP2 A bit of Chunk::free is set where that page of the chunk is not given out; free_count is
//       how many.
class HeapPageSource final : public PageSource {
 public:
  HeapPageSource() = default;
  ~HeapPageSource() override;
  HeapPageSource(const HeapPageSource&) = delete;
  HeapPageSource& operator=(const HeapPageSource&) = delete;

  void* allocate(std::size_t size_bytes) noexcept override;
  void deallocate(void* memory, std::size_t size_bytes) noexcept override;

  static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;
  // Chunks serve the sizes from here to half of a chunk.
  static constexpr std::size_t kSmallestPage = 4096;
  // So much of each size comes from the heap before.
  static constexpr std::size_t kHeapBytes = std::size_t{1} << 20;

 private:
  static constexpr std::size_t kWords = kChunkBytes / kSmallestPage / 64;
  static constexpr std::size_t kSizes = 16;
  struct Chunk {
    std::byte* memory;
    std::size_t page_bytes;
    std::size_t free_count;
    std::uint64_t free[kWords];
    [[nodiscard]] std::size_t pages() const noexcept { return kChunkBytes / page_bytes; }
  };
  struct Size {
    std::size_t page_bytes = 0;
    std::size_t heap_bytes = 0;  // given one by one
    std::size_t free_count = 0;  // in chunks
    Chunk* latest = nullptr;     // a chunk that may have room
  };

  [[nodiscard]] Size* size_of(std::size_t page_bytes) noexcept;
  [[nodiscard]] Chunk* chunk_with_room(Size& size) noexcept;
  [[nodiscard]] Chunk* add_chunk(std::size_t page_bytes) noexcept;
  // Where in chunks_ the first chunk above `address` is.
  [[nodiscard]] std::size_t above(const void* address) const noexcept;
  void remove_chunk(std::size_t index) noexcept;

  std::unique_ptr<Chunk*[]> chunks_;
  std::size_t count_ = 0;
  std::size_t room_ = 0;
  Size sizes_[kSizes];
};

}  // namespace hdb::detail
