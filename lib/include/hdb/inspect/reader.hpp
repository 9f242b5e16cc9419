// Reader: an open save file: its tables, row groups and blocks, without C++ record types. Tools use
// it for everything that reads a file; memory is bounded by ReadLimits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hdb/detail/base/api.hpp"
#include "hdb/file_info.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// One entry of the directory (FORMAT.md, "Directory").
struct BlockInfo {
  std::uint64_t offset = 0;       ///< Offset of the block head.
  std::uint64_t total_bytes = 0;  ///< Head, payload and padding.
  std::uint8_t type = 0;          ///< BlockType of constants.hpp.
  std::uint8_t flags = 0;
  std::uint32_t table = 0;  ///< Index of the table; 0 when the block belongs to none.
  std::uint64_t group = 0;
  std::uint32_t part = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
  /// XXH3-64 of the payload, or, if it has a chunk index, of its bytes up to the end of the index.
  std::uint64_t payload_hash = 0;
  std::uint32_t extension_bytes = 0;  ///< Extensions of the head, which begin the payload.
};

/// One stored chunk of a column, as the chunk index describes it (FORMAT.md, "Chunks").
struct ChunkInfo {
  std::uint32_t column =
      0;  ///< 0 states, 1 generations, 2 positions, then 3 + index in columns_of(schema).
  std::uint32_t piece = 0;  ///< Number of the piece of a column that continues.
  std::uint8_t filter = 0;
  std::uint8_t codec = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
  Hash128 raw_hash;
  std::uint64_t offset = 0;  ///< Offset of its stored bytes in the file.
};

/// A chunk whose stored bytes do not have the stored hash.
struct DamagedChunk {
  ChunkInfo chunk;
  std::uint64_t stored_hash = 0;    ///< The XXH3-64 in the chunk index.
  std::uint64_t computed_hash = 0;  ///< The XXH3-64 of the stored bytes.
};

/// Something wrong with a file outside of the content of its tables.
struct FrameFault {
  Error error;
  std::string effect;    ///< "costs nothing: the other copy is sound".
  bool is_loss = false;  ///< Something cannot be had any more.
};

/// The options of Reader::open.
struct ReadOptions {
  ReadLimits limits = {};
  bool verify_raw_hashes =
      false;  ///< Also compare each column with its raw hash (`validate` full).
  /// Also opens a file whose metadata or one of whose two catalogs is damaged; Reader::open_faults
  /// lists that damage. For tools that look for damage; load never does this.
  bool accept_damaged_copies = false;
};

/// An open save file. `table` is always an index into tables(), `group` a number below
/// TableDescriptor::group_count(), `block` an index into blocks().
///
/// Threads: several threads may call const members at once.
/// Errors, for all members that read: not_found for a number that is too large; damage (category
/// corrupt), with byte offset and place; limits; I/O.
///
/// Example:
/// @code
/// const auto reader = hdb::Reader::open(hdb::FileSource::open("slot1.hdb").value());
/// if (!reader) return;  // reader.error().message() says why
/// for (const hdb::TableDescriptor& table : (*reader)->tables()) {
///   std::printf("%s: %d records\n", table.name.c_str(), static_cast<int>(table.live_count));
/// }
/// hdb::RowGroup group;
/// if (!(*reader)->read_group(1, 0, group)) return;  // the first slots of "monsters"
/// assert(group.live_count() == 11 && (*reader)->tables()[1].name == "monsters");
/// @endcode
class HDB_INSPECT_API Reader {
 public:
  /// Opens a file: reads and checks header, footer, directory, metadata and both catalogs, and that
  /// the blocks fill the file. Does not read row groups and free lists.
  /// Requires: `source` is not null.
  [[nodiscard]] static Result<std::unique_ptr<Reader>> open(std::unique_ptr<ByteSource> source,
                                                            const ReadOptions& options = {});
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Header, metadata and footer of the file.
  [[nodiscard]] const FileInfo& info() const;
  /// The record schemas; TableDescriptor::schema is an index into this list.
  [[nodiscard]] const std::vector<Field>& schemas() const;
  /// The tables, in ascending order of names.
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const;
  /// The database beside its tables.
  [[nodiscard]] const DatabaseDescriptor& database() const;
  /// The blocks, in the order of the file.
  [[nodiscard]] const std::vector<BlockInfo>& blocks() const;
  /// The tables of which a block has records or free-list entries, in ascending order: one, or
  /// those of a pack; none for other blocks. Complexity: linear in the tables for a pack.
  [[nodiscard]] std::vector<std::uint32_t> tables_in(std::size_t block) const;
  /// The number of bytes read from the source so far.
  [[nodiscard]] std::uint64_t bytes_read() const;
  /// The damage that ReadOptions::accept_damaged_copies accepted. Damaged metadata is empty in
  /// info().
  [[nodiscard]] const std::vector<Error>& open_faults() const;

  /// Decodes one row group into `out`, whose buffers are reused. Checks all hashes on the way and
  /// the grammar of all columns.
  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, RowGroup& out) const;
  /// As read_group; also computes `out.record_hash`.
  [[nodiscard]] Status read_group_hash(std::size_t table, std::uint64_t group, RowGroup& out) const;
  /// As read_group, but `out` gets no columns: for tools that only look for damage.
  [[nodiscard]] Status check_group(std::size_t table, std::uint64_t group, RowGroup& out) const;
  /// As read_group, but decodes only the slot columns and the columns of `wanted`: indices into
  /// columns_of(schema). The other columns are empty.
  [[nodiscard]] Status read_columns(std::size_t table, std::uint64_t group,
                                    std::span<const std::uint32_t> wanted, RowGroup& out) const;
  /// The chunks of one row group. Reads only block heads and chunk indices.
  [[nodiscard]] Result<std::vector<ChunkInfo>> chunks(std::size_t table, std::uint64_t group) const;
  /// The free list of a table, in the order of use.
  [[nodiscard]] Result<std::vector<std::uint32_t>> read_free_list(std::size_t table) const;
  /// The thumbnail; empty if the file has none.
  [[nodiscard]] Result<Bytes> read_thumbnail() const;
  /// Checks head and payload hash of one block of any type, also of an unknown one; with
  /// ReadOptions::verify_raw_hashes also the ids of its chunks.
  [[nodiscard]] Status check_block(std::size_t block) const;
  /// The damaged chunks of a block of a row group or free list, in the order of the file. Empty if
  /// all chunks are sound, or if the block has no chunks.
  /// Errors: also damage of the block head or chunk index, without which chunks cannot be found.
  [[nodiscard]] Result<std::vector<DamagedChunk>> damaged_chunks(std::size_t block) const;
  /// The stored payload of one block of any type, without the extensions of its head, which
  /// `extensions` receives unless it is null. Checks its hash.
  [[nodiscard]] Result<Bytes> read_payload(std::size_t block,
                                           std::vector<Extension>* extensions = nullptr) const;

 private:
  struct Parts;
  explicit Reader(std::unique_ptr<const Parts> parts) noexcept;

  std::unique_ptr<const Parts> parts_;
};

/// An image of an open file, for write_image: tables, metadata, thumbnail, and the unknown blocks
/// that are safe to copy, all unchanged. The writer computes the state hash: compare it with info.
/// Errors, of write_image: read_only_feature if this version of hdb must not rewrite the file.
[[nodiscard]] HDB_INSPECT_API std::unique_ptr<ImageSource> image_of(
    std::shared_ptr<const Reader> reader);
/// The unknown blocks of a file that are safe to copy into another one.
/// Errors: read_only_feature if this version of hdb must not rewrite the file.
[[nodiscard]] HDB_INSPECT_API Result<std::vector<AncillaryBlock>> ancillary_blocks_of(
    const Reader& reader);

/// Reads header, metadata and footer of a file, and notices a truncated file.
/// Complexity: reads a few KiB, whatever the size of the file.
[[nodiscard]] HDB_INSPECT_API Result<FileInfo> read_info(ByteSource& source,
                                                         const ReadLimits& limits = {});

/// The name of a block type: "metadata", "rows", ...; "unknown 77" for an unknown type.
[[nodiscard]] HDB_INSPECT_API std::string block_type_text(std::uint8_t type);
/// The place of a block as text: "table monsters > group 3 (slots 49152..65535)", "pack of 3 tables
/// (items ... units)", "metadata". Names of tables are not escaped.
[[nodiscard]] HDB_INSPECT_API std::string block_place(const Reader& reader, const BlockInfo& block);
/// The place of a row group as text, whatever block it is in.
[[nodiscard]] HDB_INSPECT_API std::string group_place(const Reader& reader, std::size_t table,
                                                      std::uint64_t group);

/// What the records, slots and free list of a table take.
struct TableBytes {
  std::uint64_t raw = 0;     ///< Before compression.
  std::uint64_t stored = 0;  ///< In the file; of a pack its share.
  std::uint64_t blocks = 0;  ///< Blocks that hold some of it.
};
/// The bytes of a table. A damaged pack counts as nothing.
[[nodiscard]] HDB_INSPECT_API TableBytes bytes_of_table(const Reader& reader, std::size_t table);
/// The place of a chunk in its block as text: " > column pos.x", " > slot states"; empty for a
/// chunk of a free list.
[[nodiscard]] HDB_INSPECT_API std::string chunk_place(const Reader& reader, const BlockInfo& block,
                                                      const ChunkInfo& chunk);

}  // namespace hdb
