// Executor: runs the parallel tasks of a save or load on the program's own threads. Games with a
// job system give one in WriteOptions::executor or LoadOptions::executor.
#pragma once

#include <functional>

namespace hdb {

/// Runs task(0) to task(count - 1), each once, on threads of the program, and returns when all of
/// them have returned.
///
/// Mistakes of an executor do no harm: a task that it leaves out runs on the calling thread; a
/// second or late call of a task does nothing. If the executor throws, hdb waits for the running
/// tasks and passes the exception on.
///
/// Example:
/// @code
/// const hdb::Executor executor = [](unsigned count, const std::function<void(unsigned)>& task) {
///   std::vector<std::jthread> threads;  // or the game's job system
///   for (unsigned i = 0; i < count; ++i) threads.emplace_back([&task, i] { task(i); });
/// };
/// hdb::Database db;
/// db.create_table<Monster>("monsters").insert({.name = "imp"});
/// assert(hdb::save(db.capture(), "slot3.hdb", {.write = {.threads = 4, .executor = executor}}));
/// @endcode
using Executor = std::function<void(unsigned count, const std::function<void(unsigned)>& task)>;

}  // namespace hdb
