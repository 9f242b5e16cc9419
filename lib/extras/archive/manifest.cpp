// Bytes of manifests, roots and nodes.
#include "archive/manifest.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/using_detail.hpp"
#include "format/columns/chunk.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/text.hpp"

namespace hdb::archive {
namespace {

constexpr std::array<std::uint8_t, 8> kManifestMagic{0x8a, 'H', 'D', 'B', 'S', 'A', 'V', '\n'};
// 2: objects may be frames, blocks may be whole.
constexpr std::uint16_t kManifestVersion = 2;
constexpr std::size_t kMostWorldBytes = 128;
constexpr std::size_t kSequenceDigits = 20;

tl::unexpected<Error> malformed_tree(std::string what) {
  return fail(ErrorCode::bad_archive, std::move(what));
}

void put_hash(ByteWriter& out, const Hash128& hash) {
  out.u64(hash.low);
  out.u64(hash.high);
}

Hash128 take_hash(ByteReader& in) {
  Hash128 hash;
  hash.low = in.u64();
  hash.high = in.u64();
  return hash;
}

void take_id(ByteReader& in, ObjectId& id) {
  const auto bytes = in.raw(id.size());
  if (bytes.size() == id.size()) std::copy(bytes.begin(), bytes.end(), id.begin());
}

}  // namespace

// --- root

Bytes encode_root(std::span<const RootEntry> entries) {
  Bytes bytes;
  bytes.reserve(entries.size() * kRootEntryBytes);
  ByteWriter out(bytes);
  for (const RootEntry& entry : entries) {
    const BlockInfo& block = entry.block;
    out.u8(block.type);
    out.u8(block.flags);
    out.u16(static_cast<std::uint16_t>(block.extension_bytes / format::kAlignment));
    out.u32(block.table);
    out.u32(block.part);
    out.u32(static_cast<std::uint32_t>(entry.kind));
    out.u64(block.group);
    out.u64(block.stored_bytes);
    out.u64(block.raw_bytes);
    out.u64(block.payload_hash);
    out.raw(entry.id);
  }
  return bytes;
}

Result<std::vector<RootEntry>> decode_root(std::span<const std::byte> bytes) {
  if (bytes.empty() || bytes.size() % kRootEntryBytes != 0)
    return malformed_tree("the list of blocks has " + std::to_string(bytes.size()) + " bytes");
  ByteReader in(bytes, 0, ErrorCode::bad_archive);
  std::vector<RootEntry> entries(bytes.size() / kRootEntryBytes);
  std::uint64_t offset = format::kHeaderBytes;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    RootEntry& entry = entries[i];
    BlockInfo& block = entry.block;
    block.type = in.u8();
    block.flags = in.u8();
    block.extension_bytes = std::uint32_t{in.u16()} * format::kAlignment;
    block.table = in.u32();
    block.part = in.u32();
    const std::uint32_t kind = in.u32();
    block.group = in.u64();
    block.stored_bytes = in.u64();
    block.raw_bytes = in.u64();
    block.payload_hash = in.u64();
    take_id(in, entry.id);
    const bool is_first = i == 0;
    if (kind > static_cast<std::uint32_t>(BlockKind::whole) || (kind == 0) != is_first ||
        block.stored_bytes > format::kMaxFileBytes - offset ||
        block.raw_bytes > format::kMaxFileBytes) {
      return malformed_tree("block " + std::to_string(i) + " of a save is not possible");
    }
    entry.kind = static_cast<BlockKind>(kind);
    block.total_bytes = format::block_bytes(block.stored_bytes);
    block.offset = offset;
    offset += block.total_bytes;
    if (offset > format::kMaxFileBytes)
      return malformed_tree("a save is larger than a file may be");
  }
  if (!in.ok()) return fail(in.error());
  return entries;
}

// --- node

Bytes encode_node(std::span<const NodeChunk> chunks) {
  Bytes bytes;
  bytes.reserve(chunks.size() * kNodeChunkBytes);
  ByteWriter out(bytes);
  for (const NodeChunk& chunk : chunks) {
    out.u32(chunk.column);
    out.u32(chunk.piece);
    out.u64(chunk.width);
    out.u64(chunk.raw_bytes);
    put_hash(out, chunk.raw_hash);
    out.u64(chunk.stored_hash);
    out.raw(chunk.id);
  }
  return bytes;
}

Result<std::size_t> node_bytes_of(const BlockInfo& block) {
  const std::uint64_t index = block.stored_bytes - block.raw_bytes;
  if (block.raw_bytes > block.stored_bytes || index <= format::kChunkIndexHeadBytes ||
      (index - format::kChunkIndexHeadBytes) % format::kChunkEntryBytes != 0 ||
      index > format::index_bytes(std::uint64_t{1} << 22) || block.extension_bytes != 0) {
    return malformed_tree("the sizes of a block of chunks are not possible");
  }
  return static_cast<std::size_t>((index - format::kChunkIndexHeadBytes) /
                                  format::kChunkEntryBytes * kNodeChunkBytes);
}

Result<std::vector<NodeChunk>> decode_node(std::span<const std::byte> bytes,
                                           const BlockInfo& block) {
  const auto expected = node_bytes_of(block);
  if (!expected) return fail(expected.error());
  if (bytes.size() != *expected) return malformed_tree("a node does not fit its block");
  ByteReader in(bytes, 0, ErrorCode::bad_archive);
  std::vector<NodeChunk> chunks(bytes.size() / kNodeChunkBytes);
  std::uint64_t total = 0;
  for (NodeChunk& chunk : chunks) {
    chunk.column = in.u32();
    chunk.piece = in.u32();
    const std::uint64_t width = in.u64();
    chunk.raw_bytes = in.u64();
    chunk.raw_hash = take_hash(in);
    chunk.stored_hash = in.u64();
    take_id(in, chunk.id);
    if (width == 0 || width > 8 || chunk.raw_bytes > format::kMaxChunkRawBytes)
      return malformed_tree("a chunk of a node is not possible");
    chunk.width = static_cast<unsigned>(width);
    total += chunk.raw_bytes;
  }
  if (!in.ok() || total != block.raw_bytes)
    return malformed_tree("the chunks of a node do not add up to its block");
  return chunks;
}

Bytes index_of(std::span<const NodeChunk> chunks) {
  Bytes bytes;
  bytes.reserve(static_cast<std::size_t>(format::index_bytes(chunks.size())));
  ByteWriter out(bytes);
  out.u32(static_cast<std::uint32_t>(chunks.size()));
  out.u32(0);
  for (const NodeChunk& chunk : chunks) {
    out.u32(chunk.column);
    out.u32(chunk.piece);
    out.u8(static_cast<std::uint8_t>(format::Filter::none));
    out.u8(static_cast<std::uint8_t>(Codec::none));
    out.u8(static_cast<std::uint8_t>(chunk.width));
    out.pad_to(format::kAlignment);
    out.u64(chunk.raw_bytes);
    out.u64(chunk.raw_bytes);
    put_hash(out, chunk.raw_hash);
    out.u64(chunk.stored_hash);
  }
  return bytes;
}

Result<Bytes> whole_index(std::span<const std::byte> object, const BlockInfo& block) {
  const auto entries = format::decode_index(object, block);
  if (!entries) return malformed_tree("the index of a block: " + entries.error().what);
  std::vector<NodeChunk> chunks;
  chunks.reserve(entries->size());
  for (const format::ChunkEntry& entry : *entries) {
    if (entry.info.stored_bytes != entry.info.raw_bytes)
      return malformed_tree("a chunk of a block is compressed");
    const auto raw = object.subspan(static_cast<std::size_t>(entry.content_offset),
                                    static_cast<std::size_t>(entry.info.raw_bytes));
    chunks.push_back({entry.info.column,
                      entry.info.piece,
                      entry.width,
                      raw.size(),
                      hash128(raw),
                      hash64(raw),
                      {}});
  }
  return index_of(chunks);
}

// --- manifest

Bytes encode_manifest(const Manifest& manifest) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.raw(std::as_bytes(std::span(kManifestMagic)));
  out.u16(kManifestVersion);
  out.u16(0);
  out.u32(0);
  put_hash(out, manifest.archive_id);
  put_hash(out, manifest.file_id);
  put_hash(out, manifest.state_hash);
  out.u64(manifest.sequence);
  out.u64(manifest.file_bytes);
  out.raw(manifest.root);
  out.u64(manifest.root_bytes);
  out.u64(manifest.new_objects);
  out.u64(manifest.new_bytes);
  out.text(manifest.world);
  out.u64(manifest.metadata.size());
  out.raw(manifest.metadata);
  out.u64(hash64(bytes));
  return bytes;
}

Result<Manifest> decode_manifest(std::span<const std::byte> bytes) {
  const std::span<const std::byte> magic = std::as_bytes(std::span(kManifestMagic));
  if (bytes.size() < magic.size() + 16 || !std::equal(magic.begin(), magic.end(), bytes.begin()))
    return malformed_tree("it is not the manifest of a save");
  const auto body = bytes.first(bytes.size() - 8);
  if (hash64(body) != load_le<std::uint64_t>(bytes.data() + body.size()))
    return malformed_tree("the hash of the manifest does not match");
  ByteReader in(body, 0, ErrorCode::bad_archive);
  in.raw(magic.size());
  const std::uint16_t version = in.u16();
  if (version == 0 || version > kManifestVersion) {
    return fail(ErrorCode::newer_version, "the manifest has version " + std::to_string(version) +
                                              "; this version of hdb reads 1 and 2");
  }
  if (in.u16() != 0 || in.u32() != 0) return malformed_tree("reserved bytes are not zero");
  Manifest manifest;
  manifest.archive_id = take_hash(in);
  manifest.file_id = take_hash(in);
  manifest.state_hash = take_hash(in);
  manifest.sequence = in.u64();
  manifest.file_bytes = in.u64();
  take_id(in, manifest.root);
  manifest.root_bytes = in.u64();
  manifest.new_objects = in.u64();
  manifest.new_bytes = in.u64();
  manifest.world = in.text(kMostWorldBytes);
  const std::uint64_t size = in.u64();
  if (size > format::kMaxMetadataBytes)
    return malformed_tree("the metadata is larger than allowed");
  const auto metadata = in.raw(static_cast<std::size_t>(size));
  in.expect_end();
  if (!in.ok()) return fail(in.error());
  manifest.metadata.assign(metadata.begin(), metadata.end());
  return manifest;
}

// --- names

Status check_world(std::string_view world) {
  const auto is_fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  if (!world.empty() && world.size() <= kMostWorldBytes && world.front() != '.' &&
      std::all_of(world.begin(), world.end(), is_fine)) {
    return {};
  }
  return fail(ErrorCode::bad_world_name,
              "'" + escape_text(world) + "' cannot be the name of a world");
}

ObjectKey save_key(std::string_view world, std::uint64_t sequence) {
  const std::string number = std::to_string(sequence);
  ObjectKey key(kSaveKeys);
  key.append(world).append("/").append(kSequenceDigits - number.size(), '0').append(number);
  return key;
}

std::optional<SaveName> parse_save_key(std::string_view key) {
  if (!key.starts_with(kSaveKeys)) return std::nullopt;
  key.remove_prefix(kSaveKeys.size());
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos || !check_world(key.substr(0, slash))) return std::nullopt;
  SaveName name;
  name.world = key.substr(0, slash);
  const std::string_view digits = key.substr(slash + 1);
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, name.sequence);
  if (digits.size() != kSequenceDigits || stopped != end || error != std::errc())
    return std::nullopt;
  return name;
}

}  // namespace hdb::archive
