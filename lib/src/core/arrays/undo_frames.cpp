// Opening and ending captures: their frames of the log, and arrays that only they need.
#include <algorithm>
#include <thread>
#include <utility>

#include "base/asymmetric_fence.hpp"
#include "core/arrays/array_core.hpp"
#include "core/arrays/log_segment.hpp"
#include "core/arrays/this_thread.hpp"
#include "core/arrays/undo_log.hpp"
#include "hdb/assert.hpp"

namespace hdb::detail {

Moment::~Moment() { log_->close(number_); }

UndoLog::UndoLog(std::shared_ptr<PagePool> pool)
    : has_heavy_fence_(has_heavy_fence()), pool_(std::move(pool)) {}

UndoLog::~UndoLog() {
  HDB_ASSERT(frames_.empty(), "U3: the captures of a log have ended");
  abandon_restore();
  destroy_unneeded(0);
  Announcement* announcement = announcements_.load();
  while (announcement != nullptr) delete std::exchange(announcement, announcement->next);
}

// --- captures

std::shared_ptr<const Moment> UndoLog::open() {
  auto moment = std::make_shared<const Moment>(shared_from_this(), epoch());
  auto frame = std::make_unique<Frame>(*pool_, epoch());
  {
    const std::lock_guard lock(mutex_);
    if (!frames_.empty()) expected_bytes_ = frames_.back()->fresh.chunks.bytes();
    frames_.push_back(std::move(frame));
    newest_end_.store(next_epoch(), std::memory_order_release);
  }
  writer_.reset();
  if (is_read_.load(std::memory_order_relaxed)) {
    is_read_.store(false, std::memory_order_relaxed);
    full_fence();
    for (const Announcement* each = announcements_.load(std::memory_order_acquire); each != nullptr;
         each = each->next) {
      // What was read of pages that are withdrawn happens before what is written from now on.
      if (each->page.load(std::memory_order_acquire) != 0)
        is_read_.store(true, std::memory_order_relaxed);
    }
  }
  return moment;
}

UndoLog::Frames::const_iterator UndoLog::frame_of(std::uint64_t number) const noexcept {
  return std::lower_bound(frames_.begin(), frames_.end(), number,
                          [](const std::unique_ptr<Frame>& frame, std::uint64_t wanted) {
                            return frame->number < wanted;
                          });
}

std::size_t UndoLog::count_later(const Moment& moment) const noexcept {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(frames_.end() - frame_of(moment.number() + 1));
}

void UndoLog::close(std::uint64_t number) noexcept {
  std::unique_ptr<Frame> closed;
  bool was_last = false;
  bool has_entries = false;
  bool has_retired = false;
  {
    const std::lock_guard lock(mutex_);
    const auto at = frames_.begin() + (frame_of(number) - frames_.begin());
    if (at == frames_.end() || (*at)->number != number) return;  // opening it failed
    closed = std::move(*at);
    const auto next = frames_.erase(at);
    newest_end_.store(frames_.empty() ? 0 : frames_.back()->number + 1, std::memory_order_release);
    if (closed->has_later_arrays) --later_frames_;
    if (next != frames_.begin()) give_to_older(**std::prev(next), *closed);
    was_last = frames_.empty() && closed->fresh.chunks.first() != nullptr;
    has_entries = closed->kept.chunks.first() != nullptr || closed->fresh.chunks.first() != nullptr;
    if (has_entries) ++ending_frames_;
    has_retired = retired_ != nullptr;
  }
  if (was_last) wait_for_writer();
  closed.reset();  // without the mutex: that calls the program
  if (has_entries) {
    const std::lock_guard lock(mutex_);
    --ending_frames_;
    has_retired = retired_ != nullptr;
  }
  if (has_retired) destroy_unneeded(number);
}

void UndoLog::wait_for_writer() const noexcept {
  if (has_heavy_fence_) {
    heavy_fence();
  } else {
    full_fence();
  }
  while (const void* const thread = writing_.load(std::memory_order_acquire)) {
    HDB_REQUIRE(thread != this_thread(), kChangesWhatItReads);
    std::this_thread::yield();
  }
}

// Twins are dropped when they may be many, but not when a frame is given another's entries for the
// first time: so captures that end one after another, the newest first, look at no entry again and
// again.
void UndoLog::give_to_older(Frame& older, Frame& closed) noexcept {
  constexpr std::size_t kMany = std::size_t{256} << 10;
  constexpr std::size_t kShellBytes = 2048;  // of an array without its elements
  const bool is_newest = frames_.back().get() == &older;
  if (!std::exchange(older.has_later_arrays, true)) ++later_frames_;
  if (older.gifts++ == 0) std::swap(older.kept, older.fresh);
  older.fresh.append(std::move(closed.kept));
  older.fresh.append(std::move(closed.fresh));
  const std::size_t bytes = older.fresh.chunks.bytes() + shells_ * kShellBytes;
  if (older.gifts < 2 || bytes <= kMany || anyone_reads_log(nullptr)) return;
#if defined(__cpp_exceptions)
  try {
    closed.fresh = drop_twins(older, is_newest);
  } catch (...) {  // no memory: another time
  }
#else
  closed.fresh = drop_twins(older, is_newest);
#endif
}

// Of the entries in `fresh`, those of blocks that the capture sees and `kept` does not have move
// there. The writer may be writing to the last chunk of the newest frame: that stays. Returns the
// others, for the caller to end without the mutex: that calls the program.
LogSegment UndoLog::drop_twins(Frame& frame, bool is_newest) {
  ChunkList last(*pool_);
  if (is_newest) {
    ChunkList sealed = frame.fresh.chunks.take_sealed();
    last = std::exchange(frame.fresh.chunks, std::move(sealed));
  }
  LogWriter writer(frame.kept.chunks.last());
  frame.fresh.chunks.for_each([&](LogEntry& entry) {
    if (entry.core->created_ > frame.number) return;
    const LoggedPage* const known = frame.kept.find(*entry.core, entry.page);
    const std::uint64_t blocks = entry.blocks & ~(known == nullptr ? 0 : known->blocks);
    if (blocks == 0) return;
    LogEntry& moved = writer.begin(*entry.core, entry.page, blocks, entry.stamp, frame.kept.chunks);
    ArrayCore::move_content(entry, moved);
    writer.publish(moved);
  });
  LogSegment twins = std::exchange(frame.fresh, LogSegment(*pool_));
  LogSegment rest(*pool_);
  rest.chunks = std::move(last);
  frame.fresh.append(std::move(rest));
  if (!is_newest) {  // to the newest one the writer may add such entries
    frame.has_later_arrays = false;
    --later_frames_;
    is_delayed_ = true;
  }
  return twins;
}

std::size_t UndoLog::bytes_between(const Moment& begin, const Moment& end) const noexcept {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (auto frame = frame_of(begin.number()); frame != frame_of(end.number()); ++frame)
    bytes += (*frame)->kept.chunks.used_bytes() + (*frame)->fresh.chunks.used_bytes();
  for (const ArrayCore* core = retired_.get(); core != nullptr; core = core->next_retired_.get()) {
    if (core->retired_ > begin.number() && core->retired_ <= end.number())
      bytes += core->capacity() * core->geometry().stride();
  }
  return bytes;
}

std::size_t UndoLog::logged_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& frame : frames_) {
    bytes += frame->kept.chunks.used_bytes() + frame->fresh.chunks.used_bytes();
  }
  return bytes;
}

std::size_t UndoLog::retired_count() const noexcept {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const ArrayCore* core = retired_.get(); core != nullptr; core = core->next_retired_.get())
    ++count;
  return count;
}

bool UndoLog::check() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t last = 0;
  std::size_t later = 0;
  for (const auto& frame : frames_) {
    if (frame->number <= last || frame->number >= epoch()) return false;
    last = frame->number;
    later += frame->has_later_arrays ? 1 : 0;
    LogSegment found(*pool_);
    bool is_sound = true;
    for (const LogSegment* const segment : {&frame->kept, &frame->fresh}) {
      segment->chunks.for_each([&](LogEntry& entry) {
        is_sound = is_sound && (frame->has_later_arrays || entry.core->created_ <= last);
        if (segment == &frame->fresh) return;
        const LoggedPage* const known = found.find(*entry.core, entry.page);
        is_sound = is_sound && (known == nullptr || (known->blocks & entry.blocks) == 0);
        found.index_entry(entry);
      });
    }
    if (!is_sound) return false;
  }
  return newest_end() == (frames_.empty() ? 0 : last + 1) && later == later_frames_;
}

// --- arrays that no table uses any more

// An array that no open capture sees lets go of its elements; the rest stays while the log may
// have entries of it.
void UndoLog::retire(std::unique_ptr<ArrayCore> core) noexcept {
  if (!core->is_seen() && !core->was_logged_) return;  // most of them: made for a load or a fork
  {
    const std::lock_guard lock(mutex_);
    core->retired_ = epoch();
    if (is_seen(*core)) return keep_retired(std::move(core));
  }
  core->release_elements();  // without the mutex: that calls the program
  const std::lock_guard lock(mutex_);
  if (is_logged(*core)) keep_retired(std::move(core));
}

// The last one that was retired comes first.
void UndoLog::keep_retired(std::unique_ptr<ArrayCore> core) noexcept {
  is_delayed_ = is_delayed_ || ends_entries();
  std::unique_ptr<ArrayCore>* at = &retired_;
  if (core->data() == nullptr) ++shells_;
  while (*at != nullptr && (*at)->retired_ > core->retired_) at = &(*at)->next_retired_;
  core->next_retired_ = std::move(*at);
  *at = std::move(core);
}

void UndoLog::destroy_unneeded(std::uint64_t retired_after) noexcept {
  for (;;) {
    std::unique_ptr<ArrayCore> unseen;
    {
      const std::lock_guard lock(mutex_);
      if (is_delayed_) retired_after = 0;
      std::unique_ptr<ArrayCore>* at = &retired_;
      while (*at != nullptr && (*at)->retired_ > retired_after &&
             (is_seen(**at) || ((*at)->data() == nullptr && is_logged(**at))))
        at = &(*at)->next_retired_;
      if (*at == nullptr || (*at)->retired_ <= retired_after) {
        is_delayed_ = ends_entries() && retired_ != nullptr;
        return;
      }
      unseen = std::exchange(*at, std::move((*at)->next_retired_));
      if (unseen->data() == nullptr) --shells_;
    }
    unseen->release_elements();  // as in retire
    const std::lock_guard lock(mutex_);
    if (is_logged(*unseen)) keep_retired(std::move(unseen));
  }
}

bool UndoLog::is_seen(const ArrayCore& core) const noexcept {
  const auto first = frame_of(core.created_);
  return first != frames_.end() && (*first)->number < core.retired_;
}

bool UndoLog::is_logged(const ArrayCore& core) const noexcept {
  if (!core.was_logged_) return false;
  if (ends_entries() || is_seen(core)) return true;
  const auto seen = frame_of(core.created_);
  return later_frames_ != 0 && std::any_of(frames_.begin(), seen,
                                           [](const auto& each) { return each->has_later_arrays; });
}

}  // namespace hdb::detail
