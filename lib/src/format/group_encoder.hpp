// Encodes row groups and free-list blocks of an image, one worker at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "chunk.hpp"
#include "grammar.hpp"
#include "hdb/format/check.hpp"

namespace hdb::format {

/// The blocks of one row group, or one block of a free list.
struct EncodedBlocks {
  Buffer bytes;
  std::vector<BlockInfo> blocks;  ///< Offsets count from the beginning of `bytes`.
  std::uint64_t raw_bytes = 0;
  Hash128 records;                        ///< Row group: sum of its row hashes.
  std::vector<std::uint32_t> free_slots;  ///< Free list: its entries, to be hashed in order.
};

/// What all workers of one write share.
struct EncodeJob {
  const ImageSource* image = nullptr;
  WriteOptions options;
  Hash128 file_id;
  bool with_hash = true;
  std::vector<Grammar> grammars;                       ///< By schema.
  std::vector<std::unique_ptr<SlotChecker>> checkers;  ///< By table.
};

/// What one worker needs.
class GroupEncoder {
 public:
  explicit GroupEncoder(const EncodeJob& job);

  /// Gathers, checks and encodes one row group.
  [[nodiscard]] Status encode_group(std::size_t table, std::uint64_t group, EncodedBlocks& out);
  /// Encodes block `number` of a free list.
  [[nodiscard]] Status encode_free_list(std::size_t table, std::uint64_t number,
                                        EncodedBlocks& out);

 private:
  [[nodiscard]] Status check(const TableDescriptor& table, std::uint64_t group) const;
  void plan_chunks(const TableDescriptor& table);
  void add_column(std::uint32_t column, unsigned width, std::span<const std::byte> raw);
  void add_block(BlockType type, std::size_t table, std::uint64_t group, std::uint32_t part,
                 std::span<const RawChunk> chunks, EncodedBlocks& out);

  const EncodeJob& job_;
  ChunkEncoder encoder_;
  RowGroup group_;
  std::vector<RawChunk> chunks_;
  Bytes generations_;  // little-endian copies, on hosts that need them
  Bytes positions_;
};

}  // namespace hdb::format
