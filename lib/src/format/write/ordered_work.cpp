// Workers that claim numbers in rising order and wait when they would run too far ahead.
//
//   OW1 consumed_ <= index < consumed_ + slots for every claimed index, so no two claimed indexes
//       share a slot.
//   OW2 The worker that claimed `consumed_` is running: a waiting worker never waits for one that
//       has not begun.
#include "format/write/ordered_work.hpp"
#include "hdb/detail/base/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <vector>

namespace hdb::format {
namespace {

class Run {
 public:
  explicit Run(const OrderedWork& work) : work_(work), ready_(work.slots, false) {}

  // One worker's life. Never throws: what is thrown is kept for the calling thread.
  void work(unsigned worker) noexcept {
    std::uint64_t index = 0;
    while (claim(index)) {
      const std::size_t slot = static_cast<std::size_t>(index % work_.slots);
      guarded([&] { return work_.produce(worker, index, slot); });
      hand_over(slot);
    }
  }

  Status result() {
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(status_);
  }

  void fail_with(std::exception_ptr thrown) noexcept {
    const std::lock_guard lock(mutex_);
    if (!stopped_) thrown_ = std::move(thrown);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  bool claim(std::uint64_t& index) noexcept {
    std::unique_lock lock(mutex_);
    changed_.wait(
        lock, [&] { return stopped_ || next_ == work_.total || next_ < consumed_ + work_.slots; });
    if (stopped_ || next_ == work_.total) return false;
    if (work_.cancel != nullptr && work_.cancel->load(std::memory_order_relaxed)) {
      stopped_ = true;
      cancelled_ = true;
      changed_.notify_all();
      return false;
    }
    index = next_++;
    return true;
  }

  template <class Call>
  void guarded(const Call& call) noexcept {
    try {
      Status status = call();
      if (status) return;
      const std::lock_guard lock(mutex_);
      if (!stopped_) status_ = std::move(status);
      stopped_ = true;
      changed_.notify_all();
    } catch (...) {
      fail_with(std::current_exception());
    }
  }

  // Consumes what is ready, unless another worker is at it: then that one will.
  void hand_over(std::size_t slot) noexcept {
    std::unique_lock lock(mutex_);
    ready_[slot] = true;
    if (consuming_) return;
    consuming_ = true;
    while (!stopped_ && consumed_ < next_ &&
           ready_[static_cast<std::size_t>(consumed_ % work_.slots)]) {
      const std::uint64_t index = consumed_;
      const auto its_slot = static_cast<std::size_t>(index % work_.slots);
      lock.unlock();
      guarded([&] { return work_.consume(index, its_slot); });
      lock.lock();
      ready_[its_slot] = false;
      ++consumed_;
      changed_.notify_all();
    }
    consuming_ = false;
  }

 public:
  [[nodiscard]] bool was_cancelled() const noexcept { return cancelled_; }

 private:
  const OrderedWork& work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> ready_;
  std::uint64_t next_ = 0;
  std::uint64_t consumed_ = 0;
  bool consuming_ = false;
  bool stopped_ = false;
  bool cancelled_ = false;
  Status status_;
  std::exception_ptr thrown_;
};

}  // namespace

Status OrderedWork::run() const {
  Run run(*this);
  run_parallel(std::max(workers, 1U), executor, [&run](unsigned worker) { run.work(worker); });
  if (run.was_cancelled()) return fail(ErrorCode::cancelled, "cancelled while encoding");
  return run.result();
}

}  // namespace hdb::format
