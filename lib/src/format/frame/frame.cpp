// Bytes of header, block head, directory and footer, as laid out in FORMAT.md.
#include "format/frame/frame.hpp"

#include <algorithm>
#include <cstring>

#include "hdb/byte_io.hpp"

namespace hdb::format {
namespace {

template <std::size_t N>
std::span<const std::byte> magic_bytes(const std::array<std::uint8_t, N>& magic) {
  return std::as_bytes(std::span(magic));
}

template <std::size_t N>
bool starts_with(std::span<const std::byte> bytes, const std::array<std::uint8_t, N>& magic) {
  return bytes.size() >= N && std::memcmp(bytes.data(), magic.data(), N) == 0;
}

// Finishes a fixed structure: its last 8 bytes are the XXH3-64 of those before.
template <std::size_t N>
std::array<std::byte, N> sealed(Bytes bytes) {
  std::array<std::byte, N> out;
  std::copy(bytes.begin(), bytes.end(), out.begin());
  store_le(out.data() + N - 8, hash64({out.data(), N - 8}));
  return out;
}

bool seal_holds(std::span<const std::byte> bytes) {
  const std::size_t size = bytes.size() - 8;
  return load_le<std::uint64_t>(bytes.data() + size) == hash64(bytes.first(size));
}

Hash128 read_hash(ByteReader& in) {
  Hash128 hash;
  hash.low = in.u64();
  hash.high = in.u64();
  return hash;
}

void write_hash(const Hash128& hash, ByteWriter& out) {
  out.u64(hash.low);
  out.u64(hash.high);
}

Status check_signature(std::span<const std::byte> bytes) {
  if (starts_with(bytes, kSignature)) return {};
  const auto* const first = reinterpret_cast<const char*>(bytes.data());
  const bool names_hdb = bytes.size() >= 4 && std::memcmp(first + 1, "HDB", 3) == 0;
  const bool lead_is_ours =
      names_hdb && (bytes[0] == std::byte{0x89} || bytes[0] == std::byte{0x09});
  if (lead_is_ours) {
    return fail(ErrorCode::text_mode_damage, "a text-mode transfer changed the signature", "header",
                0);
  }
  return fail(ErrorCode::bad_signature, "the file does not begin with the hdb signature", "header",
              0);
}

Error unreadable_version(const FileHeader& header) {
  const std::string version =
      std::to_string(header.version_major) + "." + std::to_string(header.version_minor);
  const bool is_draft = header.version_major == 0 && header.version_minor < kFirstMinor;
  const std::string what = is_draft ? "the file was written in draft " + version + " of the format"
                                    : "the file has format version " + version;
  return Error(is_draft ? ErrorCode::old_draft : ErrorCode::newer_version,
               what + "; this version of hdb reads 0.9, 0.10 and 1.x", 8, "header");
}

}  // namespace

std::array<std::byte, kHeaderBytes> encode_header(const FileHeader& header) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.raw(magic_bytes(kSignature));
  out.u16(header.version_major);
  out.u16(header.version_minor);
  out.u32(0);
  out.u64(header.features.incompatible);
  out.u64(header.features.read_only);
  out.u64(header.features.compatible);
  write_hash(header.file_id, out);
  return sealed<kHeaderBytes>(std::move(bytes));
}

Result<FileHeader> decode_header(std::span<const std::byte> bytes) {
  if (Status status = check_signature(bytes); !status) return fail(std::move(status.error()));
  if (bytes.size() < kHeaderBytes)
    return fail(ErrorCode::truncated, "the header is cut off", "header", 0);
  bytes = bytes.first(kHeaderBytes);
  if (!seal_holds(bytes))
    return fail(ErrorCode::header_checksum, "the hash of the header does not match", "header", 0);
  ByteReader in(bytes, 0, ErrorCode::bad_header);
  in.raw(kSignature.size());
  FileHeader header;
  header.version_major = in.u16();
  header.version_minor = in.u16();
  const std::uint32_t reserved = in.u32();
  header.features.incompatible = in.u64();
  header.features.read_only = in.u64();
  header.features.compatible = in.u64();
  header.file_id = read_hash(in);
  if (!is_readable_version(header.version_major, header.version_minor))
    return fail(unreadable_version(header));
  if ((header.features.incompatible & ~kKnownIncompatible) != 0) {
    return fail(ErrorCode::unknown_feature,
                "the file uses a feature that this version of hdb does not know", "header", 16);
  }
  if (reserved != 0)
    return fail(ErrorCode::bad_header, "reserved bytes are not zero", "header", 12);
  return header;
}

std::array<std::byte, kBlockHeadBytes> encode_block_head(const BlockHead& head) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.raw(magic_bytes(kBlockMarker));
  out.u8(head.info.type);
  out.u8(head.info.flags);
  out.u16(static_cast<std::uint16_t>(head.info.extension_bytes / kAlignment));
  out.u32(head.info.table);
  out.u32(head.info.part);
  out.u64(head.info.group);
  out.u64(head.info.stored_bytes);
  out.u64(head.info.raw_bytes);
  write_hash(head.file_id, out);
  out.u64(head.info.payload_hash);
  return sealed<kBlockHeadBytes>(std::move(bytes));
}

Result<BlockHead> decode_block_head(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (!starts_with(bytes, kBlockMarker)) {
    return fail(ErrorCode::bad_block_head, "a block should begin here, but does not", "block head",
                offset);
  }
  if (!seal_holds(bytes)) {
    return fail(ErrorCode::block_head_checksum, "the hash of the block head does not match",
                "block head", offset);
  }
  ByteReader in(bytes, offset, ErrorCode::bad_block_head);
  in.raw(kBlockMarker.size());
  BlockHead head;
  head.info.offset = offset;
  head.info.type = in.u8();
  head.info.flags = in.u8();
  head.info.extension_bytes = in.u16() * std::uint32_t{kAlignment};
  head.info.table = in.u32();
  head.info.part = in.u32();
  head.info.group = in.u64();
  head.info.stored_bytes = in.u64();
  head.info.raw_bytes = in.u64();
  head.file_id = read_hash(in);
  head.info.payload_hash = in.u64();
  if (head.info.stored_bytes > kMaxFileBytes)
    in.fail_at(offset + 24, "the stored size is larger than the format allows");
  if (head.info.extension_bytes > head.info.stored_bytes)
    in.fail_at(offset + 6, "the extensions do not fit the payload");
  if (!in.ok()) return fail(in.error("block head"));
  head.info.total_bytes = block_bytes(head.info.stored_bytes);
  return head;
}

// A file that needs a newer reader says so first, whatever a reader would miss in it or refuse.
static Status check_needed_types(std::span<const std::byte> directory) {
  for (std::size_t at = kDirectoryHeadBytes; at < directory.size(); at += kDirectoryEntryBytes) {
    const auto type = std::to_integer<std::uint8_t>(directory[at + 48]);
    const auto flags = std::to_integer<std::uint8_t>(directory[at + 49]);
    if (type == 0 || is_known(type) || (flags & kBlockCritical) == 0) continue;
    return fail(ErrorCode::unknown_block,
                "the file needs a block of the unknown type " + std::to_string(type),
                "entry " + std::to_string((at - kDirectoryHeadBytes) / kDirectoryEntryBytes) +
                    " of directory",
                load_le<std::uint64_t>(directory.data() + at));
  }
  return {};
}

Bytes encode_directory(const Hash128& file_id, const std::vector<BlockInfo>& blocks) {
  Bytes bytes;
  bytes.reserve(kDirectoryHeadBytes + blocks.size() * kDirectoryEntryBytes);
  ByteWriter out(bytes);
  out.raw(magic_bytes(kDirectoryMagic));
  write_hash(file_id, out);
  out.u64(blocks.size());
  for (const BlockInfo& block : blocks) {
    out.u64(block.offset);
    out.u64(block.stored_bytes);
    out.u64(block.raw_bytes);
    out.u64(block.payload_hash);
    out.u64(block.group);
    out.u32(block.table);
    out.u32(block.part);
    out.u8(block.type);
    out.u8(block.flags);
    out.u16(static_cast<std::uint16_t>(block.extension_bytes / kAlignment));
    out.pad_to(kAlignment);
  }
  return bytes;
}

Result<std::vector<BlockInfo>> decode_directory(std::span<const std::byte> bytes,
                                                std::uint64_t offset, const Hash128& file_id,
                                                const ReadLimits& limits) {
  ByteReader in(bytes, offset, ErrorCode::bad_directory);
  const auto magic = in.raw(kDirectoryMagic.size());
  if (!starts_with(magic, kDirectoryMagic))
    in.fail_at(offset, "the directory should begin here, but does not");
  if (read_hash(in) != file_id) in.fail_at(offset + 8, "the directory belongs to another file");
  const std::uint64_t count = in.u64();
  // The count is compared with the bytes that are there before anything is allocated for it.
  if (in.remaining() % kDirectoryEntryBytes != 0 ||
      in.remaining() / kDirectoryEntryBytes != count) {
    in.fail_at(offset + 24, std::to_string(count) + " entries do not fill the directory");
  }
  if (!in.ok()) return fail(in.error("directory"));
  if (Status status = check_needed_types(bytes); !status) return fail(std::move(status.error()));
  if (count > limits.max_blocks) {
    return fail(ErrorCode::limit_exceeded,
                "the file has " + std::to_string(count) + " blocks" + at_most(limits.max_blocks),
                "directory", offset + 24);
  }
  std::vector<BlockInfo> blocks(static_cast<std::size_t>(count));
  for (BlockInfo& block : blocks) {
    const std::uint64_t at = in.offset();
    block.offset = in.u64();
    block.stored_bytes = in.u64();
    block.raw_bytes = in.u64();
    block.payload_hash = in.u64();
    block.group = in.u64();
    block.table = in.u32();
    block.part = in.u32();
    block.type = in.u8();
    block.flags = in.u8();
    block.extension_bytes = in.u16() * std::uint32_t{kAlignment};
    in.zero_padding_to(kAlignment);
    if (block.stored_bytes > kMaxFileBytes)
      in.fail_at(at + 8, "the stored size is larger than the format allows");
    if (block.extension_bytes > block.stored_bytes)
      in.fail_at(at + 50, "the extensions do not fit the payload");
    block.total_bytes = block_bytes(block.stored_bytes);
  }
  in.expect_end();
  if (!in.ok()) return fail(in.error("directory"));
  return blocks;
}

std::array<std::byte, kFooterBytes> encode_footer(const Footer& footer) {
  Bytes bytes;
  ByteWriter out(bytes);
  out.u64(footer.directory_offset);
  out.u64(footer.directory_bytes);
  out.u64(footer.directory_hash);
  out.u64(footer.file_bytes);
  write_hash(footer.state_hash, out);
  out.raw(magic_bytes(kFooterMagic));
  return sealed<kFooterBytes>(std::move(bytes));
}

Result<Footer> decode_footer(std::span<const std::byte> bytes, std::uint64_t file_bytes) {
  const std::uint64_t offset = file_bytes - kFooterBytes;
  if (!starts_with(bytes.subspan(kFooterBytes - 16), kFooterMagic)) {
    return fail(ErrorCode::truncated,
                "the file does not end with a footer: it is cut off, or its end is damaged",
                "footer", offset);
  }
  if (!seal_holds(bytes)) {
    return fail(ErrorCode::footer_checksum, "the hash of the footer does not match", "footer",
                offset);
  }
  ByteReader in(bytes, offset, ErrorCode::bad_footer);
  Footer footer;
  footer.directory_offset = in.u64();
  footer.directory_bytes = in.u64();
  footer.directory_hash = in.u64();
  footer.file_bytes = in.u64();
  footer.state_hash = read_hash(in);
  if (footer.file_bytes != file_bytes) {
    const ErrorCode code =
        footer.file_bytes > file_bytes ? ErrorCode::truncated : ErrorCode::bad_geometry;
    return fail(code,
                "the file has " + std::to_string(file_bytes) + " bytes, but its footer states " +
                    std::to_string(footer.file_bytes),
                "footer", offset + 24);
  }
  const bool in_place =
      footer.directory_offset % kAlignment == 0 && footer.directory_offset >= kHeaderBytes &&
      footer.directory_offset <= offset && footer.directory_bytes >= kDirectoryHeadBytes &&
      footer.directory_bytes == offset - footer.directory_offset;
  if (!in_place) {
    return fail(ErrorCode::bad_footer, "the directory does not end where the footer begins",
                "footer", offset);
  }
  return footer;
}

bool is_known(std::uint8_t type) noexcept {
  return type >= type_number(BlockType::metadata) && type <= type_number(BlockType::pack);
}

std::uint8_t flags_of(std::uint8_t type) noexcept {
  switch (static_cast<BlockType>(type)) {
    case BlockType::metadata:
    case BlockType::catalog:
    case BlockType::pack: return kBlockCritical;
    case BlockType::rows:
    case BlockType::free_list: return kBlockCritical | kBlockIndexed;
    case BlockType::thumbnail: break;
  }
  return kBlockSafeToCopy;
}

bool same_block(const BlockInfo& head, const BlockInfo& entry) noexcept {
  return block_key(head) == block_key(entry) && head.flags == entry.flags &&
         head.stored_bytes == entry.stored_bytes && head.raw_bytes == entry.raw_bytes &&
         head.payload_hash == entry.payload_hash && head.extension_bytes == entry.extension_bytes;
}

std::string hash_texts(std::uint64_t stored, std::uint64_t computed) {
  const auto hex = [](std::uint64_t hash) {
    std::string digits(16, '0');
    for (std::size_t i = 16; i-- > 0; hash >>= 4) digits[i] = "0123456789abcdef"[hash & 15];
    return digits;
  };
  return "stored " + hex(stored) + ", computed " + hex(computed);
}

std::string at_most(std::uint64_t limit) { return "; the limit is " + std::to_string(limit); }

Status check_content_ratio(std::span<const BlockInfo> blocks, std::uint64_t file_bytes,
                           const ReadLimits& limits) {
  std::uint64_t content = 0;
  for (const BlockInfo& block : blocks) {
    if (is_known(block.type)) content += block.raw_bytes;
  }
  if (content <= kAnyContentBytes || is_within_ratio(content, file_bytes, limits.max_content_ratio))
    return {};
  return fail(ErrorCode::limit_exceeded,
              "the " + std::to_string(file_bytes) + " bytes of the file hold " +
                  std::to_string(content) + " bytes of content, " +
                  std::to_string(content / file_bytes) + " times as many" +
                  at_most(limits.max_content_ratio) + " (ReadLimits::max_content_ratio)",
              "file");
}

std::string block_place(const BlockInfo& block, std::string_view name) {
  const std::string table =
      name.empty() ? "table " + std::to_string(block.table) : "table '" + std::string(name) + "'";
  switch (static_cast<BlockType>(block.type)) {
    case BlockType::metadata: return "metadata";
    case BlockType::thumbnail: return "thumbnail";
    case BlockType::catalog: return block.part == 0 ? "catalog" : "second copy of the catalog";
    case BlockType::rows: {
      const std::string part = block.part == 0 ? "" : "part " + std::to_string(block.part) + " of ";
      return part + "group " + std::to_string(block.group) + " of " + table;
    }
    case BlockType::free_list: return "free list of " + table;
    case BlockType::pack: return "pack that begins with " + table;
  }
  return "block of type " + std::to_string(block.type);
}

}  // namespace hdb::format
