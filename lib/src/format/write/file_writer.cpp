// The frame around the blocks of a file being written.
#include "format/write/file_writer.hpp"

#include <algorithm>
#include <utility>

#include "format/columns/chunk.hpp"
#include "format/write/compressed_blocks.hpp"
#include "format/write/group_encoder.hpp"

namespace hdb::format {
namespace {

// Catalogs and packs are small: a better level takes little time.
constexpr int kSmallLevel = 3;

}  // namespace

FileWriter::FileWriter(ByteSink& sink, const Hash128& file_id, const WriteOptions& options)
    : sink_(sink), file_id_(file_id), limits_(options.limits) {
  if (options.codec != Codec::zstd) return;
  compressor_.emplace(std::max(options.level, kSmallLevel));
  compressor_->add_checksums();
}

Status FileWriter::append(std::span<const std::byte> bytes) {
  if (size_ + bytes.size() > std::min(limits_.max_file_bytes, kMaxFileBytes)) {
    return fail(
        ErrorCode::limit_exceeded,
        "the file would be larger than " + std::to_string(limits_.max_file_bytes) + " bytes",
        "writing", size_);
  }
  if (Status status = sink_.write(bytes); !status) return status;
  size_ += bytes.size();
  return {};
}

Status FileWriter::begin(std::uint64_t most_bytes) {
  if (Status status = sink_.reserve(most_bytes); !status) return status;
  FileHeader header;
  header.file_id = file_id_;
  return append(encode_header(header));
}

Result<BlockInfo> finished_block(BlockInfo info, std::span<const std::byte> payload,
                                 std::uint64_t raw_bytes) {
  const auto hashed = hashed_part(info, payload);
  if (!hashed) return fail(hashed.error());
  info.offset = 0;
  info.stored_bytes = payload.size();
  info.raw_bytes = raw_bytes;
  info.total_bytes = block_bytes(payload.size());
  info.payload_hash = hash64(*hashed);
  return info;
}

Status FileWriter::add_unchunked(BlockInfo info, std::span<const std::byte> payload,
                                 std::uint64_t raw_bytes) {
  auto finished = finished_block(info, payload, raw_bytes);
  if (!finished) return fail(std::move(finished.error()));
  BlockHead head;
  head.info = *finished;
  head.file_id = file_id_;
  Buffer block;
  block.append(encode_block_head(head));
  block.append(payload);
  block.pad_to(kAlignment);
  const std::span<const std::byte> piece = block.bytes();
  return add_blocks({&piece, 1}, {&head.info, 1});
}

Status FileWriter::add_compressed(const BlockInfo& info, std::span<const std::byte> content) {
  if (!compressor_) return add_unchunked(info, content, content.size());
  const Hash128 hash = last_ != nullptr ? hash128(content) : Hash128();
  if (const Bytes* const known = last_ != nullptr ? last_->find(hash) : nullptr)
    return add_unchunked(info, *known, content.size());
  compressed_.clear();
  const bool is_smaller = compressor_->compress(content, 0, compressed_);
  if (is_smaller && last_ != nullptr) last_->add(hash, compressed_.bytes());
  return add_unchunked(info, is_smaller ? compressed_.bytes() : content, content.size());
}

Status FileWriter::add_encoded(const EncodedBlocks& encoded) {
  return add_blocks(encoded.pieces, encoded.blocks);
}

Status FileWriter::add_blocks(std::span<const std::span<const std::byte>> pieces,
                              std::span<const BlockInfo> blocks) {
  if (blocks_.size() + blocks.size() > std::min(limits_.max_blocks, kMaxBlocks)) {
    return fail(ErrorCode::limit_exceeded,
                "the file would have more than " + std::to_string(limits_.max_blocks) + " blocks",
                "writing");
  }
  for (const BlockInfo& block : blocks) {
    blocks_.push_back(block);
    blocks_.back().offset += size_;
  }
  for (const std::span<const std::byte> piece : pieces) {
    if (Status status = append(piece); !status) return status;
  }
  return {};
}

Status FileWriter::finish(const Hash128& state_hash) {
  const Bytes directory = encode_directory(file_id_, blocks_);
  if (directory.size() > limits_.max_directory_bytes) {
    return fail(ErrorCode::limit_exceeded,
                "the directory would have " + std::to_string(directory.size()) +
                    " bytes; at most " + std::to_string(limits_.max_directory_bytes) +
                    " are allowed (ReadLimits::max_directory_bytes)",
                "writing");
  }
  Footer footer;
  footer.directory_offset = size_;
  footer.directory_bytes = directory.size();
  footer.directory_hash = hash64(directory);
  footer.file_bytes = size_ + directory.size() + kFooterBytes;
  footer.state_hash = state_hash;
  if (Status status = check_content_ratio(blocks_, footer.file_bytes, limits_); !status)
    return fail(std::move(status.error()).in("writing"));
  if (Status status = append(directory); !status) return status;
  return append(encode_footer(footer));
}

}  // namespace hdb::format
