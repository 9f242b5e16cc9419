// What an archive keeps of a save besides its chunks: the manifest, the root, which lists the
// blocks of the save as a file with codec none, and a node for each block of chunks.
//
//   root := 80 bytes for each block: type u8, flags u8, extensions u16 (in units of 8 bytes),
//           table u32, part u32, kind u32, group u64, stored u64, raw u64, payload hash u64, id
//   node := 80 bytes for each chunk: column u32, piece u32, width u8, 0 (7 bytes), raw u64,
//           raw hash (16 bytes), hash64 of the raw bytes u64, id
// Both have a fixed layout, so that the difference from the save before is small.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archive/object.hpp"
#include "format/frame/frame.hpp"

namespace hdb::archive {

/// How the content of a block is kept.
enum class BlockKind : std::uint32_t {
  metadata = 0,  ///< In the manifest; no object.
  bytes = 1,     ///< The payload is an object.
  chunks = 2,    ///< A node is an object, and each chunk is one.
  whole = 3,     ///< The index, without its hashes, and all chunks are one object.
};

/// One block of a save.
struct RootEntry {
  BlockInfo block;  ///< Offsets are not stored; decode_root counts them.
  BlockKind kind = BlockKind::bytes;
  ObjectId id = {};

  friend bool operator==(const RootEntry& a, const RootEntry& b) noexcept {
    return a.kind == b.kind && a.id == b.id && format::same_block(a.block, b.block);
  }
};
inline constexpr std::size_t kRootEntryBytes = 80;

[[nodiscard]] Bytes encode_root(std::span<const RootEntry> entries);
/// Errors: bad_archive.
[[nodiscard]] Result<std::vector<RootEntry>> decode_root(std::span<const std::byte> bytes);

/// One chunk of a node.
struct NodeChunk {
  std::uint32_t column = 0;
  std::uint32_t piece = 0;
  unsigned width = 1;
  std::uint64_t raw_bytes = 0;
  Hash128 raw_hash;
  std::uint64_t stored_hash = 0;  ///< hash64 of the raw bytes.
  ObjectId id = {};
};
inline constexpr std::size_t kNodeChunkBytes = 80;

[[nodiscard]] Bytes encode_node(std::span<const NodeChunk> chunks);
/// The chunks, checked against the sizes of their block. Errors: bad_archive.
[[nodiscard]] Result<std::vector<NodeChunk>> decode_node(std::span<const std::byte> bytes,
                                                         const BlockInfo& block);
/// The bytes of a node of this block, which has `raw_bytes` of them in chunks. Errors: bad_archive.
[[nodiscard]] Result<std::size_t> node_bytes_of(const BlockInfo& block);

/// The chunk index of such a block in a file.
[[nodiscard]] Bytes index_of(std::span<const NodeChunk> chunks);
/// The index of a block of the kind `whole`, with the hashes that its object lacks.
/// Errors: bad_archive.
[[nodiscard]] Result<Bytes> whole_index(std::span<const std::byte> object, const BlockInfo& block);

/// What names one save, and leads to everything else.
struct Manifest {
  Hash128 archive_id;
  Hash128 file_id;
  Hash128 state_hash;
  std::string world;
  std::uint64_t sequence = 0;
  std::uint64_t file_bytes = 0;  ///< Of the save as a file with codec none.
  ObjectId root = {};
  std::uint64_t root_bytes = 0;
  std::uint64_t new_objects = 0;  ///< That this save brought, and their bytes.
  std::uint64_t new_bytes = 0;
  Bytes metadata;  ///< The payload of the first block.
};

[[nodiscard]] Bytes encode_manifest(const Manifest& manifest);
/// Errors: bad_archive; newer_version.
[[nodiscard]] Result<Manifest> decode_manifest(std::span<const std::byte> bytes);

/// `save/WORLD/SEQUENCE`.
[[nodiscard]] ObjectKey save_key(std::string_view world, std::uint64_t sequence);
/// The world and the number of such a key; nothing for other keys.
struct SaveName {
  std::string world;
  std::uint64_t sequence = 0;
};
[[nodiscard]] std::optional<SaveName> parse_save_key(std::string_view key);
/// Errors: bad_world_name.
[[nodiscard]] Status check_world(std::string_view world);

}  // namespace hdb::archive
