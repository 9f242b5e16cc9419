// The bytes of a blob table: one buffer that never moves, whose chunks are kept for captures at
// their first write.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "hdb/detail/core/arrays/page_pool.hpp"

namespace hdb::detail {

/// Bytes of a chunk: what the first write after a capture copies.
inline constexpr std::size_t kBlobChunkBytes = 65536;

/// The memory of one buffer, shared by its owner and by captures that still read from it.
struct BlobMemory {
  BlobMemory(std::shared_ptr<PagePool> pool_of_memory, std::uint64_t capacity_bytes,
             std::uint32_t alignment);
  ~BlobMemory();
  BlobMemory(const BlobMemory&) = delete;
  BlobMemory& operator=(const BlobMemory&) = delete;

  /// Allocated bytes of the copy of a chunk; the last one may be short.
  [[nodiscard]] std::size_t chunk_bytes(std::size_t chunk) const noexcept;

  std::shared_ptr<PagePool> pool;
  std::uint64_t capacity;
  std::byte* page;
  std::size_t page_bytes;
  std::byte* data;  ///< The aligned part of the page.
};

/// One content of one chunk, shared by the captures that hold it and, until a write displaces it,
/// by the live buffer.
struct BlobChunk {
  std::atomic<std::uint32_t> references{1};
  std::atomic<std::byte*> copy{nullptr};  // null: still in the live buffer. Set once.
  std::mutex mutex;                       // held by readers of the live buffer
};

/// The bytes of a buffer at one moment: immutable, readable from any thread while the owner goes on
/// writing.
class FrozenBuffer {
 public:
  FrozenBuffer() = default;
  ~FrozenBuffer();
  FrozenBuffer(FrozenBuffer&& other) noexcept { swap(other); }
  FrozenBuffer& operator=(FrozenBuffer&& other) noexcept {
    FrozenBuffer(std::move(other)).swap(*this);
    return *this;
  }

  /// The used bytes at that moment.
  [[nodiscard]] std::uint64_t size() const noexcept { return end_; }
  /// Copies bytes [offset, offset + out.size()) out. Locks one chunk at a time, and only such as
  /// are still shared with the live buffer. Requires: they lie within size().
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  /// Bytes of the chunks copied for this moment that `other`, of the same buffer, does not share.
  [[nodiscard]] std::uint64_t bytes_not_in(const FrozenBuffer& other) const noexcept;

 private:
  friend class BlobBuffer;
  void swap(FrozenBuffer& other) noexcept;

  std::shared_ptr<BlobMemory> memory_;
  std::vector<BlobChunk*> chunks_;  // a reference to each
  std::uint64_t end_ = 0;
};

/// The buffer itself, owned by one mutating thread.
//
//   V1  chunks_[c] is the content that captures share with the live buffer, or null; no byte of
//       chunk c is written while somebody else refers to it. A chunk that is displaced leaves
//       chunks_ and keeps a copy of its own.
//   V2  Bytes [0, end) are the blocks' and zeros; bytes [end, clean) are zero; those from clean on
//       were never used.
//   V3  A capture's chunk that has no copy reaches below the end: what falls behind the end is
//       zeroed, so displaced.
class BlobBuffer {
 public:
  BlobBuffer(std::shared_ptr<PagePool> pool, std::uint64_t capacity, std::uint32_t alignment);
  ~BlobBuffer();
  BlobBuffer(const BlobBuffer&) = delete;
  BlobBuffer& operator=(const BlobBuffer&) = delete;

  [[nodiscard]] const std::byte* data() const noexcept { return memory_->data; }
  [[nodiscard]] std::uint64_t capacity() const noexcept { return memory_->capacity; }
  /// One past the last used byte.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

  /// Makes the chunks of [begin, end) writable: captures that share them get a copy. No byte
  /// changes, also when memory runs out.
  void own(std::uint64_t begin, std::uint64_t end);
  /// An owned range, to write to.
  [[nodiscard]] std::byte* owned_at(std::uint64_t offset) noexcept {
    return memory_->data + offset;
  }

  // Of owned ranges only:
  /// Raises the end; the bytes up to there are zero.
  void extend(std::uint64_t end) noexcept;
  /// Lowers the end; the bytes behind become zero.
  void shrink(std::uint64_t end) noexcept;
  void write(std::uint64_t offset, std::span<const std::byte> bytes) noexcept;
  void move(std::uint64_t from, std::uint64_t to, std::uint64_t count) noexcept;
  void zero(std::uint64_t begin, std::uint64_t end) noexcept;

  /// Shares all used chunks with the result.
  /// Complexity: one pointer a chunk; no byte is copied.
  [[nodiscard]] FrozenBuffer freeze();
  /// Brings the bytes of a capture back, where they differ; the buffer stays at its address. Cannot
  /// fail, after prepare_thaw.
  void commit_thaw(const FrozenBuffer& frozen) noexcept;
  void prepare_thaw(const FrozenBuffer& frozen);
  /// Takes the memory of another buffer, which can only be destroyed afterwards; captures keep the
  /// former one.
  void adopt(BlobBuffer& other) noexcept;

  /// Load: an empty buffer whose bytes are written in any order, from several threads; `set_filled`
  /// then tells the end, and by then every byte below it is written.
  void begin_fill() noexcept;
  void set_filled(std::uint64_t end) noexcept;

  /// Adds the pages that a capture may need for copies of all used chunks to `counts`, by size.
  void count_copies(std::vector<PagePool::PageCount>& counts) const;
  /// V1, V3, and V2 for the bytes from `end` on. Null when they hold, else what does not.
  [[nodiscard]] const char* check() const noexcept;

 private:
  [[nodiscard]] bool is_shared(std::size_t chunk) const noexcept {
    return chunks_[chunk] != nullptr &&
           chunks_[chunk]->references.load(std::memory_order_acquire) > 1;
  }
  [[nodiscard]] bool is_owned(std::uint64_t begin, std::uint64_t end) const noexcept;
  [[nodiscard]] bool is_kept(const FrozenBuffer& frozen, std::size_t chunk) const noexcept;
  [[nodiscard]] std::size_t used_chunks() const noexcept;
  void displace(std::size_t chunk);
  void drop_chunks() noexcept;

  std::shared_ptr<BlobMemory> memory_;
  std::vector<BlobChunk*> chunks_;
  std::uint64_t end_ = 0;
  std::uint64_t clean_ = 0;
};

}  // namespace hdb::detail
