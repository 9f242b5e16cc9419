// Opens a snapshot file: strict about every byte, bounded in memory, free of C++ record types.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hdb/file_info.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/io.hpp"

namespace hdb {

/// One entry of the directory.
struct BlockInfo {
  std::uint64_t offset = 0;       ///< Of the block head.
  std::uint64_t total_bytes = 0;  ///< Head, payload and padding.
  std::uint8_t type = 0;          ///< BlockType of constants.hpp.
  std::uint8_t flags = 0;
  std::uint32_t table = 0;  ///< Index of the table; 0 when the block belongs to none.
  std::uint64_t group = 0;
  std::uint32_t part = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t payload_hash = 0;
};

/// One stored column chunk, as block heads tell it.
struct ChunkInfo {
  std::uint32_t column =
      0;  ///< 0 states, 1 generations, 2 positions, then 3 + index in columns_of(schema).
  std::uint32_t piece = 0;  ///< Number of the piece of a column that continues.
  std::uint8_t filter = 0;
  std::uint8_t codec = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
  Hash128 raw_hash;
  std::uint64_t offset = 0;  ///< Of its stored bytes in the file.
};

/// A chunk whose stored bytes are not those that were written.
struct DamagedChunk {
  ChunkInfo chunk;
  std::uint64_t stored_hash = 0;    ///< XXH3-64 that the index tells.
  std::uint64_t computed_hash = 0;  ///< XXH3-64 of the bytes there.
};

/// Something wrong with a file outside of the content of its tables.
struct FrameFault {
  Error error;
  std::string effect;    ///< "costs nothing: the other copy is sound".
  bool is_loss = false;  ///< Something cannot be had any more.
};

struct ReadOptions {
  ReadLimits limits = {};
  bool verify_raw_hashes =
      false;  ///< Also compare each column with its raw hash (`validate` full).
  /// Open also a file whose metadata, or one of whose two catalogs, is damaged (`validate` full,
  /// never load): `open_faults` tells.
  bool accept_damaged_copies = false;
};

/// An open snapshot file. After `open`, const calls may come from several threads at once.
class Reader {
 public:
  /// Reads header, footer, directory, both copies of the schema and tables, metadata; checks their
  /// geometry.
  [[nodiscard]] static Result<std::unique_ptr<Reader>> open(std::unique_ptr<ByteSource> source,
                                                            const ReadOptions& options = {});
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  [[nodiscard]] const FileInfo& info() const;
  [[nodiscard]] const std::vector<Field>& schemas() const;
  [[nodiscard]] const std::vector<TableDescriptor>& tables() const;
  /// The highest type id ever given to a table, also to one that is gone.
  [[nodiscard]] std::uint16_t highest_type_id() const;
  [[nodiscard]] const std::vector<BlockInfo>& blocks() const;
  [[nodiscard]] std::uint64_t bytes_read() const;
  /// What `accept_damaged_copies` accepted. The metadata is empty when it was damaged.
  [[nodiscard]] const std::vector<Error>& open_faults() const;

  /// Decodes one row group: every hash on the way is checked, every grammar rule of its columns
  /// too.
  [[nodiscard]] Status read_group(std::size_t table, std::uint64_t group, RowGroup& out) const;
  /// read_group, and fills `out.record_hash`.
  [[nodiscard]] Status read_group_hash(std::size_t table, std::uint64_t group, RowGroup& out) const;
  /// Decodes only the slot columns and the columns that `wanted` names (by index); the others stay
  /// empty.
  [[nodiscard]] Status read_columns(std::size_t table, std::uint64_t group,
                                    std::span<const std::uint32_t> wanted, RowGroup& out) const;
  /// The chunks of one row group, without decoding them.
  [[nodiscard]] Result<std::vector<ChunkInfo>> chunks(std::size_t table, std::uint64_t group) const;
  /// The free list in the order of use.
  [[nodiscard]] Result<std::vector<std::uint32_t>> read_free_list(std::size_t table) const;
  [[nodiscard]] Result<Bytes> read_thumbnail() const;
  /// Checks the payload hash of one block (any type, unknown ones too).
  [[nodiscard]] Status check_block(std::size_t block) const;
  /// The chunks of one block (row group or free list) that are damaged, in file order; none when
  /// all are sound or the block has none. Needs a sound index: head and index hash are checked, the
  /// payload hash is not.
  [[nodiscard]] Result<std::vector<DamagedChunk>> damaged_chunks(std::size_t block) const;
  /// The stored payload of one block of any type, its hash checked.
  [[nodiscard]] Result<Bytes> read_payload(std::size_t block) const;

 private:
  struct Parts;
  explicit Reader(std::unique_ptr<const Parts> parts) noexcept;

  std::unique_ptr<const Parts> parts_;
};

/// An ImageSource over an open file (convert, repair): the file's tables, metadata, thumbnail,
/// state hash, and those unknown blocks that are safe to copy, unchanged. A file that must not be
/// rewritten is refused when it is written.
[[nodiscard]] std::unique_ptr<ImageSource> image_of(std::shared_ptr<const Reader> reader);

/// Header, metadata and footer; notices a truncated file. Reads a few KiB whatever the file's size.
[[nodiscard]] Result<FileInfo> read_info(ByteSource& source, const ReadLimits& limits = {});

/// "metadata", "rows", ...; "unknown 77" for a type that this version does not know.
[[nodiscard]] std::string block_type_text(std::uint8_t type);
/// Whether blocks of this type belong to a table.
[[nodiscard]] bool belongs_to_table(std::uint8_t type) noexcept;
/// The table's name is as in the file, not escaped: "table monsters > group 3 (slots
/// 49152..65535)", "metadata".
[[nodiscard]] std::string block_place(const Reader& reader, const BlockInfo& block);
/// " > column pos.x", " > slot states"; nothing for the entries of a free list.
[[nodiscard]] std::string chunk_place(const Reader& reader, const BlockInfo& block,
                                      const ChunkInfo& chunk);

}  // namespace hdb
