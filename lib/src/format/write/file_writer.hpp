// Appends header, blocks, directory and footer to a sink, and remembers where each block lies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "format/columns/compress.hpp"
#include "format/frame/buffer.hpp"
#include "format/frame/frame.hpp"
#include "hdb/io.hpp"
#include "hdb/write_options.hpp"

namespace hdb::format {

class FileWriter {
 public:
  FileWriter(ByteSink& sink, const Hash128& file_id, const WriteOptions& options);

  [[nodiscard]] Status begin();
  /// Appends a block whose payload is stored as it is. `info` says type, flags, table, group and
  /// part.
  [[nodiscard]] Status add_unchunked(BlockInfo info, std::span<const std::byte> payload,
                                     std::uint64_t raw_bytes);
  /// Appends a block whose payload is compressed where that makes it smaller.
  [[nodiscard]] Status add_compressed(const BlockInfo& info, std::span<const std::byte> content);
  /// Appends finished blocks, given in pieces; their offsets count from the beginning of the first
  /// piece.
  [[nodiscard]] Status add_blocks(std::span<const std::span<const std::byte>> pieces,
                                  std::span<const BlockInfo> blocks);
  [[nodiscard]] Status finish(const Hash128& state_hash);

  /// Bytes written so far.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  [[nodiscard]] Status append(std::span<const std::byte> bytes);

  ByteSink& sink_;
  Hash128 file_id_;
  ReadLimits limits_;
  std::optional<Compressor> compressor_;  // null: nothing is compressed
  Buffer compressed_;
  std::uint64_t size_ = 0;
  std::vector<BlockInfo> blocks_;
};

}  // namespace hdb::format
