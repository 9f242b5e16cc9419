// zstd with two contexts that are re-used: one compresses frames, one decompresses them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "format/frame/buffer.hpp"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace hdb::format {

/// Makes one standard frame at a time; the context is reset between frames, so frames depend on
/// their input alone.
class Compressor {
 public:
  /// The number of the parameter that makes zstd give Huffman codes to literals at every level.
  /// zstd calls it experimental, so one that refuses it compresses planes in a slower way.
  static constexpr int kHuffmanParameter = 1002;

  explicit Compressor(int level, int huffman_parameter = kHuffmanParameter);

  /// Lets all frames of compress end in a checksum of what they hold.
  void add_checksums();

  /// Appends the frame of `from` to `out`; false, and nothing appended, when it would not be
  /// smaller. `plane_bytes`: `from` consists of planes of this size each, which are unlike each
  /// other; 0: it does not.
  [[nodiscard]] bool compress(std::span<const std::byte> from, std::size_t plane_bytes,
                              Buffer& out);

  /// As compress, but the first `plain_bytes` bytes are stored as they are, so that the frame is
  /// larger than that.
  [[nodiscard]] bool compress_diluted(std::span<const std::byte> from, std::size_t plain_bytes,
                                      Buffer& out);

 private:
  struct Free {
    void operator()(ZSTD_CCtx_s* context) const noexcept;
  };
  /// `window_log` 0: that of the level.
  static std::size_t compress_with(ZSTD_CCtx_s& context, unsigned window_log,
                                   std::span<const std::byte> from, std::span<std::byte> to);
  std::size_t compress_planes(std::size_t plane_bytes, std::span<const std::byte> from,
                              std::span<std::byte> to);

  std::unique_ptr<ZSTD_CCtx_s, Free> context_;
  std::unique_ptr<ZSTD_CCtx_s, Free> planes_;  // for planes; null unless the level is 1
  std::unique_ptr<ZSTD_CCtx_s, Free> noise_;   // and for those that are mostly noise; may be null
};

/// Takes one standard frame at a time.
class Decompressor {
 public:
  Decompressor();

  /// Fills `to` from exactly one frame. Returns what is wrong; null when nothing is.
  [[nodiscard]] const char* decompress(std::span<const std::byte> from, std::span<std::byte> to);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const noexcept;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

/// Whether the head of a frame says that it ends in a checksum.
[[nodiscard]] bool has_checksum(std::span<const std::byte> frame) noexcept;

/// What is wrong with a frame that should hold `raw_bytes` bytes, read from its head; null when
/// nothing is.
[[nodiscard]] const char* find_frame_fault(std::span<const std::byte> from,
                                           std::size_t raw_bytes) noexcept;

}  // namespace hdb::format
