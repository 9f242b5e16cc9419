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

#include "buffer.hpp"
#include "compress.hpp"
#include "frame.hpp"
#include "hdb/format/writer.hpp"

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
  std::uint64_t payload_offset = 0;  ///< Of the stored bytes in the payload.
};

/// What a thread needs to encode chunks.
class ChunkEncoder {
 public:
  ChunkEncoder(Codec codec, int level, bool filters);

  /// Appends a whole block (head, payload, padding) to `out`. `head` says type, table, group and
  /// part; sizes and hashes are filled in.
  void append_block(BlockHead& head, std::span<const RawChunk> chunks, Buffer& out);

 private:
  void append_chunk(const RawChunk& chunk, Buffer& out, std::size_t entry_at);

  std::optional<Compressor> compressor_;
  bool filters_;
  Buffer filtered_;
};

/// What a thread needs to decode chunks.
struct ChunkDecoder {
  Decompressor decompressor;
  Buffer block;
  Buffer filtered;

  /// Checks the stored hash, then fills `raw` (of the entry's raw size). `verify_raw_hash`:
  /// compares that too. Errors: block_checksum, bad_compression, raw_hash_mismatch.
  [[nodiscard]] Status decode(const ChunkEntry& entry, std::span<const std::byte> stored,
                              std::span<std::byte> raw, bool verify_raw_hash);
};

/// Bytes of an index of `count` chunks.
[[nodiscard]] constexpr std::uint64_t index_bytes(std::uint64_t count) noexcept {
  return kChunkIndexHeadBytes + count * kChunkEntryBytes;
}

/// Reads and checks the index at the beginning of a payload (which may be given only so far).
/// `block` says the sizes. Errors: bad_chunk.
[[nodiscard]] Result<std::vector<ChunkEntry>> decode_index(std::span<const std::byte> payload,
                                                           const BlockInfo& block);

}  // namespace hdb::format
