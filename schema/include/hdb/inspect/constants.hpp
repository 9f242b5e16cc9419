// The numbers of the file format: signatures, sizes, registries and limits. Writer and reader share
// them; tools that look at raw bytes use them. FORMAT.md defines what they mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hdb::format {

/// The version of the format that this version of hdb writes: 0.10, a release candidate of 1.0.
inline constexpr std::uint16_t kVersionMajor = 0;
inline constexpr std::uint16_t kVersionMinor = 10;
/// The first release candidate, which is read too.
inline constexpr std::uint16_t kFirstMinor = 9;
/// Whether this version of hdb reads files of format version `major`.`minor`: 0.9, 0.10 and each
/// 1.y.
/// Feature bits, critical blocks and critical extensions say whether a 1.y needs a newer reader
/// (FORMAT.md, "Versions").
[[nodiscard]] constexpr bool is_readable_version(std::uint16_t major,
                                                 std::uint16_t minor) noexcept {
  return major == 1 || (major == 0 && minor >= kFirstMinor && minor <= kVersionMinor);
}

// ---- Frame: [header][block]*[directory][footer], each a multiple of 8 bytes long.

/// The first 8 bytes of a file. Line ends and a non-ASCII byte show damage by a text-mode transfer.
///
/// Example:
/// @code
/// const auto source = hdb::FileSource::open("slot1.hdb");
/// std::array<std::byte, 8> first{};
/// if (!source || !(*source)->read_at(0, first)) return;
/// const auto signature = std::as_bytes(std::span(hdb::format::kSignature));
/// assert(std::equal(first.begin(), first.end(), signature.begin()));
/// @endcode
inline constexpr std::array<std::uint8_t, 8> kSignature{0x89, 'H',  'D',  'B',
                                                        0x0d, 0x0a, 0x1a, 0x0a};
/// The first 8 bytes of the directory.
inline constexpr std::array<std::uint8_t, 8> kDirectoryMagic{'H', 'D', 'B',  'D',
                                                             'I', 'R', 0x0d, 0x0a};
/// The magic number of the footer, 16 bytes before the end of the file.
inline constexpr std::array<std::uint8_t, 8> kFooterMagic{'H', 'D', 'B', 'E', 'N', 'D', 0x0d, 0x0a};
/// The first 4 bytes of a block head.
inline constexpr std::array<std::uint8_t, 4> kBlockMarker{0xb1, 'H', 'D', 'B'};

/// Blocks and the fixed parts begin at multiples of this many bytes.
inline constexpr std::size_t kAlignment = 8;
// The sizes of the fixed parts in bytes.
inline constexpr std::size_t kHeaderBytes = 64;
inline constexpr std::size_t kBlockHeadBytes = 72;
inline constexpr std::size_t kDirectoryHeadBytes = 32;
inline constexpr std::size_t kDirectoryEntryBytes = 56;
inline constexpr std::size_t kFooterBytes = 64;
/// The head of the chunk index in a chunked payload: count and a reserved word. The chunk entries
/// follow, then the stored bytes of the chunks.
inline constexpr std::size_t kChunkIndexHeadBytes = 8;
inline constexpr std::size_t kChunkEntryBytes = 56;

static_assert(kHeaderBytes % kAlignment == 0 && kBlockHeadBytes % kAlignment == 0);
static_assert(kDirectoryHeadBytes % kAlignment == 0 && kDirectoryEntryBytes % kAlignment == 0);
static_assert(kFooterBytes % kAlignment == 0);

/// The bits of the feature masks that this version of hdb knows.
inline constexpr std::uint64_t kKnownIncompatible = 0;
inline constexpr std::uint64_t kKnownReadOnly = 0;

// ---- Registries. All other numbers are reserved.
/// The types of blocks.
enum class BlockType : std::uint8_t {
  metadata = 1,   ///< The first block.
  thumbnail = 2,  ///< Optional, the second block.
  catalog = 3,    ///< Schemas and table descriptors; written twice, as parts 0 and 1.
  rows = 4,       ///< A row group, or a part of one.
  free_list = 5,  ///< Free-list entries of one table, in order.
  pack = 6,       ///< Small tables, each with its row group and its free list.
};
/// Block flag: a reader that does not know the block type must refuse the file.
inline constexpr std::uint8_t kBlockCritical = 1;
/// Block flag: a tool that rewrites the file and does not know the block type may copy the block.
inline constexpr std::uint8_t kBlockSafeToCopy = 2;
/// Block flag: the payload begins with a chunk index. The payload hash is that of the index, which
/// has the hash of each chunk.
inline constexpr std::uint8_t kBlockIndexed = 4;
inline constexpr std::uint8_t kKnownBlockFlags = kBlockCritical | kBlockSafeToCopy | kBlockIndexed;

/// How the bytes of a chunk were rearranged before compression.
enum class Filter : std::uint8_t {
  none = 0,
  constant = 1,       ///< All values are equal; stored once.
  shuffle = 2,        ///< First bytes of all values, then all second bytes, ...
  delta_shuffle = 3,  ///< Differences of neighbours (mod 2^8w), then shuffled; widths 4 and 8.
};

/// Flags of a table descriptor. All other bits are reserved.
inline constexpr std::uint8_t kTableSingleton = 1;  ///< A table of exactly one record.
inline constexpr std::uint8_t kTableUnhashed = 2;   ///< Not covered by the state hash.
inline constexpr std::uint8_t kKnownTableFlags = kTableSingleton | kTableUnhashed;

/// Extension flag: a reader that does not know the tag must refuse the file.
inline constexpr std::uint8_t kExtensionCritical = 1;
/// Extension flag: the state hash covers the extension.
inline constexpr std::uint8_t kExtensionHashed = 2;
/// Extension flag: a tool that changes what the extension belongs to and does not know the tag may
/// keep the extension.
inline constexpr std::uint8_t kExtensionSafeToCopy = 4;
inline constexpr std::uint8_t kKnownExtensionFlags =
    kExtensionCritical | kExtensionHashed | kExtensionSafeToCopy;
/// Extension of a table: how far it is sorted in steps.
inline constexpr std::uint8_t kExtensionSortWork = 1;
/// The first byte of that extension: two numbers follow. 1 was that of an earlier algorithm.
inline constexpr std::uint8_t kSortAlgorithm = 2;
/// Extension of a table: its records are components of the records of an owner.
inline constexpr std::uint8_t kExtensionComponent = 2;
inline constexpr std::uint8_t kComponentFlags =
    kExtensionCritical | kExtensionHashed | kExtensionSafeToCopy;
/// Extensions of the catalog: what dropped tables issued, those in the state hash and others.
inline constexpr std::uint8_t kExtensionDroppedHandles = 1;
inline constexpr std::uint8_t kExtensionUnhashedDroppedHandles = 2;
/// Extension of an enum in a schema: the names of its values.
inline constexpr std::uint8_t kExtensionEnumNames = 1;
/// Extension of a field: what the program calls the type of its values.
inline constexpr std::uint8_t kExtensionTypeName = 3;
/// Extension of a block of a type that FORMAT.md does not define: the name of its table.
inline constexpr std::uint8_t kExtensionTableName = 1;
/// Extension of an indexed block: the BLAKE2b-256 of the raw bytes of each chunk.
inline constexpr std::uint8_t kExtensionChunkIds = 2;
/// The tags that this version knows of catalogs, tables, fields and block heads.
inline constexpr std::array kKnownCatalogExtensions{kExtensionDroppedHandles,
                                                    kExtensionUnhashedDroppedHandles};
inline constexpr std::array kKnownTableExtensions{kExtensionSortWork, kExtensionComponent};
inline constexpr std::array kKnownFieldExtensions{kExtensionEnumNames, kExtensionTypeName};
inline constexpr std::array kKnownHeadExtensions{kExtensionTableName, kExtensionChunkIds};

/// The numbers of the system columns of a row group; those of the schema follow.
inline constexpr std::uint32_t kColumnStates = 0;
inline constexpr std::uint32_t kColumnGenerations = 1;
inline constexpr std::uint32_t kColumnPositions = 2;
inline constexpr std::uint32_t kFirstSchemaColumn = 3;

/// A row group has 2^6 to 2^16 slots, so that it has about 1 MiB of fixed-width data.
inline constexpr unsigned kMinGroupShift = 6;
inline constexpr unsigned kMaxGroupShift = 16;
inline constexpr std::uint64_t kGroupTargetBytes = std::uint64_t{1} << 20;

/// The most raw bytes of one chunk. If a column has several chunks, all but the last have exactly
/// this many.
inline constexpr std::uint64_t kMaxChunkRawBytes = std::uint64_t{8} << 20;
/// The most raw bytes of one part of a row group.
inline constexpr std::uint64_t kMaxPartRawBytes = std::uint64_t{16} << 20;
/// The most chunks of one part that hdb writes: the ids of all fit an extension.
inline constexpr std::size_t kMaxPartChunks = 2048;
/// The most entries of one free-list block. All but the last block of a table have exactly this
/// many.
inline constexpr std::uint64_t kFreeListBlockEntries = std::uint64_t{1} << 18;
/// The largest window of a zstd frame, and the largest block in it.
inline constexpr std::uint64_t kMaxZstdWindowBytes = std::uint64_t{8} << 20;
inline constexpr std::uint64_t kMaxZstdBlockBytes = std::uint64_t{128} << 10;
/// Content that a reader accepts of a file of any size.
inline constexpr std::uint64_t kAnyContentBytes = std::uint64_t{1} << 30;
/// The most raw bytes of a pack.
inline constexpr std::uint64_t kMaxPackBytes = std::uint64_t{64} << 10;
/// What hdb aims at: damage of one byte costs no more than this.
inline constexpr std::uint64_t kPackBytes = std::uint64_t{32} << 10;
/// The entries of one page of a free list, for its hash.
inline constexpr std::uint64_t kFreeListPageEntries = std::uint64_t{1} << 12;

// ---- Hard maxima of the format: no file may exceed them. (Reader defaults, which are lower, are
// in hdb/file_info.hpp.)
inline constexpr std::size_t kMaxTables = 4096;
inline constexpr std::size_t kMaxSchemas = 4096;
inline constexpr std::size_t kMaxNameBytes = 255;
/// What the name of a space of handles begins with if it is that of a table.
inline constexpr char kTableNameMark = '\0';
inline constexpr std::size_t kMaxSchemaDepth = 32;
inline constexpr std::size_t kMaxSchemaFields = 16384;
inline constexpr std::size_t kMaxFieldsPerFile = std::size_t{1} << 18;
inline constexpr std::size_t kMaxAlternatives = 255;
inline constexpr std::uint64_t kMaxArrayCount = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxFixedRowBytes = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kMaxCatalogBytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t kMaxThumbnailBytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kMaxAncillaryBytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kMaxBlobCapacityBytes = std::uint64_t{1} << 40;
inline constexpr std::uint32_t kMaxBlobAlignment = 4096;
inline constexpr std::uint64_t kMaxExtensionBytes = std::uint64_t{64} << 10;
/// The same of an extension of the catalog.
inline constexpr std::uint64_t kMaxCatalogExtensionBytes = std::uint64_t{32} << 20;
inline constexpr std::uint64_t kMaxBlocks = 0xffffffffULL;
inline constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 48;

/// The bit that marks the generation of a slot that is not live in its row hash. Generations have
/// at most 31 bits.
inline constexpr std::uint32_t kVacantBit = 0x80000000U;

}  // namespace hdb::format
