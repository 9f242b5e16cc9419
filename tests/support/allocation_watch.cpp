// operator new and malloc, watched.
#include "support/allocation_watch.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/sanitizers.hpp"

// Where the C library lets a program replace malloc, that of other libraries (zstd) fails in its
// turn too. Sanitizers replace it themselves.
#if defined(__GLIBC__) && !HDB_HAS_ASAN && !HDB_HAS_TSAN
#define HDB_WATCHES_MALLOC 1
#endif

namespace {

std::atomic<std::size_t> largest{0};
std::atomic<std::size_t> countdown{0};

void* watched(std::size_t size) {
  std::size_t seen = largest.load(std::memory_order_relaxed);
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
#ifndef HDB_WATCHES_MALLOC
  if (hdb::test::allocation_fails()) throw std::bad_alloc();
#endif
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return watched(size); }
void* operator new[](std::size_t size) { return watched(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return watched(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
// Not inlined: g++ would see new and free side by side, and warn.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

#ifdef HDB_WATCHES_MALLOC
extern "C" {
void* __libc_malloc(std::size_t size);
void* malloc(std::size_t size) noexcept {
  if (hdb::test::allocation_fails()) {
    errno = ENOMEM;
    return nullptr;
  }
  return __libc_malloc(size);
}
}
#endif

namespace hdb::test {

void reset_largest_allocation() noexcept { largest = 0; }
std::size_t largest_allocation() noexcept { return largest; }
void fail_allocation(std::size_t n) noexcept { countdown = n; }
bool allocation_is_to_fail() noexcept { return countdown != 0; }
bool allocation_fails() noexcept {
  std::size_t left = countdown.load(std::memory_order_relaxed);
  while (left != 0 && !countdown.compare_exchange_weak(left, left - 1)) {
  }
  return left == 1;
}

}  // namespace hdb::test
