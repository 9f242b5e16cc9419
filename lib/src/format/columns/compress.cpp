// The only place that includes zstd.
#include "format/columns/compress.hpp"

#include <zstd.h>
#include <zstd_errors.h>

#include "hdb/assert.hpp"
#include "hdb/bytes.hpp"

namespace hdb::format {
namespace {

void must(std::size_t code) {
  if (ZSTD_isError(code) == 0) return;
  if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) out_of_memory();
  fatal(ZSTD_getErrorName(code), __FILE__, __LINE__);
}

}  // namespace

void Compressor::Free::operator()(ZSTD_CCtx_s* context) const noexcept { ZSTD_freeCCtx(context); }
void Decompressor::Free::operator()(ZSTD_DCtx_s* context) const noexcept { ZSTD_freeDCtx(context); }

Compressor::Compressor(int level) : context_(ZSTD_createCCtx()) {
  if (context_ == nullptr) out_of_memory();
  must(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level));
  must(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_contentSizeFlag, 1));
  must(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 0));
  must(ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_dictIDFlag, 0));
}

bool Compressor::compress(std::span<const std::byte> from, Buffer& out) {
  const std::size_t bound = ZSTD_compressBound(from.size());
  must(ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only));
  const std::size_t size =
      ZSTD_compress2(context_.get(), out.tail(bound), bound, from.data(), from.size());
  must(size);
  if (size >= from.size()) return false;
  out.commit(size);
  return true;
}

Decompressor::Decompressor() : context_(ZSTD_createDCtx()) {
  if (context_ == nullptr) out_of_memory();
}

const char* find_frame_fault(std::span<const std::byte> from, std::size_t raw_bytes) noexcept {
  // The magic number rules out skippable and legacy frames.
  if (from.size() < 4 || load_le<std::uint32_t>(from.data()) != ZSTD_MAGICNUMBER)
    return "the bytes are not a zstd frame";
  if (ZSTD_findFrameCompressedSize(from.data(), from.size()) != from.size()) {
    return "the bytes are not exactly one whole zstd frame";
  }
  const unsigned long long content = ZSTD_getFrameContentSize(from.data(), from.size());
  if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR) {
    return "the zstd frame does not state its content size";
  }
  if (content != raw_bytes)
    return "the content size of the zstd frame differs from that of the chunk";
  if (ZSTD_getDictID_fromFrame(from.data(), from.size()) != 0)
    return "the zstd frame needs a dictionary";
  return nullptr;
}

const char* Decompressor::decompress(std::span<const std::byte> from, std::span<std::byte> to) {
  if (const char* fault = find_frame_fault(from, to.size())) return fault;
  const std::size_t size =
      ZSTD_decompressDCtx(context_.get(), to.data(), to.size(), from.data(), from.size());
  if (ZSTD_isError(size) != 0) {
    if (ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation) out_of_memory();
    return ZSTD_getErrorName(size);
  }
  return size == to.size() ? nullptr : "the zstd frame holds fewer bytes than it states";
}

}  // namespace hdb::format
