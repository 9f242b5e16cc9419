// Compressing or decompressing and nothing else: frames one after another, on any number of
// threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>
#include <vector>

#include <zstd.h>

#include "hdb/hash.hpp"

namespace hdb::reference {

/// A frame of its own and the most bytes that it gives.
struct ZstdFrame {
  std::span<const std::byte> stored;
  std::size_t raw_bytes = 0;
};

/// Compresses pieces of 1 MiB at level 1, each thread into one buffer of its own.
inline void compress_frames(std::span<const std::byte> bytes, unsigned threads) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    std::vector<std::byte> buffer(ZSTD_compressBound(kPiece));
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
    for (std::size_t at = next.fetch_add(kPiece); at < bytes.size(); at = next.fetch_add(kPiece)) {
      ZSTD_compress2(context, buffer.data(), buffer.size(), bytes.data() + at,
                     std::min(kPiece, bytes.size() - at));
    }
    ZSTD_freeCCtx(context);
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

/// Decompresses all frames, each thread into one buffer of its own, and hashes the bytes if asked
/// to. Returns how many bytes they gave; 0 when one is damaged.
[[nodiscard]] inline std::size_t decompress_frames(std::span<const ZstdFrame> frames,
                                                   unsigned threads, bool hash = false) {
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
      if (hash && hdb::hash64({buffer.data(), size}) == 1) damaged = true;
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
