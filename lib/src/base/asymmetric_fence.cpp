// The system call membarrier of Linux, and its like on Windows.
#include "base/asymmetric_fence.hpp"

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hdb/assert.hpp"
#elif defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#endif

namespace hdb::detail {

#if defined(__linux__) && defined(SYS_membarrier) && __has_include(<linux/membarrier.h>)

namespace {

bool call(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

// A kernel may lack it, and a sandbox refuse it.
bool has_heavy_fence() noexcept {
  static const bool works = call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return works;
}

void heavy_fence() noexcept {
  if (call(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  // A process that was forked may have to register itself.
  const bool works =
      call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  HDB_REQUIRE(works, "the system refuses the call membarrier, which it allowed before");
}

#elif defined(_WIN32)

bool has_heavy_fence() noexcept { return true; }
void heavy_fence() noexcept { ::FlushProcessWriteBuffers(); }

#else

bool has_heavy_fence() noexcept { return false; }
void heavy_fence() noexcept { full_fence(); }

#endif

}  // namespace hdb::detail
