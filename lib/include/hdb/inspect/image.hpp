// The contents of a save file without C++ record types (ImageSource, RowGroup), and the writer of
// files (write_image). hdb::save and all tools that write files use it. Columns are raw here:
// canonical little-endian bytes, without filter and compression.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/error.hpp"
#include "hdb/file_info.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/schema.hpp"
#include "hdb/io.hpp"
#include "hdb/write_options.hpp"

namespace hdb {

/// One decoded row group of a table: its slots, and the columns of its live records.
struct RowGroup {
  std::uint64_t first_slot = 0;
  std::vector<std::uint8_t> states;        ///< SlotState of each slot of the group.
  std::vector<std::uint32_t> generations;  ///< One for each slot. Live: its own. Free: the last one
                                           ///< issued (0: none). Retired: the last of the layout.
  std::vector<std::uint32_t> positions;  ///< Dense tables: the dense position of each live slot, in
                                         ///< slot order. Stable: empty.
  std::vector<Bytes> columns;  ///< columns_of(schema): the live records' columns, in slot order.
  /// The sum of the row hashes of all slots of the group; slots that are not live count with their
  /// vacant_slot_hash. Only set if the source was asked for it.
  std::optional<Hash128> record_hash;

  /// The number of live slots.
  [[nodiscard]] HDB_INSPECT_API std::size_t live_count() const noexcept;
};

/// A block of a type that this version of hdb does not know and that may be copied unchanged.
struct AncillaryBlock {
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint64_t group = 0;
  std::uint32_t part = 0;
  std::uint64_t raw_bytes = 0;
  std::vector<Extension> extensions;  ///< Those of the head; kExtensionTableName: its table.
  Bytes payload;                      ///< Without the extensions.
};

/// The contents of a file to be written. `table` is an index into tables().
///
/// Threads: write_image may call members from several threads at once.
class HDB_INSPECT_API ImageSource {
 public:
  virtual ~ImageSource() = default;

  /// The metadata.
  [[nodiscard]] virtual const Metadata& metadata() const = 0;
  /// The thumbnail, an image file; empty if there is none.
  [[nodiscard]] virtual const Bytes& thumbnail() const = 0;
  /// The record schemas; TableDescriptor::schema is an index into this list.
  [[nodiscard]] virtual const std::vector<Field>& schemas() const = 0;
  /// The tables, in ascending order of names.
  [[nodiscard]] virtual const std::vector<TableDescriptor>& tables() const = 0;
  /// The database beside its tables. By default its highest type id is that of tables().
  [[nodiscard]] virtual DatabaseDescriptor database() const;
  /// Fills `out` with one row group, and `out.record_hash` if `with_hash` is true. Reuses the
  /// buffers of `out`.
  [[nodiscard]] virtual Status read_group(std::size_t table, std::uint64_t group, bool with_hash,
                                          RowGroup& out) const = 0;
  /// As read_group without hash; only the slots and the columns of row_prefix must be filled.
  [[nodiscard]] virtual Status read_slots(std::size_t table, std::uint64_t group,
                                          RowGroup& out) const {
    return read_group(table, group, false, out);
  }
  /// Fills `out` with numbers that identify the content of a row group; returns false if the source
  /// has none. If two images of this process return equal numbers for a group of the same table
  /// name, schema and group number, the contents are equal. `last` are the numbers that an earlier
  /// image returned for the group, if any; they may shorten the work.
  [[nodiscard]] virtual bool group_identity(std::size_t table, std::uint64_t group,
                                            std::span<const std::uint64_t> last,
                                            std::vector<std::uint64_t>& out) const {
    static_cast<void>(table), static_cast<void>(group), static_cast<void>(last);
    static_cast<void>(out);
    return false;
  }
  /// Fills `out` with the free-list entries [first, first + out.size()), in the order of use.
  [[nodiscard]] virtual Status read_free_list(std::size_t table, std::uint64_t first,
                                              std::span<std::uint32_t> out) const = 0;
  /// The state hash, if the source knows it; else the writer computes it.
  [[nodiscard]] virtual std::optional<Hash128> known_state_hash() const { return std::nullopt; }
  /// The blocks of unknown types to copy into the new file.
  [[nodiscard]] virtual Result<std::vector<AncillaryBlock>> ancillary_blocks() const {
    return std::vector<AncillaryBlock>{};
  }
};

/// Copies a part of a free list, for ImageSource::read_free_list. Errors: not_found beyond its end.
[[nodiscard]] HDB_INSPECT_API Status copy_free_list(std::span<const std::uint32_t> list,
                                                    std::uint64_t first,
                                                    std::span<std::uint32_t> out);

/// The hashes of a table that the state hash combines, besides the table descriptor.
struct TableHashes {
  Hash128 records;    ///< Sum of the row hashes of all slots.
  Hash128 free_list;  ///< See FreeListHash.
};

/// Leaves out the blocks that belong to a table that is not among `tables`.
HDB_INSPECT_API void leave_out_blocks_of_others(const std::vector<TableDescriptor>& tables,
                                                std::vector<AncillaryBlock>& blocks);

/// Combines the state hash (FORMAT.md, "State hash") from its parts.
/// Requires: `tables` are in ascending order of names, and `hashes` has one entry for each table.
/// Entries of tables that are not hashed are ignored.
[[nodiscard]] HDB_INSPECT_API Hash128 combine_state_hash(const std::vector<Field>& schemas,
                                                         const std::vector<TableDescriptor>& tables,
                                                         const std::vector<TableHashes>& hashes,
                                                         const DatabaseDescriptor& database);
/// The highest type id of these tables; 0 if none has one.
[[nodiscard]] HDB_INSPECT_API std::uint16_t highest_type_id_of(
    const std::vector<TableDescriptor>& tables) noexcept;

/// The row hash of a slot that is not live.
[[nodiscard]] HDB_INSPECT_API Hash128 vacant_slot_hash(std::uint32_t slot, SlotState state,
                                                       std::uint32_t generation) noexcept;

/// The sum of the row hashes of live records, from their columns.
/// Requires: `columns` keep the grammar of the schema (check_group), and `seeds` has the row_seed
/// of each record.
[[nodiscard]] HDB_INSPECT_API Hash128 hash_live_rows(const Field& root,
                                                     const std::vector<Bytes>& columns,
                                                     std::span<const std::uint64_t> seeds);

/// The sum of the row hashes of all slots of a group, as RowGroup::record_hash.
/// Errors: bad_lengths or bad_value if the columns do not fit the schema.
[[nodiscard]] HDB_INSPECT_API Result<Hash128> group_record_hash(const Field& root,
                                                                const RowGroup& group);

/// The hash of one page of a free list. `entries` are in the order that FORMAT.md hashes: under
/// FreeList::lifo the opposite of the order of use.
[[nodiscard]] HDB_INSPECT_API Hash128
free_list_page_hash(std::uint64_t page, std::span<const std::uint32_t> entries) noexcept;

/// Computes the hash of a whole free list (FORMAT.md, "State hash"): the sum of the hashes of its
/// pages. Memory: 16 KiB.
class FreeListHash {
 public:
  /// The free list of a table with this descriptor.
  HDB_INSPECT_API explicit FreeListHash(const TableDescriptor& table);
  /// Adds the next entries, in the order of use.
  /// Requires: all together there are not more than the descriptor's number of free slots.
  HDB_INSPECT_API void add(std::span<const std::uint32_t> entries);
  /// The hash, when all entries have been added.
  [[nodiscard]] const Hash128& sum() const noexcept { return sum_; }

 private:
  bool backwards_;
  std::uint64_t left_;  // entries to come
  std::uint64_t done_ = 0;
  std::vector<std::uint32_t> page_;  // entries of an unfinished page, in the order of use
  Hash128 sum_;
};

/// What write_image wrote.
struct WriteReport {
  std::uint64_t bytes = 0;
  std::uint64_t raw_bytes = 0;  ///< Column bytes before filters and compression.
  Hash128 state_hash;
  Hash128 file_id;
  std::uint64_t reused_bytes = 0;   ///< Stored bytes taken from the cache.
  std::uint64_t reused_groups = 0;  ///< Row groups copied from the cache as a whole.
};

/// Writes the file of `image` to `sink`, from the first byte to the last.
///
/// Errors: errors of sink and image; limits; cancelled; any fault of the image that a reader would
/// refuse (grammar, slots, free list, dense order). The sink then has an unfinished file.
/// Exceptions of image, sink or executor are passed on to the caller.
/// Complexity: linear in the records. Memory: a few row groups for each thread.
///
/// Example:
/// @code
/// auto reader = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// if (!reader) return;
/// const std::shared_ptr<const hdb::Reader> shared = std::move(*reader);
/// const auto image = hdb::image_of(shared);
/// hdb::MemorySink small;  // to replace a file: AtomicFile of hdb/atomic_file.hpp
/// const auto written = hdb::write_image(*image, small, {.level = 12});
/// if (!written) return;
/// assert(written->bytes == small.bytes().size());
/// assert(written->state_hash == shared->info().state_hash);
/// @endcode
[[nodiscard]] HDB_INSPECT_API Result<WriteReport> write_image(const ImageSource& image,
                                                              ByteSink& sink,
                                                              const WriteOptions& options = {});

}  // namespace hdb
