// Runs tasks on an executor or on threads, and passes their exceptions on.
#pragma once

#include <functional>

#include "hdb/executor.hpp"

namespace hdb {

/// Calls task(0) .. task(count - 1), each once, in any order and on any threads, and returns when
/// all have returned. Without an executor, and without threads to be had, more of them run on the
/// calling thread.
/// Errors: what the executor throws, after the tasks that run have returned; the others are left
/// out. Else the first exception of a task, after all of them.
void run_parallel(unsigned count, const Executor& executor,
                  const std::function<void(unsigned)>& task);

}  // namespace hdb
