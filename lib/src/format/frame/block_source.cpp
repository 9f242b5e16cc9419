// Blocks in: a private copy of the bytes is hashed and then used, so that a file that changes
// meanwhile cannot fool us.
#include "format/frame/block_source.hpp"

#include <algorithm>
#include <bit>

#include "format/frame/layout.hpp"

namespace hdb::format {
namespace {

// What is read of a chunked block at first, in the hope that head and index lie within.
constexpr std::uint64_t kFirstRead = 4096;

}  // namespace

Status BlockSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > file_bytes_ || out.size() > file_bytes_ - offset) {
    return fail(ErrorCode::truncated,
                std::to_string(out.size()) + " bytes are needed after the end of the file", {},
                offset);
  }
  if (out.empty()) return {};
  bytes_read_.fetch_add(out.size(), std::memory_order_relaxed);
  return source_.read_at(offset, out);
}

Result<BlockHead> BlockSource::read_head(std::uint64_t offset) const {
  std::array<std::byte, kBlockHeadBytes> bytes;
  if (Status status = read(offset, bytes); !status) return fail(std::move(status.error()));
  return decode_block_head(bytes, offset);
}

Result<BlockHead> BlockSource::check_head(std::span<const std::byte> bytes,
                                          const BlockInfo& block) const {
  auto head = decode_block_head(bytes.first(kBlockHeadBytes), block.offset);
  if (!head) return head;
  if (head->file_id != file_id_) {
    return fail(ErrorCode::foreign_block, "the block belongs to another file", {}, block.offset);
  }
  if (!same_block(head->info, block)) {
    return fail(ErrorCode::unexpected_block, "the block head differs from its directory entry", {},
                block.offset);
  }
  return head;
}

Result<std::span<const std::byte>> BlockSource::read_block(
    const BlockInfo& block, Buffer& buffer, std::vector<Extension>* extensions) const {
  if (block.offset > file_bytes_ || block.total_bytes > file_bytes_ - block.offset) {
    return fail(ErrorCode::bad_geometry, "the block reaches beyond the end of the file", {},
                block.offset);
  }
  buffer.reset(static_cast<std::size_t>(block.total_bytes));
  if (Status status = read(block.offset, buffer.bytes()); !status)
    return fail(std::move(status.error()));
  const std::span<const std::byte> bytes = buffer.bytes();
  const auto head = check_head(bytes, block);
  if (!head) return fail(head.error());
  const auto payload = bytes.subspan(kBlockHeadBytes, static_cast<std::size_t>(block.stored_bytes));
  const auto hashed = hashed_part(block, payload);
  if (!hashed) return hashed;
  if (Status status = check_hash(block, *hashed); !status) return fail(std::move(status.error()));
  const auto padding = bytes.subspan(kBlockHeadBytes + payload.size());
  if (checks_padding_ &&
      std::any_of(padding.begin(), padding.end(), [](std::byte b) { return b != std::byte{0}; })) {
    return fail(ErrorCode::bad_geometry, "the padding is not zero", {},
                block.offset + kBlockHeadBytes + payload.size());
  }
  auto found = head_extensions(block, payload);
  if (!found) return fail(std::move(found.error()));
  if (extensions != nullptr) *extensions = std::move(*found);
  return content_of(block, payload);
}

Result<Bytes> BlockSource::read_content(const BlockInfo& block, ChunkDecoder& scratch) const {
  if (block.raw_bytes > max_raw(block.type)) {
    return fail(ErrorCode::bad_geometry,
                "the block says that its content has " + std::to_string(block.raw_bytes) +
                    " bytes, more than the format allows",
                {}, block.offset);
  }
  const auto payload = read_block(block, scratch.block);
  if (!payload) return fail(payload.error());
  if (payload->size() == block.raw_bytes) return Bytes(payload->begin(), payload->end());
  Bytes content(static_cast<std::size_t>(block.raw_bytes));
  if (const char* fault = scratch.decompressor.decompress(*payload, content)) {
    return fail(ErrorCode::bad_compression, fault, {}, content_offset(block));
  }
  if (needs_checksums_ && !has_checksum(*payload)) {
    return fail(ErrorCode::bad_compression, "the zstd frame has no checksum", {},
                content_offset(block));
  }
  return content;
}

Result<std::vector<ChunkEntry>> BlockSource::read_index(const BlockInfo& block,
                                                        Buffer& buffer) const {
  const auto payload_end = kBlockHeadBytes + block.stored_bytes;
  if (content_bytes(block) < kChunkIndexHeadBytes) {
    return fail(ErrorCode::bad_chunk, "the block has no column index", {}, block.offset);
  }
  const std::uint64_t index_at = kBlockHeadBytes + block.extension_bytes;
  std::uint64_t size = std::min(payload_end, std::max(kFirstRead, index_at + kChunkIndexHeadBytes));
  buffer.reset(static_cast<std::size_t>(size));
  if (Status status = read(block.offset, buffer.bytes()); !status)
    return fail(std::move(status.error()));
  const auto head = check_head(buffer.bytes(), block);
  if (!head) return fail(head.error());
  const std::uint64_t index_size = index_bytes(load_le<std::uint32_t>(buffer.data() + index_at));
  if (index_size <= content_bytes(block) && index_at + index_size > size) {
    size = index_at + index_size;
    buffer.reset(static_cast<std::size_t>(size));
    if (Status status = read(block.offset, buffer.bytes()); !status)
      return fail(std::move(status.error()));
  }
  const std::span<const std::byte> bytes = buffer.bytes();
  const auto hashed = hashed_part(block, bytes.subspan(kBlockHeadBytes));
  if (!hashed) return fail(hashed.error());
  if (Status status = check_hash(block, *hashed); !status) return fail(std::move(status.error()));
  if (const auto extensions = head_extensions(block, *hashed); !extensions)
    return fail(extensions.error());
  return decode_index(content_of(block, *hashed), block);
}

Status BlockSource::read_free_list(const BlockInfo& block, bool verify_raw_hash,
                                   ChunkDecoder& scratch, std::span<std::uint32_t> out) const {
  if (block.raw_bytes != out.size_bytes()) {
    return fail(ErrorCode::bad_free_list,
                std::to_string(block.raw_bytes) + " bytes do not fit " +
                    std::to_string(out.size()) + " entries",
                {}, block.offset);
  }
  const auto payload = read_block(block, scratch.block);
  if (!payload) return fail(payload.error());
  const auto entries = decode_index(*payload, block);
  if (!entries) return fail(entries.error());
  const ChunkEntry& entry = entries->front();
  if (entries->size() != 1 || entry.info.column != 0 || entry.info.piece != 0 || entry.width != 4) {
    return fail(ErrorCode::bad_chunk, "a free-list block must hold one chunk of 4-byte values", {},
                block.offset);
  }
  const auto stored = payload->subspan(static_cast<std::size_t>(entry.content_offset));
  Status status = scratch.decode(entry, stored, std::as_writable_bytes(out), verify_raw_hash);
  if constexpr (std::endian::native == std::endian::big) {
    for (std::uint32_t& slot : out) slot = swap_bytes(slot);
  }
  return status;
}

Status BlockSource::check_block(const BlockInfo& block, bool verify_ids,
                                ChunkDecoder& scratch) const {
  std::vector<Extension> extensions;
  const auto content = read_block(block, scratch.block, &extensions);
  if (!content) return fail(content.error());
  if (!is_indexed(block)) return {};
  Status status = check_chunks(block, *content);
  if (!status || !verify_ids || !is_known(block.type)) return status;
  return check_chunk_ids(block, *content, extensions, scratch);
}

}  // namespace hdb::format
