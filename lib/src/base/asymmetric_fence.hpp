// Memory fences of which one side pays: where the other side is hot and this one is rare.
#pragma once

#include <atomic>

#include "base/sanitizers.hpp"
#include "hdb/detail/base/api.hpp"

namespace hdb::detail {

/// Whether heavy_fence works, so that the hot side needs none. The same in a whole process.
[[nodiscard]] HDB_INSPECT_API bool has_heavy_fence() noexcept;
/// All threads of the process pass a fence: what another thread wrote before it, in its program
/// order, is seen after; what it reads after it sees what was written before. About a microsecond.
/// Requires: has_heavy_fence().
HDB_INSPECT_API void heavy_fence() noexcept;

/// A fence of this thread: 6 ns, and the wait for its writes.
inline void full_fence() noexcept {
#if HDB_HAS_TSAN
  // ThreadSanitizer does not know fences.
  static std::atomic<int> word{0};
  word.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace hdb::detail
