// The part of an array that captures share: the memory of its elements, and what its pages know.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hdb/detail/core/arrays/captures.hpp"
#include "hdb/detail/core/arrays/page_geometry.hpp"
#include "hdb/hash.hpp"

namespace hdb::detail {

class ArrayMemory;

/// What captures must know about a page.
struct PageState {
  std::atomic<std::uint64_t> written{0};  // see Captures
  std::atomic<std::uint64_t> stamp{0};    // of the live content
  PageVersion* newest = nullptr;          // guarded by the mutex of Captures
};

/// Where the elements of an array lie.
enum class Addresses : std::uint8_t {
  may_change,  ///< Small arrays lie on the heap and move when they grow.
  stay,        ///< In reserved address space, where the platform has it.
};

/// A copy of some elements that is not yet anybody's: destroys them unless taken.
class PageCopy {
 public:
  PageCopy() noexcept = default;
  /// Room for `capacity` elements. Errors: out_of_memory().
  PageCopy(PagePool& pool, const PageGeometry& geometry, std::size_t capacity);
  ~PageCopy();
  PageCopy(PageCopy&& other) noexcept;
  PageCopy& operator=(PageCopy&& other) noexcept;

  /// Copies the elements that `constructed` has (a bit each, from `first` on; null: all of a
  /// trivial type).
  void copy(const std::byte* from, const std::uint64_t* constructed, std::size_t first);
  void copy(const PageVersion& version);
  [[nodiscard]] PageVersion* version() const noexcept { return version_; }
  [[nodiscard]] PageVersion* take() noexcept;

 private:
  PagePool* pool_ = nullptr;
  const PageGeometry* geometry_ = nullptr;
  PageVersion* version_ = nullptr;
};

/// Elements, states of pages and versions. The array that mutates it owns it; when the array is
/// gone and captures still need it, Captures does.
class ArrayCore {
 public:
  ArrayCore(std::shared_ptr<Captures> captures, const RecordOps& ops, std::size_t page_bytes,
            Addresses addresses, std::uint64_t max_elements);
  /// An array without elements of the same kind.
  [[nodiscard]] std::unique_ptr<ArrayCore> make_empty() const;
  ~ArrayCore();
  ArrayCore(const ArrayCore&) = delete;
  ArrayCore& operator=(const ArrayCore&) = delete;
  /// Destroys `core`, or leaves it to the captures that need it.
  static void retire(std::unique_ptr<ArrayCore> core) noexcept;

  [[nodiscard]] Captures& captures() const noexcept { return *captures_; }
  [[nodiscard]] const std::shared_ptr<Captures>& shared_captures() const noexcept {
    return captures_;
  }
  [[nodiscard]] const PageGeometry& geometry() const noexcept { return geometry_; }
  [[nodiscard]] std::byte* data() const noexcept { return data_.load(std::memory_order_acquire); }
  [[nodiscard]] PageState& state(std::size_t page) const noexcept {
    return states_.load(std::memory_order_seq_cst)[page];
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t page_count() const noexcept {
    return (capacity_ + geometry_.per_page() - 1) >> geometry_.shift;
  }
  /// Elements of a page: fewer than per_page() where the array ends.
  [[nodiscard]] std::size_t capacity_of(std::size_t page) const noexcept;

  // The mutating thread:

  /// Makes room for `capacity` elements; the pages added are private. Errors: out_of_memory(), or
  /// what a copy constructor throws; then nothing has changed but that pages are private.
  void grow(std::size_t capacity);
  /// How many elements there is room for without moving the others.
  [[nodiscard]] std::size_t reserved_elements() const noexcept;
  /// Captures no longer see the page; see CA1. Errors: as grow, with nothing changed.
  void make_private(std::size_t page);
  /// The version that a capture sees; null when that is the live page.
  [[nodiscard]] const PageVersion* find(std::size_t page, std::uint64_t moment) const noexcept;
  /// Gives a private page the content of `copy`, or of `version` if the elements are trivial, and
  /// `stamp`. The capture of that content must have its own.
  void replace(std::size_t page, const PageVersion& version, std::uint64_t stamp) noexcept;
  /// Gives a page that has no elements what a capture of another array sees there: `count` elements
  /// and their stamp. Errors: what a copy constructor throws; then some elements are there.
  void copy_page(std::size_t page, const ArrayCore& from, std::uint64_t moment, std::size_t count);
  void destroy_elements(std::size_t page) noexcept;
  /// Destroys all elements. Requires: no capture sees them.
  void clear() noexcept;
  [[nodiscard]] bool is_seen() const noexcept;

  void set_constructed(std::size_t index, bool constructed) noexcept {
    std::uint64_t& word = constructed_[index / 64];
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    word = constructed ? word | bit : word & ~bit;
  }
  void set_constructed_shared(std::size_t index) noexcept {
    // Not std::atomic_ref: libc++ has none before 19.
    __atomic_fetch_or(&constructed_[index / 64], std::uint64_t{1} << (index % 64),
                      __ATOMIC_RELAXED);
  }
  [[nodiscard]] bool is_constructed(std::size_t index) const noexcept {
    return (constructed_[index / 64] >> (index % 64) & 1) != 0;
  }

  // Any thread:

  /// Names the page among those of all arrays of the same captures.
  [[nodiscard]] std::uint64_t page_key(std::size_t page) const noexcept {
    return (std::uint64_t{number_} << 32) + page + 1;
  }
  /// The stamp of the content that a capture sees.
  [[nodiscard]] std::uint64_t stamp(std::size_t page, std::uint64_t moment) const noexcept;

  /// A sum of row hashes kept for a page, good for one combination of contents.
  struct HashKey {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    std::uint64_t c = 0;
    friend bool operator==(const HashKey&, const HashKey&) = default;
  };
  [[nodiscard]] bool find_hash(std::size_t page, const HashKey& key, Hash128& sum) const noexcept;
  /// Forgets silently when there is no memory for it.
  void store_hash(std::size_t page, const HashKey& key, const Hash128& sum) const noexcept;

  /// What messages about broken rules call the array, and what its indices count.
  void set_label(std::string label, const char* elements) noexcept {
    label_ = std::move(label);
    elements_ = elements;
  }

  // Where assertions are on, a write into a captured page is found by its hash: it comes from a
  // pointer kept too long. Only trivial elements are checked: others may have mutable members.

  /// Notes the hashes of all pages, at a capture. Errors: out_of_memory().
  void remember_hashes();
  /// Ends the program if the live page is not what it was at the capture.
  void check_unwritten(std::size_t page) const noexcept;
  struct PageHash {
    std::uint64_t hash = 0;
    std::uint64_t stamp = 0;   // of the content that has the hash
    std::size_t elements = 0;  // that the hash covers
  };
  [[nodiscard]] const std::vector<PageHash>& hashes() const noexcept { return hashes_; }
  void require_hash(std::size_t page, const std::byte* data, const PageHash& hash) const noexcept;

  static void destroy(PagePool& pool, const PageGeometry& geometry, PageVersion* version) noexcept;

 private:
  friend class Captures;
  friend class PagePin;
  struct HashEntry {
    HashKey key;
    Hash128 sum;
  };

  void add_states(std::size_t count);
  void move_to(std::size_t bytes);

  std::atomic<std::byte*> data_{nullptr};
  std::atomic<PageState*> states_{nullptr};
  std::shared_ptr<Captures> captures_;
  PageGeometry geometry_;
  std::size_t page_bytes_;
  std::uint64_t max_elements_;
  std::size_t capacity_ = 0;
  std::size_t state_room_ = 0;
  std::unique_ptr<ArrayMemory> memory_;
  std::vector<std::unique_ptr<PageState[]>> states_blocks_;  // the last one is in use
  std::vector<std::uint64_t> constructed_;                   // non-trivial elements: a bit each
  std::vector<PageHash> hashes_;
  mutable std::vector<HashEntry> sums_;  // guarded by the mutex of captures_
  std::string label_ = "a table";
  const char* elements_ = "elements";
  Addresses addresses_;
  std::uint32_t number_;
  // Guarded by the mutex of captures_:
  std::uint64_t created_;      // captures from this number on may see it ...
  std::uint64_t retired_ = 0;  // ... and those below this one
  std::size_t versions_ = 0;
  std::unique_ptr<ArrayCore> next_retired_;
};

}  // namespace hdb::detail
