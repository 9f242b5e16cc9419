// FrameSink and GroupStore: where the parts of a file go that write_frame makes of an image. A
// FileWriter makes a file of them; an archive keeps each part once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "format/frame/frame.hpp"
#include "format/write/slot_sums.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::format {

struct EncodedBlocks;

/// Receives the parts of a file in order, one call at a time.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
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

/// Names what a GroupStore kept of one block.
using KeptId = std::array<std::byte, 32>;

/// Keeps row groups and blocks of free lists from one write to the next, and knows those that did
/// not change. Workers call it for different groups at once.
class GroupStore {
 public:
  virtual ~GroupStore() = default;
  /// The numbers of ImageSource::group_identity with which the group was kept last; may be empty.
  [[nodiscard]] virtual std::span<const std::uint64_t> last_identity(
      std::size_t table, std::uint64_t group) const noexcept = 0;
  /// If the group was kept with the same numbers, in a table with the same policy, by a write that
  /// passed all checks: fills blocks, ids, raw_bytes, slots and, `with_hash`, records of `out`, and
  /// returns true.
  [[nodiscard]] virtual bool recall(std::size_t table, std::uint64_t group,
                                    std::span<const std::uint64_t> identity, bool with_hash,
                                    EncodedBlocks& out) = 0;
  /// Keeps what was encoded, and fills its ids. `identity` may be empty: not known. Blocks are of
  /// codec none and without filters.
  [[nodiscard]] virtual Status keep(std::span<const std::uint64_t> identity, bool with_hash,
                                    EncodedBlocks& out) = 0;
  /// Remembers sums from one write to the next; one thread at a time.
  [[nodiscard]] virtual PositionSums& position_sums() noexcept = 0;
};

/// As write_image, into any sink. `store`: keeps the row groups; null: none does. Groups that it
/// recalls are not read; their sums take part in the checks of their tables.
/// Errors: as write_image.
[[nodiscard]] Result<WriteReport> write_frame(const ImageSource& image, FrameSink& sink,
                                              const Hash128& file_id, const WriteOptions& options,
                                              GroupStore* store = nullptr);

}  // namespace hdb::format
