// Workers that claim numbers in rising order and wait when they would run too far ahead.
//
//   OW1 consumed_ <= index < consumed_ + slots for every claimed index, so no two claimed indexes
//       share a slot.
//   OW2 The worker that claimed `consumed_` is running: a waiting worker never waits for one that
//       has not begun.
#include "base/ordered_work.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <vector>

#include "base/parallel.hpp"

namespace hdb {
namespace {

class Run {
 public:
  explicit Run(const OrderedWork& work) : work_(work), ready_(work.slots, false) {}

  // One worker's life. Never throws: what is thrown is kept for the calling thread.
  void work(unsigned worker) noexcept {
    std::uint64_t index = 0;
    while (claim(index)) {
      const std::size_t slot = static_cast<std::size_t>(index % work_.slots);
      guarded(index, [&] { return work_.produce(worker, index, slot); });
      hand_over(slot);
    }
  }

  Status result() {
    if (thrown_) std::rethrow_exception(thrown_);
    return std::move(status_);
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

  // Indexes are claimed in rising order and every claimed one is finished, so the lowest failure
  // is the same for any number of workers.
  template <class Call>
  void guarded(std::uint64_t index, const Call& call) noexcept {
    Status status;
    std::exception_ptr thrown;
    try {
      status = call();
      if (status) return;
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (index < failed_index_) {
      failed_index_ = index;
      status_ = std::move(status);
      thrown_ = std::move(thrown);
    }
    stopped_ = true;
    changed_.notify_all();
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
      if (work_.consume) guarded(index, [&] { return work_.consume(index, its_slot); });
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
  std::uint64_t failed_index_ = std::numeric_limits<std::uint64_t>::max();
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

}  // namespace hdb
