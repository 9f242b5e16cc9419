// What the writer logs and readers find, and restores.
#include "core/arrays/undo_log.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "base/asymmetric_fence.hpp"
#include "core/arrays/array_core.hpp"
#include "core/arrays/log_segment.hpp"
#include "core/arrays/this_thread.hpp"
#include "hdb/assert.hpp"

namespace hdb::detail {

LogEntry& PastPage::entry_of(std::size_t block) const noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    if ((pieces_[i].blocks & block_bit(block)) != 0) return *pieces_[i].entry;
  }
  fatal("U3: a block that a capture sees is neither live nor in the log", __FILE__, __LINE__);
}

std::shared_ptr<UndoLog> make_undo_log() { return std::make_shared<UndoLog>(); }

// --- the writer

void UndoLog::append(ArrayCore& core, std::size_t page, std::uint64_t blocks, std::uint64_t stamp) {
  struct Writing {
    std::atomic<const void*>& thread;
    explicit Writing(std::atomic<const void*>& said) : thread(said) {
      thread.store(this_thread(), std::memory_order_relaxed);
    }
    ~Writing() { thread.store(nullptr, std::memory_order_release); }
  };
  for (;;) {
    {
      const Writing writing(writing_);
      light_fence();
      if (newest_end() == 0) return;  // the last capture ended a moment ago, and its chunks
      if (LogEntry* const entry = writer_.begin(core, page, blocks, stamp)) {
        core.copy_content(*entry);
        HDB_CAPTURE_STEP(publishes);
        return writer_.publish(*entry);
      }
    }
    const std::lock_guard lock(mutex_);
    if (frames_.empty()) return;
    writer_.add_chunk(core, blocks, frames_.back()->fresh.chunks, expected_bytes_ / 2);
  }
}

void UndoLog::pass_fence() noexcept { full_fence(); }

void UndoLog::wait_for(std::uint64_t page_key) const noexcept {
  constexpr int kSpins = 1000;
  full_fence();
  for (const Announcement* each = announcements_.load(std::memory_order_acquire); each != nullptr;
       each = each->next) {
    for (int spins = 0; each->page.load(std::memory_order_acquire) == page_key; ++spins) {
      HDB_REQUIRE(each->thread.load(std::memory_order_relaxed) != this_thread(),
                  kChangesWhatItReads);
      HDB_CAPTURE_STEP(waits);
      if (spins > kSpins) std::this_thread::yield();
    }
  }
}

// --- readers

Announcement& UndoLog::announce() noexcept {
  for (;;) {
    for (Announcement* each = announcements_.load(std::memory_order_acquire); each != nullptr;
         each = each->next) {
      if (each->is_taken.load(std::memory_order_relaxed) ||
          each->is_taken.exchange(true, std::memory_order_acquire)) {
        continue;
      }
      each->thread.store(this_thread(), std::memory_order_relaxed);
      return *each;
    }
    auto* const made = new (std::nothrow) Announcement;
    if (made == nullptr) {  // until another reader is done
      std::this_thread::yield();
      continue;
    }
    made->next = announcements_.load(std::memory_order_relaxed);
    while (!announcements_.compare_exchange_weak(made->next, made, std::memory_order_seq_cst)) {
    }
  }
}

void UndoLog::note_reading() noexcept {
  full_fence();
  if (is_read_.load(std::memory_order_relaxed)) return;
  is_read_.store(true, std::memory_order_relaxed);
  if (has_heavy_fence_) {
    heavy_fence();
  } else {
    full_fence();
  }
}

// With null: of any thread.
bool UndoLog::anyone_reads_log(const void* thread) const noexcept {
  for (const Announcement* each = announcements_.load(std::memory_order_acquire); each != nullptr;
       each = each->next) {
    if (each->reads_log.load(std::memory_order_acquire) &&
        (thread == nullptr || each->thread.load(std::memory_order_relaxed) == thread)) {
      return true;
    }
  }
  return false;
}

// Visits the segments from a frame on, oldest first, until `visit` gives false.
template <class Visit>
void UndoLog::for_each_since(std::uint64_t number, const Visit& visit) const {
  for (auto frame = frame_of(number); frame != frames_.end(); ++frame) {
    if (!visit((*frame)->kept) || !visit((*frame)->fresh)) return;
  }
}

// Not while a restore puts entries back, but for a thread that reads some: that one must finish.
std::unique_lock<std::mutex> UndoLog::lock_to_read() const noexcept {
  std::unique_lock lock(mutex_);
  while (is_truncating_ && !anyone_reads_log(this_thread())) {
    lock.unlock();
    HDB_CAPTURE_STEP(waits);
    std::this_thread::yield();
    lock.lock();
  }
  return lock;
}

void UndoLog::find(const ArrayCore& core, std::size_t page, std::uint64_t moment, PastPage& past,
                   Announcement* reader) noexcept {
  const auto lock = lock_to_read();
  past.clear();
  for_each_since(moment, [&](LogSegment& segment) {
    segment.for_each_of(core, page, [&past](LogEntry& entry) {
      past.add(entry);
      return past.blocks() != kAllBlocks;
    });
    return past.blocks() != kAllBlocks;
  });
  if (reader != nullptr && past.blocks() != 0)
    reader->reads_log.store(true, std::memory_order_release);
}

std::uint64_t UndoLog::find_stamp(const ArrayCore& core, std::size_t page,
                                  std::uint64_t moment) noexcept {
  const auto lock = lock_to_read();
  std::uint64_t stamp = core.word(page).epoch();
  for_each_since(moment, [&](LogSegment& segment) {
    bool is_found = false;
    segment.for_each_of(core, page, [&](const LogEntry& entry) {
      stamp = entry.stamp;
      is_found = true;
      return false;
    });
    return !is_found;
  });
  return stamp;
}

// --- restore

void UndoLog::abandon_restore() noexcept {
  restored_ = 0;
  staged_.reset();
  has_staged_.store(false, std::memory_order_release);
}

std::uint64_t UndoLog::begin_epoch() noexcept {
  const std::lock_guard lock(mutex_);
  return next_epoch();
}

void UndoLog::prepare_restore(const Moment& moment) {
  abandon_restore();
  struct Past {
    LogEntry* entry;
    std::uint64_t blocks;
  };
  std::vector<Past> pasts;
  // Entries stay while this is announced.
  struct Reading {
    Announcement* announcement = nullptr;
    ~Reading() {
      if (announcement == nullptr) return;
      announcement->reads_log.store(false, std::memory_order_release);
      announcement->is_taken.store(false, std::memory_order_release);
    }
  } reading;
  {
    const std::lock_guard lock(mutex_);
    HDB_REQUIRE(frame_of(moment.number()) != frames_.end(), "U3: a capture's frame is lost");
    if (frames_.back()->number == moment.number()) {
      restored_ = moment.number();
      return;
    }
    LogSegment seen(*pool_);
    for_each_since(moment.number(), [&](const LogSegment& segment) {
      segment.chunks.for_each([&](LogEntry& entry) {
        if (entry.core->created_ > moment.number() || entry.core->retired_ != 0) return;
        const LoggedPage* const known = seen.find(*entry.core, entry.page);
        const std::uint64_t blocks = entry.blocks & ~(known == nullptr ? 0 : known->blocks);
        if (blocks != 0) pasts.push_back({&entry, blocks});
        seen.index_entry(entry);
      });
      return true;
    });
    reading.announcement = &announce();
    reading.announcement->reads_log.store(true, std::memory_order_release);
  }
  auto staged = std::make_unique<ChunkList>(*pool_);
  has_staged_.store(true, std::memory_order_release);
  LogWriter writer;
  for (const Past& past : pasts) {
    LogEntry& copy =
        writer.begin(*past.entry->core, past.entry->page, past.blocks, past.entry->stamp, *staged);
    ArrayCore::copy_content(*past.entry, copy);
    writer.publish(copy);
  }
  for (const Past& past : pasts) past.entry->core->own(past.entry->page, past.blocks);
  staged_ = std::move(staged);
  restored_ = moment.number();
}

void UndoLog::commit_restore() noexcept {
  HDB_ASSERT(restored_ != 0, "prepare_restore comes before commit_restore");
  if (staged_ == nullptr) {
    put_back_newest();
  } else {
    staged_->for_each([](LogEntry& entry) { entry.core->put_back(entry, entry.blocks); });
  }
  abandon_restore();
}

void UndoLog::put_back_newest() noexcept {
  std::unique_lock lock(mutex_);
  is_truncating_ = true;
  while (anyone_reads_log(nullptr)) {
    HDB_REQUIRE(!anyone_reads_log(this_thread()), kChangesWhatItReads);
    lock.unlock();
    HDB_CAPTURE_STEP(waits);
    std::this_thread::yield();
    lock.lock();
  }
  Frame& frame = *frames_.back();
  HDB_ASSERT(frame.number == restored_, "no capture comes between prepare and commit");
  // The oldest entry of a block is the first: what this restore has put back is marked by an epoch
  // of its own. The first entry of each page has the stamp that it gets back.
  const std::uint64_t restoring = next_epoch();
  lock.unlock();  // what follows calls the program; nobody else touches the frame
  LogEntry* firsts = nullptr;
  for (const LogSegment* const segment : {&frame.kept, &frame.fresh}) {
    segment->chunks.for_each([&](LogEntry& entry) {
      if (entry.core->created_ > frame.number) return;
      PageWord& word = entry.core->word(entry.page);
      const bool is_first = word.epoch() != restoring;
      const std::uint64_t owned = is_first ? 0 : word.owned();
      const std::uint64_t blocks = entry.blocks & ~owned;
      if (blocks == 0) return;
      if (entry.core->plain_entry_bytes_ == entry.bytes) {
        const std::size_t index = (std::size_t{entry.page} << kBlocksShift) + block_index(blocks);
        const std::size_t bytes = entry.core->geometry_.block_bytes;
        copy_short_block(entry.core->data() + index * bytes,
                         reinterpret_cast<const std::byte*>(&entry + 1), bytes);
      } else {
        entry.core->put_back(entry, blocks);
      }
      word.set(restoring, owned | blocks, 0);
      if (!is_first) return;
      entry.next_first = firsts;
      firsts = &entry;
    });
  }
  for (; firsts != nullptr; firsts = firsts->next_first) {
    firsts->core->word(firsts->page).set(firsts->stamp, 0, 0);
  }
  frame.kept = LogSegment(*pool_);
  frame.fresh = LogSegment(*pool_);
  frame.gifts = 0;
  writer_.reset();
  lock.lock();
  next_epoch();
  is_truncating_ = false;
}

}  // namespace hdb::detail
