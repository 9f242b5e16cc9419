// The log of one capture: its entries, and the index of those of a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/arrays/log_chunks.hpp"
#include "core/arrays/undo_log.hpp"

namespace hdb::detail {

/// The entries of one page, oldest first.
struct LoggedPage {
  std::uint64_t blocks = 0;  // that any has
  std::vector<LogEntry*> entries;
};

/// Entries between two captures, or a part of them.
class LogSegment {
 public:
  explicit LogSegment(PagePool& pool) noexcept : chunks(pool) {}

  ChunkList chunks;

  /// Those of a page; null when there are none. Errors: out_of_memory().
  [[nodiscard]] const LoggedPage* find(const ArrayCore& core, std::size_t page);
  /// Visits these, oldest first, until `visit` gives false. Without memory for an index it looks at
  /// all entries.
  template <class Visit>
  void for_each_of(const ArrayCore& core, std::size_t page, const Visit& visit) noexcept {
    if (try_index()) {
      const auto found = index_.find({&core, page});
      if (found == index_.end()) return;
      for (LogEntry* const entry : found->second.entries) {
        if (!visit(*entry)) return;
      }
      return;
    }
    bool goes_on = true;
    chunks.for_each([&](LogEntry& entry) {
      if (goes_on && entry.core == &core && entry.page == page) goes_on = visit(entry);
    });
  }
  /// As `chunks.append(other.chunks)`.
  void append(LogSegment&& other) noexcept;
  void clear() noexcept;
  /// Notes an entry of the last chunk that was just added.
  void index_entry(LogEntry& entry);

 private:
  struct Key {
    const ArrayCore* core;
    std::size_t page;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      const auto address = reinterpret_cast<std::uintptr_t>(key.core);
      return static_cast<std::size_t>((address >> 4) + key.page * 0x9e3779b97f4a7c15ull);
    }
  };

  void index();
  [[nodiscard]] bool try_index() noexcept;

  LogChunk* indexed_ = nullptr;  // the last chunk that the index has seen
  std::unordered_map<Key, LoggedPage, KeyHash> index_;
};

/// What was logged since a capture.
struct UndoLog::Frame {
  Frame(PagePool& pool, std::uint64_t capture) : number(capture), kept(pool), fresh(pool) {}
  std::uint64_t number;
  LogSegment kept;                // entries of each block once, older than those of `fresh`
  LogSegment fresh;               // the others; the writer appends to that of the last frame
  std::uint64_t gifts = 0;        // of frames that ended: `fresh` may have twins
  bool has_later_arrays = false;  // there may be entries of arrays that were made since
};

}  // namespace hdb::detail
