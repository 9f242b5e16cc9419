// The allocation functions of the C library, with a counter beside them.
#include "bench.hpp"

#include <atomic>
#include <cstddef>

#include <malloc.h>

#include "base/sanitizers.hpp"

// Sanitizers have allocation functions of their own.
#define HDB_BENCH_OWN_MALLOC (!HDB_HAS_ASAN && !HDB_HAS_TSAN)

#if HDB_BENCH_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);
}
#endif

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> most{0};

#if HDB_BENCH_OWN_MALLOC
// Counts memory that was taken (`sign` 1) or is given back (-1).
void* counted(void* memory, std::int64_t sign) noexcept {
  if (!counting.load(std::memory_order_relaxed)) return memory;
  const std::int64_t bytes = sign * static_cast<std::int64_t>(malloc_usable_size(memory));
  const std::int64_t now = held.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t before = most.load(std::memory_order_relaxed);
  while (before < now && !most.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
  return memory;
}
#endif

}  // namespace

#if HDB_BENCH_OWN_MALLOC
extern "C" {
void* malloc(std::size_t size) { return counted(__libc_malloc(size), 1); }
void* calloc(std::size_t count, std::size_t size) { return counted(__libc_calloc(count, size), 1); }
void* realloc(void* memory, std::size_t size) {
  return counted(__libc_realloc(counted(memory, -1), size), 1);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return counted(__libc_memalign(alignment, size), 1);
}
void free(void* memory) { __libc_free(counted(memory, -1)); }
}
#endif

namespace hdb::bench {

void start_counting_memory() noexcept {
  held = 0;
  most = 0;
  counting = true;
}

std::int64_t most_memory_counted() noexcept {
  counting = false;
  return HDB_BENCH_OWN_MALLOC != 0 ? most.load() : -1;
}

}  // namespace hdb::bench
