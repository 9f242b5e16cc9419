// The lines of an exact dump but those of slots: header, thumbnail, schemas, tables, unknown
// blocks, free lists, end. schema/EXACT_DUMP.md says what they mean.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "exact/json_members.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::inspect {

/// The `type` of each line, in the order in which they come.
namespace line_type {
inline constexpr std::string_view kHeader = "exact";
inline constexpr std::string_view kThumbnail = "exact_thumbnail";
inline constexpr std::string_view kSchema = "exact_schema";
inline constexpr std::string_view kTable = "exact_table";
inline constexpr std::string_view kBlock = "exact_block";
inline constexpr std::string_view kSlot = "exact_slot";
inline constexpr std::string_view kFreeList = "exact_free_list";
inline constexpr std::string_view kEnd = "exact_end";
}  // namespace line_type

/// What an exact dump begins with.
struct ExactHeader {
  Metadata metadata;
  std::uint64_t thumbnail_bytes = 0;
  std::uint64_t schemas = 0;
  std::uint64_t tables = 0;
  std::uint64_t blocks = 0;
  DatabaseDescriptor database;
};

/// The hashes of the file that was dumped.
struct DumpedFile {
  Hash128 state_hash;
  Hash128 file_id;
};

/// What it ends with.
struct ExactEnd {
  std::uint64_t slots = 0;
  std::uint64_t records = 0;
  std::optional<DumpedFile> file;
};

/// Bytes of a thumbnail and entries of a free list in one line.
inline constexpr std::size_t kThumbnailPieceBytes = std::size_t{32} << 10;
inline constexpr std::size_t kFreeListPieceSlots = 4096;

[[nodiscard]] std::string header_line(const ExactHeader& header);
[[nodiscard]] std::string thumbnail_line(std::uint64_t first, std::span<const std::byte> bytes);
[[nodiscard]] std::string schema_line(std::size_t index, const Field& root);
[[nodiscard]] std::string table_line(const TableDescriptor& table);
[[nodiscard]] std::string block_line(const AncillaryBlock& block);
[[nodiscard]] std::string free_list_line(const TableDescriptor& table, std::uint64_t first,
                                         std::span<const std::uint32_t> slots);
[[nodiscard]] std::string end_line(const ExactEnd& end);

/// Gives all lines, each with its end, to `take`, which returns false to stop early. A long line
/// comes in several parts. `file` goes into the last line.
///
/// Memory: one row group and the values of one record.
/// Errors: those of the image; limit_exceeded for a record that import would refuse, in the middle
/// of its line.
[[nodiscard]] Status dump_exact(const ImageSource& image, const std::optional<DumpedFile>& file,
                                const std::function<bool(std::string_view)>& take);

// The inverses of the lines; `members` have given type and v already. Errors: bad_exact_dump, with
// what is wrong.
[[nodiscard]] Result<ExactHeader> read_header(const JsonDocument& line, Members& members);
/// Checks the schema too. `index` is the one that comes next.
[[nodiscard]] Result<Field> read_schema_line(const JsonDocument& line, Members& members,
                                             std::size_t index);
/// Checks the descriptor by itself and against its schema.
[[nodiscard]] Result<TableDescriptor> read_table_line(const JsonDocument& line, Members& members,
                                                      const std::vector<Field>& schemas);
[[nodiscard]] Result<AncillaryBlock> read_block_line(const JsonDocument& line, Members& members);
[[nodiscard]] Result<ExactEnd> read_end(Members& members);

}  // namespace hdb::inspect
