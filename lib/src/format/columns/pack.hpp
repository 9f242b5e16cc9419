// Packs: small tables that share one block.
//
//   content := as many tables as the head of the block says
//   table   := index in the catalog varint, states, generations, positions (of a dense table),
//              columns, free list
//   column  := size varint, bytes
//
// Values of 2, 4 and 8 bytes are shuffled. Slots, positions and free list have the sizes that the
// table's descriptor says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/columns/grammar.hpp"
#include "format/frame/buffer.hpp"
#include "hdb/inspect/image.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb::format {

/// What a pack holds of a table: its only row group, and its free list.
struct PackedTable {
  std::uint32_t table = 0;           ///< Its index in the catalog.
  std::span<const std::byte> bytes;  ///< After the index.
};

/// A pack in memory.
struct OpenPack {
  std::uint64_t offset = 0;  ///< Of its block.
  Bytes content;
  std::vector<PackedTable> tables;
};

/// The tables of a catalog and the grammars of its schemas: what packs are read with.
struct PackCatalog {
  std::span<const TableDescriptor> tables;
  std::span<const Grammar> grammars;
};

/// Whether hdb writes a table into a pack.
[[nodiscard]] bool belongs_in_a_pack(const TableDescriptor& table, const RowGroup& group);

/// Appends what a pack holds of a row group: slots, positions and columns.
void append_packed_group(const TableDescriptor& table, const Grammar& grammar,
                         const RowGroup& group, Buffer& out);
/// Appends a table, of which `group` is the row group, to the content of a pack.
void append_packed(std::uint32_t index, std::span<const std::byte> group,
                   std::span<const std::uint32_t> free_list, Buffer& out);

/// The tables of a pack in rising order, of which `block` names the first and the number.
/// Errors: bad_pack.
[[nodiscard]] Result<std::vector<PackedTable>> split_pack(std::span<const std::byte> content,
                                                          const BlockInfo& block,
                                                          const PackCatalog& catalog);

/// The row group of a packed table, every rule of it checked. Errors: those of a group.
[[nodiscard]] Status unpack_group(const PackedTable& from, const PackCatalog& catalog,
                                  RowGroup& out);
/// Its slots alone: states, generations and positions.
[[nodiscard]] Status unpack_slots(const PackedTable& from, const PackCatalog& catalog,
                                  RowGroup& out);
/// The free list of a packed table; its entries may be any numbers.
[[nodiscard]] std::vector<std::uint32_t> unpack_free_list(const PackedTable& from,
                                                          const PackCatalog& catalog);
/// A chunk for each column of a packed table, as if it had blocks of its own. Their place is that
/// of the payload, and the stored bytes are shares of it.
[[nodiscard]] Result<std::vector<ChunkInfo>> packed_chunks(const PackedTable& from,
                                                           const PackCatalog& catalog,
                                                           const BlockInfo& block);

}  // namespace hdb::format
