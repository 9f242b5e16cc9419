// Additions of later versions: what a file holds that this version of hdb does not know (FORMAT.md,
// "Block types" and "Extensions").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdb/inspect/reader.hpp"
#include "output.hpp"

namespace hdb::inspect {

/// What an addition is.
enum class AdditionKind : std::uint8_t {
  block,               ///< A block of an unknown type.
  head_extension,      ///< An unknown extension of the head of a block.
  database_extension,  ///< Of the catalog.
  table_extension,     ///< Of a table descriptor.
  field_extension,     ///< Of a field, or of the root of a schema.
  others,              ///< The last of a long list: the number of those left out.
};

/// The most additions that are listed; the rest is counted.
inline constexpr std::size_t kMaxListedAdditions = 1000;

/// A block or an extension that this version of hdb does not know.
struct Addition {
  AdditionKind kind = AdditionKind::block;
  std::uint8_t tag = 0;            ///< Extensions: the tag.
  std::uint8_t block_type = 0;     ///< Blocks and heads.
  std::uint64_t offset = 0;        ///< Blocks and heads: offset of the block.
  std::uint64_t bytes = 0;         ///< Size of the whole block, or of the content of the extension.
  std::string table;               ///< The table, of fields the first one; empty if it names none.
  std::uint64_t other_tables = 0;  ///< Fields: the number of further tables with the schema.
  std::string field;               ///< Fields: the path, escaped; empty: the root.
  bool is_state = false;           ///< The state hash covers it.
  bool is_safe_to_copy = false;    ///< Heads: the block is unknown and safe to copy.
  std::uint64_t count = 0;         ///< `others` only.
  std::string fault;  ///< Unknown blocks: the error for which the table is not known; else empty.
};

/// Which heads of blocks additions_of reads for their extensions.
enum class Heads : std::uint8_t { of_unknown_blocks, of_all_blocks };

/// The additions of a file: blocks and their heads in the order of the file, the database, tables,
/// fields. Leaves out heads of known blocks that cannot be read: validate reports their damage.
[[nodiscard]] std::vector<Addition> additions_of(const Reader& reader, Heads heads);

/// The addition as text: "block of type 7 at 0x000001b0, 144 bytes, may be ignored, safe to copy".
[[nodiscard]] std::string addition_text(const Addition& addition);
/// Adds the members of an addition.
JsonObject& add_addition(const Addition& addition, JsonObject& object);

/// Prints the lines of additions.
void print_additions(Output& out, const std::vector<Addition>& additions);
/// The additions as a JSON array.
[[nodiscard]] std::string additions_json(const std::vector<Addition>& additions);

}  // namespace hdb::inspect
