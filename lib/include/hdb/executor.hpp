// Runs tasks on the caller's executor or on threads of our own, and brings their exceptions back.
#pragma once

#include <functional>

namespace hdb {

/// Runs task(0) .. task(count - 1) on threads of the program's and returns when all have returned.
///
/// One that breaks its word does no harm: a task that it leaves out runs on the calling thread, and one that it runs again, or
/// after it has returned, does nothing. An exception that it throws comes through once no task runs any more.
using Executor = std::function<void(unsigned count, const std::function<void(unsigned)>& task)>;

/// Calls task(0) .. task(count - 1), each once, in any order and on any threads, and returns when all have returned. Without an
/// executor, and without threads to be had, more of them run on the calling thread.
/// Errors: what the executor throws, after the tasks that run have returned; the others are left out. Else the first
/// exception of a task, after all of them.
void run_parallel(unsigned count, const Executor& executor,
                  const std::function<void(unsigned)>& task);

}  // namespace hdb
