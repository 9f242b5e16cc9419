// FrameSink and GroupStore: where the parts of a file go that write_frame makes of an image. A
// FileWriter makes a file of them; an archive keeps each part once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "format/columns/chunk.hpp"
#include "format/frame/frame.hpp"
#include "format/write/slot_sums.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::format {

class CompressedBlocks;
struct EncodedBlocks;

/// Receives the parts of a file in order, one call at a time.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  /// add_compressed may take payloads from `last`, and adds them to it. A sink that does not
  /// compress ignores it.
  virtual void use_compressed(CompressedBlocks* last) noexcept { static_cast<void>(last); }
  /// The most bytes of a pack. At most kMaxPackBytes.
  [[nodiscard]] virtual std::uint64_t pack_bytes() const noexcept { return kPackBytes; }
  /// The header comes now. The file will have at most `most_bytes` bytes; an estimate.
  [[nodiscard]] virtual Status begin(std::uint64_t most_bytes) = 0;
  /// A block whose payload is stored as it is. `info` says type, flags, table, group and part.
  [[nodiscard]] virtual Status add_unchunked(BlockInfo info, std::span<const std::byte> payload,
                                             std::uint64_t raw_bytes) = 0;
  /// A block whose payload is compressed where that makes it smaller.
  [[nodiscard]] virtual Status add_compressed(const BlockInfo& info,
                                              std::span<const std::byte> content) = 0;
  /// The finished blocks of a row group, or one of a free list.
  [[nodiscard]] virtual Status add_encoded(const EncodedBlocks& encoded) = 0;
  /// Directory and footer come now.
  [[nodiscard]] virtual Status finish(const Hash128& state_hash) = 0;
  /// Bytes of the file so far.
  [[nodiscard]] virtual std::uint64_t size() const noexcept = 0;
};

/// Names what a GroupStore has of one block.
using KeptId = std::array<std::byte, 32>;

/// What a write knows of a row group that it wrote, besides the stored bytes. Of a block of a free
/// list, nothing.
struct GroupFacts {
  std::vector<std::uint64_t> identity;  ///< ImageSource::group_identity; empty: not known.
  std::optional<Hash128> records;       ///< Sum of the row hashes, where it was asked for.
  std::optional<SlotSums> slots;        ///< Of a table that is checked by sums.
  TablePolicy policy;                   ///< By which the slots were checked.
  bool is_checked = false;              ///< All checks of a write of this group passed.
  std::uint64_t raw_bytes = 0;          ///< Of the columns.
  std::uint64_t largest_column_bytes = 0;
};

enum class GroupPart : std::uint8_t { rows, free_list };

/// Knows the row groups and the blocks of free lists of the last write, so that the next one does
/// not encode again what did not change. Workers call it for different groups at once.
class GroupStore {
 public:
  virtual ~GroupStore() = default;
  /// A group of the last write; null: not known. Valid until it is stored again.
  [[nodiscard]] virtual GroupFacts* last_group(std::size_t table, std::uint64_t group) noexcept = 0;
  /// Adds the chunks that the last write stored there and that a new block may copy.
  virtual void add_last_chunks(std::size_t table, GroupPart part, std::uint64_t number,
                               StoredChunks& chunks) const = 0;
  /// Adds the blocks of a group that did not change, for a file with this id, with all that
  /// FrameSink::add_encoded of the same write needs. Requires: last_group is not null.
  virtual void reuse_from_last(std::size_t table, std::uint64_t group, const Hash128& file_id,
                               EncodedBlocks& out) = 0;
  /// Stores what was encoded; `out.is_packed`: it is not in a block of its own.
  [[nodiscard]] virtual Status store_group(std::size_t table, GroupPart part, std::uint64_t number,
                                           const GroupFacts& facts, EncodedBlocks& out) = 0;
  /// Remembers sums from one write to the next; one thread at a time.
  [[nodiscard]] virtual PositionSums& position_sums() noexcept = 0;
};

/// As write_image, into any sink. `store`: knows the last write; null: options.cache. Groups that
/// did not change are not read; their sums take part in the checks of their tables.
/// Errors: as write_image.
[[nodiscard]] HDB_INSPECT_API Result<WriteReport> write_frame(const ImageSource& image,
                                                              FrameSink& sink,
                                                              const Hash128& file_id,
                                                              const WriteOptions& options,
                                                              GroupStore* store = nullptr);

}  // namespace hdb::format
