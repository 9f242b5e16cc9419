// Where the memory of arrays and of copied pages comes from: a thread-safe pool that recycles
// pages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "hdb/page_source.hpp"

namespace hdb::detail {

class AddressRange;
class SpareRanges;

/// Hands out pages and takes them back.
//
//   P1  A page is either in use or in exactly one free list of the pool.
//   P2  The ranges that arrays left take at most a quarter more memory than those in use did when
//       the last one was left, or kMostSpare.
class PagePool {
 public:
  explicit PagePool(std::shared_ptr<PageSource> source = nullptr);
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  /// A page of `size_bytes` (at least a pointer), recycled where possible. Its content is
  /// undefined. Errors: out_of_memory().
  [[nodiscard]] std::byte* acquire(std::size_t size_bytes);
  void recycle(std::byte* page, std::size_t size_bytes) noexcept;
  /// Memory that is not recycled: it comes from the source and goes back there.
  /// Errors: out_of_memory().
  [[nodiscard]] std::byte* allocate_block(std::size_t size_bytes);
  void deallocate_block(std::byte* block, std::size_t size_bytes) noexcept;
  /// Whether all memory must come from a source of the program; else arrays may lie in reserved
  /// address space.
  [[nodiscard]] bool has_program_source() const noexcept { return has_program_source_; }

  /// A number that no array of this pool has had.
  [[nodiscard]] std::uint64_t next_array_number() noexcept {
    return next_array_number_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Identifies this pool among all pools of the process, past and present.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  /// Allocates pages ahead, and touches them, until `count` free pages of `size_bytes` are at hand.
  void reserve(std::size_t size_bytes, std::size_t count);
  /// Memory held: pages in use, free pages, blocks, and what ranges have used, spare ones included.
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_.load(); }
  [[nodiscard]] std::size_t pages_in_use() const noexcept { return pages_in_use_.load(); }

  /// A range of addresses for an array of `bytes` that may grow to `wanted`: one that another array
  /// left, with its memory, or a new one; empty where the system refuses.
  [[nodiscard]] AddressRange take_range(std::size_t bytes, std::size_t wanted) noexcept;
  /// Takes the range of an array that ended.
  void give_back(AddressRange range) noexcept;
  /// A range in use has used that many bytes more.
  void note_growth(std::size_t bytes) noexcept;
  /// Gives the ranges that no array uses back to the system.
  void release_spare_ranges() noexcept;
  /// The memory of the ranges that no array uses; part of memory_bytes().
  [[nodiscard]] std::size_t spare_range_bytes() const noexcept;
  /// Arrays of small tables come and go without calls of the system.
  static constexpr std::size_t kMostSpare = std::size_t{4} << 20;

 private:
  // A free page begins with the address of the next one, so giving a page back cannot fail.
  struct FreePages {
    std::size_t size_bytes = 0;
    std::size_t count = 0;
    std::byte* first = nullptr;
    // Pages that were never used, one after another:
    std::byte* fresh = nullptr;
    std::size_t fresh_count = 0;
    std::size_t allocated_bytes = 0;  // so far
  };
  struct Allocation {
    std::byte* memory;
    std::size_t size_bytes;
  };

  [[nodiscard]] FreePages& free_pages(std::size_t size_bytes);
  [[nodiscard]] std::byte* allocate(std::size_t size_bytes);
  void allocate_pages(FreePages& pages);
  [[nodiscard]] std::byte* fresh_page(FreePages& pages);
  void add_memory(std::size_t bytes) noexcept { memory_bytes_.fetch_add(bytes); }
  void subtract_memory(std::size_t bytes) noexcept { memory_bytes_.fetch_sub(bytes); }
  static void push(FreePages& free, std::byte* page) noexcept;
  [[nodiscard]] static std::byte* pop(FreePages& free) noexcept;

  const bool has_program_source_;
  std::shared_ptr<PageSource> source_;
  const std::uint64_t number_;
  // Guards free_, allocations_, the source and spare_ranges_.
  mutable std::mutex mutex_;
  std::vector<FreePages> free_;
  std::vector<Allocation> allocations_;  // of all pages; they end with the pool
  std::atomic<std::uint64_t> next_array_number_{1};
  std::atomic<std::size_t> memory_bytes_{0};
  std::atomic<std::size_t> pages_in_use_{0};
  std::unique_ptr<SpareRanges> spare_ranges_;
  std::atomic<std::size_t> range_bytes_in_use_{0};
};

}  // namespace hdb::detail
