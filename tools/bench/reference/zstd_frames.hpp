// Decompressing and nothing else: frames one after another, on any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include <zstd.h>

namespace hdb::reference {

/// A frame of its own and the most bytes that it gives.
struct ZstdFrame {
  std::span<const std::byte> stored;
  std::size_t raw_bytes = 0;
};

/// Decompresses all frames, each thread into one buffer of its own. Returns how many bytes they
/// gave; 0 when one is damaged.
[[nodiscard]] inline std::size_t decompress_frames(std::span<const ZstdFrame> frames,
                                                   unsigned threads) {
  std::size_t largest = 0;
  for (const ZstdFrame& frame : frames) largest = std::max(largest, frame.raw_bytes);
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> total{0};
  std::atomic<bool> damaged{false};
  const auto work = [&] {
    std::vector<std::byte> buffer(largest);
    ZSTD_DCtx* const context = ZSTD_createDCtx();
    std::size_t own = 0;
    for (std::size_t i = next++; i < frames.size(); i = next++) {
      const std::size_t size = ZSTD_decompressDCtx(
          context, buffer.data(), buffer.size(), frames[i].stored.data(), frames[i].stored.size());
      if (ZSTD_isError(size)) damaged = true;
      own += size;
    }
    ZSTD_freeDCtx(context);
    total += own;
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  return damaged ? 0 : total.load();
}

}  // namespace hdb::reference
