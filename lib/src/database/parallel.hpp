// Runs tasks on the caller's executor or on threads of our own, and brings their exceptions back.
#pragma once

#include <functional>

namespace hdb {

using Executor = std::function<void(unsigned count, const std::function<void(unsigned)>& task)>;

/// Calls task(0) .. task(count - 1), each once, in any order and on any threads, and returns when all have returned. The
/// first exception is rethrown here.
void run_parallel(unsigned count, const Executor& executor,
                  const std::function<void(unsigned)>& task);

}  // namespace hdb
