// Appends header, blocks, directory and footer to a sink, and remembers where each block lies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/columns/compress.hpp"
#include "format/frame/buffer.hpp"
#include "format/frame/frame.hpp"
#include "format/write/frame_sink.hpp"
#include "hdb/detail/base/api.hpp"
#include "hdb/io.hpp"
#include "hdb/write_options.hpp"

namespace hdb::format {

class FileWriter final : public FrameSink {
 public:
  FileWriter(ByteSink& sink, const Hash128& file_id, const WriteOptions& options);

  void use_compressed(CompressedBlocks* last) noexcept override { last_ = last; }
  [[nodiscard]] Status begin(std::uint64_t most_bytes) override;
  [[nodiscard]] Status add_unchunked(BlockInfo info, std::span<const std::byte> payload,
                                     std::uint64_t raw_bytes) override;
  [[nodiscard]] Status add_compressed(const BlockInfo& info,
                                      std::span<const std::byte> content) override;
  [[nodiscard]] Status add_encoded(const EncodedBlocks& encoded) override;
  [[nodiscard]] Status finish(const Hash128& state_hash) override;
  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }

 private:
  [[nodiscard]] Status append(std::span<const std::byte> bytes);
  /// Appends finished blocks, given in pieces; their offsets count from the beginning of the first
  /// piece.
  [[nodiscard]] Status add_blocks(std::span<const std::span<const std::byte>> pieces,
                                  std::span<const BlockInfo> blocks);

  ByteSink& sink_;
  Hash128 file_id_;
  ReadLimits limits_;
  std::optional<Compressor> compressor_;  // null: nothing is compressed
  Buffer compressed_;
  CompressedBlocks* last_ = nullptr;
  std::uint64_t size_ = 0;
  std::vector<BlockInfo> blocks_;
};

/// The block of a payload that is complete: with its sizes and its payload hash.
/// Errors: bad_chunk if the block is indexed and its index does not fit.
[[nodiscard]] HDB_INSPECT_API Result<BlockInfo> finished_block(BlockInfo info,
                                                               std::span<const std::byte> payload,
                                                               std::uint64_t raw_bytes);

}  // namespace hdb::format
