// Chunked payloads (row groups, free lists): an index of chunks, then their stored bytes.
//
//   payload := count u32, 0 u32, count * entry, stored bytes of the chunks one after another
//   entry   := column u32, piece u32, filter u8, codec u8, width u8, 0 (5 bytes), stored u64, raw
//   u64,
//              raw hash (16 bytes), stored hash u64
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/columns/compress.hpp"
#include "format/columns/pack.hpp"
#include "format/frame/buffer.hpp"
#include "format/frame/frame.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::format {

/// One chunk to be written: a piece of a column, raw.
struct RawChunk {
  std::uint32_t column = 0;
  std::uint32_t piece = 0;
  unsigned width = 1;
  std::span<const std::byte> raw;
};

/// One entry of an index.
struct ChunkEntry {
  ChunkInfo info;  ///< Its offset is that of the stored bytes in the file.
  unsigned width = 1;
  std::uint64_t stored_hash = 0;
  std::uint64_t content_offset = 0;  ///< Of the stored bytes in the content of the block.
};

/// How many blocks the free list of a table takes.
[[nodiscard]] inline std::uint64_t free_list_blocks(const TableDescriptor& table) noexcept {
  return (table.listed_count() + kFreeListBlockEntries - 1) / kFreeListBlockEntries;
}

/// Chunks as they were written before, to be found again by their raw hashes.
class StoredChunks {
 public:
  struct Chunk {
    std::uint32_t column;
    std::uint32_t piece;
    Hash128 raw_hash;
    std::span<const std::byte> entry;  ///< Of the index.
    std::span<const std::byte> stored;
  };

  void clear() noexcept { chunks_.clear(); }
  /// Adds the chunks of a payload that ChunkEncoder wrote; it must outlive the searches. Payloads
  /// come in rising order of their columns.
  void add(std::span<const std::byte> payload);
  /// The chunk of the same column and piece, where its raw bytes had this hash; else null.
  [[nodiscard]] const Chunk* find(const RawChunk& chunk, const Hash128& raw_hash) const noexcept;

 private:
  std::vector<Chunk> chunks_;
};

/// What ChunkEncoder did for a block.
struct Appended {
  std::uint64_t copied_bytes = 0;  ///< Stored bytes of chunks that were known.
  bool is_diluted = false;         ///< Stored less densely than it could be: chunks of it are not
                                   ///< what they would be in another block.
};

/// What a thread needs to encode chunks.
class ChunkEncoder {
 public:
  ChunkEncoder(Codec codec, int level, bool filters);

  /// Appends a whole block (head, payload, padding) to `out`. `head` says type, table, group and
  /// part; sizes and hashes are filled in. Chunks that `known` (written with the same settings, and
  /// not diluted) has are copied. The block gets less than `max_ratio` raw bytes for each byte of
  /// its payload.
  Appended append_block(BlockHead& head, std::span<const RawChunk> chunks,
                        const StoredChunks& known, std::uint64_t max_ratio, Buffer& out);

 private:
  // The largest chunk of a block takes at least `least_bytes`; 0: as few as it can.
  Appended append_payload(BlockHead& head, std::span<const RawChunk> chunks,
                          const StoredChunks& known, std::size_t least_bytes, Buffer& out);
  void append_chunk(const RawChunk& chunk, const Hash128& raw_hash, std::size_t least_bytes,
                    Buffer& out, std::size_t entry_at);

  std::optional<Compressor> compressor_;
  bool filters_;
  Buffer filtered_;
};

/// What a thread needs to decode chunks.
struct ChunkDecoder {
  Decompressor decompressor;
  Buffer block;
  Buffer filtered;
  std::optional<OpenPack> pack;  ///< The last one that was read.

  /// Checks the stored hash, then fills `raw` (of the entry's raw size). `verify_raw_hash`:
  /// compares that too. Errors: block_checksum, bad_compression, raw_hash_mismatch.
  [[nodiscard]] Status decode(const ChunkEntry& entry, std::span<const std::byte> stored,
                              std::span<std::byte> raw, bool verify_raw_hash);
  /// The same checks without the raw bytes.
  [[nodiscard]] Status check(const ChunkEntry& entry, std::span<const std::byte> stored,
                             bool verify_raw_hash);
};

/// Bytes of an index of `count` chunks.
[[nodiscard]] constexpr std::uint64_t index_bytes(std::uint64_t count) noexcept {
  return kChunkIndexHeadBytes + count * kChunkEntryBytes;
}

/// The part of a payload that its block's payload hash covers: up to the end of the index if there
/// is one, else all. The payload may be given only so far. Errors: bad_chunk if the index does not
/// fit it.
[[nodiscard]] Result<std::span<const std::byte>> hashed_part(const BlockInfo& block,
                                                             std::span<const std::byte> payload);
/// Compares the hash of that part. Errors: block_checksum.
[[nodiscard]] Status check_hash(const BlockInfo& block, std::span<const std::byte> hashed);
/// Reads and checks the extensions of the head, at the beginning of a payload.
/// Errors: bad_block_head, unknown_feature.
[[nodiscard]] Result<std::vector<Extension>> head_extensions(const BlockInfo& block,
                                                             std::span<const std::byte> payload);
/// Checks all bytes of a payload: its hash, the extensions, and the hashes of its chunks.
/// Errors: those of head_extensions, bad_chunk, block_checksum.
[[nodiscard]] Status check_payload(const BlockInfo& block, std::span<const std::byte> payload);
/// Checks the index of an indexed content, and the hashes of its chunks.
/// Errors: bad_chunk, block_checksum.
[[nodiscard]] Status check_chunks(const BlockInfo& block, std::span<const std::byte> content);

/// Compares the ids of the chunks of an indexed content, if the extensions of its head have ids,
/// with their raw bytes. Errors: raw_hash_mismatch, those of ChunkDecoder::decode.
[[nodiscard]] Status check_chunk_ids(const BlockInfo& block, std::span<const std::byte> content,
                                     std::span<const Extension> extensions, ChunkDecoder& decoder);

/// Reads and checks the index at the beginning of a content (which may be given only so far).
/// `block` says the sizes. Errors: bad_chunk.
[[nodiscard]] HDB_INSPECT_API Result<std::vector<ChunkEntry>> decode_index(
    std::span<const std::byte> content, const BlockInfo& block);

}  // namespace hdb::format
