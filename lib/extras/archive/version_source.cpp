// Heads, indexes, directory and footer follow from the list of blocks and the nodes; chunks are
// read straight into the buffer of the caller.
#include "archive/version_source.hpp"

#include <algorithm>
#include <utility>

#include "format/columns/chunk.hpp"

namespace hdb::archive {
namespace {

// Copies what a part of the file, which begins at `at`, has of the wanted bytes.
void copy_part(std::span<const std::byte> part, std::uint64_t at, std::uint64_t offset,
               std::span<std::byte> out) {
  const std::uint64_t begin = std::max(at, offset);
  const std::uint64_t end = std::min(at + part.size(), offset + out.size());
  if (begin >= end) return;
  const auto size = static_cast<std::size_t>(end - begin);
  std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(begin - at), size,
              out.begin() + static_cast<std::ptrdiff_t>(begin - offset));
}

bool overlap(std::uint64_t at, std::uint64_t size, std::uint64_t offset,
             std::span<const std::byte> out) noexcept {
  return at < offset + out.size() && offset < at + size;
}

}  // namespace

VersionSource::VersionSource(std::shared_ptr<ObjectStore> store, Manifest manifest,
                             std::vector<RootEntry> entries)
    : store_(std::move(store)), manifest_(std::move(manifest)), entries_(std::move(entries)) {
  format::FileHeader header;
  header.file_id = manifest_.file_id;
  const auto header_bytes = format::encode_header(header);
  header_.assign(header_bytes.begin(), header_bytes.end());
  std::vector<BlockInfo> blocks;
  blocks.reserve(entries_.size());
  for (const RootEntry& entry : entries_) blocks.push_back(entry.block);
  tail_offset_ = blocks.back().offset + blocks.back().total_bytes;
  tail_ = format::encode_directory(manifest_.file_id, blocks);
  format::Footer footer;
  footer.directory_offset = tail_offset_;
  footer.directory_bytes = tail_.size();
  footer.directory_hash = hash64(tail_);
  footer.file_bytes = tail_offset_ + tail_.size() + format::kFooterBytes;
  footer.state_hash = manifest_.state_hash;
  const auto footer_bytes = format::encode_footer(footer);
  tail_.insert(tail_.end(), footer_bytes.begin(), footer_bytes.end());
}

Result<std::unique_ptr<VersionSource>> VersionSource::open(std::shared_ptr<ObjectStore> store,
                                                           Manifest manifest,
                                                           const ReadLimits& limits) {
  if (manifest.root_bytes / kRootEntryBytes > std::min(limits.max_blocks, format::kMaxBlocks)) {
    return fail(ErrorCode::limit_exceeded,
                "the save has more than " + std::to_string(limits.max_blocks) + " blocks");
  }
  const auto root = store->read(manifest.root, manifest.root_bytes, true);
  if (!root) return fail(root.error());
  auto entries = decode_root(**root);
  if (!entries) return fail(std::move(entries.error()));
  const BlockInfo& first = entries->front().block;
  if (first.stored_bytes != manifest.metadata.size() ||
      first.payload_hash != hash64(manifest.metadata)) {
    return fail(ErrorCode::bad_archive, "the metadata of the manifest is not that of the save");
  }
  std::unique_ptr<VersionSource> source(
      new VersionSource(std::move(store), std::move(manifest), std::move(*entries)));
  if (source->tail_offset_ + source->tail_.size() != source->manifest_.file_bytes)
    return fail(ErrorCode::bad_archive, "the blocks of the save do not have the size of the file");
  return source;
}

Status VersionSource::read_at(std::uint64_t offset, std::span<std::byte> out) {
  const std::uint64_t size = manifest_.file_bytes;
  if (offset > size || out.size() > size - offset) {
    return fail(ErrorCode::truncated, "the save ends before the bytes that are wanted", {}, offset);
  }
  copy_part(header_, 0, offset, out);
  copy_part(tail_, tail_offset_, offset, out);
  auto entry = std::partition_point(entries_.begin(), entries_.end(), [&](const RootEntry& each) {
    return each.block.offset + each.block.total_bytes <= offset;
  });
  for (; entry != entries_.end() && entry->block.offset < offset + out.size(); ++entry) {
    const std::uint64_t begin = std::max(offset, entry->block.offset);
    const std::uint64_t end =
        std::min(offset + out.size(), entry->block.offset + entry->block.total_bytes);
    Status status = read_block(*entry, begin,
                               out.subspan(static_cast<std::size_t>(begin - offset),
                                           static_cast<std::size_t>(end - begin)));
    if (!status) {
      Error error = std::move(status.error());
      if (error.offset == kNoOffset) error.offset = entry->block.offset;
      return fail(std::move(error));
    }
  }
  return {};
}

Status VersionSource::read_block(const RootEntry& entry, std::uint64_t offset,
                                 std::span<std::byte> out) {
  const BlockInfo& block = entry.block;
  const std::uint64_t payload = block.offset + format::kBlockHeadBytes;
  if (offset < payload) {
    format::BlockHead head;
    head.info = block;
    head.file_id = manifest_.file_id;
    copy_part(format::encode_block_head(head), block.offset, offset, out);
  }
  const std::uint64_t padding = payload + block.stored_bytes;
  const Bytes zeros(static_cast<std::size_t>(block.offset + block.total_bytes - padding));
  copy_part(zeros, padding, offset, out);
  if (!overlap(payload, block.stored_bytes, offset, out)) return {};
  return entry.kind == BlockKind::chunks ? read_chunks(entry, offset, out)
                                         : read_payload(entry, offset, out);
}

Status VersionSource::read_payload(const RootEntry& entry, std::uint64_t offset,
                                   std::span<std::byte> out) {
  const std::uint64_t at = entry.block.offset + format::kBlockHeadBytes;
  if (entry.kind == BlockKind::metadata) {
    copy_part(manifest_.metadata, at, offset, out);
    return {};
  }
  const auto bytes = store_->read(entry.id, entry.block.stored_bytes, false);
  if (!bytes) return fail(bytes.error());
  copy_part(**bytes, at, offset, out);
  if (entry.kind == BlockKind::whole &&
      overlap(at, entry.block.stored_bytes - entry.block.raw_bytes, offset, out)) {
    const auto index = whole_index(**bytes, entry.block);
    if (!index) return fail(index.error());
    copy_part(*index, at, offset, out);
  }
  return {};
}

Status VersionSource::read_chunks(const RootEntry& entry, std::uint64_t offset,
                                  std::span<std::byte> out) {
  const BlockInfo& block = entry.block;
  const auto node_bytes = node_bytes_of(block);
  if (!node_bytes) return fail(node_bytes.error());
  const auto node = store_->read(entry.id, *node_bytes, true);
  if (!node) return fail(node.error());
  const auto chunks = decode_node(**node, block);
  if (!chunks) return fail(chunks.error());
  std::uint64_t at = block.offset + format::kBlockHeadBytes;
  const std::uint64_t index_bytes = format::index_bytes(chunks->size());
  if (overlap(at, index_bytes, offset, out)) copy_part(index_of(*chunks), at, offset, out);
  at += index_bytes;
  std::vector<ObjectRequest> requests;
  struct Partial {
    std::uint64_t at;
    Bytes bytes;
  };
  std::vector<Partial> partials;
  partials.reserve(2);  // at the begin and at the end: the buffers do not move
  for (const NodeChunk& chunk : *chunks) {
    const auto size = static_cast<std::size_t>(chunk.raw_bytes);
    if (size != 0 && overlap(at, size, offset, out)) {
      if (at >= offset && at + size <= offset + out.size()) {
        requests.push_back({chunk.id, out.subspan(static_cast<std::size_t>(at - offset), size)});
      } else {
        partials.push_back({at, Bytes(size)});
        requests.push_back({chunk.id, partials.back().bytes});
      }
    }
    at += size;
  }
  if (Status status = store_->read_all(requests, false); !status) return status;
  for (const Partial& partial : partials) copy_part(partial.bytes, partial.at, offset, out);
  return {};
}

}  // namespace hdb::archive
