// Tasks on threads and executors: each runs once, and none of them outlives the call.
#include "base/parallel.hpp"

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace hdb {
namespace {

// What the functions that an executor holds share. They may be called after everything else is
// gone; then they do nothing.
class TaskCalls {
 public:
  TaskCalls(unsigned count, const std::function<void(unsigned)>& task)
      : task_(&task), taken_(count, false) {}

  // Runs a task unless it was taken before, or no more are wanted.
  void run(unsigned index) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (is_closed_ || index >= taken_.size() || taken_[index]) return;
      taken_[index] = true;
      ++taken_count_;
      ++running_;
    }
    std::exception_ptr thrown;
    try {
      (*task_)(index);
    } catch (...) {
      thrown = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    if (!first_thrown_) first_thrown_ = std::move(thrown);
    if (--running_ == 0) idle_.notify_all();
  }
  // Runs here what nobody took.
  void run_rest() noexcept {
    for (unsigned index = 0; index < taken_.size(); ++index) run(index);
  }
  // Returns when no task runs any more, and lets none begin.
  void close() noexcept {
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    idle_.wait(lock, [&] { return running_ == 0; });
  }
  [[nodiscard]] bool are_all_taken() noexcept {
    const std::lock_guard lock(mutex_);
    return taken_count_ == taken_.size();
  }
  // Requires: closed.
  void rethrow() const {
    if (first_thrown_) std::rethrow_exception(first_thrown_);
  }

 private:
  const std::function<void(unsigned)>* const task_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::vector<bool> taken_;  // by index; all of these: guarded by mutex_
  std::size_t taken_count_ = 0;
  unsigned running_ = 0;
  bool is_closed_ = false;
  std::exception_ptr first_thrown_;
};

// The function that an executor gets. Executors keep references to it, so where tasks are still to
// be expected from one that has returned or thrown, it stays for good: a few hundred bytes for each
// such call.
struct HandedOut {
  std::shared_ptr<TaskCalls> calls;
  std::function<void(unsigned)> call = [shared = calls](unsigned index) {
    const std::shared_ptr<TaskCalls> kept = shared;
    kept->run(index);
  };
  std::unique_ptr<HandedOut> next = {};

  static void keep_for_good(std::unique_ptr<HandedOut> one) noexcept {
    static std::mutex mutex;
    static std::unique_ptr<HandedOut>& all = *new std::unique_ptr<HandedOut>;
    const std::lock_guard lock(mutex);
    one->next = std::move(all);
    all = std::move(one);
  }
};

void run_on_executor(unsigned count, const Executor& executor,
                     const std::shared_ptr<TaskCalls>& calls) {
  auto handed_out = std::make_unique<HandedOut>(HandedOut{calls});
  // Also when the executor throws.
  struct Closing {
    TaskCalls& calls;
    std::unique_ptr<HandedOut>& handed_out;
    bool returned = false;
    ~Closing() {
      const bool all_taken = calls.are_all_taken();
      if (returned) calls.run_rest();
      calls.close();
      if (!all_taken) HandedOut::keep_for_good(std::move(handed_out));
    }
  } closing{*calls, handed_out};
  executor(count, handed_out->call);
  closing.returned = true;
}

void run_on_own_threads(unsigned count, TaskCalls& calls) {
  std::vector<std::thread> threads;
  try {
    threads.reserve(count - 1);
    for (unsigned i = 1; i < count; ++i) threads.emplace_back([&calls, i] { calls.run(i); });
  } catch (const std::exception&) {
    // No more threads, or no memory for them: the rest runs here.
  }
  calls.run_rest();
  for (std::thread& thread : threads) thread.join();
  calls.close();
}

}  // namespace

void run_parallel(unsigned count, const Executor& executor,
                  const std::function<void(unsigned)>& task) {
  if (count <= 1) {
    if (count == 1) task(0);
    return;
  }
  const auto calls = std::make_shared<TaskCalls>(count, task);
  if (executor) {
    run_on_executor(count, executor, calls);
  } else {
    run_on_own_threads(count, *calls);
  }
  calls->rethrow();
}

}  // namespace hdb
