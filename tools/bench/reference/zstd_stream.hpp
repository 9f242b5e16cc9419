// Saving as it is usually done: all records copied into one buffer and compressed as one zstd
// stream.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <zstd.h>

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
    copy_.resize(records.size());
    std::memcpy(copy_.data(), records.data(), records.size());
    stream_.resize(ZSTD_compressBound(records.size()));
    const std::size_t size =
        ZSTD_compress2(context_, stream_.data(), stream_.size(), copy_.data(), copy_.size());
    return {stream_.data(), ZSTD_isError(size) ? 0 : size};
  }

 private:
  ZSTD_CCtx* context_;
  std::vector<std::byte> copy_;
  std::vector<std::byte> stream_;
};

/// Decompresses a stream on one thread, then copies the records into fresh memory.
[[nodiscard]] inline std::vector<std::byte> load_zstd_stream(std::span<const std::byte> stream,
                                                             std::size_t bytes) {
  std::vector<std::byte> buffer(bytes);
  ZSTD_decompress(buffer.data(), buffer.size(), stream.data(), stream.size());
  return std::vector<std::byte>(buffer.begin(), buffer.end());
}

}  // namespace hdb::reference
