// zstd and nothing else: saving as it is usually done, all records copied into one buffer and
// compressed as one stream; and frames one after another, on any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <zstd.h>

#include "hdb/hash.hpp"

namespace hdb::reference {

/// Copies whole records and compresses them with one context.
class ZstdStream {
 public:
  explicit ZstdStream(int level) : context_(ZSTD_createCCtx()) {
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level);
  }
  ~ZstdStream() { ZSTD_freeCCtx(context_); }
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;

  /// Keeps its buffers from call to call, so that they are warm.
  std::span<const std::byte> save(std::span<const std::byte> records) {
    clear();
    append(records.data(), records.size());
    return compress();
  }

  /// The same in steps, for records that are not one block of memory: clear, append, compress.
  void clear() noexcept { used_ = 0; }
  void append(const void* bytes, std::size_t size) {
    if (copy_.size() - used_ < size) copy_.resize(2 * copy_.size() + size);
    std::memcpy(copy_.data() + used_, bytes, size);
    used_ += size;
  }
  /// The bytes of a string or list after their number.
  template <class List>
  void append_list(const List& list) {
    const auto count = static_cast<std::uint32_t>(list.size());
    append(&count, sizeof count);
    append(list.data(), count * sizeof(*list.data()));
  }
  std::span<const std::byte> compress() {
    stream_.resize(ZSTD_compressBound(used_));
    const std::size_t size =
        ZSTD_compress2(context_, stream_.data(), stream_.size(), copy_.data(), used_);
    return {stream_.data(), ZSTD_isError(size) ? 0 : size};
  }

 private:
  ZSTD_CCtx* context_;
  std::vector<std::byte> copy_;
  std::size_t used_ = 0;
  std::vector<std::byte> stream_;
};

/// Reads a file of one stream, decompresses it on one thread and copies the records.
class ZstdLoad {
 public:
  /// The `bytes` of the records. Keeps its buffers from call to call, so that they are warm.
  std::span<const std::byte> load(const std::string& path, std::size_t bytes) {
    stream_.resize(static_cast<std::size_t>(std::filesystem::file_size(path)));
    std::ifstream(path, std::ios::binary)
        .read(reinterpret_cast<char*>(stream_.data()),
              static_cast<std::streamsize>(stream_.size()));
    buffer_.resize(bytes);
    ZSTD_decompress(buffer_.data(), buffer_.size(), stream_.data(), stream_.size());
    records_.resize(bytes);
    std::memcpy(records_.data(), buffer_.data(), bytes);
    return records_;
  }

 private:
  std::vector<std::byte> stream_;
  std::vector<std::byte> buffer_;
  std::vector<std::byte> records_;
};

/// A frame of its own and the most bytes that it gives.
struct ZstdFrame {
  std::span<const std::byte> stored;
  std::size_t raw_bytes = 0;
};

/// Runs `work` on this many threads, of which this one is one.
inline void on_threads(unsigned threads, const auto& work) {
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

/// Compresses pieces of 1 MiB at level 1, each thread into one buffer of its own.
inline void compress_frames(std::span<const std::byte> bytes, unsigned threads) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::atomic<std::size_t> next{0};
  on_threads(threads, [&] {
    std::vector<std::byte> buffer(ZSTD_compressBound(kPiece));
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
    for (std::size_t at = next.fetch_add(kPiece); at < bytes.size(); at = next.fetch_add(kPiece)) {
      ZSTD_compress2(context, buffer.data(), buffer.size(), bytes.data() + at,
                     std::min(kPiece, bytes.size() - at));
    }
    ZSTD_freeCCtx(context);
  });
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
  on_threads(threads, [&] {
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
  });
  return damaged ? 0 : total.load();
}

}  // namespace hdb::reference
