// Decodes one row group from its parts: which chunks, in which order, how large, then their bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "format/columns/grammar.hpp"
#include "format/frame/block_source.hpp"

namespace hdb::format {

/// What decoding one group needs to know.
struct GroupPlace {
  const TableDescriptor* table = nullptr;
  const Grammar* grammar = nullptr;
  std::uint64_t group = 0;
  std::span<const BlockInfo> parts;  ///< Or the pack.
  bool is_packed = false;
  PackCatalog catalog;  ///< For a packed one.
};

/// The chunks of a group, column by column; pieces of a column follow one another.
struct GroupIndex {
  struct PlacedChunk {
    ChunkEntry entry;
    std::uint32_t part = 0;
  };
  std::vector<PlacedChunk> chunks;
  std::vector<std::uint32_t>
      first_chunk;  ///< By stored column (positions left out of stable tables), and one past.
  std::vector<std::uint64_t> raw_bytes;  ///< By stored column.
};

/// Fills in the raw bytes of a damaged chunk from elsewhere; false: there are none.
using ChunkSpare = std::function<bool(const ChunkInfo& chunk, std::span<std::byte> to)>;

class GroupDecoder {
 public:
  GroupDecoder(const BlockSource& source, const ReadOptions& options, ChunkDecoder& scratch)
      : source_(source), options_(options), scratch_(scratch) {}

  /// All chunks of the group, in the order of columns and pieces.
  /// Errors: bad_chunk, limit_exceeded, memory_budget, bad_pack.
  [[nodiscard]] Result<std::vector<ChunkInfo>> read_chunks(const GroupPlace& place);
  /// Decodes everything. Reads each part whole, and checks its payload hash first.
  [[nodiscard]] Status decode_all(const GroupPlace& place, RowGroup& out);
  /// The same checks. Of columns, `out` gets none.
  [[nodiscard]] Status check_all(const GroupPlace& place, RowGroup& out);
  /// Decodes slots and the wanted columns, reading only their chunks.
  [[nodiscard]] Status decode_some(const GroupPlace& place, std::span<const std::uint32_t> wanted,
                                   RowGroup& out);
  /// Decodes states, generations and positions alone, of a group whose other chunks may be damaged
  /// or missing.
  [[nodiscard]] Status decode_slots_only(const GroupPlace& place, RowGroup& out);
  /// Decodes the slots, and of the columns those that are sound, also in a damaged group. The
  /// others are marked in `lost`, and hold zeros and empty texts and lists; its last mark is for
  /// the dense positions, which are too large then.
  /// Errors: states, generations or the pack are damaged; memory_budget.
  [[nodiscard]] Status decode_sound(const GroupPlace& place, const ChunkSpare& spare, RowGroup& out,
                                    std::vector<bool>& lost);
  /// Fills `to` with the chunk that has this column, piece and raw hash. False: there is none.
  [[nodiscard]] bool copy_chunk(const GroupPlace& place, const ChunkInfo& wanted,
                                std::span<std::byte> to);
  /// The free list of a packed table. Errors: bad_pack, bad_compression.
  [[nodiscard]] Result<std::vector<std::uint32_t>> decode_packed_free_list(const GroupPlace& place);

 private:
  [[nodiscard]] Result<PackedTable> open_pack(const GroupPlace& place);
  [[nodiscard]] Status unpack(const GroupPlace& place, bool only_slots, RowGroup& out);
  [[nodiscard]] Result<GroupIndex> read_index(const GroupPlace& place);
  [[nodiscard]] Status gather(const GroupPlace& place, std::vector<std::vector<ChunkEntry>> parts,
                              GroupIndex& index, bool complete = true);
  /// What becomes of a column.
  enum class Use : std::uint8_t { none, check, decode };
  [[nodiscard]] Status open_all(const GroupPlace& place, GroupIndex& index);
  [[nodiscard]] Status decode(const GroupPlace& place, const GroupIndex& index,
                              std::span<const Use> uses, bool whole_parts, RowGroup& out);
  [[nodiscard]] Status decode_slots(const GroupPlace& place, const GroupIndex& index, RowGroup& out,
                                    bool* loses_order = nullptr);
  [[nodiscard]] Status fill(const GroupPlace& place, const GroupIndex& index, std::size_t column,
                            std::span<std::byte> to);
  [[nodiscard]] Status check_chunks_of(const GroupPlace& place, const GroupIndex& index,
                                       std::size_t column);
  [[nodiscard]] Status fill_numbers(const GroupPlace& place, const GroupIndex& index,
                                    std::size_t column, std::vector<std::uint32_t>& out);
  [[nodiscard]] Result<std::span<const std::byte>> stored_bytes(
      const GroupPlace& place, const GroupIndex::PlacedChunk& chunk);

  const BlockSource& source_;
  const ReadOptions& options_;
  ChunkDecoder& scratch_;
  bool whole_parts_ = false;
  ChunkSpare spare_;
  std::uint32_t loaded_part_ = 0;  ///< + 1; 0: none.
  std::span<const std::byte> payload_;
};

}  // namespace hdb::format
