// Takes a file apart and seals it again, so that hashes do not hide what lies behind them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "format/columns/chunk.hpp"
#include "format/frame/frame.hpp"
#include "format/sample.hpp"

namespace hdb::test {

struct ForgedBlock {
  format::BlockHead head;
  Bytes payload;
};

/// A chunk of a forged payload. Unless told otherwise, sizes and hashes are made to fit.
struct ForgedChunk {
  format::ChunkEntry entry;
  Bytes stored;
};

/// A whole file, in parts that may be changed.
struct ForgedFile {
  format::FileHeader header;
  std::vector<ForgedBlock> blocks;
  Hash128 state_hash;
  std::uint64_t claimed_entries = 0;  ///< When not 0: what the directory says it holds.
  /// Changes the entries of the directory, which else are those of the blocks.
  std::function<void(std::vector<BlockInfo>&)> change_entries;

  /// Compressed catalogs and packs are unpacked, if so told: they need not be compressed.
  explicit ForgedFile(const Bytes& bytes, bool unpacks = true);
  /// The file with every hash and size made anew.
  [[nodiscard]] Bytes sealed() const;
  /// Index of the first block of this type, table and group.
  [[nodiscard]] std::size_t find(format::BlockType type, std::uint32_t table = 0,
                                 std::uint64_t group = 0) const;

  [[nodiscard]] std::vector<ForgedChunk> chunks(std::size_t block) const;
  void set_chunks(std::size_t block, const std::vector<ForgedChunk>& chunks);
  /// Replaces the content of one stored column by raw bytes, without filter or compression.
  void set_column(std::size_t block, std::uint32_t column, const Bytes& raw);
};

}  // namespace hdb::test
