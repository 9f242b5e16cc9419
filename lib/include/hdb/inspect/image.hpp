// The type-free Image: what a snapshot file says, without any C++ record type.
//
// Everything that writes a file (save, convert, repair, import) hands the writer an ImageSource;
// everything that reads one gets the same shapes back from the reader. Columns here are raw:
// canonical little-endian bytes, no filter, no compression.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/file_info.hpp"
#include "hdb/hash.hpp"
#include "hdb/io.hpp"
#include "hdb/schema.hpp"
#include "hdb/write_options.hpp"

namespace hdb {

/// One row group of one table, decoded.
struct RowGroup {
  std::uint64_t first_slot = 0;
  std::vector<std::uint8_t> states;        ///< SlotState of each slot of the group.
  std::vector<std::uint32_t> generations;  ///< Of each slot. Live: its own. Free: the last one
                                           ///< issued (0: none). Retired: the last of the layout.
  std::vector<std::uint32_t> positions;  ///< Dense tables: the dense position of each live slot, in
                                         ///< slot order. Stable: empty.
  std::vector<Bytes> columns;  ///< columns_of(schema): the live records' columns, in slot order.
  /// Sum of the row hashes of every slot of the group (`vacant_slot_hash` for those that are not
  /// live); filled by sources that are asked for it.
  std::optional<Hash128> record_hash;

  [[nodiscard]] std::size_t live_count() const noexcept;
};

/// A block of a type that this version does not know, which a rewriter may copy.
struct AncillaryBlock {
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t table = 0;
  std::uint64_t group = 0;
  std::uint32_t part = 0;
  std::uint64_t raw_bytes = 0;
  Bytes payload;
};

/// The tables of one snapshot, to be written. All calls are const and may come from several threads
/// at once.
class ImageSource {
 public:
  virtual ~ImageSource() = default;

  [[nodiscard]] virtual const Metadata& metadata() const = 0;
  /// The thumbnail's bytes (an image file of the caller's choice); empty: none.
  [[nodiscard]] virtual const Bytes& thumbnail() const = 0;
  [[nodiscard]] virtual const std::vector<Field>& schemas() const = 0;
  /// In rising order of names.
  [[nodiscard]] virtual const std::vector<TableDescriptor>& tables() const = 0;
  /// The highest type id ever given to a table, also to one that is gone; by default that of
  /// `tables`.
  [[nodiscard]] virtual std::uint16_t highest_type_id() const;
  /// Decodes or gathers one row group into `out` (whose buffers are re-used).
  [[nodiscard]] virtual Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                                          RowGroup& out) const = 0;
  /// As read_group, but of the columns only those of row_prefix need be filled: what checks of a
  /// whole table look at.
  [[nodiscard]] virtual Status read_slots(std::size_t table, std::uint64_t group,
                                          RowGroup& out) const {
    return read_group(table, group, false, out);
  }
  /// Fills `out` with numbers such that any two groups of one place (table name, schema, number),
  /// of any images of this process, hold the same when theirs are equal; false when that cannot be
  /// told. `last` are numbers given for the place before, or none: they may shorten the work.
  [[nodiscard]] virtual bool group_identity(std::size_t table, std::uint64_t group,
                                            std::span<const std::uint64_t> last,
                                            std::vector<std::uint64_t>& out) const {
    static_cast<void>(table), static_cast<void>(group), static_cast<void>(last);
    static_cast<void>(out);
    return false;
  }
  /// Copies free-list entries [first, first + out.size()), in the order of use.
  [[nodiscard]] virtual Status read_free_list(std::size_t table, std::uint64_t first,
                                              std::span<std::uint32_t> out) const = 0;
  /// XXH3-128 over the dense order (slot numbers as u32, in dense order); zero for stable tables.
  [[nodiscard]] virtual Result<Hash128> dense_order_hash(std::size_t table) const = 0;
  /// The state hash where it is already known (a cache, a file); else the writer computes it.
  [[nodiscard]] virtual std::optional<Hash128> known_state_hash() const { return std::nullopt; }
  /// Blocks of unknown types to be copied: those of a rewritten file that are safe to copy.
  [[nodiscard]] virtual Result<std::vector<AncillaryBlock>> ancillary_blocks() const {
    return std::vector<AncillaryBlock>{};
  }
};

/// What a table adds to the state hash besides its descriptor.
struct TableHashes {
  Hash128 records;      ///< Sum of the row hashes of all slots.
  Hash128 free_list;    ///< XXH3-128 over the free list as u32, in the order of use.
  Hash128 dense_order;  ///< XXH3-128 over the dense order as u32; zero for stable tables.
};

/// The state hash of FORMAT.md from its parts (tables in rising order of names; those of tables
/// that are not hashed are not looked at).
[[nodiscard]] Hash128 combine_state_hash(const std::vector<Field>& schemas,
                                         const std::vector<TableDescriptor>& tables,
                                         const std::vector<TableHashes>& hashes,
                                         std::uint16_t highest_type_id);
/// The highest type id of these tables.
[[nodiscard]] std::uint16_t highest_type_id_of(const std::vector<TableDescriptor>& tables) noexcept;

/// Row hash of a slot that is not live.
[[nodiscard]] Hash128 vacant_slot_hash(std::uint32_t slot, SlotState state,
                                       std::uint32_t generation) noexcept;

/// Sum of the row hashes of some live rows from their columns, which must keep the grammar of the
/// schema.
[[nodiscard]] Hash128 hash_live_rows(const Field& root, const std::vector<Bytes>& columns,
                                     std::span<const std::uint32_t> slots,
                                     std::span<const std::uint32_t> generations);

/// Sum of the row hashes of all slots of a group, computed from its columns.
/// Errors: bad_lengths or bad_value when the columns do not fit the schema.
[[nodiscard]] Result<Hash128> group_record_hash(const Field& root, const RowGroup& group);

struct WriteReport {
  std::uint64_t bytes = 0;
  std::uint64_t raw_bytes = 0;  ///< Column bytes before filters and compression.
  Hash128 state_hash;
  Hash128 file_id;
  std::uint64_t reused_bytes = 0;   ///< Stored bytes taken from the cache.
  std::uint64_t reused_groups = 0;  ///< Row groups taken over whole, without being encoded.
};

/// Streams the snapshot file of `image` into `sink`. Memory: a few row groups per thread.
/// Errors: what the sink, the image or the limits refuse, and everything that a reader with those
/// limits would refuse (grammar, slots, free list, dense order); then the sink holds an unfinished
/// file. What an executor's task, the image or the sink throws is thrown again on the calling
/// thread.
[[nodiscard]] Result<WriteReport> write_image(const ImageSource& image, ByteSink& sink,
                                              const WriteOptions& options = {});

}  // namespace hdb
