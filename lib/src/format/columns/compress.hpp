// zstd with contexts that are re-used: some compress frames, others decompress them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "format/frame/buffer.hpp"
#include "hdb/detail/base/api.hpp"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace hdb::format {

/// Contexts that are kept for the next Compressor or Decompressor of the process, of each kind, and
/// the largest of them.
inline constexpr std::size_t kMostSpareContexts = 4;
inline constexpr std::size_t kMostSpareContextBytes = std::size_t{2} << 20;
/// Gives them back to the heap.
HDB_INSPECT_API void release_spare_contexts() noexcept;

/// Makes one standard frame at a time; the context is reset between frames, so frames depend on
/// their input alone.
class Compressor {
 public:
  /// The number of the parameter that makes zstd give Huffman codes to literals at every level.
  /// zstd calls it experimental, so one that refuses it compresses planes in a slower way.
  static constexpr int kHuffmanParameter = 1002;

  explicit Compressor(int level, int huffman_parameter = kHuffmanParameter) noexcept
      : level_(level), huffman_parameter_(huffman_parameter) {}

  /// Lets all frames of compress end in a checksum of what they hold. Requires: there is none yet.
  void add_checksums() noexcept { has_checksums_ = true; }

  /// Appends the frame of `from` to `out`; false, and nothing appended, when it would not be
  /// smaller. `plane_bytes`: `from` consists of planes of this size each, which are unlike each
  /// other; 0: it does not.
  [[nodiscard]] HDB_INSPECT_API bool compress(std::span<const std::byte> from,
                                              std::size_t plane_bytes, Buffer& out);

  /// As compress, but the frame refers to `prefix`, which Decompressor::decompress needs as well.
  /// Requires: both have at most kMaxZstdWindowBytes / 2.
  [[nodiscard]] HDB_INSPECT_API bool compress_after(std::span<const std::byte> prefix,
                                                    std::span<const std::byte> from, Buffer& out);

  /// As compress, but the first `plain_bytes` bytes are stored as they are, so that the frame is
  /// larger than that.
  [[nodiscard]] bool compress_diluted(std::span<const std::byte> from, std::size_t plain_bytes,
                                      Buffer& out);

 private:
  struct GiveBack {
    HDB_INSPECT_API void operator()(ZSTD_CCtx_s* context) const noexcept;
  };
  using Context = std::unique_ptr<ZSTD_CCtx_s, GiveBack>;
  [[nodiscard]] Context make_context() const;
  void make_plane_contexts();
  /// `window_log` 0: that of the level.
  static std::size_t compress_with(ZSTD_CCtx_s& context, unsigned window_log,
                                   std::span<const std::byte> from, std::span<std::byte> to,
                                   std::span<const std::byte> prefix = {});
  std::size_t compress_plainly(std::span<const std::byte> from, std::span<std::byte> to);
  std::size_t compress_planes(std::size_t plane_bytes, std::span<const std::byte> from,
                              std::span<std::byte> to);

  const int level_;
  const int huffman_parameter_;
  bool has_checksums_ = false;
  // Made when they are needed:
  Context context_;
  Context after_;   // for compress_after
  Context planes_;  // for planes
  Context noise_;   // and for those that are mostly noise; null: the parameter is refused
};

/// Takes one standard frame at a time.
class Decompressor {
 public:
  HDB_INSPECT_API Decompressor();

  /// Fills `to` from exactly one frame. Returns what is wrong; null when nothing is. `prefix`: that
  /// of Compressor::compress_after.
  [[nodiscard]] HDB_INSPECT_API const char* decompress(std::span<const std::byte> from,
                                                       std::span<std::byte> to,
                                                       std::span<const std::byte> prefix = {});

 private:
  struct GiveBack {
    HDB_INSPECT_API void operator()(ZSTD_DCtx_s* context) const noexcept;
  };
  std::unique_ptr<ZSTD_DCtx_s, GiveBack> context_;
};

/// Whether the head of a frame says that it ends in a checksum.
[[nodiscard]] bool has_checksum(std::span<const std::byte> frame) noexcept;

/// What is wrong with a frame that should hold `raw_bytes` bytes, read from its head; null when
/// nothing is.
[[nodiscard]] const char* find_frame_fault(std::span<const std::byte> from,
                                           std::size_t raw_bytes) noexcept;

}  // namespace hdb::format
