// Saving as it is usually done: all records copied into one buffer and compressed as one zstd
// stream.
#pragma once

#include <cstddef>
#include <cstdint>
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
    clear();
    append(records.data(), records.size());
    return compress();
  }

  /// The same in steps, for records that are no run of bytes: clear, append parts, compress.
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

/// Decompresses a stream on one thread, then copies the records into fresh memory.
[[nodiscard]] inline std::vector<std::byte> load_zstd_stream(std::span<const std::byte> stream,
                                                             std::size_t bytes) {
  std::vector<std::byte> buffer(bytes);
  ZSTD_decompress(buffer.data(), buffer.size(), stream.data(), stream.size());
  return std::vector<std::byte>(buffer.begin(), buffer.end());
}

}  // namespace hdb::reference
