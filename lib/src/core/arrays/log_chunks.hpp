// What blocks held before they were written: entries one after another in chunks of memory, and
// where to find those of a page.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hdb::detail {

class ArrayCore;
class PagePool;

/// The old content of some blocks of a page, which follows in rising order; before it, for
/// elements that are not trivial, a bit for each that was constructed.
struct LogEntry {
  ArrayCore* core;
  std::uint64_t stamp;  // of the page then
  union {
    std::uint64_t blocks;  // a bit each
    LogEntry* next_first;  // in a restore, once it is put back
  };
  std::uint32_t page;
  std::uint32_t bytes;  // to the next entry

  /// The size of an entry for `blocks` blocks, in bytes.
  [[nodiscard]] static std::size_t size_for(const ArrayCore& core, std::size_t blocks) noexcept;
  /// Requires: elements that are not trivial.
  [[nodiscard]] std::uint64_t& constructed() noexcept {
    return *reinterpret_cast<std::uint64_t*>(this + 1);
  }
  [[nodiscard]] std::byte* content() noexcept;
  /// The content of one of its blocks.
  [[nodiscard]] std::byte* content_of(std::size_t block) noexcept;
  /// Ends the elements that it still has. Requires: elements that are not trivial.
  void destroy_elements() noexcept;
};

/// A piece of memory with entries.
struct LogChunk {
  LogChunk* next = nullptr;
  std::size_t size_bytes = 0;                       // with this head
  std::atomic<std::size_t> used_bytes{kHeadBytes};  // raised when an entry is complete
  std::size_t indexed_bytes = kHeadBytes;           // of them, what the index of the segment has
  bool has_objects = false;                         // that must be destroyed

  static constexpr std::size_t kHeadBytes = 64;
  [[nodiscard]] LogEntry& at(std::size_t offset) noexcept {
    return *reinterpret_cast<LogEntry*>(reinterpret_cast<std::byte*>(this) + offset);
  }
  /// Visits the complete entries from `offset` on, oldest first.
  template <class Visit>
  void for_each(std::size_t offset, const Visit& visit) {
    const std::size_t end = used_bytes.load(std::memory_order_acquire);
    while (offset < end) {
      LogEntry& entry = at(offset);
      offset += entry.bytes;
      visit(entry);
    }
  }
};

/// Chunks, oldest first, which go back to the pool with the list. Their sizes grow with it.
class ChunkList {
 public:
  static constexpr std::size_t kLeastChunk = 1024;
  static constexpr std::size_t kLargestChunk = std::size_t{2} << 20;
  /// The size of the next chunk of a list that has `bytes`, if its entries are not larger.
  [[nodiscard]] static std::size_t next_size(std::size_t bytes) noexcept;

  explicit ChunkList(PagePool& pool) noexcept : pool_(&pool) {}
  ~ChunkList();
  ChunkList(ChunkList&& other) noexcept : pool_(other.pool_) { swap(other); }
  ChunkList& operator=(ChunkList&& other) noexcept {
    ChunkList taken(std::move(other));
    taken.swap(*this);
    return *this;
  }
  void swap(ChunkList& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    std::swap(bytes_, other.bytes_);
  }
  /// Adds a chunk with room for an entry of `entry_bytes`. The first one has `first_bytes` or more.
  /// Errors: out_of_memory().
  LogChunk& add(std::size_t entry_bytes, std::size_t first_bytes = kLeastChunk);
  void append(ChunkList&& other) noexcept;
  /// Takes all chunks but the last.
  [[nodiscard]] ChunkList take_sealed() noexcept;
  [[nodiscard]] LogChunk* first() const noexcept { return first_; }
  [[nodiscard]] LogChunk* last() const noexcept { return last_; }
  /// Of all chunks, used or not.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Of the complete entries.
  [[nodiscard]] std::size_t used_bytes() const noexcept;
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (LogChunk* chunk = first_; chunk != nullptr; chunk = chunk->next)
      chunk->for_each(LogChunk::kHeadBytes, visit);
  }

 private:
  PagePool* pool_;
  LogChunk* first_ = nullptr;
  LogChunk* last_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Adds entries to a list of chunks.
class LogWriter {
 public:
  LogWriter() noexcept = default;
  /// Goes on in this chunk, unless it is null.
  explicit LogWriter(LogChunk* chunk) noexcept
      : chunk_(chunk), used_(chunk == nullptr ? 0 : chunk->used_bytes.load()) {}

  /// Begins an entry, without its content; null when the chunk is full.
  [[nodiscard]] LogEntry* begin(ArrayCore& core, std::size_t page, std::uint64_t blocks,
                                std::uint64_t stamp) noexcept;
  /// Goes on in a new chunk of the list, where such an entry has room; see ChunkList::add. Errors:
  /// out_of_memory().
  void add_chunk(const ArrayCore& core, std::uint64_t blocks, ChunkList& chunks,
                 std::size_t first_bytes = ChunkList::kLeastChunk);
  /// Both.
  [[nodiscard]] LogEntry& begin(ArrayCore& core, std::size_t page, std::uint64_t blocks,
                                std::uint64_t stamp, ChunkList& chunks) {
    LogEntry* entry = begin(core, page, blocks, stamp);
    if (entry != nullptr) return *entry;
    add_chunk(core, blocks, chunks);
    return *begin(core, page, blocks, stamp);
  }
  /// As begin, of one block of an array whose entries for one have `bytes`.
  [[nodiscard]] LogEntry* begin_one(ArrayCore& core, std::size_t page, std::uint64_t block,
                                    std::uint64_t stamp, std::size_t bytes) noexcept {
    if (chunk_ == nullptr || used_ + bytes > chunk_->size_bytes) return nullptr;
    LogEntry& entry = chunk_->at(used_);
    entry.core = &core;
    entry.stamp = stamp;
    entry.blocks = block;
    entry.page = static_cast<std::uint32_t>(page);
    entry.bytes = static_cast<std::uint32_t>(bytes);
    return &entry;
  }
  /// The entry that was begun is complete.
  void publish(const LogEntry& entry) noexcept {
    used_ += entry.bytes;
    chunk_->used_bytes.store(used_, std::memory_order_release);
  }
  /// Allocates and touches memory for `bytes` of entries. Errors: out_of_memory().
  static void reserve(PagePool& pool, std::size_t bytes);
  /// The next entry begins a chunk.
  void reset() noexcept { *this = LogWriter(); }

 private:
  LogChunk* chunk_ = nullptr;
  std::size_t used_ = 0;
};

}  // namespace hdb::detail
