// Encodes row groups and free-list blocks of an image, one worker at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "format/columns/grammar.hpp"
#include "format/write/frame_sink.hpp"
#include "hdb/inspect/checks.hpp"

namespace hdb::format {

/// The blocks of one row group, or one block of a free list; or a small table for a pack.
struct EncodedBlocks {
  bool is_packed = false;                          ///< The piece is a group for a pack.
  std::vector<std::span<const std::byte>> pieces;  ///< What to write, in order.
  Buffer bytes;                                    ///< Blocks, or the heads of reused ones.
  std::shared_ptr<const void> holder;              ///< Of pieces that are not in `bytes`.
  std::vector<BlockInfo> blocks;  ///< Offsets count from the beginning of the first piece.
  std::vector<BlockHead> heads;   ///< The same, of blocks that were encoded.
  std::uint64_t raw_bytes = 0;
  std::uint64_t reused_bytes = 0;         ///< Stored bytes that came from the cache.
  bool is_diluted = false;                ///< As Appended::is_diluted, of a block.
  Hash128 records;                        ///< Row group: sum of its row hashes.
  SlotSums slots;                         ///< Row group of a table that is checked by sums.
  std::vector<std::uint32_t> free_slots;  ///< Free list: its entries, to be hashed in order.
  bool is_reused = false;                 ///< As the last write left it.
  std::vector<KeptId> ids;                ///< Of each block, if a GroupStore names them.
};

/// Whether a file of these tables may have so much content that each block must be within the
/// content ratio: in a small file only large row groups need to be.
[[nodiscard]] bool has_many_groups(std::span<const TableDescriptor> tables) noexcept;

/// What all workers of one write share.
struct EncodeJob {
  const ImageSource* image = nullptr;
  WriteOptions options;
  Hash128 file_id;
  bool with_hash = true;
  std::vector<Grammar> grammars;  ///< By schema.
  /// By table; null: the writer checks the table by sums.
  std::vector<std::unique_ptr<SlotChecker>> checkers;
  std::unique_ptr<ComponentChecker> components;
  GroupStore* store = nullptr;  ///< Knows the last write; null: nothing does.
};

/// What one worker needs.
class GroupEncoder {
 public:
  explicit GroupEncoder(const EncodeJob& job);

  /// Gathers, checks and encodes one row group; of a small table also its free list, for a pack.
  [[nodiscard]] Status encode_group(std::size_t table, std::uint64_t group, EncodedBlocks& out);
  /// Encodes block `number` of a free list.
  [[nodiscard]] Status encode_free_list(std::size_t table, std::uint64_t number,
                                        EncodedBlocks& out);

 private:
  [[nodiscard]] Status check_sizes(std::uint64_t largest_column, std::uint64_t total) const;
  [[nodiscard]] Status check(const TableDescriptor& table, std::uint64_t group) const;
  [[nodiscard]] bool is_unchanged(std::size_t table, std::uint64_t group, const GroupFacts* last);
  [[nodiscard]] Status reuse(std::size_t table, std::uint64_t group, GroupFacts& last,
                             EncodedBlocks& out);
  [[nodiscard]] Status gather_and_encode(std::size_t table, std::uint64_t group,
                                         EncodedBlocks& out);
  [[nodiscard]] Status write_again(std::size_t table, std::uint64_t group, EncodedBlocks& out);
  [[nodiscard]] bool are_slots_known(std::size_t table, const GroupFacts& last) const noexcept;
  [[nodiscard]] Status add_slots(std::size_t table, std::uint64_t group, EncodedBlocks& out);
  [[nodiscard]] Status read_free_list(std::size_t table, std::uint64_t first, EncodedBlocks& out);
  [[nodiscard]] Status pack(std::size_t table, EncodedBlocks& out);
  /// Adds the free list of a table whose group is for a pack.
  [[nodiscard]] Status add_packed_list(std::size_t table, EncodedBlocks& out);
  void find_known_chunks(std::size_t table, GroupPart part, std::uint64_t number);
  void plan_chunks(const TableDescriptor& table);
  void add_column(std::uint32_t column, unsigned width, std::span<const std::byte> raw);
  [[nodiscard]] std::uint64_t max_ratio(BlockType type) const noexcept;
  void add_block(BlockType type, std::size_t table, std::uint64_t group, std::uint32_t part,
                 std::span<const RawChunk> chunks, EncodedBlocks& out);

  const EncodeJob& job_;
  ChunkEncoder encoder_;
  const bool has_many_groups_;
  RowGroup group_;
  std::vector<RawChunk> chunks_;
  StoredChunks known_;
  std::vector<std::uint64_t> identity_;  // of the group at hand; empty: not known
  Bytes generations_;                    // little-endian copies, on hosts that need them
  Bytes positions_;
};

}  // namespace hdb::format
