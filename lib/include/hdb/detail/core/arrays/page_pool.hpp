// Where pages come from: a thread-safe pool that recycles them, and keeps their reference counts in
// contiguous arrays.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "hdb/hash.hpp"
#include "hdb/page_source.hpp"

namespace hdb::detail {

using PageId = std::uint32_t;

/// One page: its memory, and the number under which the pool keeps its count.
struct Page {
  std::byte* data = nullptr;
  PageId id = 0;
};

/// Hands out pages and takes them back.
//
//   P1  A page is in use while its count is above zero, and in exactly one free list of the pool
//       else.
//   P2  A stamp is given to one content only: a page gets a new one whenever it becomes writable.
//       So two captured pages of equal stamp hold equal bytes.
class PagePool {
 public:
  explicit PagePool(std::shared_ptr<PageSource> source = nullptr);
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  /// A page of `size_bytes` (recycled where possible) with count 1 and a new stamp. Its content is
  /// undefined.
  /// Errors: out_of_memory().
  [[nodiscard]] Page acquire(std::size_t size_bytes);
  /// Gives back a page whose count has reached zero.
  void recycle(Page page, std::size_t size_bytes) noexcept;

  void add_reference(PageId id) noexcept { refs(id).fetch_add(1, std::memory_order_relaxed); }
  /// Whether this was the last reference; then the caller must recycle the page.
  [[nodiscard]] bool drop_reference(PageId id) noexcept {
    return refs(id).fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  [[nodiscard]] std::uint32_t references(PageId id) noexcept {
    return refs(id).load(std::memory_order_acquire);
  }
  /// The number of the page's present content; see P2.
  [[nodiscard]] std::uint64_t stamp(PageId id) noexcept {
    return chunk(id).stamps[id % kChunkPages];
  }
  /// Tells this pool from all others of the process, gone ones too: with it a stamp names a content
  /// anywhere.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// To be called when a page becomes writable again.
  void renew_stamp(PageId id) noexcept {
    chunk(id).stamps[id % kChunkPages] = next_stamp_.fetch_add(1, std::memory_order_relaxed);
  }

  /// A sum of row hashes kept with a page, good for one combination of contents.
  struct HashKey {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::uint64_t c = 0;
    friend bool operator==(const HashKey&, const HashKey&) = default;
  };
  /// Finds the sum stored for `key` with page `id`. Thread-safe.
  [[nodiscard]] bool find_hash(PageId id, const HashKey& key, Hash128& sum) noexcept;
  /// Stores a sum. Thread-safe. Forgets silently when there is no memory for it.
  void store_hash(PageId id, const HashKey& key, const Hash128& sum) noexcept;

  /// How many pages of one size.
  struct PageCount {
    std::size_t size_bytes = 0;
    std::size_t count = 0;
  };
  /// Allocates pages ahead, and touches them, until `count` free pages of `size_bytes` are at hand.
  void reserve(std::size_t size_bytes, std::size_t count);
  /// Gives all free pages back to the source.
  void trim() noexcept;
  /// Memory held: pages in use and free pages.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_.load(); }
  /// Pages whose count is above zero.
  [[nodiscard]] std::size_t pages_in_use() const noexcept { return pages_in_use_.load(); }

 private:
  static constexpr std::size_t kChunkPages = 4096;
  static constexpr std::size_t kMaxChunks = 4096;
  struct HashEntry {
    HashKey key;
    Hash128 sum;
  };
  struct Chunk {
    std::array<std::atomic<std::uint32_t>, kChunkPages> refs{};
    std::array<std::uint64_t, kChunkPages> stamps{};
    std::unique_ptr<std::array<HashEntry, kChunkPages>> hashes;  // guarded by hash_mutex_
  };
  struct FreePages {
    std::size_t size_bytes;
    std::vector<Page> pages;
  };

  [[nodiscard]] Chunk& chunk(PageId id) noexcept {
    return *chunks_[id / kChunkPages].load(std::memory_order_acquire);
  }
  [[nodiscard]] std::atomic<std::uint32_t>& refs(PageId id) noexcept {
    return chunk(id).refs[id % kChunkPages];
  }
  [[nodiscard]] std::vector<Page>& free_pages(std::size_t size_bytes);
  [[nodiscard]] Page allocate_page(std::size_t size_bytes);

  std::shared_ptr<PageSource> source_;
  const std::uint64_t number_;
  std::mutex mutex_;  // guards free_, unused ids and page creation
  std::vector<FreePages> free_;
  std::vector<PageId> unused_ids_;
  PageId next_id_ = 0;
  std::array<std::atomic<Chunk*>, kMaxChunks> chunks_{};
  std::atomic<std::uint64_t> next_stamp_{1};
  std::atomic<std::size_t> memory_bytes_{0};
  std::atomic<std::size_t> pages_in_use_{0};
  std::mutex hash_mutex_;
};

}  // namespace hdb::detail
