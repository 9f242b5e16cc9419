// Header, block head, directory and footer: their fields, and their bytes out and in.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "format/frame/buffer.hpp"
#include "hdb/bytes.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/hash.hpp"
#include "hdb/inspect/constants.hpp"
#include "hdb/inspect/reader.hpp"

namespace hdb {

/// An error at a byte of a file; `where` may be added later.
[[nodiscard]] inline Error error_at(std::uint64_t offset, ErrorCode code, std::string what,
                                    std::string where = {}) {
  return {code, std::move(what), offset, std::move(where), {}};
}

}  // namespace hdb

namespace hdb::format {

struct FileHeader {
  std::uint16_t version_major = kVersionMajor;
  std::uint16_t version_minor = kVersionMinor;
  FeatureMasks features;
  Hash128 file_id;
};

struct BlockHead {
  BlockInfo info;  ///< Its offset is not stored.
  Hash128 file_id;
};

struct Footer {
  std::uint64_t directory_offset = 0;
  std::uint64_t directory_bytes = 0;
  std::uint64_t directory_hash = 0;
  std::uint64_t file_bytes = 0;
  Hash128 state_hash;
};

/// Whether frames of catalogs and packs may lack a checksum: in version 0.9.
[[nodiscard]] constexpr bool may_lack_checksums(const FileHeader& header) noexcept {
  return header.version_major == 0 && header.version_minor == kFirstMinor;
}
[[nodiscard]] HDB_INSPECT_API std::array<std::byte, kHeaderBytes> encode_header(
    const FileHeader& header);
/// Errors: bad_signature, text_mode_damage, header_checksum, newer_version, old_draft,
/// unknown_feature, bad_header.
[[nodiscard]] Result<FileHeader> decode_header(std::span<const std::byte> bytes);

[[nodiscard]] HDB_INSPECT_API std::array<std::byte, kBlockHeadBytes> encode_block_head(
    const BlockHead& head);
/// Errors: bad_block_head, block_head_checksum.
[[nodiscard]] Result<BlockHead> decode_block_head(std::span<const std::byte> bytes,
                                                  std::uint64_t offset);

[[nodiscard]] HDB_INSPECT_API Bytes encode_directory(const Hash128& file_id,
                                                     const std::vector<BlockInfo>& blocks);
/// Reads the entries; their order and geometry are checked by the caller.
[[nodiscard]] Result<std::vector<BlockInfo>> decode_directory(std::span<const std::byte> bytes,
                                                              std::uint64_t offset,
                                                              const Hash128& file_id,
                                                              const ReadLimits& limits);

[[nodiscard]] HDB_INSPECT_API std::array<std::byte, kFooterBytes> encode_footer(
    const Footer& footer);
/// Errors: truncated, footer_checksum, bad_geometry, bad_footer.
[[nodiscard]] Result<Footer> decode_footer(std::span<const std::byte> bytes,
                                           std::uint64_t file_bytes);

/// The next multiple of kAlignment.
[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t size) noexcept {
  return (size + (kAlignment - 1)) & ~std::uint64_t{kAlignment - 1};
}
/// Bytes of a whole block: head, payload, padding.
[[nodiscard]] constexpr std::uint64_t block_bytes(std::uint64_t stored_bytes) noexcept {
  return kBlockHeadBytes + aligned(stored_bytes);
}
/// Whether this version knows a type of blocks. Type 0 is unknown.
[[nodiscard]] bool is_known(std::uint8_t type) noexcept;
/// The flags that a block of a known type must have. Requires: is_known(type).
[[nodiscard]] std::uint8_t flags_of(std::uint8_t type) noexcept;
[[nodiscard]] inline std::uint8_t type_number(BlockType type) noexcept {
  return static_cast<std::uint8_t>(type);
}
/// Where the content of a block begins: after its head and the extensions of the head.
[[nodiscard]] inline std::uint64_t content_offset(const BlockInfo& block) noexcept {
  return block.offset + kBlockHeadBytes + block.extension_bytes;
}
/// The bytes of the payload without the extensions of the head.
[[nodiscard]] inline std::uint64_t content_bytes(const BlockInfo& block) noexcept {
  return block.stored_bytes - block.extension_bytes;
}
/// The content of a payload.
[[nodiscard]] inline std::span<const std::byte> content_of(
    const BlockInfo& block, std::span<const std::byte> payload) noexcept {
  return payload.subspan(block.extension_bytes);
}
/// Whether the content begins with a chunk index.
[[nodiscard]] inline bool is_indexed(const BlockInfo& block) noexcept {
  return (block.flags & kBlockIndexed) != 0;
}

/// Type, table, group and part: no two blocks of a file have the same.
using BlockKey = std::tuple<std::uint8_t, std::uint32_t, std::uint64_t, std::uint32_t>;

[[nodiscard]] inline BlockKey block_key(const BlockInfo& block) noexcept {
  return {block.type, block.table, block.group, block.part};
}
[[nodiscard]] inline BlockKey block_key(BlockType type, std::size_t table = 0,
                                        std::uint64_t group = 0, std::uint32_t part = 0) noexcept {
  return {type_number(type), static_cast<std::uint32_t>(table), group, part};
}
/// A block with this key, and nothing else filled in.
[[nodiscard]] inline BlockInfo block_of(const BlockKey& key) noexcept {
  BlockInfo block;
  std::tie(block.type, block.table, block.group, block.part) = key;
  return block;
}
/// Whether a block head and a directory entry describe the same block; offsets are not compared.
[[nodiscard]] HDB_INSPECT_API bool same_block(const BlockInfo& head,
                                              const BlockInfo& entry) noexcept;

/// "group 3 of table 'monsters'" and the like, for errors; `name` may be empty.
[[nodiscard]] std::string block_place(const BlockInfo& block, std::string_view name);
/// Whether these stored bytes may hold that much content.
[[nodiscard]] constexpr bool is_within_ratio(std::uint64_t content, std::uint64_t stored,
                                             std::uint64_t max_ratio) noexcept {
  return content / std::max<std::uint64_t>(stored, 1) < max_ratio;
}
/// Whether the blocks of known types hold no more than the file's size allows: limit_exceeded.
[[nodiscard]] Status check_content_ratio(std::span<const BlockInfo> blocks,
                                         std::uint64_t file_bytes, const ReadLimits& limits);
/// "; the limit is 1024", for texts of limit_exceeded.
[[nodiscard]] std::string at_most(std::uint64_t limit);
/// "stored 9a01..., computed 77fe..."
[[nodiscard]] std::string hash_texts(std::uint64_t stored, std::uint64_t computed);

}  // namespace hdb::format
