// The captures that are open over the arrays of one table, and the old content of pages that they
// still need.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "hdb/detail/core/arrays/page_pool.hpp"

namespace hdb::detail {

class ArrayCore;
class Captures;

/// What a page held before it was written: a copy that captures read. It lies at the end of the
/// copy's memory.
struct PageVersion {
  PageVersion* newer = nullptr;  // of the same page
  PageVersion* older = nullptr;
  PageVersion* next = nullptr;  // with the same newest capture
  ArrayCore* core = nullptr;
  std::byte* data = nullptr;
  std::size_t capacity = 0;  // elements
  std::size_t page = 0;
  std::uint64_t since = 0;  // the captures from this number on see it, until the newest that does
  std::uint64_t stamp = 0;
};

/// One open capture. Its copies end with it, unless an older capture sees them too.
class Moment {
 public:
  Moment(std::shared_ptr<Captures> captures, std::uint64_t number) noexcept
      : captures_(std::move(captures)), number_(number) {}
  ~Moment();
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;

  [[nodiscard]] Captures& captures() const noexcept { return *captures_; }
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

 private:
  std::shared_ptr<Captures> captures_;
  std::uint64_t number_;
};

/// Says that a thread reads a live page for a capture.
struct alignas(64) Announcement {
  std::atomic<std::uint64_t> page{0};  // ArrayCore::page_key; 0: none
  std::atomic<bool> is_taken{false};
  std::atomic<const void*> thread{nullptr};
  Announcement* next = nullptr;
};

#if defined(HDB_ENABLE_ASSERTS) && HDB_ENABLE_ASSERTS
/// The steps of readers and of the writer (see Captures), for tests that run them in every order.
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

/// Captures are numbered from 0. `now` is the number of the next one.
//
// Which content a capture sees. Each page of an array knows the number `written`: the value of
// `now` when it was last made writable. So the captures numbered `written` and above see the live
// page, those below see versions. The mutating thread makes a page private before it writes to it:
//
//   CA1 Between make_private(p) and the next capture, no open capture sees the live page p.
//   CA2 An open capture m sees a page in exactly one place: live, if written <= m; else in the
//       newest version of the page with since <= m.
//   CA3 Each version is in the list of the newest open capture that sees it. A capture that ends
//       passes the version on to the next older one, if that sees it; else the version ends.
//
// Readers on other threads. A page p of the live array is read by any number of threads while one
// thread may want to write to it. All operations here are sequentially consistent.
//
//   reader  announces: announcement = p    writer  copies p (both sides only read it)
//           checks: loads `written`                links the version, under the mutex
//           reads: if it is <= m, the live         publishes: written = now
//             page; else withdraws and reads       looks for p among the announcements, and
//             the version                            waits while it is there
//           withdraws: announcement = 0            writes to p
//
//   No torn read: "announces" precedes "checks", and "publishes" precedes "looks", in one total
//   order. If "checks" comes before "publishes", then "announces" comes before "looks", so the
//   writer waits until "withdraws"; that is a release and "looks" an acquire, so all of "reads"
//   happens before "writes". If "checks" comes after "publishes", the reader sees `written` > m and
//   reads the version, which was linked before. The states of the pages may move when the array
//   grows: the old ones stay, and a reader that found the old ones did so before the writer stored
//   the new address, hence before "publishes", hence the first case. The elements move only when
//   all pages are private, so nobody reads them.
//   No starvation: a writer waits only for readers that announced p before it looked, each for as
//   long as it reads one page. A reader never waits for a writer, only for the mutex, which is held
//   for a few list operations.
class Captures : public std::enable_shared_from_this<Captures> {
 public:
  // Both need the complete ArrayCore: in C++23 a constructor is constexpr where it can be.
  explicit Captures(std::shared_ptr<PagePool> pool) noexcept;
  ~Captures();
  Captures(const Captures&) = delete;
  Captures& operator=(const Captures&) = delete;

  [[nodiscard]] PagePool& pool() const noexcept { return *pool_; }
  [[nodiscard]] const std::shared_ptr<PagePool>& shared_pool() const noexcept { return pool_; }
  /// Mutating thread only.
  [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
  /// How many pages of all arrays are not private: 0 in a table that was never captured, or was all
  /// written since. Then no page need be looked at before a write. Mutating thread only.
  [[nodiscard]] std::size_t shared_pages() const noexcept { return shared_pages_; }
  void add_shared_pages(std::size_t count) noexcept { shared_pages_ += count; }
  /// Opens a capture. The arrays must then forget which pages are private (C1).
  [[nodiscard]] std::shared_ptr<const Moment> open();
  /// Whether an open capture sees a live page with this `written`, or did a moment ago.
  [[nodiscard]] bool is_shared(std::uint64_t written) const noexcept {
    return newest_.load(std::memory_order_acquire) > written;
  }

 private:
  friend class ArrayCore;
  friend class Moment;
  friend class PagePin;
  struct Open {
    std::uint64_t number;
    PageVersion* versions;
  };

  void close(std::uint64_t number) noexcept;
  /// Ends the versions of a list that no capture older than `number` sees.
  void pass_on(std::uint64_t number, PageVersion* versions) noexcept;
  /// Takes an array that no table uses any more; destroys it when no capture needs it.
  void retire(std::unique_ptr<ArrayCore> core) noexcept;
  void destroy_unneeded() noexcept;
  [[nodiscard]] std::unique_ptr<ArrayCore> take_unneeded() noexcept;
  [[nodiscard]] bool is_needed(const ArrayCore& core) const noexcept;  // under the mutex
  [[nodiscard]] Announcement& announce() noexcept;
  void wait_for_readers(std::uint64_t page_key) const noexcept;

  std::shared_ptr<PagePool> pool_;
  mutable std::mutex mutex_;  // guards open_, retired_ and the versions of all arrays
  std::vector<Open> open_;    // rising
  std::unique_ptr<ArrayCore> retired_;
  std::uint64_t now_ = 0;
  std::size_t shared_pages_ = 0;
  std::atomic<std::uint64_t> newest_{0};  // one above the number of the newest open capture
  std::uint32_t next_core_ = 0;
  std::atomic<Announcement*> announcements_{nullptr};
};

}  // namespace hdb::detail
