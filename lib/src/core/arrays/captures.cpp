// Opening and closing captures, and the versions that they pass on.
#include "hdb/detail/core/arrays/captures.hpp"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "hdb/assert.hpp"
#include "hdb/detail/core/arrays/array_core.hpp"

namespace hdb::detail {
namespace {

// How many versions are passed on before others get the mutex.
constexpr int kBatch = 64;

const void* this_thread() noexcept {
  static thread_local char marker;
  return &marker;
}

}  // namespace

Moment::~Moment() { captures_->close(number_); }

Captures::Captures(std::shared_ptr<PagePool> pool) noexcept : pool_(std::move(pool)) {}

Captures::~Captures() {
  HDB_ASSERT(open_.empty() && retired_ == nullptr, "CA3: the captures of a table have ended");
  Announcement* announcement = announcements_.load();
  while (announcement != nullptr) delete std::exchange(announcement, announcement->next);
}

std::shared_ptr<const Moment> Captures::open() {
  auto moment = std::make_shared<const Moment>(shared_from_this(), now_);
  const std::lock_guard lock(mutex_);
  open_.push_back({now_, nullptr});
  newest_.store(++now_, std::memory_order_release);
  return moment;
}

void Captures::close(std::uint64_t number) noexcept {
  PageVersion* versions = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto closed = std::find_if(open_.rbegin(), open_.rend(),
                                     [number](const Open& open) { return open.number == number; });
    if (closed == open_.rend()) return;  // opening it failed
    versions = closed->versions;
    open_.erase(std::next(closed).base());
    newest_.store(open_.empty() ? 0 : open_.back().number + 1, std::memory_order_release);
  }
  pass_on(number, versions);
  destroy_unneeded();
}

void Captures::pass_on(std::uint64_t number, PageVersion* versions) noexcept {
  while (versions != nullptr) {
    PageVersion* ended = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto end = std::lower_bound(
          open_.begin(), open_.end(), number,
          [](const Open& open, std::uint64_t wanted) { return open.number < wanted; });
      Open* const older = end == open_.begin() ? nullptr : &*std::prev(end);
      for (int i = 0; i < kBatch && versions != nullptr; ++i) {
        PageVersion* const version = std::exchange(versions, versions->next);
        if (older != nullptr && version->since <= older->number) {
          version->next = std::exchange(older->versions, version);
          continue;
        }
        PageVersion*& newer = version->newer == nullptr ? version->core->state(version->page).newest
                                                        : version->newer->older;
        newer = version->older;
        if (version->older != nullptr) version->older->newer = version->newer;
        version->next = std::exchange(ended, version);
      }
    }
    while (ended != nullptr) {
      PageVersion* const version = std::exchange(ended, ended->next);
      ArrayCore& core = *version->core;
      ArrayCore::destroy(*pool_, core.geometry(), version);
      const std::lock_guard lock(mutex_);
      --core.versions_;
    }
  }
}

bool Captures::is_needed(const ArrayCore& core) const noexcept {
  if (core.versions_ != 0) return true;
  const auto first =
      std::lower_bound(open_.begin(), open_.end(), core.created_,
                       [](const Open& open, std::uint64_t wanted) { return open.number < wanted; });
  return first != open_.end() && first->number < core.retired_;
}

void Captures::retire(std::unique_ptr<ArrayCore> core) noexcept {
  for (std::size_t page = 0; page < core->page_count(); ++page) {
    if (!is_shared(core->state(page).written.load(std::memory_order_relaxed)))
      core->destroy_elements(page);
  }
  {
    const std::lock_guard lock(mutex_);
    core->retired_ = now_;
    core->next_retired_ = std::move(retired_);
    retired_ = std::move(core);
  }
  destroy_unneeded();
}

std::unique_ptr<ArrayCore> Captures::take_unneeded() noexcept {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<ArrayCore>* at = &retired_;
  while (*at != nullptr && is_needed(**at)) at = &(*at)->next_retired_;
  std::unique_ptr<ArrayCore> unneeded = std::move(*at);
  if (unneeded != nullptr) *at = std::move(unneeded->next_retired_);
  return unneeded;
}

void Captures::destroy_unneeded() noexcept {
  while (const std::unique_ptr<ArrayCore> unneeded = take_unneeded()) {  // without the mutex
  }
}

Announcement& Captures::announce() noexcept {
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

void Captures::wait_for_readers(std::uint64_t page_key) const noexcept {
  constexpr int kSpins = 1000;
  HDB_CAPTURE_STEP(looks);
  for (const Announcement* each = announcements_.load(std::memory_order_seq_cst); each != nullptr;
       each = each->next) {
    for (int spins = 0; each->page.load(std::memory_order_seq_cst) == page_key; ++spins) {
      HDB_REQUIRE(each->thread.load(std::memory_order_relaxed) != this_thread(),
                  "a record is changed by code that hdb calls to read it (its serialize, its copy "
                  "constructor, or a visitor)");
      HDB_CAPTURE_STEP(waits);
      if (spins > kSpins) std::this_thread::yield();
    }
  }
}

}  // namespace hdb::detail
