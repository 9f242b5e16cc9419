// The system call membarrier of Linux, and its like on Windows.
#include "base/asymmetric_fence.hpp"

#if defined(__linux__) && __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
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

// A kernel may lack it, and a sandbox refuse it.
bool has_heavy_fence() noexcept {
  static const bool works =
      ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return works;
}

void heavy_fence() noexcept { ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); }

#elif defined(_WIN32)

bool has_heavy_fence() noexcept { return true; }
void heavy_fence() noexcept { ::FlushProcessWriteBuffers(); }

#else

bool has_heavy_fence() noexcept { return false; }
void heavy_fence() noexcept { full_fence(); }

#endif

}  // namespace hdb::detail
