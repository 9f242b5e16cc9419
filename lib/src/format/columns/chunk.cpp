// Chunks out: filter, compress, hash. Chunks in: the same backwards, after every size was checked.
#include "format/columns/chunk.hpp"

#include <algorithm>
#include <utility>

#include "base/blake2b.hpp"
#include "format/columns/filter.hpp"
#include "hdb/byte_io.hpp"
#include "hdb/hash.hpp"

namespace hdb::format {
namespace {

// Smaller chunks are stored as they are: a frame's own head would eat the gain.
constexpr std::size_t kMinCompressedBytes = 32;

void store_entry(std::byte* to, const RawChunk& chunk, const Hash128& raw_hash, Filter filter,
                 Codec codec, std::span<const std::byte> stored) {
  std::memset(to, 0, kChunkEntryBytes);
  store_le(to, chunk.column);
  store_le(to + 4, chunk.piece);
  to[8] = static_cast<std::byte>(filter);
  to[9] = static_cast<std::byte>(codec);
  to[10] = static_cast<std::byte>(chunk.width);
  store_le(to + 16, std::uint64_t{stored.size()});
  store_le(to + 24, std::uint64_t{chunk.raw.size()});
  store_le(to + 32, raw_hash.low);
  store_le(to + 40, raw_hash.high);
  store_le(to + 48, hash64(stored));
}

const char* find_entry_fault(const ChunkEntry& entry) noexcept {
  const ChunkInfo& info = entry.info;
  if (info.filter > static_cast<std::uint8_t>(Filter::delta_shuffle))
    return "the filter is unknown";
  if (info.codec > static_cast<std::uint8_t>(Codec::zstd)) return "the codec is unknown";
  if (info.raw_bytes > kMaxChunkRawBytes) return "the chunk is larger than the format allows";
  const auto filter = static_cast<Filter>(info.filter);
  const auto raw = static_cast<std::size_t>(info.raw_bytes);
  if (!filter_fits(filter, raw, entry.width)) return "the filter does not fit the values";
  const std::size_t filtered = filtered_size(filter, raw, entry.width);
  if (info.codec == static_cast<std::uint8_t>(Codec::none)) {
    return info.stored_bytes == filtered ? nullptr
                                         : "the stored size differs from the filtered size";
  }
  return info.stored_bytes < filtered && info.stored_bytes != 0
             ? nullptr
             : "the compressed size is not below the raw size";
}

Status check_stored(const ChunkEntry& entry, std::span<const std::byte> stored) {
  const std::uint64_t computed = hash64(stored);
  if (computed == entry.stored_hash) return {};
  return fail(ErrorCode::block_checksum,
              "the hash of a chunk does not match: " + hash_texts(entry.stored_hash, computed), {},
              entry.info.offset);
}

Status raw_hash_mismatch(const ChunkEntry& entry) {
  return fail(ErrorCode::raw_hash_mismatch, "the decoded bytes do not match the raw hash", {},
              entry.info.offset);
}

}  // namespace

void StoredChunks::add(std::span<const std::byte> payload) {
  const auto count = load_le<std::uint32_t>(payload.data());
  auto index = payload.subspan(kChunkIndexHeadBytes);
  auto stored = payload.subspan(static_cast<std::size_t>(index_bytes(count)));
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto entry = index.first(kChunkEntryBytes);
    const std::byte* const at = entry.data();
    const auto size = static_cast<std::size_t>(load_le<std::uint64_t>(at + 16));
    chunks_.push_back({load_le<std::uint32_t>(at), load_le<std::uint32_t>(at + 4),
                       Hash128{load_le<std::uint64_t>(at + 32), load_le<std::uint64_t>(at + 40)},
                       entry, stored.first(size)});
    index = index.subspan(kChunkEntryBytes);
    stored = stored.subspan(size);
  }
}

const StoredChunks::Chunk* StoredChunks::find(const RawChunk& chunk,
                                              const Hash128& raw_hash) const noexcept {
  const std::pair wanted(chunk.column, chunk.piece);
  const auto found = std::partition_point(chunks_.begin(), chunks_.end(), [&](const Chunk& each) {
    return std::pair(each.column, each.piece) < wanted;
  });
  const bool is_same = found != chunks_.end() && found->column == chunk.column &&
                       found->piece == chunk.piece && found->raw_hash == raw_hash;
  return is_same ? &*found : nullptr;
}

ChunkEncoder::ChunkEncoder(Codec codec, int level, bool filters) : filters_(filters) {
  if (codec == Codec::zstd) compressor_.emplace(level);
}

void ChunkEncoder::append_chunk(const RawChunk& chunk, const Hash128& raw_hash,
                                std::size_t least_bytes, Buffer& out, std::size_t entry_at) {
  Filter filter = filters_ ? choose_filter(chunk.raw, chunk.width) : Filter::none;
  if (filter == Filter::constant && chunk.width < least_bytes) filter = Filter::none;
  const std::size_t size = filtered_size(filter, chunk.raw.size(), chunk.width);
  const std::size_t begin = out.size();
  const bool compresses = compressor_.has_value() && size >= kMinCompressedBytes;
  Codec codec = Codec::none;
  if (!compresses) {
    apply_filter(filter, chunk.raw, chunk.width, out.tail(size));
    out.commit(size);
  } else {
    std::span<const std::byte> filtered = chunk.raw;
    std::size_t plane_bytes = 0;
    if (filter != Filter::none) {
      apply_filter(filter, chunk.raw, chunk.width, filtered_.reset(size));
      filtered = filtered_.bytes();
      if (filter == Filter::shuffle || filter == Filter::delta_shuffle)
        plane_bytes = size / chunk.width;
    }
    const bool is_smaller = least_bytes == 0
                                ? compressor_->compress(filtered, plane_bytes, out)
                                : compressor_->compress_diluted(filtered, least_bytes, out);
    if (is_smaller) {
      codec = Codec::zstd;
    } else {
      out.append(filtered);
    }
  }
  store_entry(out.data() + entry_at, chunk, raw_hash, filter, codec, out.bytes().subspan(begin));
}

// Where equal bytes would take too little, a part of the largest chunk is stored as it is.
Appended ChunkEncoder::append_block(BlockHead& head, std::span<const RawChunk> chunks,
                                    const StoredChunks& known, std::uint64_t max_ratio,
                                    Buffer& out) {
  const std::size_t begin = out.size();
  const Appended appended = append_payload(head, chunks, known, 0, out);
  if (is_within_ratio(head.info.raw_bytes, head.info.stored_bytes, max_ratio)) return appended;
  out.cut(begin);
  const auto least = static_cast<std::size_t>(head.info.raw_bytes / max_ratio + 1);
  return append_payload(head, chunks, {}, least, out);
}

Appended ChunkEncoder::append_payload(BlockHead& head, std::span<const RawChunk> chunks,
                                      const StoredChunks& known, std::size_t least_bytes,
                                      Buffer& out) {
  Appended appended{.is_diluted = least_bytes != 0};
  const auto largest = std::max_element(
      chunks.begin(), chunks.end(),
      [](const RawChunk& a, const RawChunk& b) { return a.raw.size() < b.raw.size(); });
  const std::size_t head_at = out.size();
  const std::size_t payload_at = head_at + kBlockHeadBytes;
  const auto index_size = static_cast<std::size_t>(index_bytes(chunks.size()));
  std::byte* const index = out.tail(kBlockHeadBytes + index_size) + kBlockHeadBytes;
  store_le(index, static_cast<std::uint32_t>(chunks.size()));
  store_le(index + 4, std::uint32_t{0});
  out.commit(kBlockHeadBytes + index_size);
  head.info.raw_bytes = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const std::size_t entry_at = payload_at + static_cast<std::size_t>(index_bytes(i));
    const Hash128 raw_hash = hash128(chunks[i].raw);
    if (const StoredChunks::Chunk* const same = known.find(chunks[i], raw_hash)) {
      out.append(same->stored);
      std::memcpy(out.data() + entry_at, same->entry.data(), kChunkEntryBytes);
      appended.copied_bytes += same->stored.size();
    } else {
      const bool is_largest = &chunks[i] == &*largest;
      append_chunk(chunks[i], raw_hash, is_largest ? least_bytes : 0, out, entry_at);
    }
    head.info.raw_bytes += chunks[i].raw.size();
  }
  const auto payload = out.bytes().subspan(payload_at);
  head.info.stored_bytes = payload.size();
  head.info.total_bytes = block_bytes(payload.size());
  head.info.payload_hash = hash64(payload.first(index_size));
  out.pad_to(kAlignment);
  const auto head_bytes = encode_block_head(head);
  std::memcpy(out.data() + head_at, head_bytes.data(), head_bytes.size());
  return appended;
}

Status ChunkDecoder::decode(const ChunkEntry& entry, std::span<const std::byte> stored,
                            std::span<std::byte> raw, bool verify_raw_hash) {
  const auto filter = static_cast<Filter>(entry.info.filter);
  if (Status status = check_stored(entry, stored); !status) return status;
  if (entry.info.codec == static_cast<std::uint8_t>(Codec::none)) {
    undo_filter(filter, stored, entry.width, raw);
  } else {
    const bool in_place = filter == Filter::none;
    const std::size_t size = filtered_size(filter, raw.size(), entry.width);
    const std::span<std::byte> to = in_place ? raw : std::span(filtered.reset(size), size);
    if (const char* fault = decompressor.decompress(stored, to)) {
      return fail(ErrorCode::bad_compression, fault, {}, entry.info.offset);
    }
    if (!in_place) undo_filter(filter, to, entry.width, raw);
  }
  if (verify_raw_hash && hash128(raw) != entry.info.raw_hash) {
    return raw_hash_mismatch(entry);
  }
  return {};
}

Status ChunkDecoder::check(const ChunkEntry& entry, std::span<const std::byte> stored,
                           bool verify_raw_hash) {
  const auto filter = static_cast<Filter>(entry.info.filter);
  const auto raw_bytes = static_cast<std::size_t>(entry.info.raw_bytes);
  if (Status status = check_stored(entry, stored); !status) return status;
  std::span<const std::byte> bytes = stored;
  if (entry.info.codec != static_cast<std::uint8_t>(Codec::none)) {
    const std::size_t size = filtered_size(filter, raw_bytes, entry.width);
    const std::span<std::byte> to(filtered.reset(size), size);
    if (const char* fault = decompressor.decompress(stored, to))
      return fail(ErrorCode::bad_compression, fault, {}, entry.info.offset);
    bytes = to;
  }
  if (!verify_raw_hash ||
      hash_unfiltered(filter, bytes, entry.width, raw_bytes) == entry.info.raw_hash)
    return {};
  return raw_hash_mismatch(entry);
}

Result<std::span<const std::byte>> hashed_part(const BlockInfo& block,
                                               std::span<const std::byte> payload) {
  if (!is_indexed(block)) return payload;
  const auto content = content_of(block, payload);
  if (content.size() < kChunkIndexHeadBytes) {
    return fail(ErrorCode::bad_chunk, "the block has no column index", {}, block.offset);
  }
  const auto count = load_le<std::uint32_t>(content.data());
  if (index_bytes(count) > content.size()) {
    return fail(ErrorCode::bad_chunk, std::to_string(count) + " chunks do not fit the block", {},
                block.offset);
  }
  return payload.first(block.extension_bytes + static_cast<std::size_t>(index_bytes(count)));
}

Status check_hash(const BlockInfo& block, std::span<const std::byte> hashed) {
  const std::uint64_t computed = hash64(hashed);
  if (computed == block.payload_hash) return {};
  return fail(ErrorCode::block_checksum,
              "the hash of the " + std::string(is_indexed(block) ? "column index" : "block") +
                  " does not match: " + hash_texts(block.payload_hash, computed),
              {}, block.offset + kBlockHeadBytes);
}

namespace {

// What an extension that this version knows says that it cannot.
const char* find_fault(const Extension& extension, const BlockInfo& block,
                       std::span<const std::byte> content) {
  if (extension.tag == kExtensionTableName) {
    const std::string_view name(reinterpret_cast<const char*>(extension.bytes.data()),
                                extension.bytes.size());
    if (is_known(block.type)) return "a block of this type does not name its table";
    if (extension.flags != kExtensionSafeToCopy || !find_name_fault(name).empty())
      return "the name of the table is not possible";
  }
  if (extension.tag == kExtensionChunkIds) {
    if (!is_indexed(block)) return "a block without chunks has ids of chunks";
    if (extension.flags != 0 ||
        extension.bytes.size() != detail::kBlake2bBytes * load_le<std::uint32_t>(content.data())) {
      return "the ids of the chunks do not fit the index";
    }
  }
  return nullptr;
}

}  // namespace

Result<std::vector<Extension>> head_extensions(const BlockInfo& block,
                                               std::span<const std::byte> payload) {
  if (block.extension_bytes == 0) return std::vector<Extension>{};
  const std::uint64_t begin = block.offset + kBlockHeadBytes;
  ByteReader in(payload.first(block.extension_bytes), begin, ErrorCode::bad_block_head);
  std::vector<Extension> extensions = read_extensions(in, kKnownHeadExtensions);
  if (in.remaining() >= kAlignment)
    in.fail_here("more bytes follow the extensions of the head than needed");
  in.zero_padding_to(kAlignment);
  if (in.ok() && extensions.empty()) in.fail_at(begin, "the head has no extension");
  for (const Extension& extension : extensions) {
    if (!in.ok()) break;
    if (const char* fault = find_fault(extension, block, content_of(block, payload)))
      in.fail_at(begin, fault);
  }
  if (!in.ok()) return fail(in.error());
  return extensions;
}

Status check_payload(const BlockInfo& block, std::span<const std::byte> payload) {
  const auto hashed = hashed_part(block, payload);
  if (!hashed) return fail(hashed.error());
  if (Status status = check_hash(block, *hashed); !status) return status;
  if (const auto extensions = head_extensions(block, payload); !extensions)
    return fail(extensions.error());
  return is_indexed(block) ? check_chunks(block, content_of(block, payload)) : Status();
}

Status check_chunks(const BlockInfo& block, std::span<const std::byte> content) {
  const auto entries = decode_index(content, block);
  if (!entries) return fail(entries.error());
  for (const ChunkEntry& entry : *entries) {
    const auto stored = content.subspan(static_cast<std::size_t>(entry.content_offset),
                                        static_cast<std::size_t>(entry.info.stored_bytes));
    if (Status status = check_stored(entry, stored); !status) return status;
  }
  return {};
}

Status check_chunk_ids(const BlockInfo& block, std::span<const std::byte> content,
                       std::span<const Extension> extensions, ChunkDecoder& decoder) {
  const auto ids = std::find_if(extensions.begin(), extensions.end(), [](const Extension& each) {
    return each.tag == kExtensionChunkIds;
  });
  if (ids == extensions.end()) return {};
  const auto entries = decode_index(content, block);
  if (!entries) return fail(entries.error());
  std::span<const std::byte> rest(ids->bytes);
  Bytes raw;
  for (const ChunkEntry& entry : *entries) {
    const auto stored = content.subspan(static_cast<std::size_t>(entry.content_offset),
                                        static_cast<std::size_t>(entry.info.stored_bytes));
    raw.resize(static_cast<std::size_t>(entry.info.raw_bytes));
    if (Status status = decoder.decode(entry, stored, raw, false); !status) return status;
    const auto id = detail::blake2b_256(raw);
    if (!std::equal(id.begin(), id.end(), rest.begin())) {
      return fail(ErrorCode::raw_hash_mismatch,
                  "the decoded bytes of a chunk do not match its BLAKE2b id", {},
                  entry.info.offset);
    }
    rest = rest.subspan(id.size());
  }
  return {};
}

Result<std::vector<ChunkEntry>> decode_index(std::span<const std::byte> content,
                                             const BlockInfo& block) {
  const std::uint64_t base = content_offset(block);
  ByteReader in(content, base, ErrorCode::bad_chunk);
  const std::uint32_t count = in.u32();
  if (in.u32() != 0) in.fail_at(base + 4, "reserved bytes are not zero");
  if (in.ok() && (count == 0 || count > in.remaining() / kChunkEntryBytes)) {
    in.fail_at(base, std::to_string(count) + " chunks do not fit the block");
  }
  if (!in.ok()) return fail(in.error());
  std::vector<ChunkEntry> entries(count);
  std::uint64_t stored_end = index_bytes(count);
  std::uint64_t raw_total = 0;
  for (ChunkEntry& entry : entries) {
    const std::uint64_t at = in.offset();
    entry.info.column = in.u32();
    entry.info.piece = in.u32();
    entry.info.filter = in.u8();
    entry.info.codec = in.u8();
    entry.width = in.u8();
    in.zero_padding_to(kAlignment);
    entry.info.stored_bytes = in.u64();
    entry.info.raw_bytes = in.u64();
    entry.info.raw_hash.low = in.u64();
    entry.info.raw_hash.high = in.u64();
    entry.stored_hash = in.u64();
    if (!in.ok()) break;
    // What the numbers of an unknown type mean is not known either.
    const char* const fault = is_known(block.type) ? find_entry_fault(entry) : nullptr;
    if (fault != nullptr) in.fail_at(at, fault);
    if (entry.info.stored_bytes > content_bytes(block) - stored_end)
      in.fail_at(at + 16, "the chunks are larger than their block");
    if (entry.info.raw_bytes > block.raw_bytes - raw_total)
      in.fail_at(at + 24, "the chunks have more bytes than the raw size of the block");
    if (!in.ok()) break;
    entry.content_offset = stored_end;
    entry.info.offset = base + stored_end;
    stored_end += entry.info.stored_bytes;
    raw_total += entry.info.raw_bytes;
  }
  if (stored_end != content_bytes(block)) in.fail_at(base, "the chunks do not fill the block");
  if (raw_total != block.raw_bytes)
    in.fail_at(base, "the chunks do not add up to the raw size of the block");
  if (!in.ok()) return fail(in.error());
  return entries;
}

}  // namespace hdb::format
