// operator new, watched.
#include "format/allocation_watch.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> largest{0};
std::atomic<std::size_t> countdown{0};

void* watched(std::size_t size) {
  std::size_t seen = largest.load(std::memory_order_relaxed);
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
  if (countdown.load(std::memory_order_relaxed) != 0 && countdown.fetch_sub(1) == 1)
    throw std::bad_alloc();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return watched(size); }
void* operator new[](std::size_t size) { return watched(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace hdb::test {

void reset_largest_allocation() noexcept { largest = 0; }
std::size_t largest_allocation() noexcept { return largest; }
void fail_allocation(std::size_t n) noexcept { countdown = n; }

}  // namespace hdb::test
