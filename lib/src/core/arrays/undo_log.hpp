// The captures that are open over some arrays, and the log of what blocks held before they were
// written: what captures see, and what a restore brings back.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/arrays/log_chunks.hpp"
#include "core/arrays/page_pool.hpp"
#include "hdb/detail/core/arrays/log_state.hpp"
#include "hdb/detail/core/arrays/page_geometry.hpp"

namespace hdb::detail {

class ArrayCore;
class LogSegment;
class UndoLog;

/// One open capture. What only it needs of the log ends with it.
class Moment {
 public:
  Moment(std::shared_ptr<UndoLog> log, std::uint64_t number) noexcept
      : log_(std::move(log)), number_(number) {}
  ~Moment();
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;

  [[nodiscard]] UndoLog& log() const noexcept { return *log_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

 private:
  std::shared_ptr<UndoLog> log_;
  std::uint64_t number_;
};

/// Says that a thread reads a page for a capture.
struct alignas(64) Announcement {
  std::atomic<std::uint64_t> page{0};  // ArrayCore::page_key, of a live page; 0: none
  std::atomic<bool> reads_log{false};  // and entries of the log
  std::atomic<bool> is_taken{false};
  std::atomic<const void*> thread{nullptr};
  Announcement* next = nullptr;
};

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
/// The steps of readers and of the writer (see UndoLog), for tests that run them in every order.
enum class CaptureStep : std::uint8_t { announces, checks, withdraws, publishes, looks, waits };
inline std::atomic<void (*)(CaptureStep)> capture_step_hook{nullptr};
/// Called before each step.
inline void capture_step(CaptureStep step) {
  if (auto* const hook = capture_step_hook.load(std::memory_order_relaxed)) hook(step);
}
#define HDB_CAPTURE_STEP(step) ::hdb::detail::capture_step(::hdb::detail::CaptureStep::step)
#else
#define HDB_CAPTURE_STEP(step) static_cast<void>(0)
#endif

/// What a capture sees of a page in the log instead of in the array.
class PastPage {
 public:
  /// Those that are in the log.
  [[nodiscard]] std::uint64_t blocks() const noexcept { return blocks_; }
  void clear() noexcept {
    blocks_ = 0;
    count_ = 0;
  }
  /// Adds an entry that is newer than those before.
  void add(LogEntry& entry) noexcept {
    const std::uint64_t blocks = entry.blocks & ~blocks_;
    if (blocks == 0) return;
    pieces_[count_++] = {blocks, &entry};
    blocks_ |= blocks;
  }
  [[nodiscard]] const std::byte* content_of(std::size_t block) const noexcept {
    return entry_of(block).content_of(block);
  }
  /// Of elements that are not trivial: whether it was constructed.
  [[nodiscard]] bool has_element(std::size_t block) const noexcept {
    return (entry_of(block).constructed() & (std::uint64_t{1} << block)) != 0;
  }

 private:
  struct Piece {
    std::uint64_t blocks;
    LogEntry* entry;
  };

  [[nodiscard]] LogEntry& entry_of(std::size_t block) const noexcept;

  std::uint64_t blocks_ = 0;
  std::size_t count_ = 0;
  Piece pieces_[64];  // each has a block that no other has
};

/// Epochs are numbered from 1; a capture ends one and has its number. So a capture sees all writes
/// of epochs up to its number.
//
//   U1  The live element i lies at data + i * stride, always.
//   U2  A page knows the epoch of its last write, and which of its blocks are *owned*: no open
//       capture needs what they hold now. A block is written only when it is owned in the epoch of
//       now. To own it, the writer appends what it holds to the log, unless no capture is open.
//   U3  A frame of the log belongs to an open capture: it has what was appended until the next
//       open one. A capture sees a block as the oldest entry from its own frame on that has it,
//       else live.
//   U4  A capture that ends gives its frame to the next older one, where entries for blocks that
//       are there already, or that it does not see, are dropped; the frame of the oldest ends.
//   U5  Neither a capture nor a restore visits an array that was not written (T6).
//
// A restore to the newest open capture puts the oldest entry of each block in its frame back and
// ends these: then the live content is what the capture sees, for it and all older ones. A restore
// to an older one first owns the blocks that it will write, for the newer captures.
//
// Readers on other threads. A page p of the live array is read by any number of threads while one
// thread may want to write to it. "Publishes" is two stores, of the entry and of the page's epoch.
//
//   reader  announces: announcement = p     writer  appends an entry (both sides only read)
//           checks: loads the epoch of p            publishes the entry and the epoch of p
//           reads: if it is <= the capture,         looks for p among the announcements, and
//             the live page; else it finds            waits while it is there
//             the entries, under the mutex,         writes to p
//             and reads other blocks live
//           withdraws: announcement = 0
//
//   No torn read: "announces" precedes "checks", and "publishes" precedes "looks", in one total
//   order. If "checks" comes before "publishes", then "announces" comes before "looks", so the
//   writer waits until "withdraws"; that is a release and "looks" an acquire, so all of "reads"
//   happens before "writes". If "checks" comes after "publishes", the reader finds the entry. What
//   a page knows may move when the array grows: the old words stay, and a reader that found the old
//   ones did so before the writer stored the new address, hence before "publishes", hence the first
//   case. The elements move only when all blocks are owned, so nobody reads them.
//   The total order costs a writer a fence for each block. It is left out while nobody reads: a
//   reader that finds `is_read_` false sets it and makes the writer's thread pass a fence
//   (base/asymmetric_fence.hpp). A writer that saw false before that fence published before it, so
//   "checks" comes after. A capture resets it unless an announcement is there.
//   Entries end (U4, a restore) only while no announcement says `reads_log`, which readers set
//   under the mutex. Those of the last capture end when the writer, who says `writing_` and then
//   looks whether a capture is open, is not amid an entry.
//   No starvation: a writer waits only for readers that announced p before it looked, each for as
//   long as it reads one page; a restore to the newest capture also for those that read the log,
//   while others may not begin to. A reader waits for a restore, and else only for the mutex, which
//   is held for a few list operations.
class UndoLog : public LogState, public std::enable_shared_from_this<UndoLog> {
 public:
  // Both need the complete ArrayCore: in C++23 a constructor is constexpr where it can be.
  explicit UndoLog(std::shared_ptr<PagePool> pool = std::make_shared<PagePool>());
  ~UndoLog();
  UndoLog(const UndoLog&) = delete;
  UndoLog& operator=(const UndoLog&) = delete;

  [[nodiscard]] PagePool& pool() const noexcept { return *pool_; }

  // The mutating thread:

  /// Opens a capture.
  [[nodiscard]] std::shared_ptr<const Moment> open();
  /// Begins an epoch without a capture: what is written from now on can be seen by epochs.
  std::uint64_t begin_epoch() noexcept;
  /// Epochs from this number on are after the newest open capture; 0: none is open.
  [[nodiscard]] std::uint64_t newest_end() const noexcept {
    return newest_end_.load(std::memory_order_acquire);
  }
  /// Appends what blocks of a page hold. Errors: out_of_memory(), or what a copy constructor
  /// throws; then nothing has changed.
  void append(ArrayCore& core, std::size_t page, std::uint64_t blocks, std::uint64_t stamp);
  /// Begins an entry of one block of plain bytes, `bytes` long, whose content the caller copies
  /// before end_plain; null where append must do it. Calls nothing, and so is fast.
  [[nodiscard]] LogEntry* begin_plain(ArrayCore& core, std::size_t page, std::uint64_t block,
                                      std::uint64_t stamp, std::size_t bytes) noexcept {
    if (!has_heavy_fence_) return nullptr;
    writing_.store(this, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // light_fence
    LogEntry* const entry =
        newest_end() == 0 ? nullptr : writer_.begin_one(core, page, block, stamp, bytes);
    if (entry == nullptr) writing_.store(nullptr, std::memory_order_release);
    return entry;
  }
  void end_plain(const LogEntry& entry) noexcept {
    HDB_CAPTURE_STEP(publishes);
    writer_.publish(entry);
    writing_.store(nullptr, std::memory_order_release);
  }
  /// Waits while another thread reads the page.
  void wait_for_readers(std::uint64_t page_key) const noexcept {
    light_fence();
    HDB_CAPTURE_STEP(looks);
    if (is_read_.load(std::memory_order_relaxed)) [[unlikely]]
      wait_for(page_key);
  }
  /// Prepares to bring back what a capture sees of all arrays. Content stays the same until
  /// commit_restore, which must come before any change. Errors: as append.
  void prepare_restore(const Moment& moment);
  void commit_restore() noexcept;
  void abandon_restore() noexcept;

  /// Whether a restore puts records back, which may call the program.
  [[nodiscard]] bool is_restoring() const noexcept { return is_restoring_; }
  void set_restoring(bool restoring) noexcept { is_restoring_ = restoring; }

  // Any thread:

  /// How many captures are open that were opened after `moment`.
  [[nodiscard]] std::size_t count_later(const Moment& moment) const noexcept;

  /// What the capture `moment` does not see live of a page. With `reader`, entries stay until it
  /// withdraws.
  void find(const ArrayCore& core, std::size_t page, std::uint64_t moment, PastPage& past,
            Announcement* reader) noexcept;
  /// The stamp of a page that was written after the capture.
  [[nodiscard]] std::uint64_t find_stamp(const ArrayCore& core, std::size_t page,
                                         std::uint64_t moment) noexcept;
  [[nodiscard]] Announcement& announce() noexcept;
  /// After an announcement, before the check.
  void note_reading() noexcept;
  /// What is kept for captures before `end`, another one, from `begin` on: entries, and arrays that
  /// no table uses any more, in bytes. Complexity: linear in their chunks and in all such arrays.
  [[nodiscard]] std::size_t bytes_between(const Moment& begin, const Moment& end) const noexcept;
  /// Memory of all entries, in bytes.
  [[nodiscard]] std::size_t logged_bytes() const noexcept;
  /// Arrays that no table uses any more, but captures or entries. Complexity: linear in them.
  [[nodiscard]] std::size_t retired_count() const noexcept;
  /// U3, as far as it can be seen. Complexity: linear in the entries.
  [[nodiscard]] bool check() const;

 private:
  friend class ArrayCore;
  friend class Moment;
  struct Frame;  // core/arrays/log_segment.hpp
  using Frames = std::vector<std::unique_ptr<Frame>>;

  std::uint64_t next_epoch() noexcept {
    whole_mark_ = detail::whole_mark(epoch() + 1);
    return epoch();
  }
  void close(std::uint64_t number) noexcept;
  void wait_for_writer() const noexcept;
  void wait_for(std::uint64_t page_key) const noexcept;
  // The writer's side of heavy_fence.
  void light_fence() const noexcept {
    if (has_heavy_fence_) [[likely]] {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      pass_fence();
    }
  }
  static void pass_fence() noexcept;
  void give_to_older(Frame& older, Frame& closed) noexcept;
  [[nodiscard]] LogSegment drop_twins(Frame& frame, bool is_newest);
  [[nodiscard]] Frames::const_iterator frame_of(std::uint64_t number) const noexcept;
  template <class Visit>
  void for_each_since(std::uint64_t number, const Visit& visit) const;
  [[nodiscard]] std::unique_lock<std::mutex> lock_to_read() const noexcept;
  void put_back_newest() noexcept;
  [[nodiscard]] bool anyone_reads_log(const void* thread) const noexcept;
  /// Takes an array that no table uses any more; destroys it when no capture needs it.
  void retire(std::unique_ptr<ArrayCore> core) noexcept;
  // Looks at the arrays that were retired after an epoch: only they may be unneeded because the
  // capture of this number ended.
  void destroy_unneeded(std::uint64_t retired_after) noexcept;
  void keep_retired(std::unique_ptr<ArrayCore> core) noexcept;
  // Whether there are entries that are in no frame: they end soon.
  [[nodiscard]] bool ends_entries() const noexcept {
    return has_staged_.load(std::memory_order_acquire) || ending_frames_ != 0;
  }
  // Of a retired array, under the mutex: whether an open capture sees it, and whether the log may
  // have entries of it.
  [[nodiscard]] bool is_seen(const ArrayCore& core) const noexcept;
  [[nodiscard]] bool is_logged(const ArrayCore& core) const noexcept;

  // Written under the mutex, by the mutating thread.
  std::atomic<std::uint64_t> newest_end_{0};
  std::atomic<bool> is_read_{false};
  const bool has_heavy_fence_;
  std::atomic<Announcement*> announcements_{nullptr};
  std::atomic<const void*> writing_{nullptr};  // the thread that writes to the last chunk
  LogWriter writer_;
  std::size_t expected_bytes_ = 0;  // of a frame, as the one before had them
  std::shared_ptr<PagePool> pool_;
  mutable std::mutex mutex_;  // guards frames_, their lists and indexes, and retired_
  Frames frames_;             // rising
  bool is_restoring_ = false;
  bool is_truncating_ = false;          // a restore waits for readers of the log
  std::unique_ptr<ArrayCore> retired_;  // the last one first
  bool is_delayed_ = false;             // some may be unneeded as soon as ends_entries() is false
  std::size_t ending_frames_ = 0;       // left frames_, but their entries are there; guarded, too
  std::size_t later_frames_ = 0;        // with Frame::has_later_arrays
  std::size_t shells_ = 0;              // retired arrays without elements, for their entries
  // Prepared for commit_restore:
  std::uint64_t restored_ = 0;
  std::unique_ptr<ChunkList> staged_;  // null: the newest capture is restored
  std::atomic<bool> has_staged_{false};
};

}  // namespace hdb::detail
