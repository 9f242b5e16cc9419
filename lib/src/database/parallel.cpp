// Threads for loading.
#include "parallel.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace hdb {

void run_parallel(unsigned count, const Executor& executor,
                  const std::function<void(unsigned)>& task) {
  if (count <= 1) {
    if (count == 1) task(0);
    return;
  }
  std::mutex mutex;
  std::exception_ptr first;
  const std::function<void(unsigned)> guarded = [&](unsigned index) {
    try {
      task(index);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  if (executor) {
    executor(count, guarded);
  } else {
    std::vector<std::thread> threads;
    threads.reserve(count - 1);
    unsigned started = 1;  // task 0 is ours
    try {
      for (; started < count; ++started) threads.emplace_back(guarded, started);
    } catch (const std::system_error&) {
      // No more threads to be had: the rest runs here.
    }
    guarded(0);
    for (unsigned index = started; index < count; ++index) guarded(index);
    for (std::thread& thread : threads) thread.join();
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace hdb
