// Runs numbered pieces of work on several threads and hands the results on in order, few at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/executor.hpp"

namespace hdb {

/// Pieces of work 0 to total - 1. `produce` runs on any worker and leaves its result in `slot`;
/// `consume` takes the results in rising order of index, one at a time, on whichever worker
/// completes the next one. Saving, loading and validation run their row groups through this.
struct OrderedWork {
  std::uint64_t total = 0;
  unsigned workers = 1;
  std::size_t slots = 1;  ///< Results in flight, at least 1.
  std::function<Status(unsigned worker, std::uint64_t index, std::size_t slot)> produce;
  std::function<Status(std::uint64_t index, std::size_t slot)> consume;  ///< May be empty.
  Executor executor;                                                     ///< May be empty.
  const std::atomic<bool>* cancel = nullptr;

  /// Returns when no worker runs any more. An exception of a worker is thrown again here.
  /// Errors: that of the lowest index that failed, whatever the number of workers; cancelled.
  [[nodiscard]] HDB_INSPECT_API Status run() const;
};

}  // namespace hdb
