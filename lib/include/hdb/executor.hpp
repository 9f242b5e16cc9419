// Where work on other threads runs: on threads of hdb, or on those of the program.
#pragma once

#include <functional>

namespace hdb {

/// Runs task(0) .. task(count - 1) on threads of the program's and returns when all have returned.
///
/// One that breaks its word does no harm: a task that it leaves out runs on the calling thread, and
/// one that it runs again, or after it has returned, does nothing. An exception that it throws
/// comes through once no task runs any more.
using Executor = std::function<void(unsigned count, const std::function<void(unsigned)>& task)>;

}  // namespace hdb
