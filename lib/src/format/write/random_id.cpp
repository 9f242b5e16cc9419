// The device's numbers are hashed together with clocks, a counter and an address, because some
// systems give the same numbers to each process, and others give none.
#include "format/write/random_id.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <span>

namespace hdb {
namespace {

using DeviceNumbers = std::array<std::uint64_t, 4>;

DeviceNumbers device_numbers() noexcept {
  DeviceNumbers numbers{};
  try {
    thread_local std::random_device device;  // opening it takes longer than a small table
    for (std::uint64_t& number : numbers) number = std::uint64_t{device()} << 32 | device();
  } catch (...) {
    // No device: the clocks and the counter still make ids that differ.
  }
  return numbers;
}

std::uint64_t ticks(auto now) noexcept {
  return static_cast<std::uint64_t>(now.time_since_epoch().count());
}

}  // namespace

Hash128 random_id() noexcept {
  static std::atomic<std::uint64_t> counter{0};
  const DeviceNumbers device = device_numbers();
  const std::uint64_t numbers[] = {device[0],
                                   device[1],
                                   device[2],
                                   device[3],
                                   ticks(std::chrono::system_clock::now()),
                                   ticks(std::chrono::steady_clock::now()),
                                   counter.fetch_add(1),
                                   reinterpret_cast<std::uintptr_t>(&device)};
  return hash128(std::as_bytes(std::span(numbers)));
}

}  // namespace hdb
