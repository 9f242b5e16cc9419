// What names and blobs of a whole table must satisfy: unique names, blocks that do not overlap.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "hdb/error.hpp"
#include "hdb/inspect/image.hpp"

namespace hdb::format {

/// Feed it the columns of every group, in any order, then `finish`.
/// Memory: 16 bytes a name and a set entry; 16 bytes a block.
class ExtrasChecker {
 public:
  explicit ExtrasChecker(const TableDescriptor& table) : table_(table) {}

  /// Requires: the columns keep the grammar. Errors: bad_names, bad_blobs.
  [[nodiscard]] Status add_group(const RowGroup& group);
  /// Errors: bad_blobs.
  [[nodiscard]] Status finish();

 private:
  struct LowHalf {
    std::size_t operator()(const Hash128& hash) const noexcept {
      return static_cast<std::size_t>(hash.low);
    }
  };
  [[nodiscard]] Status add_names(const Bytes& lengths, const Bytes& bytes);
  [[nodiscard]] Status add_blocks(const Bytes& offsets, const Bytes& lengths);

  const TableDescriptor& table_;
  std::unordered_set<Hash128, LowHalf> names_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks_;  // begin, end
};

}  // namespace hdb::format
