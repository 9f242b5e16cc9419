// The only place that includes zstd.
#include "format/columns/compress.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "hdb/assert.hpp"
#include "hdb/bytes.hpp"
#include "hdb/inspect/constants.hpp"

namespace hdb::format {
namespace {

void must(std::size_t code) {
  if (ZSTD_isError(code) == 0) return;
  if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) out_of_memory();
  fatal(ZSTD_getErrorName(code), __FILE__, __LINE__);
}

// Smaller planes are not worth a Huffman table of their own; a larger one has several.
constexpr std::size_t kSmallestPlane = 8192;
constexpr std::size_t kLargestPlane = 65536;

// How planes are compressed where values are more or less noise: literals get Huffman codes, and
// only long matches that strike the eye are taken.
constexpr int kGlance = 40;
constexpr std::size_t kSampleBytes = 4096;

constexpr unsigned kSmallestWindowLog = 10;  // of zstd
// Lower levels often stay at a match that is not the continuation of the prefix.
constexpr int kLevelAfter = 6;

// Contexts of the whole process that nothing uses. Making one takes as long as compressing or
// decompressing a small table. Never destroyed, for an object of static duration may use them.
template <class Context, std::size_t (*Free)(Context*), std::size_t (*SizeOf)(const Context*)>
class SpareContexts {
 public:
  /// Null: there is none.
  [[nodiscard]] Context* take() noexcept {
    for (std::atomic<Context*>& place : places_) {
      if (place.load(std::memory_order_relaxed) == nullptr) continue;
      if (Context* const context = place.exchange(nullptr)) return context;
    }
    return nullptr;
  }
  /// Frees it if it is large, or if there are enough.
  void put(Context* context) noexcept {
    if (SizeOf(context) <= kMostSpareContextBytes) {
      for (std::atomic<Context*>& place : places_) {
        Context* none = nullptr;
        if (place.compare_exchange_strong(none, context)) return;
      }
    }
    Free(context);
  }
  void release() noexcept {
    while (Context* const context = take()) Free(context);
  }

 private:
  std::atomic<Context*> places_[kMostSpareContexts]{};
};

SpareContexts<ZSTD_CCtx, ZSTD_freeCCtx, ZSTD_sizeof_CCtx> spare_compressors;
SpareContexts<ZSTD_DCtx, ZSTD_freeDCtx, ZSTD_sizeof_DCtx> spare_decompressors;

// The descriptor of a frame's header (RFC 8878, 3.1.1.1.1), and what follows from it.
struct FrameHeader {
  std::size_t bytes = 0;  // with the magic number; 0: the header is incomplete
  std::uint64_t window = 0;
  bool has_checksum = false;
};

FrameHeader frame_header(std::span<const std::byte> from, std::uint64_t content) noexcept {
  if (from.size() < 6) return {};
  const auto descriptor = std::to_integer<unsigned>(from[4]);
  const bool one_segment = (descriptor & 0x20) != 0;
  constexpr std::size_t kIdBytes[] = {0, 1, 2, 4};
  constexpr std::size_t kSizeBytes[] = {0, 2, 4, 8};
  FrameHeader header;
  header.has_checksum = (descriptor & 4) != 0;
  header.window = content;
  std::size_t size_bytes = kSizeBytes[descriptor >> 6];
  if (one_segment) {
    if (size_bytes == 0) size_bytes = 1;
  } else {
    const auto window = std::to_integer<unsigned>(from[5]);
    const std::uint64_t base = std::uint64_t{1} << (10 + (window >> 3));
    header.window = base + base / 8 * (window & 7);
  }
  header.bytes = 5 + (one_segment ? 0 : 1) + kIdBytes[descriptor & 3] + size_bytes;
  return header;
}

}  // namespace

void release_spare_contexts() noexcept {
  spare_compressors.release();
  spare_decompressors.release();
}

void Compressor::GiveBack::operator()(ZSTD_CCtx_s* context) const noexcept {
  spare_compressors.put(context);
}
void Decompressor::GiveBack::operator()(ZSTD_DCtx_s* context) const noexcept {
  spare_decompressors.put(context);
}

Compressor::Context Compressor::make_context() const {
  Context made(spare_compressors.take());
  if (made == nullptr) made.reset(ZSTD_createCCtx());
  if (made == nullptr) out_of_memory();
  ZSTD_CCtx* const context = made.get();
  must(ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters));
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level_));
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 1));
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, has_checksums_ ? 1 : 0));
  must(ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0));
  return made;
}

std::size_t Compressor::compress_plainly(std::span<const std::byte> from, std::span<std::byte> to) {
  if (context_ == nullptr) context_ = make_context();
  return compress_with(*context_, 0, from, to);
}

void Compressor::make_plane_contexts() {
  planes_ = make_context();
  // Only long matches pay in a plane. A smaller table of hashes would be faster where values are
  // noise, but miss most of the matches where runs of values repeat.
  must(ZSTD_CCtx_setParameter(planes_.get(), ZSTD_c_minMatch, 7));
  must(ZSTD_CCtx_setParameter(planes_.get(), ZSTD_c_hashLog, 11));
  // The fastest strategy gives no Huffman codes to literals, unless it is told to by a parameter
  // that zstd calls experimental: where it is refused, there is only the way above.
  noise_ = make_context();
  const auto set = [&](int parameter, int value) {
    return ZSTD_isError(ZSTD_CCtx_setParameter(
               noise_.get(), static_cast<ZSTD_cParameter>(parameter), value)) == 0;
  };
  const bool is_set = set(ZSTD_c_minMatch, 7) && set(ZSTD_c_hashLog, 11) &&
                      set(ZSTD_c_strategy, ZSTD_fast) && set(ZSTD_c_targetLength, kGlance) &&
                      set(huffman_parameter_, 1);
  if (!is_set) noise_.reset();
}

// A block of a frame is never larger than the window, and each block has its own Huffman table: so
// a window of one plane gives a table to each.
std::size_t Compressor::compress_with(ZSTD_CCtx_s& context, unsigned window_log,
                                      std::span<const std::byte> from, std::span<std::byte> to,
                                      std::span<const std::byte> prefix) {
  // In case a frame was not finished, before parameters are set.
  must(ZSTD_CCtx_reset(&context, ZSTD_reset_session_only));
  must(ZSTD_CCtx_setParameter(&context, ZSTD_c_windowLog, static_cast<int>(window_log)));
  must(ZSTD_CCtx_refPrefix(&context, prefix.data(), prefix.size()));  // for one frame
  const std::size_t size = ZSTD_compress2(&context, to.data(), to.size(), from.data(), from.size());
  must(size);
  return size;
}

// Most planes are noise or hold few values, and are compressed at a glance. Whether that misses
// matches shows in the begin of the first plane, which is the one with the most noise.
std::size_t Compressor::compress_planes(std::size_t plane_bytes, std::span<const std::byte> from,
                                        std::span<std::byte> to) {
  if (planes_ == nullptr) make_plane_contexts();
  const auto window_log = static_cast<unsigned>(std::bit_width(plane_bytes - 1));
  bool at_a_glance = noise_ != nullptr;
  if (at_a_glance) {
    const auto sample = from.first(kSampleBytes);
    const std::size_t glance = compress_with(*noise_, window_log, sample, to);
    at_a_glance = compress_with(*planes_, window_log, sample, to) + kSampleBytes / 16 >= glance;
  }
  return compress_with(at_a_glance ? *noise_ : *planes_, window_log, from, to);
}

bool Compressor::compress(std::span<const std::byte> from, std::size_t plane_bytes, Buffer& out) {
  const std::size_t bound = ZSTD_compressBound(from.size());
  std::byte* const begin = out.tail(2 * bound);
  const std::span<std::byte> to(begin, bound);
  const std::span<std::byte> other(begin + bound, bound);
  const bool has_planes =
      level_ == 1 && plane_bytes >= kSmallestPlane && plane_bytes <= kLargestPlane;
  std::size_t size =
      has_planes ? compress_planes(plane_bytes, from, to) : compress_plainly(from, to);
  // Where hardly anything is left, planes repeat each other: seen together, they may take less.
  if (has_planes && size < from.size() / 32) {
    const std::size_t together = compress_plainly(from, other);
    if (together < size) {
      std::memcpy(begin, other.data(), together);
      size = together;
    }
  }
  if (size >= from.size()) return false;
  out.commit(size);
  return true;
}

// The frame of the other bytes, with a raw block before its blocks (RFC 8878, 3.1.1.2): what they
// refer to is among the other bytes, however far from the begin of the frame.
bool Compressor::compress_after(std::span<const std::byte> prefix, std::span<const std::byte> from,
                                Buffer& out) {
  const std::size_t bound = ZSTD_compressBound(from.size());
  const std::span<std::byte> to(out.tail(bound), bound);
  if (after_ == nullptr) {
    after_ = make_context();
    must(ZSTD_CCtx_setParameter(after_.get(), ZSTD_c_compressionLevel,
                                std::max(level_, kLevelAfter)));
  }
  // The last byte can refer to the first one of the prefix.
  const auto window_log = static_cast<unsigned>(std::bit_width(prefix.size() + from.size()));
  const std::size_t size =
      compress_with(*after_, std::max(window_log, kSmallestWindowLog), from, to, prefix);
  if (size >= from.size()) return false;
  out.commit(size);
  return true;
}

bool Compressor::compress_diluted(std::span<const std::byte> from, std::size_t plain_bytes,
                                  Buffer& out) {
  constexpr std::size_t kFrameHeaderBytes = 9;
  constexpr std::size_t kBlockHeaderBytes = 3;
  constexpr auto kOneSegmentSizeOf4Bytes = std::byte{0xa0};
  if (plain_bytes >= from.size() || plain_bytes > kMaxZstdBlockBytes) return false;
  const auto rest = from.subspan(plain_bytes);
  Buffer frame;
  const std::size_t bound = ZSTD_compressBound(rest.size());
  const std::span<std::byte> to(frame.tail(bound), bound);
  const auto whole = std::span<const std::byte>(to).first(compress_plainly(rest, to));
  const auto blocks = whole.subspan(frame_header(whole, rest.size()).bytes);
  constexpr std::size_t kBegin = kFrameHeaderBytes + kBlockHeaderBytes;
  if (kBegin + plain_bytes + blocks.size() >= from.size()) return false;
  std::byte head[kBegin];
  store_le(head, static_cast<std::uint32_t>(ZSTD_MAGICNUMBER));
  head[4] = kOneSegmentSizeOf4Bytes;
  store_le(head + 5, static_cast<std::uint32_t>(from.size()));
  const auto block_header = static_cast<std::uint32_t>(plain_bytes << 3);  // not the last; raw
  for (unsigned i = 0; i < kBlockHeaderBytes; ++i)
    head[kFrameHeaderBytes + i] = static_cast<std::byte>(block_header >> (8 * i));
  out.append(head);
  out.append(from.first(plain_bytes));
  out.append(blocks);
  return true;
}

Decompressor::Decompressor() : context_(spare_decompressors.take()) {
  if (context_ == nullptr) context_.reset(ZSTD_createDCtx());
  if (context_ == nullptr) out_of_memory();
}

namespace {

// What is wrong with the sizes of a frame's blocks, so that all readers judge the same: decoders
// differ in what they accept.
const char* find_block_fault(std::span<const std::byte> from, const FrameHeader& header) noexcept {
  const std::uint64_t most = std::min(header.window, kMaxZstdBlockBytes);
  std::size_t at = header.bytes;
  for (bool is_last = false; !is_last;) {
    if (at > from.size() || from.size() - at < 3) return "a block of the zstd frame is cut off";
    const std::uint32_t head = std::to_integer<std::uint32_t>(from[at]) |
                               std::to_integer<std::uint32_t>(from[at + 1]) << 8 |
                               std::to_integer<std::uint32_t>(from[at + 2]) << 16;
    is_last = (head & 1) != 0;
    const std::uint32_t type = head >> 1 & 3;
    const std::uint32_t size = head >> 3;
    if (type == 3) return "a block of the zstd frame has the reserved type";
    if (size > most) return "a block of the zstd frame is larger than its window or 128 KiB";
    at += 3 + (type == 1 ? 1 : size);
  }
  if (at + (header.has_checksum ? 4 : 0) != from.size())
    return "the bytes are not exactly one whole zstd frame";
  return nullptr;
}

}  // namespace

bool has_checksum(std::span<const std::byte> frame) noexcept {
  return frame.size() > 4 && (frame[4] & std::byte{4}) != std::byte{0};
}

const char* find_frame_fault(std::span<const std::byte> from, std::size_t raw_bytes) noexcept {
  // The magic number rules out skippable and legacy frames.
  if (from.size() < 4 || load_le<std::uint32_t>(from.data()) != ZSTD_MAGICNUMBER)
    return "the bytes are not a zstd frame";
  const unsigned long long content = ZSTD_getFrameContentSize(from.data(), from.size());
  if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR) {
    return "the zstd frame does not state its content size";
  }
  if (content != raw_bytes)
    return "the content size of the zstd frame differs from that of the chunk";
  if (ZSTD_getDictID_fromFrame(from.data(), from.size()) != 0)
    return "the zstd frame needs a dictionary";
  const FrameHeader header = frame_header(from, content);
  if (header.bytes == 0) return "the zstd frame has no whole header";
  if (header.window > kMaxZstdWindowBytes) return "the zstd frame needs a window above 8 MiB";
  return find_block_fault(from, header);
}

const char* Decompressor::decompress(std::span<const std::byte> from, std::span<std::byte> to,
                                     std::span<const std::byte> prefix) {
  if (const char* fault = find_frame_fault(from, to.size())) return fault;
  if (!prefix.empty()) must(ZSTD_DCtx_refPrefix(context_.get(), prefix.data(), prefix.size()));
  const std::size_t size =
      ZSTD_decompressDCtx(context_.get(), to.data(), to.size(), from.data(), from.size());
  if (ZSTD_isError(size) != 0) {
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) out_of_memory();
    return ZSTD_getErrorName(size);
  }
  return size == to.size() ? nullptr : "the zstd frame holds fewer bytes than it states";
}

}  // namespace hdb::format
