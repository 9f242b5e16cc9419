// Reserving addresses and backing them by memory: mmap and mprotect, or VirtualAlloc.
#include "core/arrays/address_range.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>

#include "base/sanitizers.hpp"
#include "core/arrays/blocks.hpp"
#include "hdb/detail/base/compiler.hpp"

// 32-bit processes have too few addresses to reserve any.
#if UINTPTR_MAX > 0xffffffff
#if defined(__linux__)
#include <sys/mman.h>
#include <sys/resource.h>
#define HDB_HAS_ADDRESS_RANGES 1
#elif defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#define HDB_HAS_ADDRESS_RANGES 1
#endif
#endif

#if HDB_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

// There in programs that are linked with the sanitizer, whether or not hdb was compiled with it.
#if defined(HDB_WEAK)
extern "C" HDB_WEAK void __lsan_register_root_region(const void* begin, std::size_t size);
extern "C" HDB_WEAK void __lsan_unregister_root_region(const void* begin, std::size_t size);
#endif

namespace hdb::detail {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kHugePage = 2 * kMiB;

#if defined(HDB_HAS_ADDRESS_RANGES)

constexpr std::size_t kGiB = std::size_t{1} << 30;
// How much one range takes: less, the more is reserved in this process. A process has 128 TiB.
struct Step {
  std::size_t reserved_below;
  std::size_t range;
};
// The sanitizers keep shadow memory for every address: ranges are small there.
#if HDB_HAS_ASAN || HDB_HAS_TSAN
constexpr Step kSteps[] = {{64 * kGiB, 256 * kMiB}, {256 * kGiB, 16 * kMiB}};
#else
constexpr Step kSteps[] = {
    {16 * 1024 * kGiB, 64 * kGiB}, {48 * 1024 * kGiB, 4 * kGiB}, {64 * 1024 * kGiB, 256 * kMiB}};
#endif

std::atomic<std::size_t> reserved_bytes{0};

#if defined(_WIN32)

bool are_addresses_limited() noexcept { return false; }

void* reserve_addresses(std::size_t bytes) noexcept {
  return ::VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS);
}

bool back_by_memory(std::byte* from, std::size_t bytes) noexcept {
  return ::VirtualAlloc(from, bytes, MEM_COMMIT, PAGE_READWRITE) != nullptr;
}

void release_addresses(std::byte* from, std::size_t) noexcept {
  ::VirtualFree(from, 0, MEM_RELEASE);
}

#else

// Whether the addresses of the process are limited (ulimit -v). Then all are needed for memory.
bool are_addresses_limited() noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void* reserve_addresses(std::size_t bytes) noexcept {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

bool back_by_memory(std::byte* from, std::size_t bytes) noexcept {
  return ::mprotect(from, bytes, PROT_READ | PROT_WRITE) == 0;
}

void release_addresses(std::byte* from, std::size_t bytes) noexcept { ::munmap(from, bytes); }

#endif

// What lies in the range keeps other memory alive.
void watch(const std::byte* data, std::size_t bytes) noexcept {
#if defined(HDB_WEAK)
  if (&__lsan_register_root_region != nullptr && bytes != 0)
    __lsan_register_root_region(data, bytes);
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
#endif
}

void forget(const std::byte* data, std::size_t bytes) noexcept {
#if defined(HDB_WEAK)
  if (&__lsan_unregister_root_region != nullptr && bytes != 0)
    __lsan_unregister_root_region(data, bytes);
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
#endif
}

// Sanitizers report who uses these bytes while no array does.
void poison([[maybe_unused]] const std::byte* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if HDB_HAS_ASAN
  ASAN_POISON_MEMORY_REGION(data, bytes);
#endif
}

void unpoison([[maybe_unused]] const std::byte* data, [[maybe_unused]] std::size_t bytes) noexcept {
#if HDB_HAS_ASAN
  ASAN_UNPOISON_MEMORY_REGION(data, bytes);
#endif
}

// The first step that the process has not used up.
const Step* present_step() noexcept {
  const std::size_t reserved = reserved_bytes.load(std::memory_order_relaxed);
  const Step* step = std::begin(kSteps);
  while (step != std::end(kSteps) && reserved >= step->reserved_below) ++step;
  return step;
}

std::size_t size_at(const Step& step, std::size_t least, std::size_t wanted) noexcept {
  return round_up(std::min(wanted, std::max(least, step.range)), kHugePage);
}

#endif

}  // namespace

void AddressRange::swap(AddressRange& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(reserved_, other.reserved_);
  std::swap(size_, other.size_);
  std::swap(committed_, other.committed_);
  std::swap(used_, other.used_);
}

#if defined(HDB_HAS_ADDRESS_RANGES)

AddressRange AddressRange::reserve(std::size_t least, std::size_t wanted) noexcept {
  AddressRange range;
  if (are_addresses_limited()) return range;
  for (const Step* step = present_step(); step != std::end(kSteps); ++step) {
    const std::size_t size = size_at(*step, least, wanted);
    if (size < least) continue;
    void* const memory = reserve_addresses(size + kHugePage);
    if (memory == nullptr) continue;
    range.reserved_ = static_cast<std::byte*>(memory);
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    range.data_ = range.reserved_ + (round_up(address, kHugePage) - address);
    range.size_ = size;
    reserved_bytes.fetch_add(size, std::memory_order_relaxed);
    return range;
  }
  return range;
}

std::size_t AddressRange::size_for(std::size_t least, std::size_t wanted) noexcept {
  const Step* const step = present_step();
  return size_at(step == std::end(kSteps) ? step[-1] : *step, least, wanted);
}

bool AddressRange::commit(std::size_t bytes) noexcept {
  if (bytes > size_) return false;
  if (!grow(bytes)) return false;
  used_ = std::max(used_, bytes);
  return true;
}

bool AddressRange::grow(std::size_t bytes) noexcept {
  if (bytes <= committed_) return true;
  // By a quarter more, so that the calls of a growing array are few.
  constexpr std::size_t kLeast = 65536;
  const std::size_t unit = bytes < 2 * kHugePage ? kLeast : kHugePage;
  const std::size_t wanted = std::min(round_up(bytes + bytes / 4, unit), size_);
  if (!back_by_memory(data_ + committed_, wanted - committed_)) return false;
#if defined(MADV_HUGEPAGE)
  // Most of the cost of filling a large array are page faults, and most of the cost of a lookup is
  // finding out where its memory is. A small array needs no huge page. A refusal does no harm.
  if (wanted > 2 * kHugePage) {
    const std::size_t begin = round_up(std::max(committed_, kHugePage), kHugePage);
    if (begin < wanted) {
      static_cast<void>(::madvise(data_ + begin, wanted - begin, MADV_HUGEPAGE));
    }
  }
#endif
  forget(data_, committed_);
  watch(data_, wanted);
  committed_ = wanted;
  return true;
}

void AddressRange::rest(std::size_t head) noexcept {
  forget(data_, committed_);
  poison(data_ + head, committed_ - head);
}

void AddressRange::wake() noexcept {
  unpoison(data_, committed_);
  watch(data_, committed_);
}

AddressRange::~AddressRange() {
  if (data_ == nullptr) return;
  forget(data_, committed_);
  release_addresses(reserved_, size_ + kHugePage);
  reserved_bytes.fetch_sub(size_, std::memory_order_relaxed);
}

#else

AddressRange AddressRange::reserve(std::size_t, std::size_t) noexcept { return {}; }
std::size_t AddressRange::size_for(std::size_t, std::size_t) noexcept { return 0; }
bool AddressRange::commit(std::size_t) noexcept { return false; }
void AddressRange::rest(std::size_t) noexcept {}
void AddressRange::wake() noexcept {}
AddressRange::~AddressRange() = default;

#endif

}  // namespace hdb::detail
