// A blob table as a plain, slow model: blocks in order with their places, and the image of the
// buffer made from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/blobs/frozen_blobs.hpp"
#include "hdb/blob_table.hpp"
#include "support/using_detail.hpp"

namespace hdb::test {

using Bytes = std::vector<std::byte>;

/// What a block's metadata may be: something that must be constructed and destroyed.
struct BlobLabel {
  std::string name;
  std::uint32_t number = 0;
  friend bool operator==(const BlobLabel&, const BlobLabel&) = default;
};

/// `count` bytes, none of them zero, that depend on `seed`.
inline Bytes make_bytes(std::size_t count, std::uint64_t seed) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(1 + (seed * 31 + i * 7 + i / 251) % 255);
  }
  return bytes;
}

/// Copied whole for a capture.
template <class H>
class BlobModel {
 public:
  struct Block {
    H handle;
    BlobLabel label;
    Bytes bytes;
    std::uint64_t offset = 0;
  };

  BlobModel(std::uint64_t capacity, std::uint64_t alignment, Compaction compaction)
      : capacity_(capacity), alignment_(alignment), compaction_(compaction) {}

  [[nodiscard]] std::uint64_t taken(std::uint64_t size) const {
    return std::max<std::uint64_t>(1, (size + alignment_ - 1) / alignment_) * alignment_;
  }
  [[nodiscard]] std::uint64_t allocated() const {
    std::uint64_t sum = 0;
    for (const Block& block : blocks) sum += taken(block.bytes.size());
    return sum;
  }
  [[nodiscard]] std::uint64_t end() const {
    return blocks.empty() ? 0 : blocks.back().offset + taken(blocks.back().bytes.size());
  }
  [[nodiscard]] bool has_room(std::uint64_t size, std::uint64_t given_back = 0) const {
    return allocated() - given_back + taken(size) <= capacity_;
  }
  void insert(Block block) {
    const std::uint64_t size = taken(block.bytes.size());
    if (end() + size > capacity_) {
      compact();
      ++compactions;
    }
    block.offset = end();
    blocks.push_back(std::move(block));
  }
  void erase(std::size_t which) {
    stale.push_back(blocks[which].handle);
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
    settle();
  }
  void resize(std::size_t which, std::size_t size) {
    blocks[which].bytes.resize(size);
    const std::uint64_t stop = which + 1 == blocks.size() ? capacity_ : blocks[which + 1].offset;
    if (blocks[which].offset + taken(size) > stop) {
      compact();
      if (compaction_ == Compaction::on_demand) ++compactions;
    }
    settle();
  }
  void clear() {
    for (const Block& block : blocks) stale.push_back(block.handle);
    blocks.clear();
  }
  void reset() {
    blocks.clear();
    stale.clear();  // handles issued before may name new blocks
  }
  void compact() {
    std::uint64_t at = 0;
    for (Block& block : blocks) {
      block.offset = at;
      at += taken(block.bytes.size());
    }
  }
  /// What the used buffer must hold.
  [[nodiscard]] Bytes image() const {
    Bytes image(static_cast<std::size_t>(end()));
    for (const Block& block : blocks) {
      std::copy(block.bytes.begin(), block.bytes.end(),
                image.begin() + static_cast<std::ptrdiff_t>(block.offset));
    }
    return image;
  }

  std::vector<Block> blocks;  // in buffer order
  std::vector<H> stale;
  std::size_t compactions = 0;  // that an insert or resize caused

 private:
  void settle() {
    if (compaction_ == Compaction::at_release) compact();
  }
  std::uint64_t capacity_;
  std::uint64_t alignment_;
  Compaction compaction_;
};

/// The used bytes of a capture.
inline Bytes read_all(const FrozenBuffer& frozen) {
  Bytes bytes(static_cast<std::size_t>(frozen.size()));
  frozen.read(0, bytes);
  return bytes;
}

}  // namespace hdb::test
