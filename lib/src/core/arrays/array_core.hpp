// The part of an array that captures share: the memory of its elements, and what its pages know.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/arrays/array_memory.hpp"
#include "core/arrays/blocks.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/detail/core/arrays/flat_array.hpp"
#include "hdb/detail/core/arrays/log_state.hpp"
#include "hdb/detail/core/arrays/page_geometry.hpp"
#include "hdb/hash.hpp"

namespace hdb::detail {

struct LogEntry;

/// Elements and what their pages know. The array that mutates it owns it; when the array is gone
/// and captures still need it, UndoLog does.
class HDB_API ArrayCore {
 public:
  ArrayCore(std::shared_ptr<UndoLog> log, const RecordOps& ops, Addresses addresses,
            std::uint64_t max_elements);
  /// An array without elements of the same kind.
  [[nodiscard]] std::unique_ptr<ArrayCore> make_empty() const;
  ~ArrayCore();
  ArrayCore(const ArrayCore&) = delete;
  ArrayCore& operator=(const ArrayCore&) = delete;
  /// Destroys `core`, or leaves it to the captures that need it.
  static void retire(std::unique_ptr<ArrayCore> core) noexcept;

  [[nodiscard]] UndoLog& log() const noexcept { return *log_; }
  [[nodiscard]] const PageGeometry& geometry() const noexcept { return geometry_; }
  [[nodiscard]] std::byte* data() const noexcept { return data_.load(std::memory_order_acquire); }
  [[nodiscard]] PageWord* words() const noexcept { return words_.load(std::memory_order_acquire); }
  [[nodiscard]] PageWord& word(std::size_t page) const noexcept { return words()[page]; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t page_count() const noexcept {
    return (capacity_ + geometry_.per_page() - 1) >> geometry_.shift;
  }
  /// Elements of a page: fewer than per_page() where the array ends.
  [[nodiscard]] std::size_t capacity_of(std::size_t page) const noexcept;
  /// The most that the log takes for a page, in bytes.
  [[nodiscard]] std::size_t logged_page_bytes() const noexcept;
  /// Identifies the array among all of its pool: together with a page and its stamp, it names a
  /// content.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

  // The mutating thread:

  /// Makes room for `capacity` elements. Errors: out_of_memory(), or what a copy constructor
  /// throws; then nothing has changed but that blocks are owned.
  void grow(std::size_t capacity);
  /// How many elements there is room for without moving the others.
  [[nodiscard]] std::size_t reserved_elements() const noexcept;
  /// Whether all bits of the elements that grow adds are 0.
  [[nodiscard]] bool adds_zeros() const noexcept;
  /// Owns blocks, and more of the page if that is cheap; see U2. Errors: as UndoLog::append.
  void own(std::size_t page, std::uint64_t blocks);
  /// The same for one block, where an element is.
  void own_block(std::size_t page, std::size_t block);
  /// Gives a page that has no elements what a capture of another array sees there: `count`
  /// elements. Errors: what a copy constructor throws; then some elements are there.
  void copy_page(std::size_t page, const ArrayCore& from, std::uint64_t moment, std::size_t count);
  /// Destroys all elements. Requires: no capture sees them.
  void clear() noexcept;
  /// As clear, and gives the memory back.
  void release_elements() noexcept;
  [[nodiscard]] bool is_seen() const noexcept;

  void set_constructed(std::size_t index, bool constructed) noexcept {
    std::uint64_t& bits = constructed_[index / 64];
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    bits = constructed ? bits | bit : bits & ~bit;
  }
  /// A bit for each element, if they are not trivial.
  [[nodiscard]] std::uint64_t* constructed() noexcept { return constructed_.data(); }
  [[nodiscard]] bool is_constructed(std::size_t index) const noexcept {
    return (constructed_[index / 64] >> (index % 64) & 1) != 0;
  }

  // For UndoLog:

  /// Copies the live content into an entry. Errors: what a copy constructor throws; then it has
  /// none.
  void copy_content(LogEntry& to) const;
  /// Copies, or moves, what `to` needs of an entry that has it. Errors: as above.
  static void copy_content(LogEntry& from, LogEntry& to);
  static void move_content(LogEntry& from, LogEntry& to) noexcept;
  /// Moves blocks of an entry back into the array.
  void put_back(LogEntry& from, std::uint64_t blocks) noexcept;

  // Any thread:

  /// Names the page among those of all arrays of the same log.
  [[nodiscard]] std::uint64_t page_key(std::size_t page) const noexcept {
    return (number_ << 32) + page + 1;
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

 private:
  friend class UndoLog;
  struct HashEntry {
    HashKey key;
    Hash128 sum;
  };

  [[nodiscard]] std::uint64_t existing_blocks(std::size_t page) const noexcept;
  [[nodiscard]] std::uint64_t wanted_blocks(std::size_t page, std::uint64_t owned,
                                            std::uint64_t blocks) const noexcept;
  void own_existing(std::size_t page, std::uint64_t blocks);
  void publish(PageWord& word, std::size_t page, std::uint64_t owned, std::size_t count) noexcept;
  void add_words(std::size_t count);
  void move_to(std::size_t bytes);

  std::atomic<std::byte*> data_{nullptr};
  PageWord first_word_;  // of an array of one page
  std::atomic<PageWord*> words_{&first_word_};
  UndoLog* log_;
  std::uint64_t number_;
  std::uint64_t created_;  // captures from this number on may see it ...
  PageGeometry geometry_;
  std::size_t plain_entry_bytes_;  // of one block, whose content follows at once; 0: not so
  bool was_logged_ = false;        // the log has, or had, entries of it
  std::size_t few_blocks_;         // more that are owned of a page make the others owned, too
  std::uint64_t max_elements_;
  std::size_t capacity_ = 0;
  std::size_t word_room_ = 1;
  std::optional<ArrayMemory> memory_;
  std::vector<std::unique_ptr<PageWord[]>> words_blocks_;  // the last one is in use
  std::vector<std::uint64_t> constructed_;                 // non-trivial elements: a bit each
  std::vector<PageHash> hashes_;
  std::shared_ptr<UndoLog> shared_log_;  // until the log owns the array
  mutable std::vector<HashEntry> sums_;  // guarded by the mutex of log_
  std::string label_ = "a table";
  const char* elements_ = "elements";
  Addresses addresses_;
  std::uint64_t retired_ = 0;                // ... and those below this one; 0: it is in use
  std::unique_ptr<ArrayCore> next_retired_;  // guarded by the mutex of log_
};

}  // namespace hdb::detail
