// Reads blocks of an open file, each checked against its directory entry before its content is
// looked at.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/columns/chunk.hpp"
#include "hdb/io.hpp"

namespace hdb::format {

/// Const calls may come from several threads.
class BlockSource {
 public:
  BlockSource(ByteSource& source, std::uint64_t file_bytes)
      : source_(source), file_bytes_(file_bytes) {}

  void set_file_id(const Hash128& file_id) noexcept { file_id_ = file_id; }
  /// Frames of catalogs and packs may lack a checksum, as in version 0.9.
  void accept_frames_without_checksum() noexcept { needs_checksums_ = false; }
  /// Padding may be damaged, or be the begin of a block that moved: for salvage, where hashes tell
  /// what is sound.
  void accept_any_padding() noexcept { checks_padding_ = false; }
  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return file_bytes_; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

  /// Fills `out`; a read beyond the end is `truncated`.
  [[nodiscard]] Status read(std::uint64_t offset, std::span<std::byte> out) const;
  bool needs_checksums_ = true;
  /// Reads and checks the head at `offset`.
  [[nodiscard]] Result<BlockHead> read_head(std::uint64_t offset) const;

  /// Reads a whole block: checks that the head is as in the directory, the payload hash, the
  /// extensions of the head and the padding, but no chunk. Returns the content, which lies in
  /// `buffer`, and the extensions if they are wanted.
  [[nodiscard]] Result<std::span<const std::byte>> read_block(
      const BlockInfo& block, Buffer& buffer, std::vector<Extension>* extensions = nullptr) const;
  /// Reads the content of a catalog or pack, which may be compressed.
  /// Errors: those of read_block, bad_compression, limit_exceeded.
  [[nodiscard]] Result<Bytes> read_content(const BlockInfo& block, ChunkDecoder& scratch) const;
  /// Reads only head and index of a chunked block.
  [[nodiscard]] Result<std::vector<ChunkEntry>> read_index(const BlockInfo& block,
                                                           Buffer& buffer) const;
  /// Fills `out` with the entries of a block of a free list. Errors: bad_free_list when the block
  /// has another number of entries; bad_chunk.
  [[nodiscard]] Status read_free_list(const BlockInfo& block, bool verify_raw_hash,
                                      ChunkDecoder& scratch, std::span<std::uint32_t> out) const;
  /// Checks head, payload with all chunks, and padding of any block, in bounded memory if its type
  /// is known; on request also the ids of its chunks.
  [[nodiscard]] Status check_block(const BlockInfo& block, bool verify_ids,
                                   ChunkDecoder& scratch) const;

 private:
  [[nodiscard]] Result<BlockHead> check_head(std::span<const std::byte> bytes,
                                             const BlockInfo& block) const;

  ByteSource& source_;
  std::uint64_t file_bytes_;
  Hash128 file_id_;
  bool checks_padding_ = true;
  mutable std::atomic<std::uint64_t> bytes_read_{0};
};

}  // namespace hdb::format
